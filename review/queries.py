"""Reads of reviews, which never load a task token."""

from collections.abc import Sequence

from django.conf import settings
from django.utils.translation import gettext

from config import clock, table
from config.errors import NotFound
from config.item import Item, Page
from projects.queues.items import DEFAULT_QUEUE
from review.identity import ReviewRef, queue_to_store
from review.items.results import ReviewResult
from review.items.reviews import DRAFT_READABLE, LISTED, READABLE, Review, ReviewDecision, ReviewDraft, ReviewWork
from review.items.saved_views import SavedView
from review.status import UNDECIDED, ReviewStatus, Worklist
from workflows.runs.items import Run


def list_queue(site: str, queue_id: str = "", *, cursor: str | None = None) -> Page[Review]:
    """Return waiting reviews, nearest deadline first: one Query. ``queue_id``: empty for the site's own."""
    return list_ahead(site, queue_id, limit=settings.PAGE_SIZE, cursor=cursor)


def list_ahead(site: str, queue_id: str = "", *, limit: int, cursor: str | None = None) -> Page[Review]:
    """Return more rows at once than ``list_queue``, for filters and other orders."""
    partition = table.REVIEW.gsi1_partition(site, queue=queue_to_store(queue_id))
    waiting = Review.GSI1SK < table.POSTPONED
    return Review.page(partition, sk=waiting, index="GSI1", limit=limit, cursor=cursor)


def list_postponed(site: str, queue_id: str = "", *, cursor: str | None = None) -> Page[Review]:
    """Return a queue's postponed reviews and those waiting for an answer, soonest return first: one Query.

    If any wait for an answer, one call more: the index does not say who was asked.
    """
    partition = table.REVIEW.gsi1_partition(site, queue=queue_to_store(queue_id))
    page = Review.page(partition, sk=Review.GSI1SK.startswith(table.POSTPONED), index="GSI1", cursor=cursor)
    waiting = [row for row in page.rows if row.status == ReviewStatus.ASKED]
    if waiting:
        found = Item.together([row_ref(site, row).key for row in waiting], only=("question_to", "question_to_name"))
        for row in waiting:
            asked = Review.from_raw_data(found.get(row_ref(site, row).key, {}))
            row.question_to, row.question_to_name = asked.question_to, asked.question_to_name
    return page


def postponed_until(row: Review) -> str:
    """Return when a postponed review comes back, a stored instant."""
    if row.postponed_until:  # an attribute that the index lacks
        return row.postponed_until
    return str(row.GSI1SK).removeprefix(table.POSTPONED).partition("#")[0]


def list_saved_views(site: str, user_id: str) -> Sequence[SavedView]:
    """Return a person's saved views: one Query."""
    return SavedView.page(table.SAVED_VIEW.partition_key(site, user_id=user_id)).rows


def find_closed(refs: Sequence[ReviewRef], user_id: str) -> frozenset[ReviewRef]:
    """Return the reviews that this person gave back or may not decide: one strongly consistent call."""
    found = Item.together([ref.key for ref in refs], only=("passed_by", "barred"))
    rows = {key: Review.from_raw_data(raw) for key, raw in found.items()}
    return frozenset(
        ref
        for ref in refs
        if (row := rows.get(ref.key))
        and (user_id in (row.passed_by or ()) or user_id in (row.barred.as_dict() if row.barred else {}))
    )


def count_before(site: str, review: Review, *, most: int) -> int:
    """Count the reviews of its queue that are due earlier, up to ``most``: one counting Query."""
    queue = review.queue or DEFAULT_QUEUE
    ref = row_ref(site, review)
    place = table.REVIEW.gsi1(site, queue=queue, deadline=review.deadline, review_id=ref.review_id)
    earlier = Review.GSI1SK < place["GSI1SK"]  # noqa: SIM300 - an attribute's condition
    return Review.count_rows(place["GSI1PK"], sk=earlier, index="GSI1", limit=most)


def list_work(site: str, user_id: str, worklist: Worklist, *, cursor: str | None = None) -> Page[Review]:
    """Return a personal list, nearest deadline first: one Query and one strongly consistent read of its reviews.

    The reviews are authoritative, so a page may be shorter than its Query. Reviews the person was asked about are in
    ``Worklist.ASKED`` only.
    """
    pk = table.REVIEW_WORK.gsi1_partition(site, user_id=user_id, worklist=worklist)
    page = ReviewWork.page(pk, index="GSI1", cursor=cursor)
    keys = [_work_ref(site, row).key for row in page.rows]
    found = Item.together(keys, only=LISTED) if keys else {}
    reviews = [Review.from_raw_data(found[key]) for key in keys if key in found]
    kept = [one for one in reviews if one.hidden is None and _is_in(one, user_id, worklist)]
    return Page(sorted(kept, key=lambda one: one.deadline), page.next)


def list_held(site: str, *, most: int) -> tuple[list[Review], bool]:
    """Return what people have claimed or were assigned, and whether that is all: a Query, and a call per hundred.

    The reviews are authoritative: a person displaced by a takeover is no holder.
    """
    pk = table.REVIEW_WORK.gsi2_partition(site)
    mine = ReviewWork.GSI2SK.startswith(table.REVIEW_WORK.gsi2_prefix(worklist=Worklist.MINE))
    page = ReviewWork.page(pk, sk=mine, index="GSI2", limit=most)
    keys = list(dict.fromkeys(_work_ref(site, row).key for row in page.rows))
    found = {
        key: raw
        for start in range(0, len(keys), _MOST_TOGETHER)
        for key, raw in Item.together(keys[start : start + _MOST_TOGETHER], only=LISTED).items()
    }
    reviews = [Review.from_raw_data(raw) for raw in found.values()]
    now = clock.iso(clock.now())
    return [one for one in reviews if one.hidden is None and holder_of(one, now=now)], page.next is None


_MOST_TOGETHER = 100  # of one call


def _is_in(review: Review, user_id: str, worklist: Worklist) -> bool:
    if worklist == Worklist.ASKED:
        return is_asked(review, user_id)
    return review.status in UNDECIDED and review.holder == user_id


def is_asked(review: Review, user_id: str) -> bool:
    """Return whether the review waits for this person's answer."""
    return review.status == ReviewStatus.ASKED and user_id in (review.question_to or ())


def _work_ref(site: str, row: ReviewWork) -> ReviewRef:
    return ReviewRef(site, row.document_id, row.SK.removeprefix(table.REVIEW.sort_prefix()).partition("#")[0])


def list_decisions_since(
    site: str, user_id: str, since: str, *, limit: int, cursor: str | None = None
) -> Page[ReviewDecision]:
    """Return this person's decisions since ``since``, a stored instant, newest first: one Query of an index."""
    own = table.REVIEW_DECISION.gsi1_partition(site, user_id=user_id)
    window = ReviewDecision.GSI1SK >= since  # noqa: SIM300 - an attribute's condition
    return ReviewDecision.page(own, sk=window, index="GSI1", limit=limit, newest_first=True, cursor=cursor)


def decision_place(site: str, row: ReviewDecision) -> tuple[ReviewRef, str]:
    """Return review and decision id from the keys of an index row."""
    review_id, _, rest = row.SK.removeprefix(table.REVIEW.sort_prefix()).partition("#")
    return ReviewRef(site, row.document_id or "", review_id), rest.rpartition("#")[2]


def was_undone(ref: ReviewRef, decision_id: str, user_id: str) -> bool:
    """Return whether this person made and has undone this decision, in another tab or by a double click."""
    key = table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=decision_id
    )
    try:
        found = ReviewDecision.load(key)
    except NotFound:
        return False
    return found.reviewer == user_id and bool(found.undone_at)


def row_ref(site: str, row: Review) -> ReviewRef:
    """Return the review's reference from the keys of a queue row."""
    return ReviewRef(site, row.document_id, row.SK.removeprefix(table.REVIEW.sort_prefix()))


def holder_of(row: Review, *, now: str) -> str:
    """Return the user id of the holder, by claim or assignment; empty if the review is free."""
    held = row.status == ReviewStatus.CLAIMED and (row.lease_until or "") > now
    held = held or row.status in (ReviewStatus.ASSIGNED, ReviewStatus.ASKED)
    return (row.holder or "") if held else ""


def get_review(ref: ReviewRef) -> Review:
    """Strongly consistent, without its token. Raises: NotFound, also if the document was deleted."""
    return _check_visible(Review.load(ref.key, only=READABLE))


def _check_visible(found: Review) -> Review:
    if found.hidden is not None:
        raise NotFound(gettext("The document for this review was deleted."))
    return found


def run_of(ref: ReviewRef, found: Review) -> Run:
    return Run(ref.site, found.project_id, ref.document_id, found.workflow_id)


def reviews_and_drafts(refs: Sequence[ReviewRef], user_id: str) -> dict[ReviewRef, tuple[Review, ReviewDraft | None]]:
    """Return up to 50 existing reviews with this person's drafts: one strongly consistent call."""
    if not refs:
        return {}
    keys = [key for ref in refs for key in (ref.key, ref.draft_key(user_id))]
    found = Item.together(keys, only=[*READABLE, *DRAFT_READABLE])
    drafts = {ref: found.get(ref.draft_key(user_id)) for ref in refs}
    rows = {ref: Review.from_raw_data(found[ref.key]) for ref in refs if ref.key in found}
    return {
        ref: (row, ReviewDraft.from_raw_data(draft) if (draft := drafts[ref]) else None)
        for ref, row in rows.items()
        if row.hidden is None
    }


def review_and_draft(ref: ReviewRef, user_id: str) -> tuple[Review, ReviewDraft | None]:
    """Return a review and its result with this person's draft: one strongly consistent call. Raises: NotFound."""
    draft_key, result_key = ref.draft_key(user_id), ref.result_key
    found = Item.together([ref.key, draft_key, result_key], only=[*READABLE, *DRAFT_READABLE, "body"])
    if ref.key not in found:
        raise NotFound(gettext("Record not found."))
    review = Review.from_raw_data(found[ref.key])
    review.result = ReviewResult.from_raw_data(found[result_key]) if result_key in found else None
    draft = ReviewDraft.from_raw_data(found[draft_key]) if draft_key in found else None
    return _check_visible(review), draft
