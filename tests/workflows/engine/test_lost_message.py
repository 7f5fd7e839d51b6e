"""Runs that nothing was heard of: a message that is lost is ordered again, one that merely waits is not."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from config import clock
from config.transaction import EXISTS
from tests.engines import KINDS, running_on
from tests.factories import decided_run, start_run, waiting_run
from tests.flow.protocol import assert_applied_once, ended, sweep_until_ended
from tests.pump import Pump, receive
from tests.workflows.fanned import fanned_out, small_slices
from workflows.engine import actions as engine_actions
from workflows.engine import driver
from workflows.engine.repair import check_run
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run

CELERY = [pytest.param(kind, id=kind.name) for kind in KINDS[1:]]


@pytest.fixture(params=CELERY)
def pump(request: pytest.FixtureRequest, machines: None, table: str) -> Iterator[Pump]:
    with running_on(request.param):
        yield Pump()


def change(run: Run, *actions: Any) -> None:
    Execution.change(advance.execution_key(run), actions, EXISTS)


def long_ago(run: Run, seconds: int = 2 * settings.MESSAGE_LOST_SECONDS) -> None:
    change(run, Execution.updatedAt.set(clock.iso(clock.in_seconds(-seconds))))


def attempt_after_a_look(run: Run) -> int:
    check_run(run.site, queries.execution(run))
    return int(queries.execution(run).engine_attempt)


def lose_all(pump: Pump) -> None:
    for queue in pump.queues:
        for message in receive(queue):
            message.taken.ack()


@pytest.mark.wide
def test_a_run_whose_message_was_lost_goes_on_with_the_next_attempt(pump: Pump) -> None:
    run = start_run()
    lose_all(pump)
    long_ago(run)
    assert attempt_after_a_look(run) == 2
    pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "published"


def test_a_run_that_waits_in_a_long_queue_is_left_alone(pump: Pump) -> None:
    run = start_run()
    long_ago(run, 3600)
    assert attempt_after_a_look(run) == 1


@pytest.mark.wide
def test_a_run_that_waited_longer_than_a_step_may_take_is_ordered_again(pump: Pump) -> None:
    run = start_run()
    long_ago(run, settings.LONG_STEP_TIMEOUT_SECONDS + 1)
    assert attempt_after_a_look(run) == 2


def test_a_message_of_a_moment_ago_is_not_lost(pump: Pump) -> None:
    run = start_run()
    lose_all(pump)
    assert attempt_after_a_look(run) == 1


def test_a_step_that_a_worker_has_is_not_lost(pump: Pump) -> None:
    run = start_run()
    lose_all(pump)
    engine_actions.claim_step(run, step=1, attempt=1, owner="me")
    long_ago(run)
    assert attempt_after_a_look(run) == 1


@pytest.mark.wide
def test_a_run_that_waits_for_a_person_waits_on_whatever_is_lost(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    lose_all(pump)
    long_ago(run, 10 * 86_400)
    assert attempt_after_a_look(run) == 1


@pytest.mark.wide
def test_a_secret_that_was_changed_closes_tokens_and_loses_no_decision(pump: Pump, settings: Any) -> None:
    run, ref, _ = decided_run(pump)
    settings.SECRET_KEY = "another one"
    sweep_until_ended(run, pump)
    assert_applied_once(run, ref)
    assert int(queries.execution(run).engine_attempt) == 2


@pytest.mark.wide
def test_a_review_that_was_never_opened_is_asked_for_again(pump: Pump) -> None:
    pump.hold = lambda message: message.task.endswith("open_review")
    run = start_run(always_review=True)
    pump.run(lambda: bool(pump.held))
    (lost,) = pump.held
    pump.held.clear()
    lost.taken.ack()
    long_ago(run)
    pump.hold = lambda _message: False
    assert attempt_after_a_look(run) == 2
    pump.run(lambda: pump.ran("open_review") == 1)


def test_slices_under_way_are_looked_after_by_their_join(pump: Pump) -> None:
    with small_slices():
        run = fanned_out(pump, 3)
        pump.run(idle=0.3)
        long_ago(run, 3600)
        assert attempt_after_a_look(run) == 1


@pytest.mark.wide
def test_what_another_engine_began_goes_on_with_the_chosen_one(machines: None, table: str) -> None:
    run = start_run()  # by Step Functions
    assert queries.execution(run).engine is None
    with running_on(KINDS[1]):
        driver.stop(queries.definition_of(queries.execution(run)), run, 1, "the engine was changed", kind=None)
        assert attempt_after_a_look(run) == 2
        assert queries.execution(run).engine == "celery"
        pump = Pump()
        pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "published"
