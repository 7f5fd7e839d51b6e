"""A process dies between any two steps of the redeem protocol; the decision is applied once, never lost."""

import pytest
from django.conf import settings

from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from review.status import ReviewStatus
from tests.aws_faults import crash_after, crash_before
from tests.engines import EngineKind
from tests.factories import ROSA, decided_run, review_of, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, sweep_until_ended
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import driver
from workflows.runs import queries


@pytest.mark.wide
def test_a_crash_after_the_corrections_are_stored_leaves_the_review_undecided(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    with crash_before("dynamodb", "TransactWriteItems"):
        decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    assert review_of(ref).status == ReviewStatus.CLAIMED
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_a_crash_after_the_decision_is_repaired_by_the_sweeper(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    with crash_after("dynamodb", "TransactWriteItems"):
        decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    assert review_of(ref).status == ReviewStatus.DECIDED
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.every_engine
def test_a_crash_between_taking_and_sending_is_sent_again(pump: Pump, engine_kind: EngineKind) -> None:
    run, ref, _ = decided_run(pump)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    with engine_kind.crash("before"):
        pump.run(lambda: False, seconds=5)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.every_engine
def test_a_crash_after_sending_is_not_read_as_failure(pump: Pump, engine_kind: EngineKind) -> None:
    run, ref, _ = decided_run(pump)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    with engine_kind.crash("after"):
        pump.run(lambda: False, seconds=5)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


@pytest.mark.wide
@pytest.mark.every_engine
def test_an_execution_stopped_before_the_decision_is_applied_goes_on_behind_the_review(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    pump.hold = lambda message: message.task.endswith("apply_decision") and message.kwargs["attempt"] == 1
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: review_of(ref).status == ReviewStatus.REDEEMED)
    driver.stop(DOCUMENT_ANALYSIS, run, 1, "stopped by somebody")
    opened = pump.ran("open_review")
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
    assert int(queries.execution(run).engine_attempt) == 2
    assert pump.ran("open_review") == opened
    pump.hold = lambda _message: False
    pump.run(idle=1)  # the old attempt's message is delivered late and changes nothing
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_a_machine_lost_during_the_undo_window_starts_again_behind_the_review(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    driver.stop(DOCUMENT_ANALYSIS, run, 1, "restart")
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
