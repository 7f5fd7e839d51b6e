"""Images of a document's pages, straight from S3 to whoever may look."""

import json
from pathlib import PurePosixPath
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from config.errors import CountersignError, NotFound
from projects.personal.access import fields_hidden_from
from projects.personal.queries import PersonalFields
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, make_inert
from workflows.runs import queries, run_files
from workflows.runs.items import ProjectDocument
from workflows.runs.page_pictures import shrink_picture
from workflows.runs.redaction.pictures import paint_page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_CHUNK = 64 * 1024
NOT_KEPT = "private, no-store"
KEPT = "private, no-cache"  # asked for again at each use: whoever comes after a sign-out gets none from the cache
# Pictures only: what an earlier system names as an image must never be served as a page or a script.
_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}


@require_safe
def page_image(request: DeskRequest, project_id: str, document_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based; ``?size=``: page or thumb for WebP of that size, otherwise the stored image.

    The site is the request's own, so another site's document is not found.
    """
    access.check_can_view(request)
    admission.check_document(request, document_id)
    row = queries.project_document(request.site, project_id, document_id)
    if row.hidden:
        raise NotFound("This document was deleted.")
    documents = DocumentFiles(request.site, project_id, document_id)
    if hidden := fields_hidden_from(request, project_id):
        return _send_redacted(request, documents, hidden, row, index)
    tag = _tag(request, row)
    if request.headers.get("If-None-Match") == tag:
        return _keep_for_session(HttpResponse(status=304), tag)
    name = files.page_image(index)
    try:
        body, length = documents.open(name)
    except NotFound:
        name = _named_image(documents, index)
        body, length = documents.open(name)
    response = send_picture(body, length, _TYPES[PurePosixPath(name).suffix.lower()], request.GET.get("size", ""))
    return _keep_for_session(response, tag)


def _tag(request: DeskRequest, row: ProjectDocument) -> str:
    """Of the picture for this session alone: after it, and after a change of the document, no copy counts."""
    told = f"{request.session.session_key} {request.get_full_path()} {row.workflow_id} {row.updated_at}"
    return f'"{files.sha256(told.encode())[:32]}"'


def _keep_for_session(response: HttpResponseBase, tag: str) -> HttpResponseBase:
    """A browser may keep it, and asks at each use whether it may still show it."""
    response["Cache-Control"] = KEPT
    response["ETag"] = tag
    return response


def _send_redacted(
    request: DeskRequest, documents: DocumentFiles, hidden: PersonalFields, row: ProjectDocument, index: int
) -> HttpResponse:
    """With the personal values painted over; no browser and no proxy keeps it. Raises: NotAllowed, NotFound."""
    body = documents.read(files.page_image(index))
    link = queries.document_workflow(request.site, str(documents.document_id), row.counts) if row.counts else None
    store = run_files.open_run_files(documents, link.layers if link else None)
    painted = paint_page(store, body, hidden, row.counts, index)
    smaller = shrink_picture(painted, request.GET.get("size", ""))
    response = HttpResponse(smaller or painted, content_type="image/webp" if smaller else "image/png")
    response["Cache-Control"] = NOT_KEPT
    make_inert(response)
    return response


def send_picture(body: Any, length: int, content_type: str, size: str) -> HttpResponseBase:
    """``body``: a stream of S3. ``size``: as of ``shrink_picture``; the image as it is stored for any other."""
    response: HttpResponseBase
    stored = body.read() if size else b""
    smaller = shrink_picture(stored, size)
    if smaller:
        response = HttpResponse(smaller, content_type="image/webp")
    elif size:
        response = HttpResponse(stored, content_type=content_type)
    else:
        response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=content_type)
        response["Content-Length"] = str(length)
    response["Cache-Control"] = NOT_KEPT
    return make_inert(response)


def _named_image(documents: DocumentFiles, index: int) -> str:
    """Where an earlier system says the image lies: an uploaded picture is its own page there, slides have a folder.

    Raises:
        NotFound: nowhere, outside this document, or no picture.

    """
    segment: dict[str, Any] = json.loads(documents.read(files.segment(index)))
    try:
        name = documents.name_of(str(segment.get("image_uri") or ""))
    except CountersignError as error:
        raise NotFound("This page has no image.") from error
    if PurePosixPath(name).suffix.lower() not in _TYPES:
        raise NotFound("This page has no image that browsers can show.")
    return name
