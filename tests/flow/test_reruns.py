"""An ended run is run again from a stage: what earlier stages stored is used, and nothing decided is lost or undone."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from config.errors import Conflict, Refused
from projects.audit.events import Actor
from projects.documents import recount
from review.status import ReviewStatus
from tests.aws_faults import audit_refused, before_each
from tests.factories import decided_run, ref_of, review_of, start_run
from tests.flow.protocol import ended, kinds, sweep_until_ended
from tests.flow.test_partial import reading, scans  # noqa: F401 - the fixture
from tests.pump import Pump
from tests.workflows.intake.test_new_version_actions import added
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import reruns
from workflows.engine import driver, interventions
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Outcome, ResumeWay, Run
from workflows.runs.queries import document_of
from workflows.runs.run_files import files_of
from workflows.stages.pages import ocr
from workflows.stages.registry import STAGES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.wide  # each begins with a document that was read, decided and published
ROSA = Actor("1", "Rosa Marin")


@contextmanager
def worked() -> Iterator[Counter[str]]:
    """How often each stage worked on something, in this process."""
    counts: Counter[str] = Counter()

    def counting(stage: Any) -> Any:
        def run(context: Any) -> Any:
            counts[stage.name] += 1
            return stage.run(context)

        def work(context: Any, indices: Any) -> Any:
            counts[stage.name] += 1
            return stage.slicing.work(context, indices)

        return replace(stage, run=run, slicing=stage.slicing and replace(stage.slicing, work=work))

    with mock.patch.dict(STAGES, {name: counting(stage) for name, stage in STAGES.items()}):
        yield counts


@pytest.fixture
def published(pump: Pump) -> Run:
    """Decided by a person with a correction, and published."""
    run, _, _ = decided_run(pump)
    sweep_until_ended(run, pump)
    assert queries.execution(run).outcome == Outcome.PUBLISHED
    return run


def failed_at(run: Run, pump: Pump, step: str) -> None:
    """The run stops at ``step`` with an error."""
    order = DOCUMENT_ANALYSIS.named(step).order
    pump.hold = lambda message: message.kwargs.get("step") == order
    pump.run(lambda: bool(pump.held))
    interventions.cancel(run, by=ROSA)
    pump.hold = lambda _message: False


def output(run: Run) -> Any:
    return json.loads(files_of(run).read(files.output(run.workflow_id)))


def step(run: Run, name: str) -> Any:
    return queries.board(run.site, run.workflow_id).data.as_dict()[name]


def test_a_run_without_a_result_goes_on_itself_and_earlier_stages_do_not_run(pump: Pump, scans: Any) -> None:  # noqa: F811
    run = start_run(scans)
    with reading() as first:
        failed_at(run, pump, "assess")
    assert first.call_count == 3
    with worked() as counts, mock.patch.object(ocr, "read_page_image") as read:
        assert reruns.run_again(run, "segment_analyzer", by=ROSA) == run
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    assert not read.called
    assert dict(counts) == {"segment_builder": 1, "segment_analyzer": 1, "assess": 1}
    assert int(queries.execution(run).engine_attempt) == 2
    assert "RUN_RESUMED" in kinds(run)


def test_a_stage_that_is_run_again_makes_its_artifacts_anew(pump: Pump, scans: Any) -> None:  # noqa: F811
    run = start_run(scans)
    with reading():
        failed_at(run, pump, "assess")
    with worked() as counts, reading() as read:
        reruns.run_again(run, "paddleocr_processor", by=ROSA)
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    assert sorted(call.args[1] for call in read.call_args_list) == [0, 1, 2]
    assert set(counts) == {"paddleocr_processor", "segment_builder", "segment_analyzer", "assess"}
    assert queries.execution(run).afresh is None


def test_a_second_delivery_of_the_first_step_clears_nothing_that_was_made(pump: Pump, scans: Any) -> None:  # noqa: F811
    run = start_run(scans)
    with reading():
        failed_at(run, pump, "assess")
        reruns.run_again(run, "segment_analyzer", by=ROSA)
        pump.run(lambda: queries.board(run.site, run.workflow_id).current_step == "human_review")
    builder = DOCUMENT_ANALYSIS.named("segment_builder").order
    message = next(m for m in reversed(pump.seen) if m.kwargs.get("step") == builder)
    before = files_of(run).read(files.segment(0))
    with worked() as counts:
        pump.redeliver(message)
    assert not counts
    assert files_of(run).read(files.segment(0)) == before


@pytest.mark.every_engine("slow")
def test_beside_a_published_result_a_new_run_begins_in_the_middle(pump: Pump, published: Run) -> None:
    before, text = output(published), files_of(published).read(files.segment(0))
    with worked() as counts, mock.patch.object(ocr, "read_page_image") as read:
        new = reruns.run_again(published, "segment_analyzer", by=ROSA)
        assert new.workflow_id != published.workflow_id
        pump.run(lambda: queries.board(new.site, new.workflow_id).current_step == "human_review")
    assert not read.called
    assert dict(counts) == {"segment_builder": 1, "segment_analyzer": 1, "assess": 1}
    # The old result, its pages and its decision are what they were.
    assert (output(published), files_of(published).read(files.segment(0))) == (before, text)
    assert queries.execution(published).outcome == Outcome.PUBLISHED
    assert review_of(ref_of(published)).status == ReviewStatus.APPLIED
    assert ref_of(new) != ref_of(published)
    link, board = document_of(new), queries.board(new.site, new.workflow_id)
    assert (link.beside, link.began_at) == (published.workflow_id, "segment_builder")
    assert step(new, "segment_prep")["reason"] == f"Copied from run …{published.workflow_id[-6:]}."
    assert int(board.page_count) == 1
    names = [row.data["s3_key"] for row in queries.segments(new.site, new.workflow_id).rows]
    assert names == [files_of(new).root + files.own_artifact(new.workflow_id, files.segment(0))]
    told = next(event for event in queries.lineage(new.site, new.document_id).rows if event.type == "RUN_AGAIN")
    assert told.by == "Rosa Marin"
    assert told.facts.as_dict() == {
        "step": "segment_builder", "beside": published.workflow_id, "pages": 1, "keeps": published.workflow_id,
    }  # fmt: skip
    row = queries.project_document(new.site, new.project_id, new.document_id)
    assert (row.workflow_id, row.runs) == (new.workflow_id, {published.workflow_id, new.workflow_id})


@pytest.mark.parametrize(
    "stage", [name for name in STAGES if name not in {"bda_processor", "transcribe", "webcrawler"}]
)
def test_every_stage_can_be_the_first_of_a_new_run(pump: Pump, published: Run, stage: str) -> None:
    order = DOCUMENT_ANALYSIS.named(stage).order
    if step(published, stage)["status"] == "skipped":
        with pytest.raises(Refused, match="Select a stage"):
            reruns.run_again(published, stage, by=ROSA)
        return
    with worked() as counts:
        new = reruns.run_again(published, stage, by=ROSA)
        pump.run(lambda: ended(new) or queries.board(new.site, new.workflow_id).current_step == "human_review")
    first = DOCUMENT_ANALYSIS.named("segment_builder" if stage == "segment_analyzer" else stage).order
    assert counts[stage] == 1
    assert all(DOCUMENT_ANALYSIS.named(name).order >= first for name in counts)
    behind = order > DOCUMENT_ANALYSIS.named("human_review").order
    assert ended(new) == behind
    if behind:  # decided before: the decision holds on, and nobody is asked again
        assert output(new) == output(published)
        assert kinds(new).count("HUMAN_REVIEW_APPROVED") == 1


def test_pages_are_shown_where_the_new_run_has_none_of_its_own(pump: Pump, published: Run) -> None:
    new = reruns.run_again(published, "graph_builder", by=ROSA)
    pump.run(lambda: ended(new))
    assert queries.board(new.site, new.workflow_id).segments_of == published.workflow_id
    assert files_of(new, document_of(new)).read(files.segment(0)) == files_of(published).read(files.segment(0))


def test_of_two_who_run_it_again_one_does(published: Run) -> None:
    def other() -> None:
        reruns.run_again(published, "graph_builder", by=ROSA)

    with before_each("dynamodb", "TransactWriteItems", other), pytest.raises(Conflict):
        reruns.run_again(published, "segment_analyzer", by=ROSA)
    row = queries.project_document(published.site, published.project_id, published.document_id)
    assert len(row.runs) == 2


def test_without_its_event_no_run_begins(published: Run) -> None:
    with audit_refused(), pytest.raises(Exception, match="Too many simultaneous changes"):
        reruns.run_again(published, "segment_analyzer", by=ROSA)
    row = queries.project_document(published.site, published.project_id, published.document_id)
    assert (row.workflow_id, row.runs, row.outcome) == (published.workflow_id, None, Outcome.PUBLISHED)


def test_what_the_engine_did_not_hear_of_is_started_by_the_sweeper(pump: Pump, published: Run) -> None:
    with mock.patch.object(driver, "start"):  # the process died before it
        new = reruns.run_again(published, "graph_builder", by=ROSA)
    with mock.patch("django.conf.settings.RUN_CHECK_SECONDS", 1):
        due = [advance.Execution.GSI2SK.set("2020" + queries.execution(new).GSI2SK[4:])]
        advance.Execution.change(advance.execution_key(new), due, advance.EXISTS)
        sweep_until_ended(new, pump)
    assert queries.execution(new).outcome == Outcome.PUBLISHED


def test_the_rules_of_running_again(pump: Pump, published: Run, scans: Any) -> None:  # noqa: F811
    for stage in ("human_review", "publish", "transcribe", "none"):
        with pytest.raises(Refused, match="Select a stage"):
            reruns.run_again(published, stage, by=ROSA)
    with pytest.raises(Refused, match="has not ended"):
        reruns.run_again(start_run(scans), "segment_prep", by=ROSA)
    reruns.run_again(published, "segment_analyzer", by=ROSA)
    with pytest.raises(Refused, match="in progress"):
        reruns.run_again(published, "segment_analyzer", by=ROSA)


def test_a_newer_content_takes_the_place_of_all_runs_of_the_one_before(pump: Pump, published: Run) -> None:
    new = reruns.run_again(published, "graph_builder", by=ROSA)
    pump.run(lambda: ended(new))
    newer = added(published)
    for run in (published, new):
        assert queries.board(run.site, run.workflow_id).replaced_by == newer.workflow_id
        _end(newer)
        with pytest.raises(Refused, match="newer file version"):
            reruns.run_again(run, "graph_builder", by=ROSA)
    assert queries.project_document(newer.site, newer.project_id, newer.document_id).runs is None


def _end(run: Run) -> None:
    if not ended(run):
        interventions.cancel(run, by=ROSA)


def test_an_analysis_otherwise_stands_beside_the_one_before(pump: Pump, published: Run) -> None:
    pinned = run_settings.from_json(document_of(published).settings)
    fields = tuple(one for one in pinned.fields if one.name != "address")
    with worked() as counts:
        new = reruns.analyse_again(published, replace(pinned, fields=fields, default_threshold=0.5), by=ROSA)
        pump.run(lambda: ended(new) or queries.board(new.site, new.workflow_id).current_step == "human_review")
    assert set(counts) >= {"segment_builder", "segment_analyzer", "assess"}
    assert not counts["paddleocr_processor"] + counts["format_parser"] + counts["segment_prep"]
    found = json.loads(files_of(new).read(files.result(new.workflow_id)))
    before = json.loads(files_of(published).read(files.result(published.workflow_id)))
    assert {one["name"] for one in before["fields"]} - {one["name"] for one in found["fields"]} == {"address"}
    assert "ANALYSED_AGAIN" in kinds(new)


def test_a_chain_of_runs_reads_what_each_made_itself(pump: Pump, published: Run) -> None:
    second = reruns.run_again(published, "graph_builder", by=ROSA)
    pump.run(lambda: ended(second))
    third = reruns.run_again(second, "document_summarizer", by=ROSA)
    pump.run(lambda: ended(third))
    store = files_of(third, document_of(third))
    plain = DocumentFiles(third.site, third.project_id, third.document_id)
    assert store.read(files.GRAPH) == plain.read(files.own_artifact(second.workflow_id, files.GRAPH))
    assert store.read(files.SUMMARY) == plain.read(files.own_artifact(third.workflow_id, files.SUMMARY))
    assert not plain.exists(files.own_artifact(third.workflow_id, files.GRAPH))
    assert queries.board(third.site, third.workflow_id).segments_of == published.workflow_id


def test_of_two_who_choose_a_result_one_is_heard(pump: Pump, published: Run) -> None:
    new = reruns.run_again(published, "graph_builder", by=ROSA)
    pump.run(lambda: ended(new))

    def other() -> None:
        reruns.run_again(new, "document_summarizer", by=ROSA)

    with before_each("dynamodb", "TransactWriteItems", other), pytest.raises(Conflict):
        reruns.choose_result(published, by=ROSA, reviews=True)
    assert "RESULT_CHOSEN" not in kinds(published)
    row = queries.project_document(new.site, new.project_id, new.document_id)
    assert row.workflow_id not in {published.workflow_id, new.workflow_id}


def test_a_chosen_result_counts_and_the_numbers_hold(pump: Pump, published: Run) -> None:
    new = reruns.run_again(published, "graph_builder", by=ROSA)
    pump.run(lambda: ended(new))
    reruns.choose_result(published, by=ROSA, reviews=True)
    assert recount.find_differences(published.site) == []
    told = next(event for event in queries.lineage(new.site, new.document_id).rows if event.type == "RESULT_CHOSEN")
    assert json.loads(told.bus_detail)["uri"].endswith(files.output(published.workflow_id))


def test_a_run_beside_another_has_its_failed_page_read_again_for_itself(pump: Pump, scans: Any) -> None:  # noqa: F811
    run = start_run(scans)
    with reading(1):
        pump.run(lambda: ended(run))
    pinned = run_settings.from_json(document_of(run).settings)
    with reading() as read:
        new = reruns.analyse_again(run, replace(pinned, default_threshold=0.5), by=ROSA)
        pump.run(lambda: ended(new))
        assert not read.called
        assert queries.execution(new).outcome == Outcome.PARTIAL  # what was not read is still missing, and said so
        interventions.resume(new, ResumeWay.RETRY, by=ROSA)
        pump.run(lambda: queries.board(new.site, new.workflow_id).current_step == "human_review")
    assert [call.args[1] for call in read.call_args_list] == [1]
    own, first = files_of(new, document_of(new)), files_of(run)
    second = [json.loads(store.read(files.segment(1)))["text_content"] for store in (own, first)]
    assert second == ["Harbour Bakery 1", ""]
    assert json.loads(own.read(files.segment(2)))["text_content"] == "Harbour Bakery 2"
