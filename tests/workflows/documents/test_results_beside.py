"""What follows a publication follows no result that stands beside a decided one, until a person chooses it."""

import json
from typing import Any

import pytest
from django.core import mail

from config import table as table_keys
from config.errors import NotAllowed
from config.transaction import EXISTS
from projects.documents import queries as document_queries
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition
from tests.factories import SITE
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.workflows.follow_ups import NOTIFY, ROSA, drive, publish, ready, result
from tests.workflows.make_rules import ALICE, make_rule, make_ruleset
from tests.workflows.routing.test_field_mappings_actions import make as make_mapping
from tests.workflows.routing.test_field_mappings_actions import values
from tests.workflows.test_api import API, problem, program
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.rules import When
from workflows.documents.actions import reruns
from workflows.engine import interventions
from workflows.publish import queries as publish_queries
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Outcome, ProjectDocument, Run, WorkflowSteps
from workflows.runs.queries import document_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
PUBLISH = DOCUMENT_ANALYSIS.named("publish").order
KIND = {"version": 1, "confidence": 0.9, "source": "rules"}


def at_publish(run: Run, total: str, *, decided: bool = False) -> Run:
    """The run's next step publishes this total, or a person's correction of it."""
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    body = json.dumps(result({"company": "Alder", "total": total, "date": "2024-03-12"})).encode()
    store.write(files.result(run.workflow_id), body, "application/json")
    changes = [Execution.currentStep.set(PUBLISH), Execution.result_sha256.set(files.sha256(body))]
    if decided:
        reviewer = {"id": "1", "name": "Rosa Marin"}
        decision = json.dumps(
            {"decision_id": "d1", "decision": "approve", "reviewer": reviewer, "reason": "", "at": "2026",
             "corrections": {"total": "99.00"}}
        ).encode()  # fmt: skip
        kept = files.sha256(decision)
        store.write(files.decision(run.workflow_id, "d1", kept), decision, "application/json")
        changes += [Execution.decision_id.set("d1"), Execution.decision_sha256.set(kept)]
    Execution.change(advance.execution_key(run), changes, EXISTS)
    seen = {"status": "completed"}
    board = [WorkflowSteps.data[name].set(seen) for name in ("segment_prep", "segment_builder", "segment_analyzer")]
    WorkflowSteps.change(advance.board_key(run), board, EXISTS)
    return run


@pytest.fixture
def decided(table: str) -> Run:
    """Corrected by a person, published, and followed by a mail and an attribute."""
    attribute_definition_actions.create_definition(SITE, AttributeDefinition("amount", "Amount", "text"), by=ALICE)
    make_mapping(("total", "amount"))
    make_rule(make_ruleset(), when=When.UPLOAD, actions=(NOTIFY,))
    run = at_publish(ready(), "510.24", decided=True)
    publish(run)
    drive(run)
    assert (len(mail.outbox), values(run)) == (1, {"amount": "99.00"})
    return run


def analysed(run: Run, total: str = "5.00") -> Run:
    pinned = run_settings.from_json(document_of(run).settings)
    new = reruns.analyse_again(run, pinned, by=ROSA)
    assert publish(at_publish(new, total)).get("follow_up") is None
    return new


def test_nothing_follows_a_result_beside_a_decided_one_until_it_is_chosen(decided: Run) -> None:
    new = analysed(decided)
    assert publish_queries.follow_up(new) is None
    assert publish_queries.actions_of(new) == []
    assert (len(mail.outbox), values(new)) == (1, {"amount": "99.00"})
    assert reruns.choose_result(new, by=ROSA, reviews=True)
    drive(new)
    assert (len(mail.outbox), values(new)) == (2, {"amount": "5.00"})
    # Chosen back and once more: what followed once is not done again.
    assert not reruns.choose_result(decided, by=ROSA, reviews=True)
    assert not reruns.choose_result(new, by=ROSA, reviews=True)
    drive(new)
    assert len(mail.outbox) == 2


def test_its_document_type_is_not_the_documents_until_it_is_chosen(decided: Run) -> None:
    before = document_queries.get_document(SITE, decided.document_id).classification_id
    pinned = run_settings.from_json(document_of(decided).settings)
    new = at_publish(reruns.analyse_again(decided, pinned, by=ROSA), "5.00")
    store = DocumentFiles(SITE, new.project_id, new.document_id)
    found: dict[str, Any] = json.loads(store.read(files.result(new.workflow_id)))
    body = json.dumps({**found, "type": {"id": "other", "name": "Other", "candidates": [], **KIND}}).encode()
    store.write(files.result(new.workflow_id), body, "application/json")
    Execution.change(advance.execution_key(new), [Execution.result_sha256.set(files.sha256(body))], EXISTS)
    publish(new)
    assert document_queries.get_document(SITE, new.document_id).classification_id == before


def url(run: Run, more: str = "") -> str:
    return f"/workflows/{run.document_id}/{run.workflow_id}/{more}"


@pytest.mark.wide
def test_the_pages_say_which_result_is_in_use_and_let_a_reviewer_choose(decided: Run) -> None:
    new = analysed(decided)
    shown = one_line(signed_in(bob()).get(url(new)).content)
    assert "Another result is in use" in shown
    assert "Use this result" in shown
    assert "Not in use" in shown
    assert f"?left={decided.workflow_id}&amp;right={new.workflow_id}" in shown
    assert "Use this result" not in one_line(signed_in(charlie()).get(url(new)).content)
    assert "Not in use" in one_line(signed_in(charlie()).get(url(new, "result/")).content)
    assert "Another result is in use" not in one_line(signed_in(bob()).get(url(decided)).content)
    listed = one_line(signed_in(charlie()).get(f"/documents/{new.document_id}/runs/").content)
    at = listed.index("In use")
    assert listed.index(f"…{decided.workflow_id[-6:]}") < at
    compare = f"/documents/{new.document_id}/compare/"
    for asked in ("", f"?right={decided.workflow_id}", f"?right={new.workflow_id}"):
        sides = signed_in(bob()).get(compare + asked).context
        assert (sides["left_id"], sides["right_id"]) == (decided.workflow_id, new.workflow_id), asked
    compared = f"{compare}?left={decided.workflow_id}&right={new.workflow_id}"
    assert "In use, reviewed" in one_line(signed_in(bob()).get(compared).content)
    after = one_line(signed_in(alice()).post(url(new, "choose/"), follow=True).content)
    assert "This result is now in use." in after
    assert "Another result is in use" not in after
    assert queries.project_document(SITE, new.project_id, new.document_id).workflow_id == new.workflow_id


def test_before_it_is_analysed_otherwise_the_page_says_what_stays(decided: Run) -> None:
    shown = one_line(signed_in(bob()).get(url(decided, "again/")).content)
    assert "The reviewed result stays in use until you choose the new one" in shown
    assert "or a reviewer decides in the new run" in shown


def test_programs_are_told_which_result_is_the_documents(decided: Run) -> None:
    new, client = analysed(decided), program()
    address = f"{API}/documents/{new.document_id}/runs"
    run, found = (client.get(f"{address}/{new.workflow_id}{more}").json() for more in ("", "/result"))
    assert (run["beside"], found["beside"], found["final"]) == (decided.workflow_id, decided.workflow_id, False)
    old = client.get(f"{address}/{decided.workflow_id}/result").json()
    assert (old["beside"], old["final"]) == (None, True)
    (listed,) = queries.project_documents(SITE, new.project_id).rows
    assert (listed.workflow_id, listed.outcome) == (decided.workflow_id, Outcome.PUBLISHED)
    refused = client.post(f"{address}/{new.workflow_id}/choose", {}, content_type="application/json")
    assert "review permission" in problem(refused, 403)["detail"]
    assert queries.project_document(SITE, new.project_id, new.document_id).workflow_id == decided.workflow_id


def test_a_result_decided_before_its_row_named_it_stays_too(decided: Run) -> None:
    key = table_keys.PROJECT_DOCUMENT.key(SITE, project_id=decided.project_id, document_id=decided.document_id)
    ProjectDocument.change(key, [ProjectDocument.decided.remove()], EXISTS)
    new = analysed(decided)
    row = queries.project_document(SITE, new.project_id, new.document_id)
    assert (row.workflow_id, row.decided) == (decided.workflow_id, decided.workflow_id)
    ProjectDocument.change(key, [ProjectDocument.decided.remove()], EXISTS)
    with pytest.raises(NotAllowed):  # asked from another run of the document
        reruns.choose_result(new, by=ROSA, reviews=False)


def test_a_run_that_was_stopped_beside_a_decided_result_says_what_stays(decided: Run) -> None:
    new = reruns.analyse_again(decided, run_settings.from_json(document_of(decided).settings), by=ROSA)
    interventions.cancel(new, by=ROSA)
    shown = one_line(signed_in(bob()).get(url(new)).content)
    assert "The reviewed result stays in use." in shown
    assert "Nothing was published." not in shown
    assert "Use this result" not in shown
