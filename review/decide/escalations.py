"""Escalation of a review near its deadline: everyone is told once, its holder by mail; it keeps waiting."""

import logging
from typing import cast

from config import clock
from config.due import actions as due_work
from config.transaction import Change, Update, transact
from review.decide.opening import expires_at
from review.identity import ReviewRef, queue_id
from review.items.reviews import Review
from review.notifications.actions import plan_notifications
from review.notifications.items import CHAT, Kind
from review.status import PUT_OFF, UNDECIDED
from workflows.runs import events, queries
from workflows.runs.items import DocumentEvent, Run, RunStatus

log = logging.getLogger(__name__)


def is_due(ref: ReviewRef, review: Review) -> bool:
    """Return whether the review is open, has time left and was not escalated; one of an ended run is closed."""
    in_time = clock.iso(clock.now()) < clock.iso(expires_at(ref, clock.parse(review.deadline)))
    if review.status not in UNDECIDED or review.escalated_at or not in_time:
        return False
    run = Run(ref.site, review.project_id, review.document_id, review.workflow_id)
    return ref.is_handed_over or queries.execution(run).status == RunStatus.RUNNING


def escalate_review(ref: ReviewRef, run: Run, review: Review) -> None:
    """Publish the escalation and record it in the lineage; due again at the deadline. Claim, draft and token stay.

    Raises:
        Conflict: it is decided, has ended, or another sweep was first.

    """
    end = clock.iso(expires_at(ref, clock.parse(review.deadline)))
    if review.status in PUT_OFF:
        end = min(end, str(review.postponed_until))
    actions = [
        Review.escalated_at.set(clock.iso(clock.now())),
        *due_work.postpone_actions(Review, end, review_id=ref.review_id),
    ]
    # As read: a postponed review must keep its time of return and its place in the index.
    waits = (Review.status == review.status) & Review.escalated_at.does_not_exist()
    if review.status in PUT_OFF:
        waits &= Review.postponed_until == review.postponed_until
    detail = {"reviewId": ref.review_id, "deadline": review.deadline, "queue": queue_id(review.queue)}
    event = events.lineage(
        run,
        "HUMAN_REVIEW_ESCALATED",
        facts={"review": ref.review_id, "deadline": review.deadline},
        bus_type=events.REVIEW_ESCALATED,
        bus_detail=detail,
    )
    changes: list[Change] = [Update(ref.key, actions, waits)]
    changes += plan_notifications(ref, Kind.DEADLINE, [review.holder or CHAT])
    written = transact(changes, event)
    log.warning("review escalated", extra={"run": run.workflow_id, "review": ref.review_id})
    events.publish_soon(cast("DocumentEvent", written[0]))
