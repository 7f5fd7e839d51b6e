"""Rows of personal work lists, written together with the change that adds or removes a review."""

from django.conf import settings

from config import clock, table
from config.table import Key
from config.transaction import Delete, Put
from review.identity import ReviewRef
from review.items.reviews import ReviewWork
from review.status import Worklist


def enter(ref: ReviewRef, user_id: str, worklist: Worklist) -> Put:
    """Add a review to a list; idempotent. The TTL is later than the deadline of any open review."""
    at = clock.iso(clock.now())
    parts = {"user_id": user_id, "worklist": worklist, "at": at, "review_id": ref.review_id}
    lists = table.REVIEW_WORK.gsi1(ref.site, **parts) | table.REVIEW_WORK.gsi2(ref.site, **parts)
    row = ReviewWork(
        *_key(ref, user_id, worklist),
        **lists,
        document_id=ref.document_id,
        created_at=at,
        TimeToLive=int(clock.in_seconds(settings.REVIEW_DRAFT_SECONDS).timestamp()),
    )
    return Put(row, overwrite=True)


def remove(ref: ReviewRef, user_id: str, worklist: Worklist) -> Delete:
    """Remove a review from a list, if it is there."""
    return Delete(_key(ref, user_id, worklist))


def _key(ref: ReviewRef, user_id: str, worklist: Worklist) -> Key:
    return table.REVIEW_WORK.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, user_id=user_id, worklist=worklist
    )
