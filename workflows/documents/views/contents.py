"""File versions of a document: the panel, the upload of a new version, and downloads."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Refused
from config.item import Page
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.items import Document, DocumentVersion
from projects.documents.view_log import record_view
from projects.queues import visibility
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
    """A file version in the panel; ``at``: the second in its key, which identifies it in URLs."""

    version: DocumentVersion
    at: str
    current: bool


def get_document(request: DeskRequest, document_id: str) -> Document:
    """Raises: NotAllowed; NotFound, also if it was deleted or its queue is not open to the person."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


# The view checks the CSRF token itself: that reads the body, so permission, length and upload handler come first.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def list_contents(request: DeskRequest, document_id: str) -> HttpResponse:
    document = get_document(request, document_id)
    if request.method == "GET":
        return _versions_page(request, document)
    access.check_can_upload(request)
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        response = _versions_page(request, document, error=too_large(), status=413)
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
        return _versions_page(request, document, error=too_large(), status=413)
    if file is None:
        return _versions_page(request, document, error=Phrase("Choose a file."), status=422)
    project = project_queries.get_project(request.site, document.project_id)
    try:
        taken = take_content(request.site, project, document, file, by=actor_of(request.user))
    except Refused as error:
        return _versions_page(request, document, error=str(error), status=422)
    messages.success(
        request, gettext("%(name)s is the current file version. Processing has started.") % {"name": taken.name}
    )
    for note in taken.notes:
        messages.warning(request, f"{taken.name}: {note}")
    return redirect_after_post(request, reverse("documents:show-document", args=[document.document_id]))


def _versions_page(request: DeskRequest, document: Document, *, error: str = "", status: int = 200) -> HttpResponse:
    context = load_contents(request, document) | {"error": error}
    return render_answer(
        request, "workflows/documents/contents.html", "workflows/documents/_contents.html", context, status=status
    )


def load_contents(request: DeskRequest, document: Document) -> dict[str, Any]:
    """Return the context of the panel of file versions."""
    cursor = request.GET.get("after")
    if cursor or not document_queries.has_one_version(document):
        page = document_queries.list_versions(request.site, document.document_id, cursor=cursor)
    else:
        page = Page([document_queries.only_version(document)], None)
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
    """Download a file version, always as an attachment: a browser must not execute uploaded content."""
    document = get_document(request, document_id)
    version = document_queries.get_version(request.site, document_id, at)
    store = DocumentFiles(request.site, document.project_id, document_id)
    body, length = store.open_original(version.s3_key, version.s3version)
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=version.contentType)
    response["Content-Length"] = str(length)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=version.name) or ""
    response["Cache-Control"] = "private, no-store"
    return record_view(request, make_inert(response), document_id)
