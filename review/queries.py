"""Reads of reviews; no list and no page ever reads a token."""

from config import table
from config.errors import NotFound
from config.item import Page
from review.identity import DEFAULT_QUEUE, ReviewRef
from review.items.reviews import READABLE, Review, ReviewDraft
from workflows.frozen import Run


def queue(site: str, name: str = DEFAULT_QUEUE, *, cursor: str | None = None) -> Page[Review]:
    """What waits for a person, the nearest deadline first: one Query."""
    return Review.page(table.REVIEW.gsi1_partition(site, queue=name), index="GSI1", cursor=cursor)


def review(ref: ReviewRef) -> Review:
    """Strongly consistent, without its token. Raises: NotFound."""
    return Review.load(ref.key, only=READABLE)


def run_of(ref: ReviewRef, found: Review) -> Run:
    return Run(ref.site, found.project_id, ref.document_id, found.workflow_id)


def draft(ref: ReviewRef, user_id: str) -> ReviewDraft | None:
    """What this person has typed and not sent."""
    key = table.REVIEW_DRAFT.key(ref.site, document_id=ref.document_id, review_id=ref.review_id, user_id=user_id)
    try:
        return ReviewDraft.load(key)
    except NotFound:
        return None
