"""A project that lets the type be found, from the upload to the lists of a classification, through the machine."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.conf import settings

from config import clock
from config.errors import Conflict
from config.transaction import transact
from projects.audit.events import Actor
from projects.documents import queries as counter_queries
from projects.documents import recount
from projects.documents.actions.classification import set_classification
from projects.documents.items import DocumentStatus
from projects.schemas.defaults import ensure_default_schemas
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from tests.aws_faults import before_each, count_calls
from tests.factories import PROJECT, ROSA, SITE, ref_of, verdict
from tests.html import one_line
from tests.people import bob, signed_in
from tests.pump import Pump
from tests.workflows.make_rules import arrived, make_rule, make_ruleset
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.rules import Condition, Operator, Source
from workflows.documents.actions import reruns
from workflows.engine import actions
from workflows.runs import queries, run_settings
from workflows.runs.actions.document_rows import DocumentState, More, write_document
from workflows.runs.items import Outcome, Run
from workflows.stages.document_types import of_result
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db
PUBLISH = DOCUMENT_ANALYSIS.named("publish").order
TYPED = {**PROJECT, "typing": "found", "review_policy": {"default_threshold": 0.05}}


@pytest.fixture(autouse=True)
def types(table: str) -> None:
    ensure_default_schemas(SITE, by=Actor("1", "Alice Novak"))


def output(run: Run) -> dict:
    return json.loads(DocumentFiles(SITE, run.project_id, run.document_id).read(files.output(run.workflow_id)))


def published(pump: Pump, run: Run) -> None:
    pump.run(lambda: queries.board(SITE, run.workflow_id).outcome == Outcome.PUBLISHED)


@pytest.mark.wide
def test_the_type_is_found_published_listed_and_seen_by_the_rules(pump: Pump) -> None:
    is_invoice = Condition(Source.FIELD, Operator.EQ, "Invoice", "document_type")
    make_rule(make_ruleset(), is_invoice, queue="q1")
    run = arrived(project=TYPED)
    published(pump, run)
    found = output(run)
    assert (found["type"]["id"], found["type"]["source"]) == ("invoice", "rules")
    assert "due_date" in [one["name"] for one in found["fields"]]
    assert counter_queries.get_document(SITE, run.document_id).classification_id == "invoice"
    assert counter_queries.documents_of_classification(SITE, "invoice") == 1
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    assert json.loads(store.read(files.routing_judgement(run.workflow_id)))["judgement"]["effect"]["queue"] == "q1"
    shown = one_line(signed_in(bob()).get(f"/documents/{run.document_id}/").content)
    assert "?class=invoice" in shown


@pytest.mark.wide
def test_a_type_that_a_person_chose_is_published_in_its_place(pump: Pump) -> None:
    run = arrived(project={**TYPED, "review_policy": {"default_threshold": 1.0}})
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, **{of_result.KEY: "receipt", "payment_method": "Card"})
    decisions.decide_review(ref, run, chosen, by=ROSA)
    enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    published(pump, run)
    found = output(run)
    assert (found["type"]["id"], found["type"]["source"], found["type"]["extracted"]) == (
        "receipt", "reviewer", "invoice",
    )  # fmt: skip
    values = {one["name"]: one["value"] for one in found["fields"]}
    assert values["payment_method"] == "Card"
    assert "due_date" not in values
    assert counter_queries.get_document(SITE, run.document_id).classification_id == "receipt"
    rows = counter_queries.list_activities(SITE, run.document_id).rows
    assert [one.user_name for one in rows if one.type == "MODIFY"] == ["Rosa Marin"]


def test_a_newer_attempt_finds_a_document_that_the_older_one_did_not_classify(pump: Pump) -> None:
    run = arrived(project=TYPED)
    pump.hold = lambda message: message.task.endswith("run_step") and message.kwargs["step"] == PUBLISH
    pump.run(lambda: bool(pump.held))
    (message,) = pump.held
    with before_each("dynamodb", "TransactWriteItems", lambda: actions.begin_next(run, attempt=1, why="lost")):
        pump.deliver(message)
    assert queries.execution(run).outcome is None
    assert counter_queries.get_document(SITE, run.document_id).classification_id is None
    assert counter_queries.documents_of_classification(SITE, "invoice") == 0


def test_publishing_and_classifying_are_one_write(pump: Pump) -> None:
    run = arrived(project=TYPED)
    pump.hold = lambda message: message.task.endswith("run_step") and message.kwargs["step"] == PUBLISH
    pump.run(lambda: bool(pump.held))
    with count_calls() as calls:
        pump.deliver(pump.held.pop())
    written = calls.of("dynamodb", "TransactWriteItems")
    assert len([one for one in written if "classification_id" in str(one.params)]) == 1
    assert counter_queries.get_document(SITE, run.document_id).classification_id == "invoice"
    (told,) = [one for one in counter_queries.list_activities(SITE, run.document_id).rows if one.type == "MODIFY"]
    assert told.user_name == "Classification"


@pytest.mark.wide
def test_a_chosen_result_and_its_type_are_one_write(pump: Pump) -> None:
    run = arrived(project=TYPED)
    published(pump, run)
    pinned = run_settings.from_json(queries.document_workflow(SITE, run.document_id, run.workflow_id).settings)
    fixed = replace(pinned, typing="", types_sha256="", classification_id="receipt", classification_name="Receipt")
    other = reruns.analyse_again(run, fixed, by=ROSA)
    pump.run(lambda: bool(queries.board(SITE, other.workflow_id).outcome))
    again = reclassified(run)
    with before_each("dynamodb", "TransactWriteItems", again), pytest.raises(Conflict):
        reruns.choose_result(run, by=ROSA, reviews=True)
    row = queries.project_document(SITE, run.project_id, run.document_id)
    assert row.workflow_id == other.workflow_id
    with count_calls() as calls:
        reruns.choose_result(run, by=ROSA, reviews=True)
    written = calls.of("dynamodb", "TransactWriteItems")
    assert len([one for one in written if "classification_id" in str(one.params)]) == 1
    assert counter_queries.get_document(SITE, run.document_id).classification_id == "invoice"
    assert recount.find_differences(SITE) == []


def reclassified(run: Run) -> Callable[[], None]:
    """Somebody else makes it a document of another type."""

    def act() -> None:
        typed = set_classification(SITE, run.document_id, "form", name="Form", by=Actor("2", "Marta Kowalczyk"))
        assert typed
        here = DocumentState(DocumentStatus.PUBLISHED, run.workflow_id)
        transact(write_document(run, here, here, clock.iso(clock.now()), more=More(classified=typed)), *typed.events)

    return act


def test_a_project_that_fixes_the_type_looks_for_none(pump: Pump) -> None:
    run = arrived(project={**TYPED, "classification_id": "receipt"})
    published(pump, run)
    assert "type" not in output(run)
    assert output(run)["classification"]["id"] == "receipt"
