"""The rows by which a person's own lists find their reviews: written with what puts a review there or takes it away."""

from django.conf import settings

from config import clock, table
from config.table import Key
from config.transaction import Delete, Put
from review.identity import ReviewRef
from review.items.reviews import ReviewWork
from review.status import Worklist


def enter(ref: ReviewRef, user_id: str, worklist: Worklist) -> Put:
    """Again is harmless. Its TTL lies after the deadline of any review that is open now."""
    at = clock.iso(clock.now())
    row = ReviewWork(
        *_key(ref, user_id, worklist),
        **table.REVIEW_WORK.gsi1(ref.site, user_id=user_id, worklist=worklist, at=at, review_id=ref.review_id),
        document_id=ref.document_id,
        created_at=at,
        TimeToLive=int(clock.in_seconds(settings.REVIEW_DRAFT_SECONDS).timestamp()),
    )
    return Put(row, overwrite=True)


def remove(ref: ReviewRef, user_id: str, worklist: Worklist) -> Delete:
    """Harmless if it is not there."""
    return Delete(_key(ref, user_id, worklist))


def _key(ref: ReviewRef, user_id: str, worklist: Worklist) -> Key:
    return table.REVIEW_WORK.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, user_id=user_id, worklist=worklist
    )
