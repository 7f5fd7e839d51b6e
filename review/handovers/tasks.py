"""Celery tasks of what other systems hand over: a machine's question is taken, or refused."""

from typing import Any

from celery import shared_task

from review.decide.tasks import enqueue_redeem
from review.handovers import actions


@shared_task(name="review.tasks.take_question", time_limit=300)
def take_question(*, question: dict[str, Any], entered: str) -> None:
    """Another system's machine waits: open a review of its question, or give the open one its newer token."""
    taken = actions.take_from_machine(question, entered=entered)
    if taken and taken.decided:
        enqueue_redeem(taken.ref, taken.decided, delay=0)


@shared_task(name="review.tasks.refuse_question", time_limit=300)
def refuse_question(*, token: str, error: str) -> None:
    """The queue did not take a question, which is most often too large for a message."""
    actions.refuse_unread(token, error)
