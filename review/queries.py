"""Reads of reviews; no list and no page ever reads a token."""

from config import table
from config.errors import NotFound
from config.item import Item, Page
from review.identity import ReviewRef, queue_to_store
from review.items.reviews import DRAFT_READABLE, READABLE, Review, ReviewDecision, ReviewDraft
from review.status import ReviewStatus
from workflows.runs.run import Run


def list_queue(site: str, queue_id: str = "", *, cursor: str | None = None) -> Page[Review]:
    """What waits for a person, the nearest deadline first: one Query. ``queue_id``: empty for the site's own."""
    return Review.page(table.REVIEW.gsi1_partition(site, queue=queue_to_store(queue_id)), index="GSI1", cursor=cursor)


def list_decisions_since(site: str, user_id: str, since: str, *, limit: int) -> Page[ReviewDecision]:
    """What this person decided at ``since`` (a stored instant) or later, the newest first: one Query of an index."""
    own = table.REVIEW_DECISION.gsi1_partition(site, user_id=user_id)
    window = ReviewDecision.GSI1SK >= since  # noqa: SIM300 - an attribute's condition
    return ReviewDecision.page(own, sk=window, index="GSI1", limit=limit, newest_first=True)


def decision_place(site: str, row: ReviewDecision) -> tuple[ReviewRef, str]:
    """The review of a row of the index, and the decision's id: the index carries the keys, and no ids of its own."""
    review_id, _, rest = row.SK.removeprefix(table.REVIEW.sort_prefix()).partition("#")
    return ReviewRef(site, row.document_id or "", review_id), rest.rpartition("#")[2]


def was_undone(ref: ReviewRef, decision_id: str, user_id: str) -> bool:
    """Whether this person made this decision and has undone it: in another tab, or by the same click twice."""
    key = table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=decision_id
    )
    try:
        found = ReviewDecision.load(key)
    except NotFound:
        return False
    return found.reviewer == user_id and bool(found.undone_at)


def row_ref(site: str, row: Review) -> ReviewRef:
    """Of a row of the queue: the index carries the keys, and no id of its own."""
    return ReviewRef(site, row.document_id, row.SK.removeprefix(table.REVIEW.sort_prefix()))


def holder_of(row: Review, *, now: str) -> str:
    """Whose claim keeps others from it now (a user's id); empty if anybody may take it."""
    held = row.status == ReviewStatus.CLAIMED and (row.lease_until or "") > now
    return (row.holder or "") if held else ""


def get_review(ref: ReviewRef) -> Review:
    """Strongly consistent, without its token. Raises: NotFound, also if the document was deleted."""
    return _check_visible(Review.load(ref.key, only=READABLE))


def _check_visible(found: Review) -> Review:
    if found.hidden is not None:
        raise NotFound("The document for this review was deleted.")
    return found


def run_of(ref: ReviewRef, found: Review) -> Run:
    return Run(ref.site, found.project_id, ref.document_id, found.workflow_id)


def review_and_draft(ref: ReviewRef, user_id: str) -> tuple[Review, ReviewDraft | None]:
    """A review with what this person has typed and not sent: one strongly consistent call. Raises: NotFound."""
    draft_key = ref.draft_key(user_id)
    found = Item.together([ref.key, draft_key], only=[*READABLE, *DRAFT_READABLE])
    if ref.key not in found:
        raise NotFound("Record not found.")
    draft = ReviewDraft.from_raw_data(found[draft_key]) if draft_key in found else None
    return _check_visible(Review.from_raw_data(found[ref.key])), draft
