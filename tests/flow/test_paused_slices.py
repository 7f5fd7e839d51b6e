"""Slices whose service does not answer: they come back by themselves, and the sweeper does not take them for lost."""

from collections.abc import Iterator

import pytest

from config.due import sweeper
from config.errors import ProviderPaused
from tests.flow.test_fanout import PAGES, due_now, held_slices
from tests.pump import Pump
from tests.workflows.fanned import fanned_out, small_slices
from workflows.engine import fanout, joins
from workflows.engine.step_work import StepOrder
from workflows.runs import queries
from workflows.runs.items import Run


@pytest.fixture(autouse=True)
def _small_slices() -> Iterator[None]:
    with small_slices():
        yield


def paused_slice(pump: Pump, run: Run) -> None:
    """A slice finds that its service does not answer."""
    paused = ProviderPaused("Amazon Bedrock is not responding (x).", provider="bedrock", seconds=600)
    assert fanout.wait(StepOrder(run, 1, 1), paused) == 60.0  # a message is not hidden for longer


@pytest.mark.wide
def test_slices_that_wait_for_a_service_are_no_stall_and_say_so(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    for _ in range(7):  # without the wait the sixth look would end the run
        held_slices(pump)
        paused_slice(pump, run)
        due_now(run)
        sweeper.sweep()
    assert queries.execution(run).status == "running"
    step = queries.board(run.site, run.workflow_id).data["segment_prep"]
    assert (step["waits_for"], step["waits_why"]) == ("bedrock", "Amazon Bedrock is not responding (x).")


def test_a_wait_of_a_run_that_is_gone_changes_nothing(pump: Pump) -> None:
    run = fanned_out(pump, PAGES)
    join = joins.load(run, "segment_prep", 1)
    assert join is not None
    join.delete()
    paused_slice(pump, run)
    assert joins.load(run, "segment_prep", 1) is None
