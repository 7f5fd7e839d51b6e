"""Reads of what was said about a review."""

from collections.abc import Sequence

from config import table
from config.errors import NotFound
from review.identity import ReviewRef
from review.items.reviews import Review
from review.messages.items import ReviewMessage

_MOST = 200


def list_messages(ref: ReviewRef, review: Review) -> Sequence[ReviewMessage]:
    """The oldest first: one Query, and no call if nothing was said."""
    if not review.messages:
        return []
    pk = table.REVIEW_MESSAGE.partition_key(ref.site, document_id=ref.document_id)
    prefix = table.REVIEW_MESSAGE.sort_prefix(review_id=ref.review_id)
    return ReviewMessage.page(pk, sk=ReviewMessage.SK.startswith(prefix), limit=_MOST, consistent=True).rows


def list_shown_messages(ref: ReviewRef, review: Review, user_id: str) -> Sequence[ReviewMessage]:
    """Those that this person may see: while several decide blindly, what they said or are asked, and nothing else."""
    said = list_messages(ref, review)
    return [one for one in said if user_id in {one.by_id, *(one.to_ids or ())}] if review.quorum else said


def was_said_by(ref: ReviewRef, message_id: str, user_id: str) -> bool:
    """Whether this person sent this message before."""
    try:
        return ReviewMessage.load(ref.message_key(message_id)).by_id == user_id
    except NotFound:
        return False


def find_open_question(review: Review, messages: Sequence[ReviewMessage]) -> ReviewMessage | None:
    """The one of ``messages`` that the review waits for."""
    return next((one for one in messages if review.question_id and one.message_id == review.question_id), None)
