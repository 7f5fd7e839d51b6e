"""An onboarding without a document: started by data, approved by people, ended, whichever engine drives it."""

from collections.abc import Callable, Sequence

import pytest

from config import clock
from config.errors import Conflict
from config.transaction import Change
from projects.queues.actions import archive_queue, create_queue
from review.decide import claims, decisions
from review.handovers import actions as handover_actions
from review.handovers.actions import Handover, TakenHandover, ref_of
from review.handovers.delivery import deliver_answer, expire_handover
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.queries import run_of
from review.status import Decision, ReviewStatus
from tests.factories import MARTA, ROSA, SITE, review_of, verdict
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.workflows.executions.onboarding import BY, onboarding
from workflows.definitions import versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.tasks import deploy_definition
from workflows.executions import actions, data, due, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution

pytestmark = pytest.mark.django_db


@pytest.fixture
def definition(pump: Pump) -> Definition:
    create_queue(SITE, "Heads", ["heads"], by=BY, queue_id="01K000000000000000000000Q1")
    found = onboarding()
    deploy_definition(definition_id=found.id)
    return found


def start(definition: Definition, salary: float = 9000) -> InputExecution:
    given = data.write_input({"name": "Jane", "contract": {"salary": salary}})
    return starting.start_execution(SITE, Wish(definition, "Onboarding of Jane", given), by=BY)[0]


def now(execution: InputExecution) -> InputExecution:
    return queries.get_execution(SITE, execution.executionId)


def asked(execution: InputExecution, pump: Pump, step: str) -> ReviewRef:
    """Turn until the review of the step is open."""
    found: list[ReviewRef] = []

    def is_open() -> bool:
        here = now(execution)
        order = int(here.currentStep)
        if order < 1 or versions.find_definition(here.definition).step(order).label != step or not here.review:
            return False
        ref = ref_of(SITE, here.review)
        found[:] = [ref]
        return exists(ref)

    pump.run(is_open)
    return found[0]


def exists(ref: ReviewRef) -> bool:
    return bool(Review.load_many([ref.key]))


def decide(ref: ReviewRef, decision: Decision, *, by: Person, **corrections: str | None) -> None:
    run = run_of(ref, review_of(ref))
    claims.claim_review(ref, run, by=by)
    chosen = verdict(ref, decision, **corrections)
    decisions.decide_review(ref, run, chosen, by=by)
    Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.now()))], Review.decision_id == chosen.decision_id)
    deliver_answer(ref, chosen.decision_id)


def ended(execution: InputExecution) -> Callable[[], bool]:
    return lambda: now(execution).status != "running"


def results(execution: InputExecution) -> list[str]:
    return [row.result for row in queries.list_transitions(SITE, execution.executionId)]


@pytest.mark.wide
@pytest.mark.every_engine
def test_an_onboarding_is_approved_by_two_people_and_ends(pump: Pump, definition: Definition) -> None:
    execution = start(definition)
    first = asked(execution, pump, "Manager")
    assert review_of(first).name == "Manager: Onboarding of Jane"
    decide(first, Decision.APPROVE, by=ROSA)
    second = asked(execution, pump, "High salary")
    assert review_of(second).queue == "01K000000000000000000000Q1"
    with pytest.raises(Conflict):
        claims.claim_review(second, run_of(second, review_of(second)), by=ROSA)
    decide(second, Decision.APPROVE, by=MARTA)
    pump.run(ended(execution))
    assert now(execution).outcome == "completed"
    assert results(execution) == ["approved", "otherwise", "approved", "completed", "completed"]


def test_who_decided_goes_on_seeing_what_they_decided_and_not_what_a_later_queue_does(
    pump: Pump, definition: Definition
) -> None:
    alice()  # as ``BY``, who starts it
    user = bob()
    client = signed_in(user)
    execution = start(definition)
    first = asked(execution, pump, "Manager")
    decide(first, Decision.APPROVE, by=Person(str(user.pk), user.get_full_name()))
    asked(execution, pump, "High salary")
    decided = client.get(f"/review/{first.document_id}/{first.review_id}/")
    assert (decided.status_code, "contract.salary: 9000" in decided.content.decode()) == (200, True)
    assert client.get(f"/executions/{execution.executionId}/").status_code == 404


@pytest.mark.wide
@pytest.mark.every_engine
def test_a_rejection_ends_it(pump: Pump, definition: Definition) -> None:
    execution = start(definition, salary=10)
    decide(asked(execution, pump, "Manager"), Decision.REJECT, by=ROSA)
    pump.run(ended(execution))
    assert now(execution).outcome == "rejected"


@pytest.mark.wide
@pytest.mark.every_engine
def test_what_was_lost_is_driven_on(pump: Pump, definition: Definition) -> None:
    execution = start(definition, salary=10)
    ref = asked(execution, pump, "Manager")
    due.check_execution(SITE, now(execution))
    assert int(now(execution).engine_attempt) == 1  # the review drives itself
    actions.begin_next_attempt(SITE, now(execution), why="a test")
    starting.start_attempt(SITE, now(execution), versions.find_definition(execution.definition), attempt=2)
    pump.run(lambda: pump.ran("ask_for_approval") == 2)
    decide(ref, Decision.APPROVE, by=ROSA)
    pump.run(ended(execution))
    assert now(execution).outcome == "completed"
    pump.redeliver(next(one for one in pump.seen if one.task.endswith("apply_approval")))
    assert results(execution) == ["approved", "not_1", "completed", "completed"]


def test_a_cancelled_execution_takes_its_review_out_of_the_queue(pump: Pump, definition: Definition) -> None:
    execution = start(definition)
    ref = asked(execution, pump, "Manager")
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    assert now(execution).outcome == "cancelled"
    assert review_of(ref).status == ReviewStatus.ORPHANED
    with pytest.raises(Conflict):
        actions.cancel_execution(SITE, execution.executionId, by=BY)
    actions.purge_execution(SITE, execution.executionId, by=BY)
    assert not exists(ref)


def test_who_cancels_before_the_review_is_there_leaves_none_in_the_queue(
    pump: Pump, definition: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution, take, taken = start(definition), handover_actions.take_handover, []

    def cancel_first(handover: Handover) -> TakenHandover:
        actions.cancel_execution(SITE, execution.executionId, by=BY)
        taken.append(take(handover))
        return taken[-1]

    monkeypatch.setattr(handover_actions, "take_handover", cancel_first)
    pump.run(lambda: bool(taken))
    assert now(execution).outcome == "cancelled"
    assert review_of(taken[0].ref).status == ReviewStatus.ORPHANED


def test_who_cancels_as_the_review_is_opened_is_told_to_look_again(
    pump: Pump, definition: Definition, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution, plan, found = start(definition), actions.plan_withdrawal, []

    def open_first(site: str, read: InputExecution) -> Sequence[Change]:
        if not found:
            found.append(asked(execution, pump, "Manager"))
        return plan(site, read)

    monkeypatch.setattr(actions, "plan_withdrawal", open_first)
    with pytest.raises(Conflict, match="at another step"):
        actions.cancel_execution(SITE, execution.executionId, by=BY)
    assert (now(execution).status, review_of(found[0]).status) == ("running", ReviewStatus.PENDING)
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    assert review_of(found[0]).status == ReviewStatus.ORPHANED


@pytest.mark.wide
@pytest.mark.every_engine
def test_an_approval_that_nobody_gives_expires(pump: Pump, definition: Definition) -> None:
    execution = start(definition)
    ref = asked(execution, pump, "Manager")
    Review.change(ref.key, [Review.deadline.set(clock.iso(clock.in_seconds(-1)))], Review.PK.exists())
    expire_handover(ref, review_of(ref))
    pump.run(ended(execution))
    assert now(execution).outcome == "expired"
    assert now(execution).reason == "No one decided before the deadline."


def test_a_queue_that_the_site_lacks_fails_it_instead_of_asking_others(pump: Pump, definition: Definition) -> None:
    archive_queue(SITE, "01K000000000000000000000Q1", by=BY)
    execution = start(definition)
    decide(asked(execution, pump, "Manager"), Decision.APPROVE, by=ROSA)
    pump.run(ended(execution))
    assert (now(execution).outcome, "no active queue named Heads" in str(now(execution).reason)) == ("failed", True)
