"""A result that a person decided stays the document's, whatever machines find later, until a person says otherwise."""

import json
from dataclasses import replace
from typing import Any

import pytest

from config import table
from config.errors import Conflict, NotAllowed, NotFound, Refused
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.documents import queries as documents_queries
from projects.documents import recount
from review.decide import claims, decisions
from review.status import Decision
from tests.aws_faults import audit_refused, before_each
from tests.factories import ROSA as REVIEWER
from tests.factories import decided_run, ref_of, sample_files, start_run, verdict
from tests.flow.protocol import ended, kinds, sweep_until_ended
from tests.pump import Pump
from tests.workflows.intake.test_new_version_actions import added, original_of
from workflows.documents.actions import reruns
from workflows.engine import interventions
from workflows.engine.tasks import end_run
from workflows.publish import actions
from workflows.publish.items import SenderNotice
from workflows.runs import events, queries, run_settings
from workflows.runs.items import Outcome, ResumeWay, Run
from workflows.runs.queries import document_of
from workflows.runs.run_files import files_of
from workflows.search import content
from workflows.search.content import DocumentRef
from workflows.storage import files

pytestmark = pytest.mark.wide  # each begins with a document that was read, decided and published
ROSA = Actor("1", "Rosa Marin")
CORRECTED = "12.34"


@pytest.fixture
def decided(pump: Pump) -> Run:
    """Published with a person's correction."""
    run, _, _ = decided_run(pump)
    sweep_until_ended(run, pump)
    return run


def row_of(run: Run) -> Any:
    return queries.project_document(run.site, run.project_id, run.document_id)


def in_use(run: Run) -> tuple[str | None, str | None, str | None]:
    row = row_of(run)
    return row.workflow_id, row.outcome, row.status


def total(run: Run) -> str:
    found = json.loads(files_of(run).read(files.output(run.workflow_id)))
    return next(str(one["value"]) for one in found["fields"] if one["name"] == "total")


def searched(run: Run) -> set[str]:
    entry = content.entry_of(DocumentRef(run.site, run.project_id, run.document_id), lambda: None)
    assert entry is not None
    return {part.text for part in entry.parts}


def sure(run: Run) -> Any:
    """Settings by which the machine asks no person."""
    pinned = run_settings.from_json(document_of(run).settings)
    fields = tuple(replace(one, threshold=0.0, required=False) for one in pinned.fields)
    return replace(pinned, fields=fields, default_threshold=0.0)


def analysed(run: Run, pump: Pump) -> Run:
    """A second run that publishes without a person."""
    new = reruns.analyse_again(run, sure(run), by=ROSA)
    pump.run(lambda: ended(new))
    assert queries.execution(new).outcome == Outcome.PUBLISHED
    return new


def bus_types(run: Run) -> list[str | None]:
    return [one.bus_type for one in queries.lineage(run.site, run.document_id).rows
            if one.correlationId == run.workflow_id and one.bus_type]  # fmt: skip


def test_a_machines_result_stands_beside_the_decided_one(pump: Pump, decided: Run) -> None:
    new = analysed(decided, pump)
    assert total(new) != CORRECTED
    assert in_use(decided) == (decided.workflow_id, Outcome.PUBLISHED, "completed")
    assert row_of(decided).decided == decided.workflow_id
    assert CORRECTED in searched(decided)
    assert total(new) not in searched(decided)
    assert "RESULT_STANDS_BESIDE" in kinds(new)
    assert bus_types(new) == []
    assert recount.find_differences(decided.site) == []
    assert queries.run_kept_instead(queries.board(new.site, new.workflow_id)) == decided.workflow_id
    assert queries.run_kept_instead(queries.board(new.site, decided.workflow_id)) == ""


def test_a_person_has_it_count_with_an_audit_event_and_what_follows_then(pump: Pump, decided: Run) -> None:
    new = analysed(decided, pump)
    with pytest.raises(NotAllowed, match="review permission"):
        reruns.choose_result(new, by=ROSA, reviews=False)
    with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
        reruns.choose_result(new, by=ROSA, reviews=True)
    assert in_use(new)[0] == decided.workflow_id
    reruns.choose_result(new, by=ROSA, reviews=True)
    assert in_use(new) == (new.workflow_id, Outcome.PUBLISHED, "completed")
    assert total(new) in searched(new)
    assert bus_types(new) == [events.PROCESSED]
    pk = table.ENTITY_EVENT.partition_key(new.site, entity_type="document", entity_id=new.document_id)
    (told,) = EntityEvent.page(pk).rows
    assert (told.type, told.userId) == ("result chosen", ROSA.id)
    assert told.payload.as_dict() == {"run": {"before": decided.workflow_id, "after": new.workflow_id}}
    # What a person chose stays as what a person decided does.
    third = analysed(new, pump)
    assert in_use(new)[0] == new.workflow_id
    assert queries.run_kept_instead(queries.board(third.site, third.workflow_id)) == new.workflow_id


def test_of_two_choices_one_is_heard(pump: Pump, decided: Run) -> None:
    new = analysed(decided, pump)
    third = analysed(decided, pump)

    def other() -> None:
        reruns.choose_result(third, by=ROSA, reviews=True)

    with before_each("dynamodb", "TransactWriteItems", other), pytest.raises(Conflict):
        reruns.choose_result(new, by=ROSA, reviews=True)
    assert in_use(new)[0] == third.workflow_id


def test_while_the_new_run_works_the_decided_result_is_the_one_in_use(decided: Run) -> None:
    new = reruns.analyse_again(decided, sure(decided), by=ROSA)
    row = row_of(decided)
    assert (row.workflow_id, row.outcome, row.counts) == (new.workflow_id, None, decided.workflow_id)


@pytest.mark.parametrize("way", ["cancelled", "failed"])
def test_a_run_that_ends_without_a_result_takes_nothing_away_and_can_go_on(pump: Pump, decided: Run, way: str) -> None:
    new = reruns.analyse_again(decided, sure(decided), by=ROSA)
    pump.hold = lambda _message: True
    if way == "cancelled":
        interventions.cancel(new, by=ROSA)
    else:
        end_run(new, attempt=1, error="E", sentence="Not readable.")
    assert in_use(new) == (decided.workflow_id, Outcome.PUBLISHED, "completed")
    assert bus_types(new) == []
    assert CORRECTED in searched(new)
    assert recount.find_differences(new.site) == []
    pump.hold = lambda _message: False
    interventions.resume(new, ResumeWay.AGAIN, by=ROSA)
    with pytest.raises(Refused, match="has not ended"):
        reruns.run_again(new, "assess", by=ROSA)
    pump.run(lambda: ended(new))
    assert in_use(new)[0] == decided.workflow_id
    assert recount.find_differences(new.site) == []


def test_a_run_beside_that_failed_goes_on_from_a_stage_itself(pump: Pump, decided: Run) -> None:
    new = reruns.analyse_again(decided, sure(decided), by=ROSA)
    pump.hold = lambda _message: True
    interventions.cancel(new, by=ROSA)
    pump.hold = lambda _message: False
    assert reruns.run_again(new, "segment_builder", by=ROSA) == new
    pump.run(lambda: ended(new))
    assert in_use(new)[0] == decided.workflow_id


def test_of_two_runs_beside_that_go_on_at_once_one_does(pump: Pump, decided: Run) -> None:
    pump.hold = lambda _message: True
    stopped = []
    for _ in range(2):
        new = reruns.analyse_again(decided, sure(decided), by=ROSA)
        interventions.cancel(new, by=ROSA)
        stopped.append(new)
    interventions.resume(stopped[0], ResumeWay.AGAIN, by=ROSA)
    with pytest.raises(Conflict):
        interventions.resume(stopped[1], ResumeWay.AGAIN, by=ROSA)
    assert row_of(decided).workflow_id == stopped[0].workflow_id


def test_what_a_person_decides_in_the_new_run_counts(pump: Pump, decided: Run) -> None:
    new = reruns.run_again(decided, "segment_analyzer", by=ROSA)
    before = pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    ref = ref_of(new)
    claims.claim_review(ref, new, by=REVIEWER)
    decisions.decide_review(ref, new, verdict(ref, total="56.78"), by=REVIEWER)
    sweep_until_ended(new, pump)
    assert in_use(new)[0] == new.workflow_id
    assert row_of(new).decided == new.workflow_id
    assert total(new) == "56.78"


def test_a_rejection_in_the_new_run_leaves_the_decided_result(pump: Pump, decided: Run) -> None:
    new = reruns.run_again(decided, "segment_analyzer", by=ROSA)
    before = pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    ref = ref_of(new)
    claims.claim_review(ref, new, by=REVIEWER)
    decisions.decide_review(ref, new, verdict(ref, Decision.REJECT), by=REVIEWER)
    sweep_until_ended(new, pump)
    assert queries.execution(new).outcome == Outcome.REJECTED
    assert in_use(new) == (decided.workflow_id, Outcome.PUBLISHED, "completed")
    assert recount.find_differences(new.site) == []


def test_a_decision_carried_on_counts_only_from_the_result_in_use(pump: Pump, decided: Run) -> None:
    second = reruns.run_again(decided, "graph_builder", by=ROSA)
    pump.run(lambda: ended(second))
    assert (in_use(second)[0], total(second)) == (second.workflow_id, CORRECTED)
    third = reruns.run_again(decided, "graph_builder", by=ROSA)  # of a decision that counts no more
    pump.run(lambda: ended(third))
    assert in_use(third)[0] == second.workflow_id


def test_a_machines_result_gives_way_to_the_next_as_before(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == Outcome.PUBLISHED
    new = analysed(run, pump)
    assert in_use(run)[0] == new.workflow_id
    assert bus_types(new) == [events.PROCESSED]


def test_the_same_file_again_is_no_newer_content(pump: Pump, decided: Run) -> None:
    document = documents_queries.get_document(decided.site, decided.document_id)
    assert document.checksum == files.sha256(sample_files()[0].read_bytes())
    with pytest.raises(Refused, match="select Re-run"):
        added(decided, original_of(decided, sample_files()[0].read_bytes()))
    assert in_use(decided)[0] == decided.workflow_id


def test_a_newer_file_is_read_and_decided_anew(pump: Pump, decided: Run) -> None:
    newer = added(decided)
    row = row_of(decided)
    assert (row.workflow_id, row.decided, row.counts) == (newer.workflow_id, None, newer.workflow_id)
    assert queries.execution(newer).keeps is None


def test_nobody_is_told_that_a_document_failed_which_keeps_its_result(pump: Pump, decided: Run, settings: Any) -> None:
    settings.TELL_SENDERS = "mail"
    new = reruns.analyse_again(decided, sure(decided), by=ROSA)
    end_run(new, attempt=1, error="E", sentence="Not readable.")
    with pytest.raises(NotFound):
        SenderNotice.load(actions.notice_key_of(new, 1))
