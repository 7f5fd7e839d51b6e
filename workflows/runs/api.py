"""The API of runs: progress, extracted fields, pages, transitions and events."""

import datetime as dt
import json
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Router, Schema
from pydantic import WithJsonSchema

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from projects.documents.states import word_of_run
from projects.personal.access import fields_hidden_from, projects_hidden_from
from projects.personal.masking import mask_fields
from projects.queues import visibility
from projects.sites import access
from projects.web.api import CSV, CSV_ANSWER, FAILURES, REFUSALS, ApiRequest
from projects.web.spreadsheets import csv_line
from workflows.definitions.blueprint import StepDefinition, is_approval
from workflows.runs import queries, seed_000
from workflows.runs.items import DocumentEvent, Join, Outcome, StepStatus, WorkflowSteps
from workflows.runs.views import state_labels
from workflows.runs.views.pages import list_segments, read_page, run_of
from workflows.runs.views.project_graph import read_shared_names
from workflows.runs.views.run_page import list_run_joins
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

router = Router(tags=["documents"])
_NO_RESULT = {
    Outcome.FAILED: "This run failed{at} and has no result. Re-run it from a stage or upload the file again.",
    Outcome.CANCELLED: "This run was cancelled and has no result. Re-run it from a stage or upload the file again.",
    Outcome.PARTIAL: "Some pages failed{at}. Retry or skip them on the run's page.",
}
_NOTHING_READ = "This run ended as {} without extracted fields. Re-run it or open it in the browser."


class PartsShape(Schema):
    """Of a step that takes a long document in parts: ``done`` of ``parts``; ``failed`` of its ``pages``."""

    parts: int
    done: int
    pages: int
    failed: int


class StepShape(Schema):
    """``status``, with its label on pages: pending, running, in_review ("Needs review"), completed,
    skipped ("Not needed") or failed.

    ``progress``: null for a step that is done in one piece. ``waits_until``: the end of its wait.
    """

    name: str
    label: str
    status: str
    error: str | None
    waits_until: str | None
    progress: PartsShape | None


class RunShape(Schema):
    """``status``: running, in_review, published, rejected, expired, failed, partial, cancelled.

    ``completed`` for runs of another system.

    ``beside``: the run whose reviewed result is used instead, if any.
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


class CellShape(Schema):
    """One cell of a table; ``column`` is the column's name."""

    column: str
    value: str | None
    confidence: float | None
    page: int | None
    box: list[float] | None


class FieldShape(Schema):
    """``confidence`` 0–1; ``page`` 0-based; ``box`` left, top, right, bottom as shares of the page.

    ``rows``: of a table, whose ``value`` has a line a row and a tab between cells; null for other fields.
    ``answer``: what a reviewer said of it: confirmed, corrected, blank, absent or illegible; null if nothing.
    ``masked``: personal data that the key may not see; ``value`` is then ••• if there is one.
    """

    name: str
    value: str | None
    confidence: float | None
    page: int | None
    box: list[float] | None
    rows: list[list[CellShape]] | None
    answer: str | None
    masked: bool


class ResultShape(Schema):
    """``final`` is true once the result is published; until then a reviewer can correct it.

    ``beside``: the run whose reviewed result is used instead; this one is not final until selected.
    ``status``: of the run; a rejected or expired result never becomes final.
    """

    document_id: str
    run_id: str
    beside: str | None
    status: str
    final: bool
    fields: list[FieldShape]


@router.get(
    "/documents/{document_id}/runs/{run_id}",
    response={200: RunShape, **FAILURES},
    operation_id="show_run",
    summary="Get a run",
)
def show_run(request: ApiRequest, document_id: str, run_id: str) -> RunShape:
    """Requires READ. Cheap enough to poll every second."""
    board, _ = run_of(request, document_id, run_id)
    definition = seed_000.definition_of(board)
    stored, joins = board.data.as_dict(), list_run_joins(board)
    return RunShape(
        document_id=document_id,
        run_id=run_id,
        beside=queries.run_kept_instead(board) or None,
        project_id=board.project_id,
        name=board.name,
        status=_status(board),
        steps_done=queries.progress(board, definition).done,
        steps=[_step(step, stored.get(step.name) or {}, joins.get(step.name)) for step in definition.steps],
        page_count=whole_number(board.page_count),
        created_at=board.created_at,
        updated_at=board.updated_at,
    )


def _status(board: WorkflowSteps) -> str:
    return word_of_run(board.outcome, waits=is_approval(str(board.current_step)))


def _step(step: StepDefinition, stored: Mapping[str, Any], join: Join | None) -> StepShape:
    status = str(stored.get("status") or StepStatus.PENDING)
    return StepShape(
        name=step.name,
        label=step.label,
        status=state_labels.word_of_step(step, stored),
        error=stored.get("error"),
        waits_until=stored.get("waits_until") if status == StepStatus.IN_PROGRESS else None,
        progress=_parts(join) if join else None,
    )


def _parts(join: Join) -> PartsShape:
    return PartsShape(
        parts=int(join.slices), done=len(join.done or ()), pages=int(join.planned), failed=len(join.failed or ())
    )


@router.get(
    "/documents/{document_id}/runs/{run_id}/result",
    response={200: ResultShape, **REFUSALS},
    operation_id="show_result",
    summary="Get extracted fields",
)
def show_result(request: ApiRequest, document_id: str, run_id: str) -> ResultShape:
    """Requires READ, for personal data PERSONAL. 404 until fields are extracted; 409 if the run ended without any."""
    return _load_result(request, document_id, run_id)


@router.get(
    "/documents/{document_id}/runs/{run_id}/result.csv",
    response={200: Any, **REFUSALS},
    operation_id="export_result",
    summary="Get extracted fields as CSV",
    openapi_extra=CSV_ANSWER,
)
def export_result(request: ApiRequest, document_id: str, run_id: str) -> HttpResponse:
    """One line a field: name, value, confidence, page (1-based), answer. Otherwise as ``show_result``."""
    found = _load_result(request, document_id, run_id)
    lines = [csv_line("field", "value", "confidence", "page", "answer")]
    for one in found.fields:
        page = "" if one.page is None else one.page + 1
        confidence = "" if one.confidence is None else f"{one.confidence:.4f}"
        lines.append(csv_line(one.name, one.value or "", confidence, page, one.answer or ""))
    response = HttpResponse("".join(lines), content_type=CSV)
    response["Content-Disposition"] = f'attachment; filename="result-{run_id}.csv"'
    return response


def _load_result(request: ApiRequest, document_id: str, run_id: str) -> ResultShape:
    board, _ = run_of(request, document_id, run_id)
    if board.outcome in _NO_RESULT:
        raise Conflict(_NO_RESULT[Outcome(board.outcome)].format(at=_describe_failed_step(board)))
    published, beside = board.outcome == Outcome.PUBLISHED, queries.run_kept_instead(board) or None
    store = DocumentFiles(request.site, str(board.project_id), document_id)
    try:
        stored = json.loads(store.read(files.output(run_id) if published else files.result(run_id)))
    except NotFound as error:
        if board.outcome:
            raise Conflict(_NOTHING_READ.format(board.outcome)) from error
        raise NotFound("No fields extracted yet. Try again later.") from error
    found = mask_fields(stored["fields"], fields_hidden_from(request, str(board.project_id)).names)
    fields = [FieldShape(**_shape_field(one)) for one in found]
    return ResultShape(
        document_id=document_id, run_id=run_id, beside=beside, status=_status(board),
        final=published and beside is None, fields=fields,
    )  # fmt: skip


def _shape_field(field: Mapping[str, Any]) -> dict[str, Any]:
    return {name: field.get(name) for name in FieldShape.model_fields} | {"masked": "masked" in field}


def _describe_failed_step(board: WorkflowSteps) -> str:
    """Return ``" at OCR: <its error>"`` for the first failed step; empty if there is none."""
    stored = board.data.as_dict()
    for step in seed_000.definition_of(board).steps:
        error = str((stored.get(step.name) or {}).get("error") or "")
        if error:
            return f" at {step.label}: {error.rstrip('. ')}"
    return ""


def whole_number(number: float | None) -> int | None:
    return None if number is None else int(number)


class PageRow(Schema):
    """``index``: 0-based. ``failed``: it could not be read."""

    index: int
    failed: bool


class PageList(Schema):
    items: list[PageRow]
    next: str | None


class PageText(Schema):
    """``source``: in words: OCR, the file's own text, a transcript or another."""

    source: str
    text: str


class PageShape(Schema):
    """``kind``: Page, Part, Chapter, Video, Audio or Web page. ``width``, ``height``: in the units of its boxes.

    ``texts``: personal data in them is masked if the key may not see it. ``error``: why nothing was read.
    """

    document_id: str
    run_id: str
    index: int
    kind: str
    width: float | None
    height: float | None
    texts: list[PageText]
    error: str | None


@router.get(
    "/documents/{document_id}/runs/{run_id}/pages",
    response={200: PageList, **FAILURES},
    operation_id="list_pages",
    summary="List a run's pages",
)
def list_pages(request: ApiRequest, document_id: str, run_id: str, after: str | None = None) -> PageList:
    """Pages, or parts of files without pages; empty until the file is split. Requires READ."""
    shown, following = list_segments(request.site, *run_of(request, document_id, run_id), after)
    return PageList(items=[PageRow(index=one.index, failed=one.failed) for one in shown], next=following)


@router.get(
    "/documents/{document_id}/runs/{run_id}/pages/{index}",
    response={200: PageShape, **FAILURES},
    operation_id="show_page",
    summary="Get the text of a page",
)
def show_page(request: ApiRequest, document_id: str, run_id: str, index: int) -> PageShape:
    """`index` is 0-based. Requires READ, for personal data PERSONAL."""
    if index < 0:
        raise NotFound("Pages are numbered from 0.")
    found = read_page(request, document_id, run_id, index)
    width, height = found.segment.get("width"), found.segment.get("height")
    return PageShape(
        document_id=document_id,
        run_id=run_id,
        index=index,
        kind=found.kind,
        width=float(width) if width else None,
        height=float(height) if height else None,
        texts=[PageText(source=one.label, text=one.text) for one in found.texts],
        error=found.segment.get("error"),
    )


class TransitionShape(Schema):
    """``to``: null at the end. ``result``: the outcome that led there."""

    step: str
    to: str | None
    result: str
    at: str


class TransitionList(Schema):
    items: list[TransitionShape]
    next: str | None


@router.get(
    "/documents/{document_id}/runs/{run_id}/transitions",
    response={200: TransitionList, **FAILURES},
    operation_id="list_transitions",
    summary="List a run's transitions",
)
def list_transitions(request: ApiRequest, document_id: str, run_id: str, after: str | None = None) -> TransitionList:
    """Lists the steps that it left, oldest first. Requires READ."""
    board, _ = run_of(request, document_id, run_id)
    names = {step.order: step.name for step in seed_000.definition_of(board).steps}
    page = queries.transitions(request.site, run_id, cursor=after)
    return TransitionList(
        items=[
            TransitionShape(
                step=names.get(int(one.fromStep), str(int(one.fromStep))),
                to=names.get(int(one.toStep)),
                result=one.result,
                at=one.occurredAt,
            )
            for one in page.rows
        ],
        next=page.next,
    )


class EventShape(Schema):
    """As on the event bus, with the same ``id``. ``type``: document.processed, document.failed, batch.finished, …

    ``detail``: more about it; empty if it may contain personal data that the key cannot see.
    """

    id: str
    type: str
    at: str
    project_id: str | None
    document_id: str | None
    run_id: str | None
    batch_id: str | None
    case_id: str | None
    detail: dict[str, Any]


class EventList(Schema):
    """``next``: the cursor to continue from; pass it as ``after``."""

    items: list[EventShape]
    next: str


Since = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
_TOLD_APART = (
    "id",
    "schemaVersion",
    "at",
    "siteId",
    "projectId",
    "documentId",
    "workflowId",
    "batchId",
    "caseId",
    "uri",
)
_MOST_EVENTS = 100


class SharedNameShape(Schema):
    """``mentions``: in all of the ``document_ids``."""

    name: str
    kind: str
    mentions: int
    document_ids: list[str]


class SharedNameList(Schema):
    items: list[SharedNameShape]
    next: str | None


@router.get(
    "/projects/{project_id}/graph",
    response={200: SharedNameList, **FAILURES},
    operation_id="show_project_graph",
    summary="List names shared by documents",
)
def show_project_graph(request: ApiRequest, project_id: str, after: str | None = None) -> SharedNameList:
    """Names in one page of the project's documents. Requires READ; with personal fields, also PERSONAL."""
    access.project_to_view(request, project_id)
    _, shared, following = read_shared_names(request, project_id, after)
    items = [
        SharedNameShape(
            name=one.name,
            kind=one.kind,
            mentions=one.mentions,
            document_ids=[str(row.document_id) for row in one.documents],
        )
        for one in shared
    ]
    return SharedNameList(items=items, next=following)


@router.get("/events", response={200: EventList, **FAILURES}, operation_id="list_events", summary="List events")
def list_events(request: ApiRequest, since: Since | None = None, after: str | None = None) -> EventList:
    """Oldest first. Start with `since` (default: a day ago), then pass `next` as `after`.

    Events appear within seconds and in order. Requires READ.
    """
    access.check_can_view(request)
    place = after or table.datetime_us(_read_since(since))
    rows, following = queries.list_told_events(request.site, place, limit=_MOST_EVENTS)
    details = [(row, json.loads(str(row.bus_detail))) for row in rows]
    shown = visibility.filter_rows(request, details, lambda one: one[1].get("documentId"))
    hidden = projects_hidden_from(request)
    return EventList(items=[_event(row, detail, hidden) for row, detail in shown], next=following)


def _read_since(text: str | None) -> dt.datetime:
    """A year ago at most. Raises: Refused."""
    now = clock.now()
    if text is None:
        return now - dt.timedelta(days=1)
    try:
        return min(max(clock.parse(text), now - dt.timedelta(days=366)), now)
    except ValueError as error:
        raise Refused("since is no instant. Send one such as 2026-11-23T12:00:00Z.", field="since") from error


def _event(row: DocumentEvent, detail: Mapping[str, Any], hidden: Collection[str]) -> EventShape:
    told = {name: value for name, value in detail.items() if name not in _TOLD_APART}
    return EventShape(
        id=str(row.event_id),
        type=str(row.bus_type),
        at=row.occurredAt,
        project_id=detail.get("projectId"),
        document_id=detail.get("documentId"),
        run_id=detail.get("workflowId"),
        batch_id=detail.get("batchId"),
        case_id=detail.get("caseId"),
        detail={} if detail.get("projectId") in hidden else told,
    )
