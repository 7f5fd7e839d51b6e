"""The API of documents and their runs: upload one, follow it, fetch what was read."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from ninja import Router, Schema, Status

from config.errors import Conflict, NotFound, Refused, quoted
from projects.api import FAILURES, KEY_LENGTH, ApiRequest, Problem, idempotency_key
from projects.documents.items.documents import DocumentVersion
from projects.documents.queries import documents as document_queries
from projects.documents.queries import removals as removal_queries
from projects.queues import admission
from projects.settings import provider_choice
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import problem
from workflows.definitions.blueprint import APPROVALS
from workflows.documents.actions import removals
from workflows.intake import containers
from workflows.intake.upload import FORM_BYTES, HashedFileHandler, SizeGuard, take, too_large, upload_name
from workflows.runs import queries, seed_000
from workflows.runs.items.documents import ProjectDocument
from workflows.runs.items.runs import WorkflowSteps
from workflows.runs.status import Outcome, StepStatus
from workflows.runs.views.segments import run_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

router = Router(tags=["documents"])
_PURGED = "The document that this Idempotency-Key brought was purged. Send a new key to bring the file again."
_REUSED = (
    "This Idempotency-Key brought another upload before: {}. Nothing was stored. Send each upload under its own key."
)
_NO_RESULT = {
    Outcome.FAILED: "This run failed{at}. It has no result. Run it again from a stage, or upload the file again.",
    Outcome.CANCELLED: "This run was cancelled. It has no result. Run it again from a stage, or upload the file again.",
    Outcome.PARTIAL: "Some pages failed{at}. A person decides on the run's page whether to retry or to skip them.",
}
_NOTHING_READ = "This run ended as {} and no fields were stored. Run it again, or open it in the browser."
_UPLOADS = uuid.UUID("6f1d2d0e-6c3b-5d0c-9c58-0d3a1c2b7f41")  # our own name space of ids made from a program's words


class DocumentShape(Schema):
    """``outcome``: published, rejected, expired or failed; null while its run goes on. ``file_size``: bytes.

    ``status``: the outcome; running or in_review while there is none; unpacking or unpacked of a mail or an archive.
    Times are null only of an earlier system's rows that have none.
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
    """``notes``: sentences about the file, such as a page that could not be repaired.

    ``run_id`` is null for a mail or an archive: the documents that come out of it have runs of their own.
    """

    document_id: str
    run_id: str | None
    name: str
    notes: list[str]


class StepShape(Schema):
    name: str
    label: str
    status: str
    error: str | None


class RunShape(Schema):
    """``status``: running, in_review, published, rejected, expired, failed; completed, of a run of another system.

    ``beside``: of a run that has ended, the one whose result, decided by a person, stays the document's instead.
    """

    document_id: str
    run_id: str
    beside: str | None
    project_id: str | None
    name: str | None
    status: str
    steps_done: int
    steps: list[StepShape]
    page_count: int | None
    created_at: str | None
    updated_at: str | None


class FieldShape(Schema):
    """``confidence`` 0–1; ``page`` 0-based; ``box`` left, top, right, bottom as shares of the page."""

    name: str
    value: str | None
    confidence: float | None
    page: int | None
    box: list[float] | None


class ResultShape(Schema):
    """``final`` is true once the result was published; before, a person may still correct it.

    ``beside``: the run whose result, decided by a person, is the document's; this one is not final until it is chosen.
    ``status`` as of the run: a result that was rejected or expired will not become final.
    """

    document_id: str
    run_id: str
    beside: str | None
    status: str
    final: bool
    fields: list[FieldShape]


@router.get(
    "/projects/{project_id}/documents",
    response={200: DocumentList, **FAILURES},
    operation_id="list_documents",
    summary="A project's documents",
)
def list_documents(request: ApiRequest, project_id: str, after: str | None = None) -> DocumentList:
    """Last changed first. Of a queue for certain groups a program sees what it uploaded itself. Needs READ."""
    access.project_to_view(request, project_id)
    page = admission.shown_page(
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
        status=_standing(row),
        outcome=row.outcome,
        file_type=row.file_type,
        file_size=_whole(row.file_size),
        page_count=_whole(row.page_count),
        run_id=row.workflow_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _standing(row: ProjectDocument) -> str:
    if row.outcome:
        return row.outcome
    if row.file_type in containers.TYPES and not row.workflow_id:
        return "unpacked" if row.status == StepStatus.COMPLETED else "unpacking"
    return "in_review" if row.current_step else "running"


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


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
                        # before what the project says, for this document only
                        **{
                            name: {"type": "string", "enum": list(them)}
                            for name, them in provider_choice.CHOICES.items()
                        },
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
            "description": "The same key, project, file, name and choices are the same document, however often they "
            "are sent; the same key with another file, name or choice is refused with 422.",
        }
    ],
}


@router.post(
    "/projects/{project_id}/documents",
    response={201: UploadShape, 200: UploadShape, 413: Problem, 422: Problem, **FAILURES},
    operation_id="upload_document",
    summary="Upload a document and start its run",
    openapi_extra=_FORM,
)
def upload_document(request: ApiRequest, project_id: str) -> Any:
    """One file, in the part ``file`` of a form; its other parts choose who does the work for this document.

    200 if the same Idempotency-Key brought the same upload before. 422 if it brought another one, or for a part that
    is unknown or has an unknown value. Needs WRITE.
    """
    project = access.project_to_upload(request, project_id)
    document_id = _document_id(request, project_id)
    guard = SizeGuard()
    request.upload_handlers = [guard, HashedFileHandler(request)]
    too_long = int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES
    found = [] if too_long else request.FILES.getlist("file")
    if too_long or guard.exceeded:
        return problem(413, too_large())
    if len(found) != 1:
        raise Refused("Send exactly one file, in the part called file of a multipart form.")
    chosen = _choices(request)
    if known := _uploaded(request, project, document_id, found[0], chosen):
        return Status(200, known)
    try:
        taken = take(request.site, project, found[0], document_id=document_id, by=request.auth.actor, chosen=chosen)
    except Conflict:  # the same key twice at once: the other one made it
        if known := _uploaded(request, project, document_id, found[0], chosen):
            return Status(200, known)
        raise
    run_id, notes = taken.run.workflow_id if taken.run else None, list(taken.notes)
    return Status(201, UploadShape(document_id=document_id, run_id=run_id, name=taken.name, notes=notes))


def _document_id(request: ApiRequest, project_id: str) -> str:
    """A new id, or the one that this program's own key for the upload stands for."""
    key = idempotency_key(request)
    if key is None:
        return str(uuid.uuid4())
    return str(uuid.uuid5(_UPLOADS, "\n".join([request.site, request.auth.actor.id, project_id, key])))


def _choices(request: ApiRequest) -> dict[str, str]:
    """What the form's other parts choose. Raises: Refused, naming the first part that is not taken."""
    allowed = ", ".join(provider_choice.CHOICES)
    for name in [*request.POST, *request.FILES]:
        if name != "file" and name not in provider_choice.CHOICES:
            raise Refused(f"Unknown part {quoted([name])}. Send file, and optionally {allowed}.")
        if (name in request.POST and name in request.FILES) or len(request.POST.getlist(name)) > 1:
            raise Refused(f"Send the part {name} once.")
        if name in provider_choice.CHOICES and request.POST.get(name) not in provider_choice.CHOICES[name]:
            raise Refused(
                f"{name} is one of {', '.join(provider_choice.CHOICES[name])}. Leave it out for the project's setting."
            )
    return provider_choice.chosen(request.POST)


def _uploaded(
    request: ApiRequest, project: Project, document_id: str, file: "UploadedFile[Any]", chosen: Mapping[str, str]
) -> UploadShape | None:
    """What the key brought before, the first content of its document. Raises: Refused, if that is not this upload."""
    if idempotency_key(request) is None:
        return None
    try:
        row = queries.project_document(request.site, project.id, document_id)
        first = document_queries.first_version(request.site, document_id)
    except NotFound:
        if removal_queries.is_gone(request.site, document_id):  # its record has the id for good
            raise Refused(_PURGED) from None
        return None
    if other := _differences(first, row, file, chosen):
        raise Refused(_REUSED.format(", ".join(other)))
    return UploadShape(document_id=document_id, run_id=row.workflow_id, name=str(row.name), notes=[])


def _differences(
    first: DocumentVersion, row: ProjectDocument, file: "UploadedFile[Any]", chosen: Mapping[str, str]
) -> list[str]:
    """In what this upload is not the one that made the document; values that were sent are not repeated."""
    before = provider_choice.chosen(row.data.as_dict())
    found = {
        "another file (SHA-256)": first.checksum != getattr(file, "sha256", ""),
        "another name": first.name != upload_name(file.name or ""),
        **{f"another {name}": before.get(name) != chosen.get(name) for name in provider_choice.CHOICES},
    }
    return [words for words, differs in found.items() if differs]


@router.delete(
    "/documents/{document_id}",
    response={204: None, 409: Problem, 422: Problem, **FAILURES},
    operation_id="delete_document",
    summary="Delete a document",
)
def delete_document(request: ApiRequest, document_id: str) -> Status[None]:
    """Out of every list; a person may restore or purge it. 422 while a run of it is under way. Needs DELETE."""
    access.check_can_delete(request)
    admission.check_document(request, document_id)
    removals.delete(request.site, document_id, by=request.auth.actor)
    return Status(204, None)


@router.get(
    "/documents/{document_id}/runs/{run_id}",
    response={200: RunShape, **FAILURES},
    operation_id="show_run",
    summary="How far a run is",
)
def show_run(request: ApiRequest, document_id: str, run_id: str) -> RunShape:
    """Needs READ. One cheap read: ask as often as every second."""
    board, _ = run_of(request, document_id, run_id)
    definition = seed_000.definition_of(board)
    stored = board.data.as_dict()
    return RunShape(
        document_id=document_id,
        run_id=run_id,
        beside=queries.kept_instead(board) or None,
        project_id=board.project_id,
        name=board.name,
        status=_status(board),
        steps_done=queries.progress(board, definition).done,
        steps=[_step(step.name, step.label, stored.get(step.name) or {}) for step in definition.steps],
        page_count=_whole(board.page_count),
        created_at=board.created_at,
        updated_at=board.updated_at,
    )


def _status(board: WorkflowSteps) -> str:
    return str(board.outcome or ("in_review" if board.current_step in APPROVALS else "running"))


def _step(name: str, label: str, stored: Mapping[str, Any]) -> StepShape:
    return StepShape(name=name, label=label, status=str(stored.get("status") or "pending"), error=stored.get("error"))


@router.get(
    "/documents/{document_id}/runs/{run_id}/result",
    response={200: ResultShape, 409: Problem, **FAILURES},
    operation_id="show_result",
    summary="What was read",
)
def show_result(request: ApiRequest, document_id: str, run_id: str) -> ResultShape:
    """Needs READ. 404 while nothing has been read yet: ask again. 409 once the run has ended without a result."""
    board, _ = run_of(request, document_id, run_id)
    if board.outcome in _NO_RESULT:
        raise Conflict(_NO_RESULT[Outcome(board.outcome)].format(at=_failed_at(board)))
    published, beside = board.outcome == Outcome.PUBLISHED, queries.kept_instead(board) or None
    store = DocumentFiles(request.site, str(board.project_id), document_id)
    try:
        stored = json.loads(store.read(files.output(run_id) if published else files.result(run_id)))
    except NotFound as error:
        if board.outcome:
            raise Conflict(_NOTHING_READ.format(board.outcome)) from error
        raise NotFound("Nothing has been read yet. Ask again when the run is further.") from error
    fields = [FieldShape(**{name: one.get(name) for name in FieldShape.model_fields}) for one in stored["fields"]]
    return ResultShape(
        document_id=document_id, run_id=run_id, beside=beside, status=_status(board),
        final=published and beside is None, fields=fields,
    )  # fmt: skip


def _failed_at(board: WorkflowSteps) -> str:
    """``" at OCR: <its error>"``, of the first step that failed; empty if none says so."""
    stored = board.data.as_dict()
    for step in seed_000.definition_of(board).steps:
        error = str((stored.get(step.name) or {}).get("error") or "")
        if error:
            return f" at {step.label}: {error.rstrip('. ')}"
    return ""
