"""Counters equal a full count, whatever happened, in whatever order, and however often it was delivered."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from config import clock
from config.errors import Conflict, CountersignError
from config.transaction import Change
from projects.documents import queries as counter_queries
from projects.documents.queries import Queued, get_removal
from review.decide import claims, decisions, postponements, redemption
from review.identity import ReviewRef
from review.status import Decision
from tests.aws_faults import fail
from tests.factories import MARTA, PROJECT, PROJECT_ID, ROSA, SITE, review_of, start_run, verdict, waiting_run
from tests.flow.protocol import sweep_until_ended
from tests.projects.counts import counted, said
from tests.projects.make_schemas import make_attributes, make_classification
from tests.pump import Message, Pump
from tests.review.reviews import open_review
from tests.workflows import removing
from tests.workflows.intake.test_new_version_actions import added
from tests.workflows.removing import reviewed_document
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.documents.tasks import finish_removal
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Run

BY = removing.ROSA


class Twice(Pump):
    """Every message is delivered twice."""

    def deliver(self, message: Message) -> None:
        self.redeliver(message)
        super().deliver(message)


@pytest.fixture
def twice(machines: None, table: str) -> Pump:
    return Twice()


def failed(run: Run) -> Run:
    """Twice: the second finds the run ended."""
    for _ in range(2):
        execution = queries.execution(run)
        try:
            advance.fail(run, DOCUMENT_ANALYSIS, execution, attempt=1, error="E", sentence="Not readable.")
        except (Conflict, KeyError):
            assert execution.status == "failed"
    return run


def decided(pump: Pump, decision: Decision) -> Run:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref, decision)
    for _ in range(2):
        decisions.decide_review(ref, run, chosen, by=ROSA)
    return run


def number(kind: str, of: str, name: str) -> int:
    found: int = said().get((kind, of, name), 0)
    return found


@pytest.mark.wide
@pytest.mark.every_engine("slow")
def test_after_a_mixed_history_counters_equal_a_full_count(twice: Pump) -> None:
    approved, rejected = decided(twice, Decision.APPROVE), decided(twice, Decision.REJECT)
    assert said() == counted()
    assert (number("site", "documents", "waiting"), number("queue", "review", "waiting")) == (2, 0)
    for run in (approved, rejected):
        sweep_until_ended(run, twice)
    twice.run(idle=0.3)
    expired, _ = waiting_run(twice)
    redemption.expire_review(expired, attempt=int(queries.execution(expired).engine_attempt))
    with pytest.raises(CountersignError):
        redemption.expire_review(expired, attempt=1)
    gone, again = failed(start_run()), failed(start_run())
    waiting_run(twice)
    added(again)
    one_each = ("published", "rejected", "expired", "failed", "in_progress", "waiting")
    assert said() == counted() == {("queue", "review", "waiting"): 1} | {
        (kind, of, name): 1 for kind, of in (("site", "documents"), ("project", PROJECT_ID)) for name in one_each
    }  # fmt: skip
    for run in (approved, gone):
        removals.delete_document(SITE, run.document_id, by=BY)
        assert said() == counted()
    removals.restore_document(SITE, approved.document_id, by=BY)
    with pytest.raises(CountersignError):
        removals.restore_document(SITE, approved.document_id, by=BY)
    removals.purge_document(SITE, gone.document_id, by=BY)
    for _ in range(2):
        finish_removal(site=SITE, document_id=gone.document_id)
    assert get_removal(SITE, gone.document_id).status == "purged"
    assert said() == counted()
    assert counter_queries.count_documents(SITE).total == 5
    assert counter_queries.count_documents(SITE) == counter_queries.documents_of_project(SITE, PROJECT_ID)


def test_a_decision_that_is_taken_back_waits_again(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    assert counter_queries.count_waiting_by_queue(SITE) == {}
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    with pytest.raises(Conflict):
        decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    assert counter_queries.count_waiting_by_queue(SITE) == {"review": 1}
    assert said() == counted()


def test_of_many_who_decide_at_once_one_is_counted(table: str) -> None:
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    chosen = [verdict(ref) for _ in range(8)]

    def decide(one: decisions.Verdict) -> bool:
        try:
            decisions.decide_review(ref, run, one, by=ROSA)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as people:
        assert sum(people.map(decide, chosen)) == 1
    assert number("queue", "review", "waiting") == 0
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, verdict(ref), by=MARTA)
    assert number("queue", "review", "waiting") == 0


def test_of_many_who_delete_at_once_one_is_counted(table: str) -> None:
    run = failed(start_run())

    def delete(_: int) -> bool:
        try:
            removals.delete_document(SITE, run.document_id, by=BY)
        except CountersignError:
            return False
        return True

    with ThreadPoolExecutor(6) as people:
        assert sum(people.map(delete, range(6))) == 1
    assert said() == counted() == {}


def test_what_is_not_written_is_not_counted(table: str) -> None:
    with fail("dynamodb", "TransactWriteItems", times=9), pytest.raises(CountersignError):
        start_run()
    assert said() == {}


def test_a_review_that_outlived_its_run_leaves_the_queue_with_its_document(table: str) -> None:
    run, ref = open_review()
    failed(run)
    assert number("queue", "review", "waiting") == 1
    removals.delete_document(SITE, run.document_id, by=BY)
    assert number("queue", "review", "waiting") == 0
    removals.restore_document(SITE, run.document_id, by=BY)
    assert number("queue", "review", "waiting") == 1
    assert review_of(ref).status == "PENDING"


def test_a_classification_counts_its_documents_and_a_site_its_own(table: str) -> None:
    make_attributes()
    invoice = make_classification()
    project = {**PROJECT, "classification_id": invoice}
    run = start_run(project=project)
    start_run(project=project)
    start_run(site="acme")
    assert said() == counted()
    assert said("acme") == counted("acme")
    count = counter_queries.documents_of_classification
    assert (count(SITE, invoice), count("acme", invoice)) == (2, 0)
    failed(run)
    removals.delete_document(SITE, run.document_id, by=BY)
    assert count(SITE, invoice) == 1
    removals.restore_document(SITE, run.document_id, by=BY)
    assert count(SITE, invoice) == 2
    assert counter_queries.count_documents("acme").by_status == {"in_progress": 1}


def test_a_reopened_review_and_a_newer_token_are_no_second_review(pump: Pump) -> None:
    waiting_run(pump)
    message = next(one for one in pump.seen if one.task.endswith("open_review"))
    pump.redeliver(message)
    assert number("queue", "review", "waiting") == 1
    assert said() == counted()


@pytest.mark.wide
def test_a_published_document_is_restored_to_where_it_was_listed(pump: Pump) -> None:
    run = reviewed_document(pump)
    before = queries.project_document(SITE, PROJECT_ID, run.document_id)
    removals.delete_document(SITE, run.document_id, by=BY)
    hidden = queries.project_document(SITE, PROJECT_ID, run.document_id)
    assert (hidden.GSI1PK, hidden.GSI2PK) == (None, None)
    removals.restore_document(SITE, run.document_id, by=BY)
    after = queries.project_document(SITE, PROJECT_ID, run.document_id)
    assert (after.GSI2PK, after.GSI2SK) == (before.GSI2PK, before.GSI2SK)
    assert counter_queries.get_document(SITE, run.document_id).status == "published"


def postpone(ref: ReviewRef, run: Run) -> None:
    claims.claim_review(ref, run, by=ROSA)
    postponements.postpone_review(ref, run, review_of(ref), clock.in_seconds(600), by=ROSA)


def test_postponed_reviews_are_counted_apart_however_many_there_are(table: str) -> None:
    made = [open_review(f"{number}.pdf") for number in range(3)]
    postpone(made[0][1], made[0][0])
    postpone(made[1][1], made[1][0])
    assert counter_queries.count_by_queue(SITE) == {"review": Queued(waiting=1, postponed=2)}
    postponements.resume_review(made[0][1], made[0][0], review_of(made[0][1]))
    assert counter_queries.count_by_queue(SITE) == {"review": Queued(waiting=2, postponed=1)}
    assert said() == {**counted(), **{key: number for key, number in said().items() if key[0] != "queue"}}


def test_of_many_who_bring_a_review_back_at_once_one_is_counted(table: str) -> None:
    run, ref = open_review()
    postpone(ref, run)
    read = review_of(ref)

    def resume(_: int) -> bool:
        try:
            postponements.resume_review(ref, run, read)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as people:
        assert sum(people.map(resume, range(8))) == 1
    assert counter_queries.count_by_queue(SITE) == {"review": Queued(waiting=1)}


@pytest.mark.wide
@pytest.mark.parametrize("before", [False, True])
def test_a_review_that_is_postponed_or_comes_back_as_it_expires_is_counted_once(
    pump: Pump, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """``before``: it was postponed when it was read, and is back when its end is written; otherwise the other way."""
    run, ref = waiting_run(pump)
    if before:
        postpone(ref, run)
    plan, meanwhile = redemption.plan_close, [True]

    def planned(*args: Any, held: bool) -> list[Change]:
        changes = plan(*args, held=held)
        if meanwhile.pop() if meanwhile else False:
            if before:
                postponements.resume_review(ref, run, review_of(ref))
            else:
                postpone(ref, run)
        return changes

    monkeypatch.setattr(redemption, "plan_close", planned)
    assert redemption.expire_review(run, attempt=1) == {"expired": True}
    assert counter_queries.count_by_queue(SITE) == {"review": Queued()}
    assert said() == counted()
