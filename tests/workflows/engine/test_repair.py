import pytest

from tests.factories import start_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions, driver
from workflows.engine.repair import check_run
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, Run

pytestmark = pytest.mark.usefixtures("machines", "table")


def stopped_at(run: Run, *, attempt: int, came_with: int) -> None:
    """The engine's execution of ``attempt`` has ended; the run came to its step with an earlier one."""
    for number in range(1, attempt):
        actions.begin_next(run, attempt=number, why="test")
    change = [Execution.step_attempt.set(came_with), Execution.lease_until.remove()]
    Execution.change(advance.execution_key(run), change, Execution.PK.exists())
    names = {"file_name": "a.pdf", "project_name": "P", "start_at": DOCUMENT_ANALYSIS.steps[0].name}
    driver.start(run, DOCUMENT_ANALYSIS, attempt=attempt, **names)
    driver.stop(DOCUMENT_ANALYSIS, run, attempt, "test")


def test_a_step_that_never_ends_is_a_failure_with_a_reason() -> None:
    run = start_run()
    stopped_at(run, attempt=10, came_with=1)
    check_run(run.site, queries.execution(run))
    assert queries.execution(run).status == "failed"
    board = queries.board(run.site, run.workflow_id)
    assert "in 10 attempts" in str(board.data.as_dict())


def test_attempts_of_a_waiting_review_are_not_those_of_the_step_behind_it() -> None:
    run = start_run()
    stopped_at(run, attempt=12, came_with=11)
    check_run(run.site, queries.execution(run))
    execution = queries.execution(run)
    assert (execution.status, int(execution.engine_attempt)) == ("running", 13)
