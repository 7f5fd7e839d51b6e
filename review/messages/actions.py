"""Writes of comments."""

import logging
from collections.abc import Sequence

from config import clock
from config.errors import Conflict
from config.transaction import EXISTS, Change, Put, Update, transact
from review.handovers import keeping
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.messages import queries
from review.messages.items import MessageKind, ReviewMessage
from review.notifications.actions import plan_notifications
from review.notifications.items import Kind
from workflows.runs import events
from workflows.runs.items import Run

log = logging.getLogger(__name__)


def add_comment(
    ref: ReviewRef, run: Run, text: str, *, message_id: str, mentioned: Sequence[Person] = (), by: Person
) -> None:
    """Comment on a review in any state. A repeated ``message_id`` is the same comment.

    Raises:
        Conflict: the review was deleted meanwhile, or another person's message has this id.

    """
    names = ", ".join(one.name for one in mentioned)
    message = ReviewMessage(
        *ref.message_key(message_id),
        kind=MessageKind.COMMENT,
        text=text,
        by_id=by.id,
        by_name=by.name,
        to_ids={one.id for one in mentioned} or None,
        to_name=names or None,
        at=clock.iso(clock.now()),
        TimeToLive=keeping.keep_until() if ref.is_handed_over else None,
    )
    there = EXISTS & Review.hidden.does_not_exist()
    counted = [Review.messages.set((Review.messages | 0) + 1)]
    changes: list[Change] = [Put(message, name="said"), Update(ref.key, counted, there)]
    changes += plan_notifications(ref, Kind.MENTIONED, [one.id for one in mentioned], told_by=by)
    facts = {"review": ref.review_id, "mentioned": names, "said": text}
    try:
        transact(changes, events.lineage(run, "HUMAN_REVIEW_COMMENTED", by=by, facts=facts))
    except Conflict as conflict:
        if "said" not in conflict.failed or not queries.was_said_by(ref, message_id, by.id):
            raise
    log.info("review commented", extra={"review": ref.review_id})
