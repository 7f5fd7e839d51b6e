"""Celery tasks of review requests from other systems and from executions without a document."""

from typing import Any

from celery import shared_task

from config import logs
from config.errors import CountersignError, Unavailable
from review.decide.tasks import enqueue_redeem
from review.handovers import actions, approvals, delivery
from review.handovers.approvals import Answer
from workflows.engine import tokens
from workflows.executions import steps
from workflows.runs.items import Run


@shared_task(name="review.tasks.take_question", time_limit=300)
def take_question(*, question: dict[str, Any], entered: str) -> None:
    """Open a review for another system's waiting machine, or give an open one the newer token."""
    taken = actions.take_from_machine(question, entered=entered)
    if taken and taken.decided:
        enqueue_redeem(taken.ref, taken.decided, delay=0)


@shared_task(name="review.tasks.refuse_question", time_limit=300)
def refuse_question(*, token: str, error: str) -> None:
    """Fail a question that the message queue refused, mostly for its size."""
    actions.refuse_unread(token, error)


@shared_task(name="review.tasks.ask_for_approval", time_limit=300)
def ask_for_approval(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, entered: str,
    token: str | None = None,
) -> None:  # fmt: skip
    """Open the review of an approval, or give an open one the newer token."""
    try:
        work = steps.open_step(Run(site, project_id, document_id, workflow_id), step=step, attempt=attempt)
        logs.follow_request(work.execution.request_id)
        taken = approvals.ask_for_approval(work, entered=entered, token=token)
    except Unavailable:
        raise
    except CountersignError as error:
        tokens.refuse(token, type(error).__name__, str(error))
        return
    if taken.expired:
        delivery.refuse_expired(token)
    elif taken.decided:
        enqueue_redeem(taken.ref, taken.decided, delay=0)


@shared_task(name="review.tasks.apply_approval", time_limit=300)
def apply_approval(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, review_id: str,
    decision: str, decision_id: str, token: str | None = None,
) -> None:  # fmt: skip
    """Leave the approval with the engine's decision; idempotent."""
    try:
        work = steps.open_step(Run(site, project_id, document_id, workflow_id), step=step, attempt=attempt)
        logs.follow_request(work.execution.request_id)
        tokens.answer(token, approvals.apply_approval(work, Answer(review_id, decision, decision_id)))
    except Unavailable:
        raise
    except CountersignError as error:
        tokens.refuse(token, type(error).__name__, str(error))
