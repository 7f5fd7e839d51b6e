"""The API of publication: publish a document to everyone at a stable address, and withdraw it."""

from ninja import Router, Schema, Status

from config.errors import NotFound
from projects.documents.queries import get_document
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest
from projects.web.links import page_url
from workflows.links import actions
from workflows.links.queries import WITHDRAWN, find_publication

router = Router(tags=["shares"])


class PublicationShape(Schema):
    """``version``: of the published file. ``run_id``: the run of the published result."""

    url: str
    document_id: str
    version: str | None
    run_id: str
    pages: int
    published_by: str
    published_at: str


@router.get(
    "/documents/{document_id}/publication",
    response={200: PublicationShape, **FAILURES},
    operation_id="show_publication",
    summary="Get a publication",
)
def show_publication(request: ApiRequest, document_id: str) -> PublicationShape:
    """404 if it is not public. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return _shape(request, document_id)


def _shape(request: ApiRequest, document_id: str) -> PublicationShape:
    get_document(request.site, document_id)
    row = find_publication(request.site, document_id)
    if row is None:
        raise NotFound(WITHDRAWN)
    return PublicationShape(
        url=page_url(request.site, "published:show-publication", document_id),
        document_id=document_id,
        version=row.s3Version,
        run_id=row.workflow_id,
        pages=int(row.pages),
        published_by=row.user_name,
        published_at=row.inserteddate,
    )


@router.put(
    "/documents/{document_id}/publication",
    response={200: PublicationShape, **REFUSALS},
    operation_id="publish_document",
    summary="Publish a document",
)
def publish_document(request: ApiRequest, document_id: str) -> PublicationShape:
    """Publishes the document as it is now, replacing the earlier version; anyone can open the address.

    Requires READ and WRITE.
    """
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    get_document(request.site, document_id)
    row = find_publication(request.site, document_id)
    seen = row.publication_id if row else ""
    actions.publish_document(request.site, document_id, seen=seen, by=request.auth.actor)
    return _shape(request, document_id)


@router.delete(
    "/documents/{document_id}/publication",
    response={204: None, **REFUSALS},
    operation_id="withdraw_document",
    summary="Withdraw a publication",
)
def withdraw_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Takes effect at once. 404 if it is not public. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    get_document(request.site, document_id)
    row = find_publication(request.site, document_id)
    seen = row.publication_id if row else ""
    actions.withdraw_document(request.site, document_id, seen=seen, by=request.auth.actor)
    return Status(204, None)
