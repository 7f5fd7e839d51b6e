"""Postponing a review: it returns to its queue at the chosen time; its deadline stays."""

import datetime as dt
import logging

from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Refused
from config.transaction import Change, Update, transact
from projects.documents import counting
from projects.queues.items import DEFAULT_QUEUE
from review.decide import worklists
from review.decide.opening import next_look
from review.identity import Person, ReviewRef
from review.items.reviews import Review, may_move
from review.status import POSTPONE, RESUME, Worklist
from workflows.runs import events
from workflows.runs.items import Run

log = logging.getLogger(__name__)


def postpone_review(ref: ReviewRef, run: Run, review: Review, until: dt.datetime, *, by: Person) -> None:
    """Postpone a review that I hold. Anything due earlier, such as its escalation, still happens.

    Raises:
        Refused: the time is not between now and the deadline.
        Conflict: it is not mine any more.

    """
    back_at, now = clock.iso(until), clock.iso(clock.now())
    if not now < back_at < review.deadline:
        raise Refused(gettext("Choose a time after now and before the due date."))
    mine: Condition = may_move(POSTPONE) & (Review.holder == by.id) & (Review.deadline > back_at)
    actions = [
        Review.status.set(POSTPONE.to),
        Review.lease_until.remove(),
        Review.claimed_after.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(now),
        *put_off_actions(ref, review, back_at),
    ]
    facts = {"review": ref.review_id, "until": back_at}
    transact(
        [Update(ref.key, actions, mine), worklists.remove(ref, by.id, Worklist.MINE), *count_put_off(ref, review, 1)],
        events.lineage(run, "HUMAN_REVIEW_POSTPONED", by=by, facts=facts),
    )
    log.info("review postponed", extra={"review": ref.review_id})


def is_over(review: Review) -> bool:
    """Return whether the postponement is over."""
    return bool(review.postponed_until) and str(review.postponed_until) <= clock.iso(clock.now())


def resume_review(ref: ReviewRef, run: Run, review: Review, *, by: Person | None = None) -> None:
    """Return the review to its queue. ``by``: the person who brings it back early.

    Raises:
        Conflict: it is back already, was postponed again, or has ended.

    """
    same: Condition = may_move(RESUME) & (Review.postponed_until == review.postponed_until)
    actions = [
        Review.status.set(RESUME.to),
        Review.holder.remove(),
        Review.holder_name.remove(),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(clock.iso(clock.now())),
        *bring_back_actions(ref, review),
    ]
    event = events.lineage(run, "HUMAN_REVIEW_RESUMED", by=by, facts={"review": ref.review_id})
    transact([Update(ref.key, actions, same), *count_put_off(ref, review, -1)], event)
    log.info("review resumed", extra={"review": ref.review_id})


def put_off_actions(ref: ReviewRef, review: Review, back_at: str) -> list[Action]:
    """Return the actions that move a review out of the queue until ``back_at``, a stored instant."""
    return [
        Review.postponed_until.set(back_at),
        Review.GSI1SK.set(_place(ref, review, table.postponed_place(back_at))),
        *due_work.postpone_actions(Review, min(back_at, _next_look(ref, review)), review_id=ref.review_id),
    ]


def bring_back_actions(ref: ReviewRef, review: Review) -> list[Action]:
    """Return the actions that put a review back into its queue, by deadline."""
    return [
        Review.postponed_until.remove(),
        Review.GSI1SK.set(_place(ref, review, review.deadline)),
        *due_work.postpone_actions(Review, _next_look(ref, review), review_id=ref.review_id),
    ]


def _next_look(ref: ReviewRef, review: Review) -> str:
    since, escalated = clock.parse(review.created_at), bool(review.escalated_at)
    return clock.iso(next_look(ref, clock.parse(review.deadline), since=since, escalated=escalated))


def count_put_off(ref: ReviewRef, review: Review, number: int) -> list[Change]:
    """Count ``number`` more postponed and as many fewer waiting reviews of its queue."""
    queue = review.queue or DEFAULT_QUEUE
    tally = counting.count_queued(queue, ref.document_id, number, postponed=True)
    tally.update(counting.count_queued(queue, ref.document_id, -number))
    return counting.apply_tally(ref.site, tally)


def _place(ref: ReviewRef, review: Review, when: str) -> str:
    queue = review.queue or DEFAULT_QUEUE
    return str(table.REVIEW.gsi1(ref.site, queue=queue, deadline=when, review_id=ref.review_id)["GSI1SK"])
