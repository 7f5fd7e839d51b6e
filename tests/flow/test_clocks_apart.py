"""Machines whose clocks are ten minutes apart: a decision may come late, and is neither lost nor taken twice."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest

from config import clock
from config.due import sweeper
from config.errors import Conflict
from review.decide import claims, decisions, redemption
from review.status import ReviewStatus
from tests.factories import MARTA, ROSA, review_of, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, ended
from tests.pump import Pump

pytestmark = pytest.mark.every_engine("slow")
TEN_MINUTES = dt.timedelta(minutes=10)
_true_now = clock.now


@contextmanager
def machine(apart: dt.timedelta) -> Iterator[None]:
    """What is done inside is done by a machine whose clock is ``apart`` from the others'."""

    def now() -> dt.datetime:
        return _true_now() + apart

    with mock.patch.object(clock, "now", now):
        yield


def sweep_until_ended(run, pump: Pump, apart: dt.timedelta) -> None:
    def done() -> bool:
        sweeper.sweep()
        return ended(run)

    with machine(apart):
        pump.run(done)


def test_a_decision_of_a_machine_ahead_waits_for_the_worker_and_is_applied_once(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    with machine(TEN_MINUTES):
        claims.claim_review(ref, run, by=ROSA)
        made = verdict(ref)
        decisions.decide_review(ref, run, made, by=ROSA)
    with pytest.raises(Conflict):  # by the worker's clock it can still be taken back
        redemption.redeem_decision(ref, made.decision_id)
    sweeper.sweep()
    assert review_of(ref).status == ReviewStatus.DECIDED
    sweep_until_ended(run, pump, TEN_MINUTES + dt.timedelta(seconds=30))
    assert_applied_once(run, ref)


def test_a_decision_of_a_machine_behind_is_applied_at_once_and_cannot_be_taken_back(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    with machine(-TEN_MINUTES):
        claims.claim_review(ref, run, by=ROSA)
        made = verdict(ref)
        decisions.decide_review(ref, run, made, by=ROSA)
    sweep_until_ended(run, pump, dt.timedelta())
    assert_applied_once(run, ref)
    with machine(-TEN_MINUTES), pytest.raises(Conflict):
        decisions.undo_decision(ref, run, decision_id=made.decision_id, by=ROSA)
    assert_applied_once(run, ref)


def test_of_two_people_on_machines_apart_one_decides(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    with machine(-TEN_MINUTES):
        claims.claim_review(ref, run, by=ROSA)
        rosas = verdict(ref)
    with machine(TEN_MINUTES):  # there Rosa's claim ended long ago
        claims.claim_review(ref, run, by=MARTA)
        martas = verdict(ref)
        decisions.decide_review(ref, run, martas, by=MARTA)
    with machine(-TEN_MINUTES), pytest.raises(Conflict):
        decisions.decide_review(ref, run, rosas, by=ROSA)
    sweep_until_ended(run, pump, 2 * TEN_MINUTES)
    assert_applied_once(run, ref)
    assert review_of(ref).decision_id == martas.decision_id


def test_steps_of_workers_apart_are_done_once(pump: Pump) -> None:
    with machine(TEN_MINUTES):
        run, ref = waiting_run(pump)
    with machine(-TEN_MINUTES):
        claims.claim_review(ref, run, by=ROSA)
        decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    sweep_until_ended(run, pump, TEN_MINUTES)
    assert_applied_once(run, ref)
