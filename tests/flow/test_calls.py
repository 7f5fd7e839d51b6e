"""AWS calls of each action, held against the budgets: what is read or written twice shows up here."""

import pytest
from django.conf import settings

from review import queries as review_queries
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from tests.aws_faults import count_calls
from tests.factories import ROSA, review_of, start_run, verdict, waiting_run
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.engine import actions
from workflows.runs import queries
from workflows.runs.actions import advance, segments
from workflows.runs.items import Run


def names(calls: object) -> list[str]:
    """Without the test's own deliveries: taking and deleting messages."""
    own = ("sqs.ReceiveMessage", "sqs.DeleteMessage")
    return [name for name in calls.names() if name not in own]  # type: ignore[attr-defined]


def test_a_run_is_created_by_one_transaction_and_one_start(pump: Pump) -> None:
    with count_calls() as calls:
        start_run()
    made = [name for name in names(calls) if not name.startswith("s3.")]
    assert made == ["dynamodb.TransactWriteItems", "stepfunctions.StartExecution"]


def test_a_step_is_claimed_and_advanced_by_one_call_each(pump: Pump) -> None:
    run = start_run()
    with count_calls() as calls:
        execution = actions.claim_step(run, step=1, attempt=1, owner="me")
        actions.renew_step(run, owner="me")
        move = advance.Advance(DOCUMENT_ANALYSIS.step(1), 2, 1, result="completed")
        advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)
    assert names(calls) == ["dynamodb.UpdateItem", "dynamodb.UpdateItem", "dynamodb.TransactWriteItems"]


def test_deciding_is_an_object_a_transaction_and_a_message(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    enqueue_redeem(ref, "warm-up", delay=0)  # kombu looks a queue up once a connection
    with count_calls() as calls:
        decisions.decide_review(ref, run, chosen, by=ROSA)
        enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    assert names(calls) == ["s3.PutObject", "dynamodb.TransactWriteItems", "sqs.SendMessage"]


@pytest.mark.wide
def test_redeeming_takes_three_calls_and_applying_two(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    claims.claim_review(ref, run, by=ROSA)
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    enqueue_redeem(ref, chosen.decision_id, delay=settings.REVIEW_UNDO_SECONDS)
    pump.hold = lambda message: message.task.endswith("apply_decision")
    with count_calls() as calls:
        pump.run(lambda: pump.ran("redeem") == 1)
    assert names(calls) == ["dynamodb.UpdateItem", "stepfunctions.SendTaskSuccess", "dynamodb.UpdateItem"]
    pump.hold = lambda message: message.task.endswith("run_step")
    with count_calls() as calls:
        pump.run(lambda: pump.ran("apply_decision") == 1)
    # The token's answer is the engine's own bookkeeping: object and guarded advance are what the action costs.
    assert names(calls) == ["s3.GetObject", "dynamodb.TransactWriteItems", "stepfunctions.SendTaskSuccess"]


def test_lists_and_pages_are_one_query_each(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    reads = {
        "queue": lambda: review_queries.list_queue(run.site),
        "in progress": lambda: queries.in_progress(run.site),
        "documents": lambda: queries.project_documents(run.site, run.project_id),
        "segments": lambda: queries.segments(run.site, run.workflow_id),
        "runs": lambda: queries.executions(run.site, "document-analysis"),
        "lineage": lambda: queries.lineage(run.site, run.document_id),
    }
    for name, read in reads.items():
        with count_calls() as calls:
            assert read().rows, name
        assert names(calls) == ["dynamodb.Query"], name
    for read_one in (lambda: queries.board(run.site, run.workflow_id), lambda: review_of(ref)):
        with count_calls() as calls:
            read_one()
        assert names(calls) == ["dynamodb.GetItem"]


def test_no_list_and_no_page_reads_a_token(pump: Pump) -> None:
    run, ref = waiting_run(pump)
    with count_calls() as calls:
        review_queries.list_queue(run.site)
        review_queries.get_review(ref)
        queries.lineage(run.site, run.document_id)
    assert "taskToken" not in str(calls.answers)


def test_three_thousand_segments_take_at_most_120_calls(pump: Pump) -> None:
    run = Run("default", "p", "d", "01HZZZZZZZZZZZZZZZZZZZZZZZ")
    with count_calls() as calls:
        segments.write(run, 3000)
    assert len(names(calls)) <= 120
    assert set(names(calls)) == {"dynamodb.BatchWriteItem"}
