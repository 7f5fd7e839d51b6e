"""The recording under review, with range requests so that the player can seek."""

import re
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config.errors import NotFound
from projects.sites import access
from projects.web.http import DeskRequest, make_inert
from review.desk.page import MISSING, load_review
from review.identity import ReviewRef
from workflows.runs import queries as workflow_queries
from workflows.stages import file_kinds
from workflows.storage.objects import DocumentFiles

_CHUNK = 64 * 1024
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@require_safe
def play_recording(request: DeskRequest, document_id: str, review_id: str) -> HttpResponseBase:
    """Serve audio and video only; no other uploaded file is ever rendered by a browser."""
    access.check_can_view(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if ref.is_handed_over:
        raise NotFound(MISSING)
    row = workflow_queries.document_workflow(ref.site, ref.document_id, review.workflow_id)
    file_type = str(row.data["file_type"])
    if not (file_kinds.has_sound(file_type) or file_kinds.is_video(file_type)):
        raise NotFound(gettext("This document is not a recording."))
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    body, length = store.open_original(store.root + store.name_of(row.data["file_uri"]), row.s3version)
    span = _span(request.headers.get("Range", ""), length)
    if span is None:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{length}"})
    start, end = span
    response = StreamingHttpResponse(_part(body, start, end), content_type=file_type)
    response["Accept-Ranges"] = "bytes"
    response["Content-Length"] = str(end - start)
    response["Cache-Control"] = "private, no-store"
    if "Range" in request.headers:
        response.status_code = 206
        response["Content-Range"] = f"bytes {start}-{end - 1}/{length}"
    return make_inert(response)


def _span(asked: str, length: int) -> tuple[int, int] | None:
    """Return the half-open byte range; the whole file unless it is a single range, None if out of bounds.

    >>> _span("bytes=10-", 100), _span("bytes=-10", 100), _span("", 100), _span("bytes=200-", 100)
    ((10, 100), (90, 100), (0, 100), None)
    """
    found = _RANGE.fullmatch(asked.strip())
    if not found or not any(found.groups()):
        return 0, length
    first, last = found.groups()
    if not first:
        return max(0, length - int(last)), length
    start, end = int(first), min(int(last) + 1 if last else length, length)
    return (start, end) if start < end else None


def _part(body: Any, start: int, end: int) -> Iterator[bytes]:
    """Skip the bytes before the range: the embedded AWS returns wrong ranges for versions."""
    at = 0
    for chunk in body.iter_chunks(_CHUNK):
        if at >= end:
            break
        wanted = chunk[max(0, start - at) : end - at]
        at += len(chunk)
        if wanted:
            yield wanted
