"""Celery tasks of the desk: a run pauses, a decision is redeemed and applied, a review expires, the sweeper sweeps."""

from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import Conflict, CountersignError, StaleAttempt, Unavailable
from review import sweeper
from review.decide import opening, redemption
from review.decide.opening import Pause
from review.decide.redemption import Application
from review.handovers import actions as handover_actions
from review.handovers import delivery
from review.identity import ReviewRef
from workflows.definitions.blueprint import DEFINITIONS, FIRST_ANALYSIS
from workflows.engine import tokens
from workflows.runs.run import Run
from workflows.tasks import AWAITED, LIMITS


def _later(task: Any, error: Exception) -> Exception:
    """A transient error: the same message again, a little later each time."""
    retry: Exception = task.retry(countdown=min(2**task.request.retries, 60), exc=error, throw=False)
    return retry


@shared_task(bind=True, name="review.tasks.open_review", time_limit=300, **AWAITED)
def open_review(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    timeout: int, entered: str, file_name: str, project_name: str, found: dict[str, Any],
    definition: str = FIRST_ANALYSIS.id, token: str | None = None,
) -> None:  # fmt: skip
    """The machine waits: open the review, or give the open one its newer token."""
    run = Run(site, project_id, document_id, workflow_id)
    pause = Pause(
        run, attempt, step, definition, token, entered, timeout, file_name, project_name, found
    )  # fmt: skip
    try:
        if decided := opening.open_review(pause):
            enqueue_redeem(pause.ref, decided, delay=0)
    except Conflict:
        tokens.refuse(token, "StaleAttempt", "A newer attempt drives this run.")
    except Unavailable as error:
        raise _later(self, error) from error


@shared_task(bind=True, name="review.tasks.take_question", time_limit=300, **LIMITS)
def take_question(self: Any, *, question: dict[str, Any], entered: str) -> None:
    """Another system's machine waits: open a review of its question, or give the open one its newer token."""
    try:
        taken = handover_actions.take_from_machine(question, entered=entered)
        if taken and taken.decided:
            enqueue_redeem(taken.ref, taken.decided, delay=0)
    except Unavailable as error:
        raise _later(self, error) from error


@shared_task(bind=True, name="review.tasks.refuse_question", time_limit=300, **LIMITS)
def refuse_question(self: Any, *, token: str, error: str) -> None:
    """The queue did not take a question, which is most often too large for a message."""
    try:
        handover_actions.refuse_unread(token, error)
    except Unavailable as unavailable:
        raise _later(self, unavailable) from unavailable


def enqueue_redeem(ref: ReviewRef, decision_id: str, *, delay: float) -> None:
    """Have a worker spend the token after ``delay`` seconds; if no queue answers, the due row does it later."""
    kwargs = {"site": ref.site, "document_id": ref.document_id, "review_id": ref.review_id}
    kwargs["decision_id"] = decision_id
    queues.enqueue_soon(redeem.name, settings.DESK_QUEUE, kwargs, delay=delay)


@shared_task(bind=True, name="review.tasks.redeem", time_limit=300, **LIMITS)
def redeem(self: Any, *, site: str, document_id: str, review_id: str, decision_id: str) -> None:
    """Spend the token of a decided review, once its undo window has passed."""
    ref = ReviewRef(site, document_id, review_id)
    try:
        if ref.is_handed_over:
            delivery.deliver(ref, decision_id)
        else:
            redemption.redeem(ref, decision_id)
    except Conflict:  # undone, under way, or applied: nothing to do
        return
    except Unavailable as error:
        raise _later(self, error) from error


@shared_task(bind=True, name="review.tasks.apply_decision", time_limit=300, **AWAITED)
def apply_decision(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int,
    review_id: str, decision: str, decision_id: str, uri: str, sha256: str, last: str,
    definition: str = FIRST_ANALYSIS.id, token: str | None = None,
) -> None:  # fmt: skip
    """The machine has the decision: leave the review step with it."""
    output = {"review_id": review_id, "decision": decision, "decision_id": decision_id, "uri": uri}
    application = Application(
        Run(site, project_id, document_id, workflow_id), attempt, step, {**output, "sha256": sha256, "last": last}
    )
    try:
        tokens.answer(token, redemption.apply_decision(application, DEFINITIONS[definition]))
    except Unavailable as error:
        raise _later(self, error) from error
    except CountersignError as error:
        tokens.refuse(token, type(error).__name__, str(error))


@shared_task(bind=True, name="review.tasks.expire_review", time_limit=300, **AWAITED)
def expire_review(
    self: Any, *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int,
    token: str | None = None,
) -> None:  # fmt: skip
    """The machine's Catch after its timeout: expire the review, or take the decision that was made in time."""
    try:
        tokens.answer(token, redemption.expire(Run(site, project_id, document_id, workflow_id), attempt=attempt))
    except StaleAttempt as error:
        tokens.refuse(token, "StaleAttempt", str(error))
    except Unavailable as error:
        raise _later(self, error) from error


@shared_task(name="review.tasks.sweep", time_limit=300, **LIMITS)
def sweep() -> None:
    """Look after everything that is due."""
    sweeper.sweep()
