"""Writes of executions without a document: who comes second changes nothing."""

import pytest

from config.errors import Conflict, NotFound, Refused
from config.item import Item
from tests.factories import SITE
from tests.workflows.executions.onboarding import BY, make_execution, onboarding
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, END
from workflows.executions import actions, queries
from workflows.executions.actions import Leaving, Wish
from workflows.executions.items import ExecutionOutcome, InputExecution

pytestmark = pytest.mark.usefixtures("table")


def now(execution: InputExecution) -> InputExecution:
    return queries.get_execution(SITE, execution.executionId)


def test_a_key_starts_one_execution_and_no_other() -> None:
    first = make_execution(key="order 17")
    assert make_execution(key="order 17").executionId == first.executionId
    with pytest.raises(Refused, match="another execution"):
        make_execution("Somebody else", key="order 17")
    assert len(queries.list_executions(SITE, "onboarding").rows) == 1


def test_a_definition_of_documents_starts_none() -> None:
    with pytest.raises(Refused, match="runs on documents"):
        actions.create_execution(SITE, Wish(DOCUMENT_ANALYSIS, "x", "1"), by=BY)


def test_a_step_is_left_once_and_by_the_newest_attempt() -> None:
    execution = make_execution()
    step = onboarding().step(1)
    actions.leave_step(SITE, execution, step, Leaving("approved", 2), attempt=1, by=BY)
    with pytest.raises(Conflict):
        actions.leave_step(SITE, execution, step, Leaving("approved", 2), attempt=1, by=BY)
    assert actions.begin_next_attempt(SITE, now(execution), why="a test") == 2
    with pytest.raises(Conflict):
        actions.begin_next_attempt(SITE, execution, why="a test")
    with pytest.raises(Conflict):
        actions.leave_step(SITE, now(execution), onboarding().step(2), Leaving("x", 3), attempt=1, by=BY)
    assert [one.result for one in queries.list_transitions(SITE, execution.executionId)] == ["approved"]


def test_an_ended_execution_leaves_the_due_index_and_ends_once() -> None:
    execution = make_execution()
    failed = ExecutionOutcome.FAILED
    actions.end_execution(SITE, execution, failed, "The receiver returned 404.", attempt=1, by=BY)
    assert (now(execution).currentStep, now(execution).GSI2PK) == (END, None)
    with pytest.raises(Conflict):
        actions.end_execution(SITE, now(execution), failed, "x", attempt=1, by=BY)
    with pytest.raises(Conflict):
        actions.cancel_execution(SITE, execution.executionId, by=BY)


def test_a_cancelled_wait_ends_in_the_history_as_every_other_end() -> None:
    execution = make_execution()
    actions.begin_wait(SITE, execution, onboarding().step(1), attempt=1, until="2030-01-01T00:00:00.000000+00:00")
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    ended = now(execution)
    assert (ended.currentStep, ended.waits_until, ended.GSI2PK) == (END, None, None)
    assert ended.reason == f"Cancelled by {BY.name}."
    (move,) = queries.list_transitions(SITE, execution.executionId)
    assert (move.result, move.fromStep, move.toStep) == ("cancelled", 1, END)
    assert move.data.as_dict() == {"reason": ended.reason}


def test_a_purge_leaves_the_row_alone_and_its_key_starts_nothing() -> None:
    execution = make_execution(key="order 17")
    with pytest.raises(Refused, match="Cancel it first"):
        actions.purge_execution(SITE, execution.executionId, by=BY)
    actions.leave_step(SITE, execution, onboarding().step(1), Leaving("approved", 2), attempt=1, by=BY)
    actions.cancel_execution(SITE, execution.executionId, by=BY)
    actions.purge_execution(SITE, execution.executionId, by=BY)
    with pytest.raises(NotFound):
        now(execution)
    with pytest.raises(NotFound):
        actions.purge_execution(SITE, execution.executionId, by=BY)
    with pytest.raises(Refused, match="was purged"):
        make_execution(key="order 17")
    left = list(Item.every(execution.PK))
    assert {row.SK.split("#")[0] for row in left} == {"", "EVENT"}
    assert "Jane" not in str([Item.partition(execution.PK, limit=50)])
    assert queries.list_executions(SITE, "onboarding").rows == []
