"""The contents of a document: those it had, a newer one, a download."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Refused
from projects.audit.events import actor_of
from projects.documents.items import Document, DocumentVersion
from projects.documents.queries import documents as document_queries
from projects.documents.view_log import record_view
from projects.queues import admission
from projects.settings import queries as project_queries
from projects.sites import access
from projects.web.http import DeskRequest, make_inert, redirect_after_post, render_answer
from workflows.intake.content_types import ALSO, EXTENSIONS, SUPPORTED
from workflows.intake.upload import FORM_BYTES, HashedFileHandler, SizeGuard, size_words, take_content, too_large
from workflows.stages.formats import CONTAINERS
from workflows.storage.objects import DocumentFiles

_CHUNK = 64 * 1024


@dataclass(frozen=True)
class ContentRow:
    """A content as its panel lists it; ``at``: the second in its key, which names it in addresses."""

    version: DocumentVersion
    at: str
    current: bool


def get_document(request: DeskRequest, document_id: str) -> Document:
    """Raises: NotAllowed; NotFound, also if it was deleted or its queue does not let the person in."""
    access.check_can_view(request)
    admission.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


# The token is checked inside: checking it reads the body, which permission, length and our upload handler come before.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def list_contents(request: DeskRequest, document_id: str) -> HttpResponse:
    document = get_document(request, document_id)
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
    context = load_contents(request, document) | {"error": error}
    return render_answer(
        request, "workflows/documents/contents.html", "workflows/documents/_contents.html", context, status=status
    )


def load_contents(request: DeskRequest, document: Document) -> dict[str, Any]:
    """What the panel of file versions shows."""
    page = document_queries.list_versions(request.site, document.document_id, cursor=request.GET.get("after"))
    return {
        "document": document,
        "contents": [_row(document, version) for version in page.rows],
        "next_contents": page.next,
        "is_container": document.contentType in CONTAINERS,
        "accept": ",".join(sorted({*EXTENSIONS.values(), *ALSO})),
        "supported": SUPPORTED,
        "limit": size_words(settings.UPLOAD_MAX_BYTES),
    }


def _row(document: Document, version: DocumentVersion) -> ContentRow:
    at = version.SK.partition("#")[2]
    return ContentRow(version, at, at == document.content_at)


@require_safe
def download_content(request: DeskRequest, document_id: str, at: str) -> HttpResponseBase:
    """One content as it was uploaded, always as a file to keep: a browser must not run what someone sent us."""
    document = get_document(request, document_id)
    version = document_queries.get_version(request.site, document_id, at)
    store = DocumentFiles(request.site, document.project_id, document_id)
    body, length = store.open_original(version.s3_key, version.s3version)
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=version.contentType)
    response["Content-Length"] = str(length)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=version.name) or ""
    response["Cache-Control"] = "private, no-store"
    return record_view(request, make_inert(response), document_id)
