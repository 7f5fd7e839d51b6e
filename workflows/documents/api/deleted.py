"""The API of deleted documents: list, restore and purge."""

from ninja import Field, Router, Schema, Status

from projects.documents import queries as document_queries
from projects.documents.items import DocumentRemoval
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest
from workflows.documents.actions import removals
from workflows.documents.tasks import order_removal_soon

router = Router()


class DeletedShape(Schema):
    """``name``: null once it is purged. ``by`` and ``at``: who deleted, restored or purged it last, and when."""

    document_id: str
    name: str | None
    project_name: str | None
    status: str = Field(json_schema_extra={"enum": ["deleting", "deleted", "restoring", "purging", "purged"]})
    by: str | None
    at: str | None


class DeletedList(Schema):
    items: list[DeletedShape]
    next: str | None


@router.get(
    "/deleted-documents",
    response={200: DeletedList, **FAILURES},
    operation_id="list_deleted_documents",
    summary="List deleted documents",
)
def list_deleted_documents(request: ApiRequest, purged: bool = False, after: str | None = None) -> DeletedList:
    """Latest first: those that can be restored, or with ``purged`` what remains of purged ones. Requires DELETE."""
    access.check_can_delete(request)
    which = document_queries.PURGED if purged else document_queries.DELETED
    page = visibility.filter_page(
        request,
        lambda place: document_queries.list_removals(request.site, which, cursor=place),
        after,
        lambda row: row.document_id,
    )
    return DeletedList(items=list(map(_shape, page.rows)), next=page.next)


def _shape(row: DocumentRemoval) -> DeletedShape:
    return DeletedShape(
        document_id=row.document_id,
        name=row.name or None,
        project_name=row.project_name,
        status=row.status,
        by=row.holder_name,
        at=row.updated_at,
    )


@router.post(
    "/deleted-documents/{document_id}/restore",
    response={204: None, **REFUSALS},
    operation_id="restore_document",
    summary="Restore a document",
)
def restore_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Exactly as it was. 404 if it is not deleted. Requires DELETE."""
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    removals.restore_document(request.site, document_id, by=request.auth.actor)
    return Status(204, None)


@router.delete(
    "/deleted-documents/{document_id}",
    response={202: None, **REFUSALS},
    operation_id="purge_document",
    summary="Purge a document",
)
def purge_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Permanently deletes files, runs and reviews of a deleted document. It cannot be undone. Requires DELETE."""
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    removals.purge_document(request.site, document_id, by=request.auth.actor)
    order_removal_soon(request.site, document_id)
    return Status(202, None)
