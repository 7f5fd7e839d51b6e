"""Two at once: people, a page and its own renewal, sweepers; one wins and the other is told."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings
from pynamodb.expressions.condition import Condition

from config import clock
from config.errors import Conflict
from review.decide import claims, decisions
from review.decide.due import drive_review
from review.decide.tasks import enqueue_redeem
from review.identity import ReviewRef
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.engines import EngineKind
from tests.examples import at_most
from tests.factories import MARTA, ROSA, decided_run, review_of, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, ended, kinds, sweep_until_ended
from tests.pump import Pump
from workflows.runs import queries
from workflows.runs.items import Run

ALWAYS: Condition = Review.PK.exists()


@pytest.mark.wide
def test_a_renewal_during_the_decision_is_no_conflict(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    with ThreadPoolExecutor(2) as lanes:
        renewing = [lanes.submit(claims.renew_claim, ref, by=ROSA) for _ in range(5)]
        decisions.decide_review(ref, run, chosen, by=ROSA)
        [future.exception() for future in renewing]
    assert review_of(ref).decision_id == chosen.decision_id


@pytest.mark.wide
def test_a_repeated_post_is_the_same_decision(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    first = decisions.decide_review(ref, run, chosen, by=ROSA)
    assert decisions.decide_review(ref, run, chosen, by=ROSA) == first
    sweep_until_ended(run, pump)
    assert decisions.decide_review(ref, run, chosen, by=ROSA)
    assert_applied_once(run, ref)


@pytest.mark.wide
def test_the_loser_of_a_takeover_cannot_decide(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    shown = verdict(ref)
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=MARTA)
    Review.change(ref.key, [Review.lease_until.set(clock.iso(clock.in_seconds(-1)))], ALWAYS)
    claims.claim_review(ref, run, by=MARTA)
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, shown, by=ROSA)


@pytest.mark.wide
def test_undo_and_the_redeemer_race_and_one_wins(pump: Pump) -> None:
    run, ref, chosen = decided_run(pump)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    enqueue_redeem(ref, chosen.decision_id, delay=0)
    pump.run(idle=1)
    assert review_of(ref).status == ReviewStatus.CLAIMED
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    decided = review_of(ref)
    pump.run(lambda: clock.iso(clock.now()) > str(decided.redeem_after), seconds=5)
    with pytest.raises(Conflict):
        decisions.undo_decision(ref, run, decision_id=str(decided.decision_id), by=ROSA)
    sweep_until_ended(run, pump)
    assert queries.execution(run).outcome == "published"
    assert kinds(run).count("HUMAN_REVIEW_APPLIED") == 1


@pytest.mark.every_engine
def test_two_sweepers_at_once_send_one_token(pump: Pump, engine_kind: EngineKind) -> None:
    run, ref, _ = decided_run(pump)
    wait_until_redeemable(ref)
    with engine_kind.answers() as answers, ThreadPoolExecutor(8) as lanes:
        list(lanes.map(lambda _: repair_quietly(run, ref), range(8)))
    assert len(answers) == 1
    pump.run(lambda: ended(run))
    assert_applied_once(run, ref)


def wait_until_redeemable(ref: ReviewRef) -> None:
    while clock.iso(clock.now()) <= str(review_of(ref).redeem_after):
        threading.Event().wait(0.05)


def repair_quietly(run: Run, ref: ReviewRef) -> None:
    try:
        drive_review(run.site, review_of(ref))
    except Conflict:
        return


@pytest.mark.wide
@pytest.mark.examples
def test_sixteen_threads_decide_once_over_twenty_rounds(
    pump: Pump, settings: LazySettings, engine_kind: EngineKind
) -> None:
    run, ref = waiting_run(pump)
    usual = settings.REVIEW_UNDO_SECONDS
    rounds = at_most(20)
    for round_number in range(rounds):
        # Sixteen threads on a busy machine take longer than a second, and then an undo would be too late.
        settings.REVIEW_UNDO_SECONDS = 60 if round_number < rounds - 1 else usual
        claims.claim_review(ref, run, by=ROSA)
        chosen = [verdict(ref) for _ in range(16)]
        won = race(ref, run, chosen)
        assert len(won) == 1
        assert review_of(ref).decision_id == won[0]
        if round_number < rounds - 1:
            decisions.undo_decision(ref, run, decision_id=won[0], by=ROSA)
    with engine_kind.answers() as answers:
        sweep_until_ended(run, pump)
    assert len([answer for answer in answers if "decision_id" in answer]) == 1
    seen = kinds(run)
    assert seen.count("HUMAN_REVIEW_APPROVED") == rounds
    assert seen.count("HUMAN_REVIEW_APPLIED") == 1


def race(ref: ReviewRef, run: Run, chosen: list[decisions.Verdict]) -> list[str]:
    start = threading.Barrier(len(chosen))

    def decide(one: decisions.Verdict) -> str | None:
        start.wait()
        try:
            decisions.decide_review(ref, run, one, by=ROSA)
        except Conflict:
            return None
        return one.decision_id

    with ThreadPoolExecutor(len(chosen)) as lanes:
        return [name for name in lanes.map(decide, chosen) if name]
