"""A run that was resumed many times, and a document that was run many times, are driven on as short ones are."""

from pathlib import Path

import pytest

from tests.aws_faults import count_calls
from tests.factories import REVIEW, waiting_run
from tests.pump import Pump
from workflows.operations import process_files
from workflows.operations.process_files import IN_REVIEW, Job
from workflows.runs import queries
from workflows.runs.items import DocumentEvent, Run, Transition

MANY = 230


def with_long_history(run: Run) -> None:
    """Earlier transitions and events than the run's own, more than two pages of each."""
    (moved, *_), (told, *_) = queries.transitions(run.site, run.workflow_id).rows, queries.lineage(*_of(run)).rows
    for number in range(MANY):
        moved.SK = f"TRANSITION#00{number:024}"
        told.SK = f"EVENT#2020-01-01T00:00:00.{number:06}Z#RESUMED"
        told.correlationId, told.type = "an earlier run", "RESUMED"
        with Transition.batch_write() as batch:
            batch.save(moved)
        with DocumentEvent.batch_write() as batch:
            batch.save(told)


def _of(run: Run) -> tuple[str, str]:
    return run.site, run.document_id


@pytest.mark.wide
def test_a_step_of_a_long_run_that_comes_twice_is_answered_twice(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    last = [message for message in pump.seen if message.task.endswith("run_step")][-1]
    with_long_history(run)
    left = queries.transition_from(run, REVIEW - 1)
    assert left is not None
    assert left.key == queries.last_transition(run, queries.execution(run)).key
    with count_calls() as calls:
        pump.redeliver(last)
    assert len(calls.of("stepfunctions", "SendTaskSuccess")) == 1
    assert not calls.of("stepfunctions", "SendTaskFailure")


@pytest.mark.wide
def test_a_step_that_a_long_run_never_left_has_no_transition(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    with_long_history(run)
    assert queries.transition_from(run, REVIEW) is None


@pytest.mark.wide
def test_the_review_of_a_document_with_a_long_life_is_found(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    with_long_history(run)
    job = process_files.update_job(Job(Path("any.pdf"), run))
    assert (job.outcome, job.review_id) == (IN_REVIEW, ref.review_id)


@pytest.mark.wide
def test_the_latest_is_most_often_found_in_one_query(pump: Pump) -> None:
    run, _ = waiting_run(pump)
    with_long_history(run)
    with count_calls() as calls:
        queries.transition_from(run, REVIEW - 1)
        queries.latest_event(run, "HUMAN_REVIEW_REQUIRED")
    assert calls.names() == ["dynamodb.Query", "dynamodb.Query"]
