"""Assignment: a review reserved for one person, without a lease, until it is claimed or reassigned."""

import logging

from pynamodb.expressions.condition import Condition

from config import clock
from config.transaction import Change, Update, transact
from review.decide import worklists
from review.identity import Person, ReviewRef
from review.items.reviews import Review, may_be_decided_by, may_move
from review.notifications.actions import plan_notifications
from review.notifications.items import Kind
from review.status import ASSIGN, ReviewStatus, Worklist
from workflows.runs import events
from workflows.runs.items import Run

log = logging.getLogger(__name__)


def assign_review(
    ref: ReviewRef, run: Run, review: Review, to: Person, *, by: Person, over_claim: bool = False
) -> None:
    """Reserve ``review``, as read, for one person, in one write that also moves it to their list.

    ``over_claim``: also if someone else's claim is active, who loses it; their draft is kept.

    Raises:
        Conflict: it changed since, someone else's claim is active, its deadline has passed, or they may not decide it.

    """
    now = clock.iso(clock.now())
    held: Condition = (Review.status != ReviewStatus.CLAIMED) | (Review.holder == by.id) | (Review.lease_until < now)
    same: Condition = may_move(ASSIGN) & (Review.version == review.version) & (Review.deadline > now)
    if not over_claim:
        same &= held
    actions = [
        Review.status.set(ASSIGN.to),
        Review.holder.set(to.id),
        Review.holder_name.set(to.name),
        Review.lease_until.remove(),
        Review.claimed_after.remove(),
        Review.passed_by.delete({to.id}),
        Review.version.set(Review.version + 1),
        Review.updated_at.set(now),
    ]
    changes: list[Change] = [
        Update(ref.key, actions, same & may_be_decided_by(to.id)),
        worklists.enter(ref, to.id, Worklist.MINE),
        *plan_notifications(ref, Kind.ASSIGNED, [to.id], told_by=by),
    ]
    if review.holder and review.holder != to.id:
        changes.append(worklists.remove(ref, review.holder, Worklist.MINE))
    facts = {"review": ref.review_id, "assignee": to.name}
    transact(changes, events.lineage(run, "HUMAN_REVIEW_ASSIGNED", by=by, facts=facts))
    log.info("review assigned", extra={"review": ref.review_id})
