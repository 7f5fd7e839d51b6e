"""The API of second reviews: how reviewers agree, and the differences that wait to be resolved."""

from typing import Literal

from ninja import Router, Schema

from projects.policies.gate import find_denied_documents
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from review.identity import queue_id
from review.quality import queries
from review.quality.figures import Agreement
from review.quality.views.figures import ReviewerRow, Wish, check_project, list_reviewer_rows

router = Router(tags=["reviews"])


class AgreementShape(Schema):
    """``share``: 0–1, with its 95 % interval ``low`` to ``high``; null if there were none."""

    agreed: int
    differed: int
    share: float | None
    low: float | None
    high: float | None


class FieldAgreement(AgreementShape):
    field: str


class ReviewerShape(Schema):
    """``documents``: second reviews. ``known``: documents whose values were known; null for keys without ADMIN.

    ``corrections_confirmed``, ``corrections_overturned``: by another reviewer or an adjudication. ``errors_missed``:
    wrong values left as extracted. ``median_seconds``: from claim to decision.
    """

    user_id: str
    name: str
    documents: AgreementShape
    fields: list[FieldAgreement]
    known: AgreementShape | None
    corrections_confirmed: int
    corrections_overturned: int
    errors_missed: int
    decisions_overturned: int
    decisions: int
    median_seconds: float | None


class QualityReport(Schema):
    """``reviewers``: by name."""

    reviewers: list[ReviewerShape]


class DisputeShape(Schema):
    """``review_id``: of the first review. ``fields``: those that differ; empty if only the decisions do."""

    document_id: str
    review_id: str
    name: str
    project_id: str
    queue_id: str
    fields: list[str]
    created_at: str


class DisputeList(Schema):
    items: list[DisputeShape]
    next: str | None


@router.get(
    "", response={200: QualityReport, **FAILURES}, operation_id="show_quality", summary="Get reviewer agreement"
)
def show_quality(request: ApiRequest, project_id: str = "", period: Literal["1m", "3m", "12m"] = "3m") -> QualityReport:
    """Second reviews of a project or the site, in calendar months up to now. Requires READ.

    A key without ADMIN gets the figures of the person it belongs to only.
    """
    access.check_can_view(request)
    check_project(request, project_id)
    rows = list_reviewer_rows(request, Wish(project_id, period))
    known = access.abilities(request).configure
    return QualityReport(reviewers=[_reviewer(one, known=known) for one in rows])


def _reviewer(row: ReviewerRow, *, known: bool) -> ReviewerShape:
    one = row.figures
    return ReviewerShape(
        user_id=one.user_id,
        name=one.name,
        documents=_agreement(one.documents),
        fields=[FieldAgreement(field=label, **_agreement(found).dict()) for label, found in one.fields],
        known=_agreement(one.known) if known else None,
        corrections_confirmed=one.confirmed,
        corrections_overturned=one.overturned,
        errors_missed=one.missed,
        decisions_overturned=one.decisions_overturned,
        decisions=row.decisions,
        median_seconds=row.median,
    )


def _agreement(found: Agreement) -> AgreementShape:
    low, high = found.interval if found.number else (None, None)
    return AgreementShape(agreed=found.agreed, differed=found.differed, share=found.share, low=low, high=high)


@router.get(
    "/disputes",
    response={200: DisputeList, **FAILURES},
    operation_id="list_disputes",
    summary="List differing second reviews",
)
def list_disputes(request: ApiRequest, queue: str = "", after: str | None = None) -> DisputeList:
    """Of a queue or the site's own, oldest first. Who answered what is not told until a person resolves it.

    Requires READ.
    """
    access.check_can_view(request)
    access.check_admitted(request, queue)
    page = queries.list_disputes(request.site, queue, cursor=after)
    found = [(row, queries.dispute_ref(request.site, row)) for row in page.rows]
    denied = find_denied_documents(request, [ref.document_id for _, ref in found])
    items = [
        DisputeShape(
            document_id=ref.document_id,
            review_id=ref.review_id,
            name=row.name,
            project_id=row.project_id,
            queue_id=queue_id(row.of_queue) if row.of_queue else queue,
            fields=[str(one) for one in row.reasons or ()],
            created_at=row.created_at,
        )
        for row, ref in found
        if ref.document_id not in denied
    ]
    return DisputeList(items=items, next=page.next)
