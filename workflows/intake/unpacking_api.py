"""The API of mails and archives: what came out of one, what did not and why; have it tried again."""

from typing import Any

from ninja import Router, Schema

from projects.api import FAILURES, ApiRequest, Problem
from projects.documents.queries.documents import DocumentRows, document_rows
from projects.queues import admission
from projects.sites import access
from workflows.intake import unpacking
from workflows.intake.actions import unpack as records
from workflows.intake.tasks import order_unpacking_soon

router = Router(tags=["documents"])
_REFUSALS: Any = {409: Problem, 422: Problem, **FAILURES}


class LeftOutShape(Schema):
    name: str
    reason: str


class UnpackingShape(Schema):
    """``status``: open, done. ``documents``: the ids of what came out; ``left_out``: of many files, the first.

    ``message``: why it ended before its end, or why nothing came out.
    """

    document_id: str
    status: str
    documents: list[str]
    left_out: list[LeftOutShape]
    message: str | None
    can_be_tried_again: bool


@router.get(
    "/documents/{document_id}/unpacking",
    response={200: UnpackingShape, **FAILURES},
    operation_id="show_unpacking",
    summary="What came out of a mail or an archive",
)
def show_unpacking(request: ApiRequest, document_id: str) -> UnpackingShape:
    """404 for a document of another kind. Needs READ."""
    access.check_can_view(request)
    admission.check_document(request, document_id)
    return _shape(request, document_rows(request.site, document_id))


@router.post(
    "/documents/{document_id}/unpacking/retry",
    response={200: UnpackingShape, **_REFUSALS},
    operation_id="retry_unpacking",
    summary="Try a mail or an archive again",
)
def retry_unpacking(request: ApiRequest, document_id: str) -> UnpackingShape:
    """What came out stays. 422 where nothing was left out. Needs READ and WRITE."""
    access.check_can_upload(request)
    admission.check_document(request, document_id)
    rows = document_rows(request.site, document_id)
    records.again(request.site, unpacking.record_of(rows), by=request.auth.actor)
    order_unpacking_soon(request.site, document_id)
    return _shape(request, document_rows(request.site, document_id))


def _shape(request: ApiRequest, rows: DocumentRows) -> UnpackingShape:
    record = unpacking.record_of(rows)
    children = admission.shown(request, rows.children, lambda child: child.documentId)
    return UnpackingShape(
        document_id=rows.document.document_id,
        status=record.status,
        documents=[child.documentId for child in children if not child.deleted_at],
        left_out=[LeftOutShape(name=one["name"], reason=one["why"]) for one in record.left_out],
        message=record.message,
        can_be_tried_again=record.can_be_tried_again,
    )
