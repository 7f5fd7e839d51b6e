"""The API of a document's files: versions, download, checkout."""

from django.conf import settings
from ninja import Field, Router, Schema, Status

from config import clock
from projects.documents import queries as document_queries
from projects.documents import view_log
from projects.documents.actions import locks
from projects.documents.actions.locks import MOST_HOURS
from projects.documents.items import Document, DocumentVersion
from projects.queues import visibility
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.api import (
    FAILURES,
    REFUSALS,
    ApiRequest,
    Body,
    with_example,
)
from workflows.storage.objects import presign_download

router = Router()


class FileVersionShape(Schema):
    """``id``: the time of the upload, in seconds. ``file_size``: bytes; ``sha256``: hexadecimal."""

    id: str
    current: bool
    name: str
    file_type: str
    file_size: int
    sha256: str | None
    uploaded_by: str
    created_at: str


class FileVersionList(Schema):
    items: list[FileVersionShape]
    next: str | None


class DownloadShape(Schema):
    """``url``: a presigned URL; GET it without the API key until ``expires_at``.

    Anyone can use it, so do not log it.
    """

    url: str
    expires_at: str
    name: str
    file_type: str
    file_size: int
    sha256: str | None


@router.get(
    "/documents/{document_id}/versions",
    response={200: FileVersionList, **FAILURES},
    operation_id="list_file_versions",
    summary="List a document's files",
)
def list_file_versions(request: ApiRequest, document_id: str, after: str | None = None) -> FileVersionList:
    """Newest first; the first is the current one. Requires READ, for personal data PERSONAL."""
    document = _document(request, document_id)
    page = document_queries.list_versions(request.site, document_id, cursor=after)
    return FileVersionList(items=[_shape_version(document, one) for one in page.rows], next=page.next)


@router.get(
    "/documents/{document_id}/versions/{version_id}/download",
    response={200: DownloadShape, **FAILURES},
    operation_id="download_file",
    summary="Get a download address",
)
def download_file(request: ApiRequest, document_id: str, version_id: str) -> DownloadShape:
    """Returns a presigned URL of the uploaded file; recorded as a view. Requires READ, for personal data PERSONAL."""
    document = _document(request, document_id)
    at = document.content_at if version_id == "current" else version_id
    version = document_queries.get_version(request.site, document_id, at)
    view_log.note_view(request.site, document_id, by=request.auth.actor)
    seconds = settings.PRESIGNED_SECONDS
    return DownloadShape(
        url=presign_download(version.s3_key, version.s3version, name=version.name, seconds=seconds),
        expires_at=clock.iso(clock.in_seconds(seconds)),
        name=version.name,
        file_type=version.contentType,
        file_size=int(version.contentLength),
        sha256=version.checksum,
    )


def _document(request: ApiRequest, document_id: str) -> Document:
    """Raises: NotAllowed; NotFound, also if it was deleted or its queue is not open to the API key."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


def _shape_version(document: Document, version: DocumentVersion) -> FileVersionShape:
    at = version.SK.partition("#")[2]
    return FileVersionShape(
        id=at,
        current=at == document.content_at,
        name=version.name,
        file_type=version.contentType,
        file_size=int(version.contentLength),
        sha256=version.checksum,
        uploaded_by=version.user_name,
        created_at=version.inserteddate,
    )


class CheckoutWish(Body):
    """``hours`` until the checkout ends."""

    model_config = with_example(hours=8)

    hours: int = Field(8, ge=1, le=MOST_HOURS, strict=True)


class CheckoutShape(Schema):
    checked_out_by: str
    since: str
    until: str


def shape_checkout(document: Document) -> CheckoutShape:
    """Of a document that is checked out."""
    return CheckoutShape(
        checked_out_by=str(document.lock_by_name), since=str(document.lock_at), until=str(document.lock_until)
    )


@router.put(
    "/documents/{document_id}/checkout",
    response={200: CheckoutShape, **REFUSALS},
    operation_id="check_out_document",
    summary="Check out a document",
)
def check_out_document(request: ApiRequest, document_id: str, wish: CheckoutWish) -> CheckoutShape:
    """Locks it for others; extends your own checkout. 409 if someone else has it checked out.

    Requires READ and WRITE.
    """
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    locks.check_out(request.site, document_id, wish.hours, by=request.auth.actor)
    return shape_checkout(document_queries.get_document(request.site, document_id))


@router.delete(
    "/documents/{document_id}/checkout",
    response={204: None, **REFUSALS},
    operation_id="check_in_document",
    summary="Check in a document",
)
def check_in_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Ends a checkout; someone else's only with ADMIN. 409 if it is not checked out. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    since = document_queries.get_document(request.site, document_id).lock_at or ""
    admin = access.can(request, Permission.ADMIN)
    locks.check_in(request.site, document_id, since=since, by=request.auth.actor, admin=admin)
    return Status(204, None)
