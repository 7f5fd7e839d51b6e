"""The API of review requests: any program can ask a person, and fetch the answer."""

import json
import re
from typing import Any

from ninja import Router, Schema, Status

from config import clock
from config.errors import NotFound
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Problem
from projects.web.links import page_url
from review import queries
from review.handovers import actions as handover_actions
from review.handovers import result
from review.handovers.actions import Handover
from review.handovers.question import ProgramQuestion
from review.identity import ReviewRef, queue_id
from review.items.reviews import Review
from review.status import Decision, ReviewStatus
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

router = Router(tags=["reviews"])
MISSING = "Review not found."
_ID = re.compile(r"[0-9a-f]{26}")
_FINAL = (ReviewStatus.REDEEMING, ReviewStatus.REDEEMED)  # it can no longer be undone


class AnsweredField(Schema):
    """``corrected``: the reviewer changed the value."""

    name: str
    value: str | None
    corrected: bool


class ReviewShape(Schema):
    """``status``: waiting, approved, rejected or expired; a decision that can still be undone is waiting.

    ``delivery``: delivered, uncertain, undelivered or to_fetch; null until decided. ``url``: the review's page.
    """

    id: str
    status: str
    title: str
    url: str
    deadline: str
    decision_id: str | None = None
    decided_at: str | None = None
    delivery: str | None = None
    reason: str | None = None
    reject_reason: str | None = None
    fields: list[AnsweredField] | None = None


@router.post(
    "",
    response={201: ReviewShape, 200: ReviewShape, 422: Problem, **FAILURES},
    operation_id="ask_for_review",
    summary="Request a review",
)
def ask_for_review(request: ApiRequest, question: ProgramQuestion) -> Any:
    """200 if the same ``id`` and content were already sent. Requires WRITE."""
    access.check_can_upload(request)
    by = request.auth.actor
    asked = Handover(request.site, question, by.name, by.id, clock.iso(clock.now()))
    taken = handover_actions.take_handover(asked)
    return Status(201 if taken.new else 200, _shape(taken.ref, queries.get_review(taken.ref)))


@router.get(
    "/{review_id}", response={200: ReviewShape, **FAILURES}, operation_id="show_review", summary="Get a decision"
)
def show_review(request: ApiRequest, review_id: str) -> ReviewShape:
    """Requires READ. For restricted queues, only the requesting program can read it."""
    access.check_can_view(request)
    if not _ID.fullmatch(review_id):
        raise NotFound(MISSING)
    ref = handover_actions.ref_of(request.site, review_id)
    review = queries.get_review(ref)
    if review.asked_by != request.auth.actor.id:
        access.check_admitted(request, queue_id(review.queue))
    return _shape(ref, review)


def _shape(ref: ReviewRef, review: Review) -> ReviewShape:
    shape = ReviewShape(
        id=ref.review_id,
        status="expired" if review.status == ReviewStatus.EXPIRED else "waiting",
        title=review.name,
        url=page_url(ref.site, "review:show-review", ref.document_id, ref.review_id),
        deadline=review.deadline,
    )
    return _add_decision(ref, review, shape) if review.status in _FINAL else shape


def _add_decision(ref: ReviewRef, review: Review, shape: ReviewShape) -> ReviewShape:
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    asked = json.loads(store.read_pinned(files.result(review.workflow_id), review.result_sha256))
    name = store.name_of(str(review.decision_uri))
    decided = json.loads(store.read_pinned(name, str(review.decision_sha256)))
    approved = review.decision == Decision.APPROVE
    shape.status = "approved" if approved else "rejected"
    shape.decision_id, shape.decided_at, shape.delivery = review.decision_id, review.reviewedAt, review.delivery
    shape.reason, shape.reject_reason = decided["reason"] or None, decided.get("reject_reason") or None
    shape.fields = [
        AnsweredField(**one) for one in result.answer_fields(asked, decided["corrections"], approved=approved)
    ]
    return shape
