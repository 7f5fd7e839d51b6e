"""The pages of a run: the list, their images, and the text of each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import table
from config.errors import CountersignError, NotFound
from config.phrase import Phrase
from projects.personal.access import fields_hidden_from
from projects.personal.queries import PersonalFields
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, make_inert, read_number, render_answer
from workflows.runs import queries, run_files, seed_000
from workflows.runs.items import ProjectDocument, WorkflowSteps
from workflows.runs.page_pictures import shrink_picture
from workflows.runs.redaction.documents import secrets_for
from workflows.runs.redaction.pictures import paint_page
from workflows.runs.redaction.words import Secrets
from workflows.runs.seed_000 import Link
from workflows.runs.views import state_labels
from workflows.runs.views.reading import Passage, passages
from workflows.stages.pages import paged
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_CHUNK = 64 * 1024
NOT_KEPT = "private, no-store"
KEPT = "private, no-cache"  # revalidated at each use, so that nobody gets it from the cache after a sign-out
# Images only: what an earlier system names as an image must never be served as HTML or script.
_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}


@require_safe
def page_image(request: DeskRequest, project_id: str, document_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based; ``?size=``: page, zoom or thumb for WebP of that size, otherwise the stored image.

    The site is the request's own, so another site's document is not found.
    """
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    row = queries.project_document(request.site, project_id, document_id)
    if row.hidden:
        raise NotFound(gettext("This document was deleted."))
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
    """Return an ETag for this session: cached copies expire with the session, and when the document changes."""
    told = f"{request.session.session_key} {request.get_full_path()} {row.workflow_id} {row.updated_at}"
    return f'"{files.sha256(told.encode())[:32]}"'


def _keep_for_session(response: HttpResponseBase, tag: str) -> HttpResponseBase:
    """Let the browser cache it, with revalidation at each use."""
    response["Cache-Control"] = KEPT
    response["ETag"] = tag
    return response


def _send_redacted(
    request: DeskRequest, documents: DocumentFiles, hidden: PersonalFields, row: ProjectDocument, index: int
) -> HttpResponse:
    """Send it with personal values painted over, not cacheable. Raises: NotAllowed, NotFound."""
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
    """``body``: a stream from S3. ``size``: as for ``shrink_picture``; otherwise the image is sent as stored."""
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
    """Find the image by an earlier system's name: an uploaded image is its own page there, slides have a folder.

    Raises:
        NotFound: there is none, it is outside this document, or not an image.

    """
    segment: dict[str, Any] = json.loads(documents.read(files.segment(index)))
    try:
        name = documents.name_of(str(segment.get("image_uri") or ""))
    except CountersignError as error:
        raise NotFound(gettext("This page has no image.")) from error
    if PurePosixPath(name).suffix.lower() not in _TYPES:
        raise NotFound(gettext("This page has no image that browsers can show."))
    return name


_KINDS = {
    "CHAPTER": Phrase("Chapter"),
    "VIDEO": Phrase("Video"),
    "AUDIO": Phrase("Audio"),
    "TEXT": Phrase("Part"),
    "WEB": Phrase("Web page"),
}
# The texts of a segment, by stored name; duplicates are shown once.
_TEXTS = {
    "paddleocr": Phrase("Read by OCR"),
    "format_parser": Phrase("Text of the file"),
    "text_content": Phrase("Text"),
    "bda_indexer": Phrase("Read by Bedrock Data Automation"),
    "transcribe": Phrase("Transcript"),
    "webcrawler_content": Phrase("Text of the web page"),
}


_TOLD = ("page_title", "page_description", "source_url", "error")  # values of a segment besides its texts


@dataclass(frozen=True)
class Text:
    label: str
    text: str

    @property
    def passages(self) -> list[Passage]:
        return passages(self.text)


def run_of(request: DeskRequest, document_id: str, workflow_id: str) -> tuple[WorkflowSteps, Link | None]:
    """Return the run's complete board, and an earlier system's link; None for our runs.

    Raises: NotAllowed; NotFound, also if the run is another document's or the person may not see its queue.
    """
    access.check_can_view(request)
    try:
        visibility.check_document(request, document_id)
        board = queries.board(request.site, workflow_id)
        link = seed_000.fill_boards(request.site, [board]).get(workflow_id)
    except (NotFound, table.InvalidKey) as error:
        raise NotFound(gettext("Run not found.")) from error
    if board.document_id != document_id:
        raise NotFound(gettext("Run not found."))
    return board, link


@dataclass(frozen=True)
class Shown:
    """A segment in the list of a run; ``index`` is 0-based. ``unsure``: a value on it is below its threshold."""

    index: int
    failed: bool = False
    unsure: bool = False

    @property
    def state(self) -> str:
        return "failed" if self.failed else "unsure" if self.unsure else "read"

    @property
    def words(self) -> str:
        return {"failed": Phrase(", failed"), "unsure": Phrase(", below threshold")}.get(self.state, "")


def segments_of(request: DeskRequest, board: WorkflowSteps, link: Link | None) -> tuple[list[Shown], str | None]:
    """Return a page of the run's segments, and the cursor of the next page."""
    return list_segments(request.site, board, link, request.GET.get("segments"))


def list_segments(
    site: str, board: WorkflowSteps, link: Link | None, place: str | None
) -> tuple[list[Shown], str | None]:
    """Continue at ``place``, the cursor from the previous page."""
    if link is None:
        page = queries.segments(site, str(board.segments_of or board.workflow_id), cursor=place)
        return [Shown(int(one.data["segment_index"]), "error" in one.data) for one in page.rows], page.next
    # An earlier system has no rows of segments, only their number.
    start = read_number(place)
    end = min(start + queries.SEGMENTS_A_PAGE, link.pages)
    return [Shown(index) for index in range(start, end)], str(end) if end < link.pages else None


def summary_page(request: DeskRequest, board: WorkflowSteps, link: Link) -> HttpResponse:
    """Show an earlier system's summary of the document, and a line for each segment."""
    _check_plain(request, board)
    summary = read_json(_files(request, board), files.SUMMARY)
    described = [str(one.get("description") or "") for one in summary.get("pages") or ()]
    shown, following = segments_of(request, board, link)
    context = {
        "board": board,
        "summary": str(summary.get("document_summary") or ""),
        "segments": [(one.index, described[one.index] if one.index < len(described) else "") for one in shown],
        "next_segments": following,
    }
    return render_answer(request, "workflows/runs/summary.html", "workflows/runs/_summary.html", context)


@require_safe
def show_segment(request: DeskRequest, document_id: str, workflow_id: str, index: int) -> HttpResponse:
    """``index`` is 0-based."""
    page = read_page(request, document_id, workflow_id, index)
    board, link, segment, texts = page.board, page.link, page.segment, page.texts
    known = {one.text for one in texts}
    context = {
        "board": board,
        "index": index,
        "image_index": page.named,
        "kind": page.kind,
        "segment": segment,
        # Our segments keep one final status; only an earlier system's status shows progress.
        "mark": state_labels.of_segment(str(segment["status"])) if link and segment.get("status") else None,
        "has_image": bool(segment.get("image_uri")) or (link is None and not segment),
        "texts": texts,
        # Answers that only repeat the text are omitted.
        "answers": [one for one in segment.get("ai_analysis") or () if one.get("content") not in known],
        "compare_query": urlencode({"document": board.document_id, "page": index + 1}),
        "may_compare": link is None
        and not page.closed
        and bool(segment.get("image_uri"))
        and access.abilities(request).configure,
        "may_ask": link is None and not page.closed and bool(segment),  # an earlier system stores questions differently
        "before": index - 1 if index else None,
        "after": index + 1 if index + 1 < int(board.page_count or 0) else None,
    }
    return render_answer(request, "workflows/runs/segment.html", None, context)


@dataclass(frozen=True)
class ReadPage:
    """The content of a page or part, masked for the requester. ``named``: its number in file names.

    ``segment``: as stored, empty if not built yet; ``closed``: personal values are masked.
    """

    board: WorkflowSteps
    link: Link | None
    named: int
    segment: Mapping[str, Any]
    texts: Sequence[Text]
    closed: bool

    @property
    def kind(self) -> str:
        return _KINDS.get(str(self.segment.get("segment_type")), "Page")


def read_page(request: DeskRequest, document_id: str, workflow_id: str, index: int) -> ReadPage:
    """``index`` is 0-based. Raises: NotAllowed; NotFound, also if the run has no such page yet."""
    board, link = run_of(request, document_id, workflow_id)
    documents = _files(request, board)
    named = index + (seed_000.first_segment(request.site, workflow_id) if link else 0)
    segment = read_json(documents, files.segment(named))
    if link and not segment.get("ai_analysis"):
        segment = {**segment, **seed_000.analysis_of_row(request.site, workflow_id, named)}
    secrets = secrets_for(request, documents, str(board.workflow_id))
    if not segment and index >= int(board.page_count or 0):
        raise NotFound(gettext("Page not found, or not split yet."))
    segment = _mask_segment(segment, secrets)
    found = _texts(segment) or _unmerged_texts(documents, named)
    texts = [Text(one.label, secrets.mask(one.text)) for one in found]
    closed = bool(fields_hidden_from(request, str(board.project_id)))
    return ReadPage(board, link, named, segment, texts, closed)


def _mask_segment(segment: Mapping[str, Any], secrets: Secrets) -> Mapping[str, Any]:
    """Return the values of a segment besides its texts; empty if nothing was read yet."""
    if not segment:
        return {}
    shown = {name: secrets.mask(str(segment[name])) for name in _TOLD if segment.get(name)}
    answers = [
        {**one, **{name: secrets.mask(str(text)) for name, text in one.items() if isinstance(text, str)}}
        for one in segment.get("ai_analysis") or ()
    ]
    return {**segment, **shown, "ai_analysis": answers}


def _check_plain(request: DeskRequest, board: WorkflowSteps) -> None:
    """Guards content of an earlier system, whose personal values are unknown. Raises: NotAllowed."""
    if fields_hidden_from(request, str(board.project_id)):
        access.check_can_see_personal(request)


def _files(request: DeskRequest, board: WorkflowSteps) -> DocumentFiles:
    store = DocumentFiles(request.site, str(board.project_id), str(board.document_id))
    return run_files.open_run_files(store, board.layers)


def read_json(documents: DocumentFiles, name: str) -> Mapping[str, Any]:
    """Return an empty mapping if the object does not exist."""
    try:
        return cast("Mapping[str, Any]", json.loads(documents.read(name)))
    except NotFound:
        return {}


def _texts(segment: Mapping[str, Any]) -> list[Text]:
    found: dict[str, Text] = {}
    for name, label in _TEXTS.items():
        text = str(segment.get(name) or "").strip()
        if text and text not in found:
            found[text] = Text(label, text)
    spoken = [
        f"{float(one.get('start_time') or 0):.1f} s  {one.get('transcript') or ''}"
        for one in segment.get("transcribe_segments") or ()
    ]
    return [*found.values(), *([Text(Phrase("Transcript"), "\n".join(spoken))] if spoken else [])]


def _unmerged_texts(documents: DocumentFiles, index: int) -> list[Text]:
    """Return the texts that stages have read so far, before the segment is built."""
    found: list[Text] = []
    for artifact, field, label in (
        (paged.OCR, "content", _TEXTS["paddleocr"]),
        (paged.TEXT_LAYER, "text", _TEXTS["format_parser"]),
    ):
        text = str(artifact.page(documents, index).get(field) or "").strip()
        if text and text not in {one.text for one in found}:
            found.append(Text(label, text))
    return found
