"""The contents of a document and its runs: panels of its page, a newer content, a download."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import NotFound, Refused
from config.table import InvalidKey
from projects.audit.events import actor_of
from projects.documents.items.documents import Document, DocumentVersion
from projects.documents.queries import documents as document_queries
from projects.documents.queries import removals as removal_queries
from projects.documents.view_log import record_view
from projects.queues import admission
from projects.settings import queries as project_queries
from projects.sites import access
from projects.web.http import DeskRequest, make_inert, redirect_after_post, render_answer
from workflows.intake import containers
from workflows.intake.content_types import ALSO, EXTENSIONS, SUPPORTED
from workflows.intake.upload import FORM_BYTES, HashedFileHandler, SizeGuard, size_words, take_content, too_large
from workflows.operations import costs
from workflows.operations.costs import RunCost
from workflows.runs import queries
from workflows.runs.items.documents import DocumentWorkflow
from workflows.runs.status import Outcome
from workflows.runs.views import state_labels
from workflows.runs.views.state_labels import Mark
from workflows.storage.objects import DocumentFiles

_CHUNK = 64 * 1024
_ENDS = {
    "completed": Mark("good", "check", "Ended"),
    "failed": Mark("bad", "alert", "Failed"),
    "in_progress": state_labels.UNDER_WAY,
}


@dataclass(frozen=True)
class ContentRow:
    """A content as its panel lists it; ``at``: the second in its key, which names it in addresses."""

    version: DocumentVersion
    at: str
    current: bool


def _document(request: DeskRequest, document_id: str) -> Document:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


# The token is checked inside: checking it reads the body, which permission, length and our upload handler come before.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def list_contents(request: DeskRequest, document_id: str) -> HttpResponse:
    document = _document(request, document_id)
    if request.method == "GET":
        return _page(request, document)
    access.check_can_upload(request)
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        response = _page(request, document, error=too_large(), status=413)
        response["Connection"] = "close"  # the rest of the body is not read
        return response
    guard = SizeGuard()
    request.upload_handlers = [guard, HashedFileHandler(request)]
    answered: HttpResponse = _receive(request, document=document, guard=guard)
    return answered


@csrf_protect
def _receive(request: DeskRequest, *, document: Document, guard: SizeGuard) -> HttpResponse:
    file = request.FILES.get("file")
    if guard.exceeded:
        return _page(request, document, error=too_large(), status=413)
    if file is None:
        return _page(request, document, error="Choose a file.", status=422)
    project = project_queries.get_project(request.site, document.project_id)
    try:
        taken = take_content(request.site, project, document, file, by=actor_of(request.user))
    except Refused as error:
        return _page(request, document, error=str(error), status=422)
    messages.success(request, f"{taken.name} is the current file version. Processing has started.")
    for note in taken.notes:
        messages.warning(request, f"{taken.name}: {note}")
    return redirect_after_post(request, reverse("documents:show-document", args=[document.document_id]))


def _page(request: DeskRequest, document: Document, *, error: str = "", status: int = 200) -> HttpResponse:
    cursor = request.GET.get("after")
    page = document_queries.list_versions(request.site, document.document_id, cursor=cursor)
    rows = [_row(document, version) for version in page.rows]
    context = {
        "document": document,
        "rows": rows,
        "next": page.next,
        "error": error,
        "is_container": document.contentType in containers.TYPES,
        "accept": ",".join(sorted({*EXTENSIONS.values(), *ALSO})),
        "supported": SUPPORTED,
        "limit": size_words(settings.UPLOAD_MAX_BYTES),
    }
    return render_answer(
        request, "workflows/documents/contents.html", "workflows/documents/_contents.html", context, status=status
    )


def _row(document: Document, version: DocumentVersion) -> ContentRow:
    at = version.SK.partition("#")[2]
    return ContentRow(version, at, at == document.content_at)


@require_safe
def download_content(request: DeskRequest, document_id: str, at: str) -> HttpResponseBase:
    """One content as it was uploaded, always as a file to keep: a browser must not run what someone sent us."""
    document = _document(request, document_id)
    version = document_queries.get_version(request.site, document_id, at)
    store = DocumentFiles(request.site, document.project_id, document_id)
    body, length = store.open_original(version.s3_key, version.s3version)
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=version.contentType)
    response["Content-Length"] = str(length)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=version.name) or ""
    response["Cache-Control"] = "private, no-store"
    return record_view(request, make_inert(response), document_id)


@dataclass(frozen=True)
class RunRow:
    workflow_id: str
    file_name: str
    at: Any
    mark: Mark
    error: str
    cost: str


@require_safe
def list_document_runs(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    if not access.can_delete(request) and removal_queries.is_gone(request.site, document_id):
        raise NotFound("This document was deleted.")
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    cost = sum(map(costs.of_link, page.rows), RunCost())
    context = {
        "document_id": document_id,
        "rows": _runs(page.rows),
        "next": page.next,
        "cost": str(cost),
        "in_use": _in_use(request.site, document_id, page.rows),
    }
    return render_answer(
        request, "workflows/documents/document_runs.html", "workflows/documents/_document_runs.html", context
    )


def _in_use(site: str, document_id: str, found: Sequence[DocumentWorkflow]) -> str:
    """The run whose result is the document's; empty if there is one run only, or nothing has been published."""
    project_id = str(found[0].data.as_dict().get("project_id") or "") if len(found) > 1 else ""
    if not project_id:
        return ""
    try:
        row = queries.project_document(site, project_id, document_id)
    except NotFound:
        return ""
    return row.counts if row.decided or row.outcome == Outcome.PUBLISHED else ""


def _runs(found: Sequence[DocumentWorkflow]) -> list[RunRow]:
    return [
        RunRow(
            (run_id := str(row.SK).partition("#")[2]),
            str(row.data["file_name"]),
            state_labels.start_of_run(run_id) or row.created_at,
            _ENDS.get(str(row.data["status"]), Mark("", "info", str(row.data["status"]).replace("_", " "))),
            str(row.data.as_dict().get("error") or ""),
            str(costs.of_link(row)),
        )
        for row in found
    ]
