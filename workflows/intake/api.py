"""The API of intake: list and upload documents, extract emails and archives, bucket folders and quarantine.

List and upload share a path, and ninja finds all methods of a path in one router only.
"""

import hashlib
import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from ninja import Field, Router, Schema, Status

from config import clock, disk
from config.errors import Conflict, NotFound, Refused, quote_names
from projects.documents import queries as document_queries
from projects.documents.items import DocumentStatus, DocumentVersion
from projects.documents.queries import DocumentRows, document_rows
from projects.documents.states import word_of_run
from projects.folders.views import find_upload_folder
from projects.queues import visibility
from projects.settings import provider_choice
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.provider_choice import Choices
from projects.settings.values import DOERS
from projects.sites import access
from projects.sites import queries as site_queries
from projects.web.api import FAILURES, KEY_LENGTH, REFUSALS, ApiRequest, Body, Problem, idempotency_key, with_example
from projects.web.http import problem_response
from workflows.intake import bucket, unpacking
from workflows.intake.actions import unpack as records
from workflows.intake.forms import TenantForm
from workflows.intake.items import IncomingFile, IncomingTenant
from workflows.intake.tasks import order_unpacking_soon, take_incoming_again
from workflows.intake.upload import (
    FORM_BYTES,
    NAME_LENGTH,
    HashedFileHandler,
    SizeGuard,
    take,
    too_large,
    upload_name,
)
from workflows.runs import queries
from workflows.runs.api import whole_number
from workflows.runs.items import ProjectDocument, StepStatus
from workflows.stages.formats import CONTAINERS
from workflows.storage import files
from workflows.storage.objects import SiteFiles, open_object, presign_upload

router = Router(tags=["documents"])
_PURGED = "The document created with this Idempotency-Key was purged. Send a new key to upload the file again."
_REUSED = "This Idempotency-Key was used for a different upload: {}. Nothing was stored. Use a new key for each upload."
_CHUNK = 64 * 1024
_UPLOAD_ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_UPLOADS = uuid.UUID("6f1d2d0e-6c3b-5d0c-9c58-0d3a1c2b7f41")  # namespace of the ids derived from idempotency keys


class DocumentShape(Schema):
    """``outcome``: published, rejected, expired, failed, partial or cancelled; null while its run is in progress.

    ``status``: the outcome; running or in_review before; unpacking or unpacked for emails and archives.
    ``file_size``: bytes.
    Times are null only for documents of an earlier system.
    """

    id: str
    name: str
    status: str
    outcome: str | None
    file_type: str | None
    file_size: int | None
    page_count: int | None
    run_id: str | None
    created_at: str | None
    updated_at: str | None


class DocumentList(Schema):
    items: list[DocumentShape]
    next: str | None


class UploadShape(Schema):
    """``notes``: remarks about the file, for example that a page could not be repaired.

    ``run_id`` is null for emails and archives; their extracted documents have their own runs.
    """

    document_id: str
    run_id: str | None
    name: str
    notes: list[str]


@router.get(
    "/projects/{project_id}/documents",
    response={200: DocumentList, **FAILURES},
    operation_id="list_documents",
    summary="List documents",
)
def list_documents(request: ApiRequest, project_id: str, after: str | None = None) -> DocumentList:
    """Sorted by last update. In restricted queues, only documents uploaded with this key. Requires READ."""
    access.project_to_view(request, project_id)
    page = visibility.filter_page(
        request,
        lambda place: queries.project_documents(request.site, project_id, cursor=place),
        after,
        lambda row: row.document_id,
    )
    return DocumentList(items=[_document(one) for one in page.rows], next=page.next)


def _document(row: ProjectDocument) -> DocumentShape:
    return DocumentShape(
        id=str(row.document_id),
        name=str(row.name or row.document_id),
        status=_status(row),
        outcome=row.outcome,
        file_type=row.file_type,
        file_size=whole_number(row.file_size),
        page_count=whole_number(row.page_count),
        run_id=row.workflow_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _status(row: ProjectDocument) -> str:
    if not row.outcome and row.file_type in CONTAINERS and not row.workflow_id:
        return DocumentStatus.UNPACKED if row.status == StepStatus.COMPLETED else "unpacking"
    return word_of_run(row.outcome, waits=bool(row.current_step))


_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "folder": {
                            "type": "string",
                            "description": "Path of the folder to file it in; missing folders are created.",
                        },
                        # overrides the project for this document only
                        "ocr_model": {
                            "type": "string",
                            "description": "ID, as list_ocr_models has it.",
                        },
                        **{name: {"type": "string", "enum": list(them)} for name, them in DOERS.items()},
                    },
                }
            }
        },
    },
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH},
            "description": "Repeating a request with the same key, project, file, name and options returns the same "
            "document; the same key with another file, name or option returns 422.",
        }
    ],
}


@router.post(
    "/projects/{project_id}/documents",
    response={201: UploadShape, 200: UploadShape, 413: Problem, 422: Problem, **FAILURES},
    operation_id="upload_document",
    summary="Upload a document",
    openapi_extra=_FORM,
)
def upload_document(request: ApiRequest, project_id: str) -> Any:
    """Send one file in the form part ``file``; other parts override the project's processing for this document.

    200 if the same upload was already sent with this Idempotency-Key. 422 if a different one was, or for an unknown
    part or value. Requires WRITE.
    """
    project = access.project_to_upload(request, project_id)
    document_id = _document_id(request, project_id)
    guard = SizeGuard()
    request.upload_handlers = [guard, HashedFileHandler(request)]
    too_long = int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES
    found = [] if too_long else request.FILES.getlist("file")
    if too_long or guard.exceeded:
        return problem_response(413, too_large())
    if len(found) != 1:
        raise Refused("Send exactly one file in the multipart part named file. Nothing was stored.")
    choices = provider_choice.list_choices(request.site)
    chosen = _read_choices(request, choices)
    folder = request.POST.get("folder", "")
    if known := _repeat_upload(request, project, document_id, found[0], chosen):
        return Status(200, known)
    by = request.auth.actor
    folder_id = find_upload_folder(request, folder, by=by)
    try:
        taken = take(
            request.site, project, found[0], document_id=document_id, by=by, chosen=chosen, folder_id=folder_id
        )
    except Conflict:  # a concurrent request with the same key created it
        if known := _repeat_upload(request, project, document_id, found[0], chosen):
            return Status(200, known)
        raise
    run_id, notes = taken.run.workflow_id if taken.run else None, list(taken.notes)
    return Status(201, UploadShape(document_id=document_id, run_id=run_id, name=taken.name, notes=notes))


def _document_id(request: ApiRequest, project_id: str) -> str:
    """Return a new id, or the one derived from the caller's idempotency key."""
    key = idempotency_key(request)
    if key is None:
        return str(uuid.uuid4())
    return str(uuid.uuid5(_UPLOADS, "\n".join([request.site, request.auth.actor.id, project_id, key])))


def _read_choices(request: ApiRequest, choices: Choices) -> dict[str, str]:
    """Return the choices in the form's other parts. Raises: Refused, naming the first invalid part."""
    parts = [*request.POST, *request.FILES]
    if unknown := provider_choice.list_unknown_parts(parts, beside={"file", "folder"}):
        allowed = ", ".join(("folder", *provider_choice.NAMES))
        raise Refused(f"Unknown part {quote_names(unknown[:1])}. Send file, and optionally {allowed}.")
    for name in parts:
        if (name in request.POST and name in request.FILES) or len(request.POST.getlist(name)) > 1:
            raise Refused(f"Send part {name} only once. Nothing was stored.")
    sent = {
        name: request.POST.get(name) for name in parts if name != "folder"
    }  # a choice that is sent as a file has no value
    for name in provider_choice.list_wrong_choices(sent, choices):
        allowed = ", ".join(choices[name])
        raise Refused(f"{name} must be one of {allowed}. Omit it for the project's setting.")
    return provider_choice.read_provider_choices(request.POST, choices)


def _repeat_upload(
    request: ApiRequest, project: Project, document_id: str, file: "UploadedFile[Any]", chosen: Mapping[str, str]
) -> UploadShape | None:
    """Return the document that this key created before. Raises: Refused if that was another upload."""
    if idempotency_key(request) is None:
        return None
    try:
        row = queries.project_document(request.site, project.id, document_id)
        first = document_queries.first_version(request.site, document_id)
    except NotFound:
        if document_queries.is_gone(request.site, document_id):  # its record keeps the id
            raise Refused(_PURGED) from None
        return None
    if other := _differences(first, row, file, chosen):
        raise Refused(_REUSED.format(", ".join(other)))
    return UploadShape(document_id=document_id, run_id=row.workflow_id, name=str(row.name), notes=[])


def _differences(
    first: DocumentVersion, row: ProjectDocument, file: "UploadedFile[Any]", chosen: Mapping[str, str]
) -> list[str]:
    """List how this upload differs from the one that created the document, without repeating sent values."""
    before = row.data.as_dict()
    found = {
        "another file (SHA-256)": first.checksum != getattr(file, "sha256", ""),
        "another name": first.name != upload_name(file.name or ""),
        **{f"another {name}": (before.get(name) or None) != chosen.get(name) for name in provider_choice.NAMES},
    }
    return [words for words, differs in found.items() if differs]


class UploadWish(Body):
    """``size``: the exact size of the file in bytes."""

    model_config = with_example(size=48_213)

    size: int = Field(ge=1)


class UploadTicket(Schema):
    """Send the file by ``method`` to ``url`` with ``headers``, without the API key, until ``expires_at``."""

    upload_id: str
    method: str
    url: str
    headers: dict[str, str]
    expires_at: str


class ReceivedUpload(Body):
    """``name``: of the file, with its extension. ``options``: as the parts of ``upload_document``."""

    model_config = with_example(name="invoice.pdf", options={"analyzer": "rules"})

    name: str = Field(min_length=1, max_length=NAME_LENGTH)
    options: dict[str, str] = Field(default_factory=dict)


@router.post(
    "/projects/{project_id}/uploads",
    response={201: UploadTicket, 413: Problem, **FAILURES},
    operation_id="prepare_upload",
    summary="Get an upload address",
)
def prepare_upload(request: ApiRequest, project_id: str, wish: UploadWish) -> Any:
    """Returns a presigned URL for a file that should not pass through the web server. Then call ``complete_upload``.

    Requires WRITE.
    """
    access.project_to_upload(request, project_id)
    if wish.size > settings.UPLOAD_MAX_BYTES:
        return problem_response(413, too_large())
    upload_id, seconds = clock.new_ulid(), settings.PRESIGNED_SECONDS
    name = _direct_name(request, project_id, upload_id)
    url, headers = presign_upload(
        SiteFiles(request.site).key(name), size=wish.size, kind=files.kind(name), seconds=seconds
    )
    expires_at = clock.iso(clock.in_seconds(seconds))
    return Status(201, UploadTicket(upload_id=upload_id, method="PUT", url=url, headers=headers, expires_at=expires_at))


@router.post(
    "/projects/{project_id}/uploads/{upload_id}/complete",
    response={201: UploadShape, 200: UploadShape, 413: Problem, **FAILURES},
    operation_id="complete_upload",
    summary="Make a document of an upload",
)
def complete_upload(request: ApiRequest, project_id: str, upload_id: str, wish: ReceivedUpload) -> Any:
    """Creates the document of an upload. 200 if it exists already.

    404 until the file has arrived, and for other API keys.

    Requires WRITE.
    """
    project = access.project_to_upload(request, project_id)
    name = _direct_name(request, project_id, upload_id)
    document_id = str(uuid.uuid5(_UPLOADS, f"{request.site}\n{name}"))
    with suppress(NotFound):
        row = queries.project_document(request.site, project_id, document_id)
        return Status(200, UploadShape(document_id=document_id, run_id=row.workflow_id, name=str(row.name), notes=[]))
    if document_queries.is_gone(request.site, document_id):
        raise Refused("The document of this upload was purged. Begin a new upload.")
    chosen = _check_options(request, wish.options)
    try:
        stored = open_object(SiteFiles(request.site).key(name))
    except NotFound as error:
        raise NotFound("No file has arrived for this upload. PUT it to the upload's address first.") from error
    with TemporaryUploadedFile(wish.name, "", 0, None) as file:
        digest, size = hashlib.sha256(), 0
        with disk.full_is_unavailable():
            for chunk in stored.iter_chunks(_CHUNK):
                digest.update(chunk)
                file.write(chunk)
                size += len(chunk)
            file.flush()
        if size > settings.UPLOAD_MAX_BYTES:
            return problem_response(413, too_large())
        file.size = size
        file.sha256 = digest.hexdigest()  # type: ignore[attr-defined] # read by take()
        taken = take(request.site, project, file, document_id=document_id, by=request.auth.actor, chosen=chosen)
    run_id, notes = taken.run.workflow_id if taken.run else None, list(taken.notes)
    return Status(201, UploadShape(document_id=document_id, run_id=run_id, name=taken.name, notes=notes))


def _direct_name(request: ApiRequest, project_id: str, upload_id: str) -> str:
    """Return the object name of this caller's upload; other callers get another name. Raises: NotFound."""
    if not _UPLOAD_ID.fullmatch(upload_id):
        raise NotFound("Upload not found.")
    whose = hashlib.sha256(f"{request.auth.actor.id}\n{upload_id}".encode()).hexdigest()
    return files.direct_upload(project_id, whose)


def _check_options(request: ApiRequest, sent: Mapping[str, str]) -> dict[str, str]:
    """Raises: Refused, naming the first invalid option."""
    choices = provider_choice.list_choices(request.site)
    if unknown := provider_choice.list_unknown_parts(sent, beside=set()):
        allowed = ", ".join(provider_choice.NAMES)
        raise Refused(f"Unknown option {quote_names(unknown[:1])}. Supported: {allowed}.", field="options")
    for one in provider_choice.list_wrong_choices(sent, choices):
        allowed = ", ".join(choices[one])
        raise Refused(f"{one} must be one of {allowed}. Omit it for the project's setting.", field=f"options.{one}")
    return provider_choice.read_provider_choices(sent, choices)


class LeftOutShape(Schema):
    name: str
    reason: str


class UnpackingShape(Schema):
    """``status``: open, done. ``documents``: IDs of unpacked files; ``left_out``: the first of the skipped files.

    ``message``: why extraction stopped early or extracted nothing.
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
    summary="Get unpacked files",
)
def show_unpacking(request: ApiRequest, document_id: str) -> UnpackingShape:
    """For emails, archives and split documents; 404 for others. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return _shape(request, document_rows(request.site, document_id))


@router.post(
    "/documents/{document_id}/unpacking/retry",
    response={200: UnpackingShape, **REFUSALS},
    operation_id="retry_unpacking",
    summary="Retry extraction",
)
def retry_unpacking(request: ApiRequest, document_id: str) -> UnpackingShape:
    """Keeps files already extracted. 422 if nothing was skipped. Requires READ and WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    rows = document_rows(request.site, document_id)
    records.again(request.site, unpacking.record_of(rows), by=request.auth.actor)
    order_unpacking_soon(request.site, document_id)
    return _shape(request, document_rows(request.site, document_id))


def _shape(request: ApiRequest, rows: DocumentRows) -> UnpackingShape:
    record = unpacking.record_of(rows)
    children = visibility.filter_rows(request, rows.children, lambda child: child.documentId)
    return UnpackingShape(
        document_id=rows.document.document_id,
        status=record.status,
        documents=[child.documentId for child in children if not child.deleted_at],
        left_out=[LeftOutShape(name=one["name"], reason=one["why"]) for one in record.left_out],
        message=record.message,
        can_be_tried_again=record.can_be_tried_again,
    )


class BucketFolderShape(Schema):
    """``folder``: the key part after the date: raw/2026/11/21/acme/bill.pdf is in acme."""

    folder: str
    site: str
    project_id: str
    project_name: str


class BucketFolderList(Schema):
    items: list[BucketFolderShape]
    next: str | None


class BucketFolderWish(Body):
    """``project_id``: a project of the ``site``; its settings process the files."""

    model_config = with_example(folder="acme", site="default", project_id="proj_aaaaaaaaaaaaaaaaaaaaa")

    folder: str = Field(min_length=1, max_length=100)
    site: str = Field(min_length=1, max_length=40)
    project_id: str = Field(min_length=1, max_length=60)


class QuarantinedShape(Schema):
    """``message``: why it was quarantined. ``folder``: null if its key names none."""

    id: str
    name: str
    folder: str | None
    status: str
    message: str
    bytes: int
    received_at: str


class QuarantinedList(Schema):
    items: list[QuarantinedShape]
    next: str | None


@router.get(
    "/bucket-folders",
    response={200: BucketFolderList, **FAILURES},
    operation_id="list_bucket_folders",
    summary="List folders of the bucket",
)
def list_bucket_folders(request: ApiRequest, after: str | None = None) -> BucketFolderList:
    """Lists each folder with its site and project, by name. Requires ADMIN on the main site."""
    access.check_can_manage_sites(request)
    page = bucket.tenants(cursor=after)
    return BucketFolderList(items=list(map(_shape_folder, page.rows)), next=page.next)


def _shape_folder(row: IncomingTenant) -> BucketFolderShape:
    return BucketFolderShape(
        folder=row.SK.partition("#")[2], site=row.siteId, project_id=row.project_id, project_name=row.project_name
    )


@router.post(
    "/bucket-folders",
    response={201: BucketFolderShape, **REFUSALS},
    operation_id="assign_bucket_folder",
    summary="Assign a folder of the bucket to a project",
)
def assign_bucket_folder(request: ApiRequest, wish: BucketFolderWish) -> Any:
    """409 if it is assigned already. Requires ADMIN on the main site."""
    access.check_can_manage_sites(request)
    site = site_queries.get_site(wish.site).siteId
    project = project_queries.get_project(site, wish.project_id)
    form = TenantForm({"name": wish.folder, "project_id": project.id}, projects={project.id: project.settings.name})
    if not form.is_valid():
        raise Refused(str(form.errors["name"][0]), field="folder")
    bucket.add_tenant(wish.folder, site, project, by=request.auth.actor)
    shape = BucketFolderShape(folder=wish.folder, site=site, project_id=project.id, project_name=project.settings.name)
    return Status(201, shape)


@router.delete(
    "/bucket-folders/{folder}",
    response={204: None, **REFUSALS},
    operation_id="remove_bucket_folder",
    summary="Remove a folder's assignment",
)
def remove_bucket_folder(request: ApiRequest, folder: str) -> Status[None]:
    """New files in it are quarantined. 422 if it is not assigned. Requires ADMIN on the main site."""
    access.check_can_manage_sites(request)
    bucket.remove_tenant(folder, by=request.auth.actor)
    return Status(204, None)


@router.get(
    "/quarantine",
    response={200: QuarantinedList, **FAILURES},
    operation_id="list_quarantine",
    summary="List quarantined files",
)
def list_quarantine(request: ApiRequest, after: str | None = None) -> QuarantinedList:
    """Lists files of the bucket that were not processed, newest first. Requires ADMIN."""
    access.check_can_configure(request)
    page = bucket.list_quarantine(request.site, cursor=after)
    return QuarantinedList(items=list(map(_shape_quarantined, page.rows)), next=page.next)


def _shape_quarantined(file: IncomingFile) -> QuarantinedShape:
    return QuarantinedShape(
        id=file.digest,
        name=file.name,
        folder=file.tenant if bucket.names_folder(file) else None,
        status=file.status,
        message=file.message or "",
        bytes=int(file.file_size),
        received_at=file.created_at,
    )


@router.post(
    "/quarantine/{digest}/retry",
    response={202: None, **REFUSALS},
    operation_id="retry_quarantined",
    summary="Try a quarantined file again",
)
def retry_quarantined(request: ApiRequest, digest: str) -> Status[None]:
    """If it fails, it returns with the reason. 422 if its key names no folder. Requires ADMIN."""
    access.check_can_configure(request)
    file = bucket.get_waiting_file(request.site, digest)
    if not bucket.names_folder(file):
        raise Refused(bucket.NO_FOLDER)
    bucket.again(file, by=request.auth.actor)
    take_incoming_again(file)
    return Status(202, None)


@router.delete(
    "/quarantine/{digest}",
    response={204: None, **REFUSALS},
    operation_id="discard_quarantined",
    summary="Discard a quarantined file",
)
def discard_quarantined(request: ApiRequest, digest: str) -> Status[None]:
    """Its object stays in the bucket until a lifecycle rule removes it. Requires ADMIN."""
    access.check_can_configure(request)
    bucket.discard(bucket.get_waiting_file(request.site, digest), by=request.auth.actor)
    return Status(204, None)
