"""Celery tasks of decisions: open a review, redeem and apply a decision, expire a review."""

from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import Conflict, CountersignError, Refused, StaleAttempt, Unavailable
from review.decide import opening, quorum, redemption
from review.decide.opening import Pause
from review.decide.redemption import Application
from review.handovers import delivery
from review.identity import ReviewRef
from review.quality import actions as checks
from review.quality import seeds
from workflows.definitions import versions
from workflows.definitions.blueprint import FIRST_ANALYSIS
from workflows.engine import tokens
from workflows.runs.items import Run


@shared_task(name="review.tasks.open_review", time_limit=300)
def open_review(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, timeout: int,
    entered: str, file_name: str, project_name: str, found: dict[str, Any], definition: str = FIRST_ANALYSIS.id,
    token: str | None = None,
) -> None:  # fmt: skip
    """Open the review that the state machine waits for, or give an open one the newer token."""
    run = Run(site, project_id, document_id, workflow_id)
    pause = Pause(
        run, attempt, step, definition, token, entered, timeout, file_name, project_name, found
    )  # fmt: skip
    try:
        if decided := opening.open_review(pause):
            enqueue_redeem(pause.ref, decided, delay=0)
        if "result_sha256" in found:  # only a run's first approval, from the assessment, brings these
            seeds.plant_quietly(
                pause.ref, run, queue=pause.queue, deadline=pause.deadline, quorum=str(found.get("quorum") or "")
            )
    except Conflict:
        tokens.refuse(token, "StaleAttempt", "A newer attempt has taken over this run.")
    except Refused as error:
        tokens.refuse(token, "QueueMissing", str(error))


def enqueue_redeem(ref: ReviewRef, decision_id: str, *, delay: float) -> None:
    """Enqueue the redemption after ``delay`` seconds; if the broker does not answer, the due row does it later."""
    kwargs = {"site": ref.site, "document_id": ref.document_id, "review_id": ref.review_id}
    kwargs["decision_id"] = decision_id
    queues.enqueue_soon(redeem.name, settings.DESK_QUEUE, kwargs, delay=delay)


@shared_task(name="review.tasks.redeem", time_limit=300)
def redeem(*, site: str, document_id: str, review_id: str, decision_id: str) -> None:
    """Redeem a decided review's token after its undo window."""
    ref = ReviewRef(site, document_id, review_id)
    try:
        if ref.is_handed_over:
            delivery.deliver_answer(ref, decision_id)
        elif ref.is_check:
            checks.settle_check(ref, decision_id)
        elif ref.is_seed:
            seeds.settle_seed(ref, decision_id)
        else:
            _redeem(ref, decision_id)
    except Conflict:  # undone, in progress, or applied: nothing to do
        return


def _redeem(ref: ReviewRef, decision_id: str) -> None:
    """Redeem, or count a blind decision; quorums are rare, so they are looked for only if the token was not spent.

    Raises: Conflict.
    """
    try:
        redemption.redeem_decision(ref, decision_id)
    except Conflict:
        if agreed := quorum.count_vote(ref, decision_id):
            redemption.redeem_decision(ref, agreed)


@shared_task(name="review.tasks.apply_decision", time_limit=300)
def apply_decision(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, step: int, review_id: str,
    decision: str, decision_id: str, uri: str, sha256: str, last: str, definition: str = FIRST_ANALYSIS.id,
    token: str | None = None,
) -> None:  # fmt: skip
    """Leave the review step with the decision that the state machine returned."""
    output = {"review_id": review_id, "decision": decision, "decision_id": decision_id, "uri": uri}
    application = Application(
        Run(site, project_id, document_id, workflow_id), attempt, step, {**output, "sha256": sha256, "last": last}
    )
    try:
        tokens.answer(token, redemption.apply_decision(application, versions.find_definition(definition)))
    except Unavailable:
        raise
    except CountersignError as error:
        tokens.refuse(token, type(error).__name__, str(error))


@shared_task(name="review.tasks.expire_review", time_limit=300)
def expire_review(
    *, site: str, project_id: str, document_id: str, workflow_id: str, attempt: int, token: str | None = None
) -> None:
    """Handle the machine's timeout: expire the review, or use the decision that was made in time."""
    try:
        tokens.answer(token, redemption.expire_review(Run(site, project_id, document_id, workflow_id), attempt=attempt))
    except StaleAttempt as error:
        tokens.refuse(token, "StaleAttempt", str(error))
