"""A step or a slice whose message was put aside: its run fails with a reason, and what has moved on is left alone."""

from collections.abc import Iterator

import pytest

from review.status import ReviewStatus
from tests.factories import review_of, start_run, waiting_run
from tests.flow.protocol import ended
from tests.pump import Message, Pump
from tests.workflows.fanned import fanned_out, small_slices
from workflows.engine import lost_message
from workflows.engine.tasks import run_slice, run_step
from workflows.runs import queries
from workflows.runs.items import Run, RunStatus


@pytest.fixture(autouse=True)
def _small_slices() -> Iterator[None]:
    with small_slices():
        yield


def held(pump: Pump, task: str) -> list[Message]:
    pump.run(lambda: any(message.task.endswith(task) for message in pump.held))
    return [message for message in pump.held if message.task.endswith(task)]


def last_move(run: Run) -> str:
    return str(queries.execution(run).last_transition)


def has_failed(run: Run) -> bool:
    """With a reason that says what to look at."""
    if queries.execution(run).status != RunStatus.FAILED:
        return False
    told = [event.facts.as_dict() for event in queries.lineage(run.site, run.document_id).rows if event.facts]
    return any(facts.get("error") == lost_message.WORKER_LOST and "workers" in facts["reason"] for facts in told)


@pytest.mark.every_engine
def test_a_run_whose_step_was_put_aside_fails_once(pump: Pump) -> None:
    pump.hold = lambda message: message.task.endswith("run_step")
    run = start_run()
    (message,) = held(pump, "run_step")
    for _ in range(2):
        run_step.on_aside(**message.kwargs)
    pump.run(lambda: ended(run))
    pump.run()
    assert has_failed(run)
    assert pump.ran("run_step") == 0
    before = last_move(run)
    run_step.on_aside(**message.kwargs)
    pump.run()
    assert last_move(run) == before


@pytest.mark.wide
def test_what_was_done_before_its_message_was_put_aside_stays(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    for message in [one for one in pump.seen if one.task.endswith("run_step")]:
        run_step.on_aside(**message.kwargs)
    pump.run()
    assert (queries.execution(run).status, review_of(ref).status) == (RunStatus.RUNNING, ReviewStatus.PENDING)


@pytest.mark.every_engine
def test_a_run_one_of_whose_slices_was_put_aside_fails(pump: Pump) -> None:
    run = fanned_out(pump, 7)
    first, second, *_ = held(pump, "run_slice")
    pump.redeliver(first)
    run_slice.on_aside(**first.kwargs)  # which was counted meanwhile
    pump.run(idle=0.3)
    assert not ended(run)
    for _ in range(2):
        run_slice.on_aside(**second.kwargs)
    pump.run(lambda: ended(run))
    assert has_failed(run)
    run_slice.on_aside(**second.kwargs)
