"""The redeem protocol under attack: one decision, applied once, or expired with an event; never lost, never stale."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock
from config.errors import Conflict
from review import repair
from review.actions import claims, decisions, redemption
from review.identity import ReviewRef
from review.items.reviews import Review
from review.status import ReviewStatus
from review.tasks import enqueue_redeem
from tests.aws_faults import count_calls, crash_after, crash_before
from tests.factories import MARTA, ROSA, decided_run, ref_of, review_of, start_run, verdict, waiting_run
from tests.pump import Pump
from workflows import engine, queries
from workflows.definitions import DOCUMENT_ANALYSIS
from workflows.frozen import Run

ALWAYS: Condition = Review.PK.exists()


def ended(run: Run) -> bool:
    return queries.execution(run).status != "running"


def kinds(run: Run) -> list[str]:
    return [event.type for event in queries.lineage(run.site, run.document_id).rows]


def sweep_until_ended(run: Run, pump: Pump) -> None:
    """What beat does, every so often, while workers work."""

    def done() -> bool:
        repair.sweep()
        return ended(run)

    pump.run(done, seconds=40)


def assert_applied_once(run: Run, ref: ReviewRef) -> None:
    assert queries.execution(run).outcome == "published"
    assert review_of(ref).status == ReviewStatus.APPLIED
    seen = kinds(run)
    assert seen.count("HUMAN_REVIEW_APPROVED") == 1
    assert seen.count("HUMAN_REVIEW_APPLIED") == 1
    assert seen.count("PUBLISHED") == 1
    moves = [(int(row.fromStep), int(row.toStep)) for row in queries.transitions(run.site, run.workflow_id).rows]
    assert moves.count((7, 8)) == 1
    assert len(moves) == len(set(moves))


def test_a_crash_after_the_corrections_are_stored_leaves_the_review_undecided(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    with crash_before("dynamodb", "TransactWriteItems"):
        decisions.decide(ref, run, verdict(ref), by=ROSA)
    assert review_of(ref).status == ReviewStatus.CLAIMED
    decisions.decide(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_a_crash_after_the_decision_is_repaired_by_the_sweeper(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    with crash_after("dynamodb", "TransactWriteItems"):
        decisions.decide(ref, run, verdict(ref), by=ROSA)
    assert review_of(ref).status == ReviewStatus.DECIDED
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_a_crash_between_taking_and_sending_is_sent_again(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    with crash_before("stepfunctions", "SendTaskSuccess"):
        pump.run(lambda: False, seconds=5)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_a_crash_after_sending_is_not_read_as_failure(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    with crash_after("stepfunctions", "SendTaskSuccess"):
        pump.run(lambda: False, seconds=5)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_an_execution_stopped_before_the_decision_is_applied_goes_on_behind_the_review(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    pump.hold = lambda message: message.task.endswith("apply_decision") and message.kwargs["attempt"] == 1
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: review_of(ref).status == ReviewStatus.REDEEMED)
    engine.stop(DOCUMENT_ANALYSIS, run.workflow_id, 1, "stopped by somebody")
    opened = pump.ran("open_review")
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
    assert int(queries.execution(run).engine_attempt) == 2
    assert pump.ran("open_review") == opened
    pump.hold = lambda _message: False
    pump.run(idle=1)  # the old attempt's message is delivered late and changes nothing
    assert_applied_once(run, ref)


def restarted(run: Run, ref: ReviewRef, pump: Pump) -> None:
    """Another attempt waits at the same review: a newer token."""
    engine.stop(DOCUMENT_ANALYSIS, run.workflow_id, int(queries.execution(run).engine_attempt), "restart")
    before = pump.ran("open_review")
    repair.check_run(run.site, queries.execution(run))
    pump.run(lambda: pump.ran("open_review") > before)


def test_a_newer_token_before_the_decision_is_the_one_that_is_spent(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    shown = verdict(ref)
    restarted(run, ref, pump)
    assert review_of(ref).holder == ROSA.id
    decisions.decide(ref, run, shown, by=ROSA)  # a restart is no conflict
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


def test_a_machine_lost_during_the_undo_window_starts_again_behind_the_review(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    engine.stop(DOCUMENT_ANALYSIS, run.workflow_id, 1, "restart")
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_a_newer_token_after_the_redemption_triggers_it_again(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    pump.hold = lambda message: message.task.endswith("apply_decision") and message.kwargs["attempt"] == 1
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    pump.run(lambda: review_of(ref).status == ReviewStatus.REDEEMED)
    attempt = repair.runs.next_attempt(run, attempt=1, why="test")
    repair._start(run, queries.execution(run), attempt, decided=None)
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


def test_an_old_wait_delivered_late_changes_nothing(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    old = next(message for message in pump.seen if message.task.endswith("open_review"))
    restarted(run, ref, pump)
    before = review_of(ref)
    pump.redeliver(old)
    after = review_of(ref)
    assert (after.status, after.version, after.deadline) == (before.status, before.version, before.deadline)
    claims.claim(ref, run, by=ROSA)
    decisions.decide(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_undo_and_the_redeemer_race_and_one_wins(pump: Pump) -> None:
    run, ref, chosen = decided_run(pump)
    decisions.undo(ref, run, decision_id=chosen.decision_id, by=ROSA)
    enqueue_redeem(ref, chosen.decision_id, delay=0)
    pump.run(idle=1)
    assert review_of(ref).status == ReviewStatus.CLAIMED
    decisions.decide(ref, run, verdict(ref), by=ROSA)
    decided = review_of(ref)
    pump.run(lambda: clock.iso(clock.now()) > str(decided.redeem_after), seconds=5)
    with pytest.raises(Conflict):
        decisions.undo(ref, run, decision_id=str(decided.decision_id), by=ROSA)
    sweep_until_ended(run, pump)
    assert queries.execution(run).outcome == "published"
    assert kinds(run).count("HUMAN_REVIEW_APPLIED") == 1


def test_two_sweepers_at_once_send_one_token(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    wait_until_redeemable(ref)
    with count_calls() as counted, ThreadPoolExecutor(8) as lanes:
        list(lanes.map(lambda _: repair_quietly(run, ref), range(8)))
    assert len(counted.of("stepfunctions", "SendTaskSuccess")) == 1
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


def wait_until_redeemable(ref: ReviewRef) -> None:
    while clock.iso(clock.now()) <= str(review_of(ref).redeem_after):
        threading.Event().wait(0.05)


def repair_quietly(run: Run, ref: ReviewRef) -> None:
    try:
        repair.drive_review(run.site, review_of(ref))
    except Conflict:
        return


def test_a_stale_attempts_catch_after_the_publication_changes_nothing(pump: Pump) -> None:
    run = start_run()
    pump.run(lambda: ended(run))
    before = kinds(run)
    message = next(message for message in pump.seen if message.task.endswith("run_step"))
    kwargs = {name: value for name, value in message.kwargs.items() if name != "step"}
    pump.redeliver(replace(message, task="workflows.tasks.fail_run", kwargs={**kwargs, "error": "X", "cause": "late"}))
    assert kinds(run) == before
    assert queries.execution(run).outcome == "published"


def test_a_decision_in_the_last_second_is_taken_by_the_machines_catch(pump: Pump) -> None:
    run, ref, _ = decided_run(pump)
    message = next(message for message in pump.seen if message.task.endswith("open_review"))
    names = ("site", "project_id", "document_id", "workflow_id", "attempt")
    kwargs = {name: message.kwargs[name] for name in names}
    output = redemption.expire(run, attempt=kwargs["attempt"])
    assert output["decision_id"] == review_of(ref).decision_id
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)


def test_nobody_decides_and_the_machines_catch_expires_the_review(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    engine.stop(DOCUMENT_ANALYSIS, run.workflow_id, 1, "restart")
    Review.change(ref.key, [Review.deadline.set(clock.iso(clock.in_seconds(-settings.REVIEW_MARGIN_SECONDS)))], ALWAYS)
    repair.check_run(run.site, queries.execution(run))
    pump.run(lambda: ended(run), seconds=20)
    execution = queries.execution(run)
    assert (execution.status, execution.outcome) == ("failed", "expired")
    assert review_of(ref).status == ReviewStatus.EXPIRED
    assert "REVIEW_EXPIRED" in kinds(run)
    with pytest.raises(Conflict):
        decisions.decide(ref, run, verdict(ref), by=ROSA)


def test_a_renewal_during_the_decision_is_no_conflict(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    chosen = verdict(ref)
    with ThreadPoolExecutor(2) as lanes:
        renewing = [lanes.submit(claims.renew, ref, by=ROSA) for _ in range(5)]
        decisions.decide(ref, run, chosen, by=ROSA)
        [future.exception() for future in renewing]
    assert review_of(ref).decision_id == chosen.decision_id


def test_a_repeated_post_is_the_same_decision(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    chosen = verdict(ref)
    first = decisions.decide(ref, run, chosen, by=ROSA)
    assert decisions.decide(ref, run, chosen, by=ROSA) == first
    sweep_until_ended(run, pump)
    assert decisions.decide(ref, run, chosen, by=ROSA)
    assert_applied_once(run, ref)


def test_the_loser_of_a_takeover_cannot_decide(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim(ref, run, by=ROSA)
    shown = verdict(ref)
    with pytest.raises(Conflict):
        claims.claim(ref, run, by=MARTA)
    Review.change(ref.key, [Review.lease_until.set(clock.iso(clock.in_seconds(-1)))], ALWAYS)
    claims.claim(ref, run, by=MARTA)
    with pytest.raises(Conflict):
        decisions.decide(ref, run, shown, by=ROSA)


def test_sixteen_threads_decide_once_over_twenty_rounds(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    for round_number in range(20):
        claims.claim(ref, run, by=ROSA)
        chosen = [verdict(ref) for _ in range(16)]
        won = race(ref, run, chosen)
        assert len(won) == 1
        assert review_of(ref).decision_id == won[0]
        if round_number < 19:
            decisions.undo(ref, run, decision_id=won[0], by=ROSA)
    with count_calls() as counted:
        sweep_until_ended(run, pump)
    tokens = [call for call in counted.of("stepfunctions", "SendTaskSuccess") if "decision_id" in call.params["output"]]
    assert len(tokens) == 1
    seen = kinds(run)
    assert seen.count("HUMAN_REVIEW_APPROVED") == 20
    assert seen.count("HUMAN_REVIEW_APPLIED") == 1


def race(ref: ReviewRef, run: Run, chosen: list[decisions.Verdict]) -> list[str]:
    start = threading.Barrier(len(chosen))

    def decide(one: decisions.Verdict) -> str | None:
        start.wait()
        try:
            decisions.decide(ref, run, one, by=ROSA)
        except Conflict:
            return None
        return one.decision_id

    with ThreadPoolExecutor(len(chosen)) as lanes:
        return [name for name in lanes.map(decide, chosen) if name]


def test_stopped_machines_get_new_tokens_and_ocr_does_not_run_again(pump: Pump) -> None:
    waiting = [waiting_run_again(pump) for _ in range(3)]
    steps = pump.ran("run_step")
    for run, _ in waiting:
        engine.stop(DOCUMENT_ANALYSIS, run.workflow_id, 1, "the emulator was restarted")
    opened = pump.ran("open_review")

    def renewed() -> bool:
        repair.sweep()
        return pump.ran("open_review") == opened + 3

    pump.run(renewed)
    run, ref = waiting[0]
    claims.claim(ref, run, by=ROSA)
    decisions.decide(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
    assert pump.ran("run_step") == steps + 1  # publishing, nothing else


def waiting_run_again(pump: Pump) -> tuple[Run, ReviewRef]:
    run = start_run(always_review=True)
    before = pump.ran("open_review")
    pump.run(lambda: pump.ran("open_review") > before)
    return run, ref_of(run)
