import pytest

from config import clock
from config.errors import Conflict
from config.transaction import EXISTS
from tests.factories import start_run
from tests.pump import Pump
from workflows.engine import actions
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution


def test_the_second_worker_loses_and_the_first_keeps_its_lease(pump: Pump) -> None:
    run = start_run()
    actions.claim_step(run, step=1, attempt=1, owner="first")
    with pytest.raises(Conflict):
        actions.claim_step(run, step=1, attempt=1, owner="second")
    with pytest.raises(Conflict):
        actions.renew_step(run, owner="second")
    assert queries.execution(run).lease_owner == "first"


def test_a_message_that_comes_back_takes_its_own_lease_again(pump: Pump) -> None:
    run = start_run()
    before = actions.claim_step(run, step=1, attempt=1, owner="first").lease_until
    again = actions.claim_step(run, step=1, attempt=1, owner="first").lease_until
    assert str(again) > str(before)


def test_a_dead_workers_lease_is_taken_and_it_cannot_go_on(pump: Pump) -> None:
    run = start_run()
    actions.claim_step(run, step=1, attempt=1, owner="dead")
    lapsed = [Execution.lease_until.set(clock.iso(clock.in_seconds(-1)))]
    Execution.change(advance.execution_key(run), lapsed, EXISTS)
    actions.claim_step(run, step=1, attempt=1, owner="next")
    with pytest.raises(Conflict):
        actions.renew_step(run, owner="dead")


@pytest.mark.parametrize(("step", "attempt"), [(2, 1), (1, 2)])
def test_another_step_or_attempt_is_refused(pump: Pump, step: int, attempt: int) -> None:
    run = start_run()
    with pytest.raises(Conflict):
        actions.claim_step(run, step=step, attempt=attempt, owner="late")


def test_a_new_attempt_has_one_winner_and_ends_the_lease(pump: Pump) -> None:
    run = start_run()
    actions.claim_step(run, step=1, attempt=1, owner="first")
    assert actions.begin_next(run, attempt=1, why="test") == 2
    with pytest.raises(Conflict):
        actions.begin_next(run, attempt=1, why="test")
    execution = queries.execution(run)
    assert (int(execution.engine_attempt), execution.lease_owner) == (2, None)


def test_looking_again_changes_nothing_where_the_run_was_moved_meanwhile(pump: Pump) -> None:
    run = start_run()
    seen = queries.execution(run)
    actions.begin_next(run, attempt=1, why="test")
    moved = queries.execution(run).GSI2SK
    actions.check_run_again(seen, at=clock.in_seconds(9999))
    assert moved == queries.execution(run).GSI2SK
