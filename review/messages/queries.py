"""Reads of a review's messages."""

from collections.abc import Sequence

from config import table
from config.errors import NotFound
from review.identity import ReviewRef
from review.items.reviews import Review
from review.messages.items import MessageKind, ReviewMessage

_MOST = 200
_ANSWERED = (MessageKind.QUESTION, MessageKind.ESCALATION)


def list_messages(ref: ReviewRef, review: Review) -> Sequence[ReviewMessage]:
    """Return the messages, oldest first: one Query, or no call if there are none."""
    if not review.messages:
        return []
    pk = table.REVIEW_MESSAGE.partition_key(ref.site, document_id=ref.document_id)
    prefix = table.REVIEW_MESSAGE.sort_prefix(review_id=ref.review_id)
    return ReviewMessage.page(pk, sk=ReviewMessage.SK.startswith(prefix), limit=_MOST, consistent=True).rows


def list_shown_messages(ref: ReviewRef, review: Review, user_id: str) -> Sequence[ReviewMessage]:
    """Return the messages that this person may see: in a blind quorum, only their own and those addressed to them."""
    said = list_messages(ref, review)
    return [one for one in said if user_id in {one.by_id, *(one.to_ids or ())}] if review.quorum else said


def was_said_by(ref: ReviewRef, message_id: str, user_id: str) -> bool:
    """Return whether this person already sent this message."""
    try:
        return ReviewMessage.load(ref.message_key(message_id)).by_id == user_id
    except NotFound:
        return False


def find_ended_question(review: Review, messages: Sequence[ReviewMessage], user_id: str) -> ReviewMessage | None:
    """Return this person's last question, once it has ended and the review is theirs again."""
    if not review.question_ended or review.holder != user_id:
        return None
    return next((one for one in reversed(messages) if one.kind in _ANSWERED and one.by_id == user_id), None)


def find_open_question(review: Review, messages: Sequence[ReviewMessage]) -> ReviewMessage | None:
    """Return the question that the review waits for."""
    return next((one for one in messages if review.question_id and one.message_id == review.question_id), None)


def find_skip(messages: Sequence[ReviewMessage], user_id: str) -> ReviewMessage | None:
    """Return why another person skipped the review, if the last one who skipped it is not this one."""
    last = next((one for one in reversed(messages) if one.kind == MessageKind.SKIP), None)
    return last if last and last.by_id != user_id else None
