"""The API of documents: properties, files, activity, deletion, re-runs and the result in use."""

from typing import Any

from django.conf import settings
from ninja import Field, Router, Schema, Status

from config import clock
from config.errors import NotFound, Refused
from config.table import InvalidKey
from projects.documents import queries as document_queries
from projects.documents import view_log
from projects.documents.actions import locks
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.documents.actions.classification import classify_document
from projects.documents.actions.locks import MOST_HOURS
from projects.documents.actions.properties import metadata_of
from projects.documents.earlier_values import list_earlier, restore_earlier
from projects.documents.items import Document, DocumentVersion
from projects.documents.page import attributes_of, list_activity, mask_attribute, refer, tags_of
from projects.documents.queries import DocumentRows
from projects.documents.states import word_of
from projects.personal.access import fields_hidden_from
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.settings.values import ANALYZERS, SUMMARIZERS
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.api import (
    FAILURES,
    IF_MATCH,
    OUTDATED,
    REFUSALS,
    ApiRequest,
    Body,
    etag_of,
    read_if_match,
    with_etag,
    with_example,
)
from workflows.documents import reanalysis
from workflows.documents.actions import imports, removals, reruns
from workflows.documents.reanalysis import MOST_LETTERS, AnalysisRequest
from workflows.documents.tasks import order_import
from workflows.publish import syncs
from workflows.publish.tasks import enqueue_follow_up, enqueue_sending
from workflows.publish.views import name_target
from workflows.runs import queries, run_settings
from workflows.runs.items import DocumentSync, Run
from workflows.runs.views.pages import run_of
from workflows.storage.objects import presign_download

router = Router(tags=["documents"])


class TagShape(Schema):
    """A tag without a value has one empty text."""

    name: str
    values: list[str]


class ReferenceShape(Schema):
    """The entity that a value refers to, merges followed; ``name``: null if it was deleted."""

    type_id: str
    entity_id: str
    name: str | None


class AttributeShape(Schema):
    """``kind``: the type of its definition. ``masked``: may hold personal data that the key may not see.

    ``entities``: what the values of an attribute of kind ``entity`` refer to, in their order.
    """

    name: str
    label: str
    kind: str
    values: list[str]
    entities: list[ReferenceShape]
    masked: bool


class DocumentDetail(Schema):
    """``status``: running, in_review, published, rejected, expired, failed, partial, cancelled or unpacked.

    ``file_size``: bytes. ``sha256``: of the current file, hexadecimal. ``hold``: the reason for the legal hold.
    ``document_type``: ID of its classification. ``parent_id``: the email or archive that it was extracted from.
    ``path``: its folder and name; after a folder above is moved, it is updated in a moment.
    """

    id: str
    name: str
    path: str
    project_id: str
    status: str | None
    file_type: str
    file_size: int
    sha256: str | None
    document_type: str | None
    parent_id: str | None
    hold: str | None
    tags: list[TagShape]
    attributes: list[AttributeShape]
    metadata: dict[str, str]
    uploaded_by: str
    created_at: str
    updated_at: str


class DocumentPatch(Body):
    """Name → values; null removes an entry; omitted names stay. A tag may have an empty value.

    A value of an attribute of kind ``entity``: the ID, tax ID, IBAN or exact name of an entity of its type.
    """

    model_config = with_example(tags={"paid": [""], "year": ["2026"]}, metadata={"box": "17"})

    tags: dict[str, list[str] | None] = Field(default_factory=dict)
    attributes: dict[str, list[str] | None] = Field(default_factory=dict)
    metadata: dict[str, str | None] = Field(default_factory=dict)


@router.get(
    "/documents/{document_id}",
    response={200: DocumentDetail, **FAILURES},
    operation_id="show_document",
    summary="Get a document",
)
def show_document(request: ApiRequest, document_id: str) -> Any:
    """Runs and results have endpoints of their own. Returns an ETag. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


@router.patch(
    "/documents/{document_id}",
    response={200: DocumentDetail, **OUTDATED},
    operation_id="change_document",
    summary="Change tags, attributes and metadata",
    openapi_extra={"parameters": [IF_MATCH]},
)
def change_properties(request: ApiRequest, document_id: str, wish: DocumentPatch) -> Any:
    """All changes are applied, or none. Send the ETag as `If-Match` to detect concurrent changes.

    Requires READ and WRITE.
    """
    access.check_can_view(request)
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    rows = document_queries.document_rows(request.site, document_id)
    revision = read_if_match(request, _etag(rows.document), int(rows.document.revision))
    changes = DocumentChanges(wish.tags, wish.attributes, wish.metadata)
    try:
        change_document(request.site, document_id, changes, by=request.auth.actor, revision=revision)
    except (NotFound, InvalidKey) as error:  # the document itself exists
        raise Refused(f"{error} Nothing was changed.") from error
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


def _etag(document: Document) -> str:
    return etag_of(document.document_id, int(document.revision), document.status)


def _answer_document(request: ApiRequest, rows: DocumentRows) -> Any:
    document = rows.document
    definitions = schema_queries.attribute_definitions(request.site)
    given = attributes_of(rows.attributes, definitions, referred=refer(request.site, rows.attributes))
    hidden = bool(fields_hidden_from(request, document.project_id))
    shape = DocumentDetail(
        id=document.document_id,
        name=document.name,
        path=document.path,
        project_id=document.project_id,
        status=word_of(document.status) if document.status else None,
        file_type=document.file_type,
        file_size=int(document.file_size),
        sha256=document.checksum,
        document_type=document.classification_id,
        parent_id=document.belongsToDocumentId,
        hold=document.hold_reason,
        tags=[TagShape(name=one.key, values=list(one.values)) for one in tags_of(rows.tags)],
        attributes=[
            AttributeShape(
                name=one.key,
                label=one.label,
                kind=one.kind,
                values=list(one.values),
                entities=[
                    ReferenceShape(type_id=to.type_id, entity_id=to.entity_id, name=to.name or None)
                    for to in one.entities
                ],
                masked=hidden,
            )
            for one in (map(mask_attribute, given) if hidden else given)
        ],
        metadata=metadata_of(document),
        uploaded_by=document.user_name,
        created_at=document.created_at,
        updated_at=document.lastModifiedDate,
    )
    return with_etag(request, shape, _etag(document))


class DocumentTypeWish(Body):
    """``document_type``: ID of a document type; null for none."""

    model_config = with_example(document_type=None)

    document_type: str | None = None


@router.put(
    "/documents/{document_id}/type",
    response={200: DocumentDetail, **REFUSALS},
    operation_id="set_document_type",
    summary="Set the document type",
)
def set_document_type(request: ApiRequest, document_id: str, wish: DocumentTypeWish) -> Any:
    """Does not change the results of its runs. Requires READ and WRITE."""
    access.check_can_view(request)
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    try:
        classify_document(request.site, document_id, wish.document_type or "", by=request.auth.actor)
    except (NotFound, InvalidKey) as error:  # the document itself exists
        raise Refused(f"{error} Nothing was changed.", field="body.document_type") from error
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


class OcrShape(Schema):
    """``status``: requested, successful, skipped or failed. ``engine``: null if no page was read."""

    status: str
    engine: str | None
    run_id: str
    at: str


@router.get(
    "/documents/{document_id}/ocr",
    response={200: OcrShape, **FAILURES},
    operation_id="show_ocr",
    summary="Get the OCR status",
)
def show_ocr(request: ApiRequest, document_id: str) -> OcrShape:
    """Of the latest run with OCR. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    found = queries.get_ocr(request.site, document_id)
    return OcrShape(status=found.ocrStatus, engine=found.ocrEngine, run_id=found.jobId, at=found.inserteddate)


class ChangeShape(Schema):
    """``before`` and ``after``: null if there was or is none; ••• for personal data that the key may not see."""

    what: str
    before: str | None = None
    after: str | None = None


class ActivityShape(Schema):
    """``type``: CREATE, VIEW, REVEAL, DENY, MODIFY, SOFT_DELETE or RESTORE."""

    type: str
    at: str
    by: str
    changes: list[ChangeShape]


class ActivityList(Schema):
    items: list[ActivityShape]
    next: str | None


@router.get(
    "/documents/{document_id}/activity",
    response={200: ActivityList, **FAILURES},
    operation_id="list_activity",
    summary="List a document's activity",
)
def show_activity(request: ApiRequest, document_id: str, after: str | None = None) -> ActivityList:
    """Who viewed and changed it, newest first. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    page = list_activity(request, document_id, after)
    return ActivityList(
        items=[
            ActivityShape(
                type=row.type,
                at=row.inserteddate,
                by=row.user_name,
                changes=[
                    ChangeShape(**{one: change.get(one) for one in ChangeShape.model_fields})
                    for change in row.changes or ()
                ],
            )
            for row in page.rows
        ],
        next=page.next,
    )


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


@router.delete(
    "/documents/{document_id}",
    response={204: None, **REFUSALS},
    operation_id="delete_document",
    summary="Delete a document",
)
def delete_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Remove it from all lists; users can restore or purge it. 422 while a run is in progress. Requires DELETE."""
    access.check_can_delete(request)
    visibility.check_document(request, document_id)
    removals.delete_document(request.site, document_id, by=request.auth.actor)
    return Status(204, None)


class CheckoutWish(Body):
    """``hours`` until the checkout ends."""

    model_config = with_example(hours=8)

    hours: int = Field(8, ge=1, le=MOST_HOURS, strict=True)


class CheckoutShape(Schema):
    checked_out_by: str
    since: str
    until: str


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
    document = document_queries.get_document(request.site, document_id)
    return CheckoutShape(
        checked_out_by=str(document.lock_by_name), since=str(document.lock_at), until=str(document.lock_until)
    )


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


class StageWish(Body):
    """``step``: a stage that the run reached, as listed by ``show_run``."""

    model_config = with_example(step="segment_analyzer")

    step: str


class AnalysisWish(Body):
    """Omitted: as in the earlier run. ``fields``: project, or the ID of a classification. ``threshold``: 0–1.

    ``model``: an ID in the catalogue. ``instruction`` is for models and refused with rules; empty: none.
    """

    model_config = with_example(threshold=0.9)

    instruction: str | None = Field(None, max_length=MOST_LETTERS)
    analyzer: str = Field("", json_schema_extra={"enum": ["", *ANALYZERS]})
    summarizer: str = Field("", json_schema_extra={"enum": ["", *SUMMARIZERS]})
    model: str = ""
    fields: str = ""
    threshold: float | None = Field(None, ge=0, le=1)


class BegunShape(Schema):
    """``run_id``: the new run, or the given run if it continues."""

    document_id: str
    run_id: str


@router.post(
    "/documents/{document_id}/runs/{run_id}/again",
    response={201: BegunShape, **REFUSALS},
    operation_id="run_again",
    summary="Re-run from a stage",
)
def run_again(request: ApiRequest, document_id: str, run_id: str, wish: StageWish) -> Any:
    """Earlier stages are kept. A published or decided result stays; a new run starts. Requires READ and WRITE.

    A run of another system restarts from `segment_prep`; its document is imported first.
    """
    access.check_can_upload(request)
    board, foreign = run_of(request, document_id, run_id)
    run = Run(request.site, str(board.project_id), document_id, run_id)
    if foreign is not None:
        imports.open_run(run, wish.step, by=request.auth.actor)
    went = reruns.run_again(run, wish.step, by=request.auth.actor)
    return Status(201, BegunShape(document_id=document_id, run_id=went.workflow_id))


@router.post(
    "/projects/{project_id}/documents/import",
    response={202: None, **FAILURES},
    operation_id="import_documents",
    summary="Import documents of another system",
)
def import_documents(request: ApiRequest, project_id: str) -> Status[None]:
    """Turns documents that a seed-000 system has finished into full documents. Requires READ and WRITE."""
    access.project_to_view(request, project_id)
    access.check_can_upload(request)
    order_import(request.site, project_id, by=request.auth.actor)
    return Status(202, None)


@router.post(
    "/documents/{document_id}/runs/{run_id}/analysis",
    response={201: BegunShape, **REFUSALS},
    operation_id="analyse_again",
    summary="Re-run analysis with other options",
)
def analyse_again(request: ApiRequest, document_id: str, run_id: str, wish: AnalysisWish) -> Any:
    """OCR is not repeated; the new run does not replace the existing result. Requires READ and WRITE.

    A reviewed result stays active until the new run is reviewed or its result is selected.
    """
    access.check_can_upload(request)
    run = _run(request, document_id, run_id)
    before = run_settings.from_json(queries.document_workflow(run.site, document_id, run_id).settings)
    pinned = reanalysis.merge_wish(run.site, run.project_id, before, AnalysisRequest(**wish.dict()))
    went = reruns.analyse_again(run, pinned, by=request.auth.actor)
    return Status(201, BegunShape(document_id=document_id, run_id=went.workflow_id))


@router.post(
    "/documents/{document_id}/runs/{run_id}/choose",
    response={200: BegunShape, **REFUSALS},
    operation_id="choose_result",
    summary="Use a published result",
)
def choose_result(request: ApiRequest, document_id: str, run_id: str) -> BegunShape:
    """Does not publish again. Requires READ and WRITE; replacing a reviewed result also requires REVIEW."""
    access.check_can_upload(request)
    run = _run(request, document_id, run_id)
    if reruns.choose_result(run, by=request.auth.actor, reviews=access.can_review(request)):
        enqueue_follow_up(run)
    return BegunShape(document_id=document_id, run_id=run_id)


def _run(request: ApiRequest, document_id: str, run_id: str) -> Run:
    """Raises: NotFound; Refused for a run of an earlier system."""
    board, earlier = run_of(request, document_id, run_id)
    if earlier is not None:
        raise Refused("Another system made this run. Nothing was changed; re-run it from segment_prep.")
    return Run(request.site, str(board.project_id), document_id, run_id)


class SyncShape(Schema):
    """``service``: WEBHOOK, EVENTBRIDGE or SEARCH; ``status``: COMPLETE, FAILED, or PENDING while it is retried.

    ``id`` is used to send it again. ``target``: the service, for webhooks with the host.
    """

    id: str
    service: str
    target: str
    type: str
    status: str
    message: str | None
    at: str


class SyncList(Schema):
    items: list[SyncShape]
    next: str | None


@router.get(
    "/documents/{document_id}/deliveries",
    response={200: SyncList, **FAILURES},
    operation_id="list_document_deliveries",
    summary="List a document's deliveries",
)
def list_document_deliveries(request: ApiRequest, document_id: str, after: str | None = None) -> SyncList:
    """Where the document was sent and whether it arrived, newest first. Requires READ."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    page = queries.list_syncs(request.site, document_id, cursor=after)
    return SyncList(items=[_shape_sync(one) for one in page.rows], next=page.next)


@router.post(
    "/documents/{document_id}/deliveries/{delivery_id}/again",
    response={202: SyncShape, **REFUSALS},
    operation_id="send_document_again",
    summary="Send a document again",
)
def send_document_again(request: ApiRequest, document_id: str, delivery_id: str) -> Any:
    """Sends to the same target again, by a worker. 409 while it is being sent. Requires WRITE."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    document_queries.get_document(request.site, document_id)
    syncs.ask_again(request.site, document_id, delivery_id, by=request.auth.actor)
    enqueue_sending(request.site, document_id, delivery_id)
    return Status(202, _shape_sync(queries.get_sync(request.site, document_id, delivery_id)))


def _shape_sync(sync: DocumentSync) -> SyncShape:
    return SyncShape(
        id=sync.at,
        service=str(sync.service),
        target=name_target(sync),
        type=str(sync.type),
        status=sync.status,
        message=sync.message,
        at=str(sync.syncDate),
    )


class EarlierShape(Schema):
    """The values that one change replaced.

    ``kind``: metadata or attribute; ``key``: of an attribute; ``until``: the change.
    """

    kind: str
    key: str
    until: str
    values: dict[str, list[str]]


class EarlierList(Schema):
    items: list[EarlierShape]


class EarlierWish(Body):
    """Values as returned by list_earlier_values."""

    model_config = with_example(kind="metadata", until="2026-11-21T12:00:00Z")

    kind: str = Field(max_length=20)
    key: str = Field("", max_length=200)
    until: str = Field(max_length=40)


@router.get(
    "/documents/{document_id}/earlier-values",
    response={200: EarlierList, **FAILURES},
    operation_id="list_earlier_values",
    summary="List earlier metadata and attributes",
)
def list_earlier_values(request: ApiRequest, document_id: str) -> EarlierList:
    """The latest hundred changes of each, newest first. Requires READ, and PERSONAL for personal fields."""
    document = _document_with_values(request, document_id)
    found = list_earlier(request.site, document.document_id)
    items = [
        EarlierShape(kind=one.kind, key=one.key, until=one.at, values={name: list(v) for name, v in one.values.items()})
        for one in found
    ]
    return EarlierList(items=items)


@router.post(
    "/documents/{document_id}/earlier-values/restore",
    response={200: DocumentDetail, **REFUSALS},
    operation_id="restore_earlier_values",
    summary="Restore earlier metadata or attributes",
)
def restore_earlier_values(request: ApiRequest, document_id: str, wish: EarlierWish) -> Any:
    """The current values become earlier values. Requires READ and WRITE."""
    access.check_can_upload(request)
    document = _document_with_values(request, document_id)
    restore_earlier(request.site, document.document_id, wish.kind, wish.key, wish.until, by=request.auth.actor)
    return _answer_document(request, document_queries.document_rows(request.site, document_id))


def _document_with_values(request: ApiRequest, document_id: str) -> Document:
    """Raises: NotAllowed if any of its values is personal and the key may not see it."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    document = document_queries.get_document(request.site, document_id)
    if fields_hidden_from(request, document.project_id):
        access.check_can_see_personal(request)
    return document
