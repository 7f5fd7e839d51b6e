"""The API of runs: how far one is, and what was read."""

import json
from collections.abc import Mapping
from typing import Any

from ninja import Router, Schema

from config.errors import Conflict, NotFound
from projects.personal.access import fields_hidden_from
from projects.personal.masking import mask_fields
from projects.web.api import FAILURES, ApiRequest, Problem
from workflows.definitions.blueprint import is_approval
from workflows.runs import queries, seed_000
from workflows.runs.items import Outcome, WorkflowSteps
from workflows.runs.views.pages import run_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

router = Router(tags=["documents"])
_NO_RESULT = {
    Outcome.FAILED: "This run failed{at} and has no result. Re-run it from a stage or upload the file again.",
    Outcome.CANCELLED: "This run was cancelled and has no result. Re-run it from a stage or upload the file again.",
    Outcome.PARTIAL: "Some pages failed{at}. Retry or skip them on the run's page.",
}
_NOTHING_READ = "This run ended as {} without extracted fields. Re-run it or open it in the browser."


class StepShape(Schema):
    name: str
    label: str
    status: str
    error: str | None


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
    stored = board.data.as_dict()
    return RunShape(
        document_id=document_id,
        run_id=run_id,
        beside=queries.run_kept_instead(board) or None,
        project_id=board.project_id,
        name=board.name,
        status=_status(board),
        steps_done=queries.progress(board, definition).done,
        steps=[_step(step.name, step.label, stored.get(step.name) or {}) for step in definition.steps],
        page_count=whole_number(board.page_count),
        created_at=board.created_at,
        updated_at=board.updated_at,
    )


def _status(board: WorkflowSteps) -> str:
    return str(board.outcome or ("in_review" if is_approval(str(board.current_step)) else "running"))


def _step(name: str, label: str, stored: Mapping[str, Any]) -> StepShape:
    return StepShape(name=name, label=label, status=str(stored.get("status") or "pending"), error=stored.get("error"))


@router.get(
    "/documents/{document_id}/runs/{run_id}/result",
    response={200: ResultShape, 409: Problem, **FAILURES},
    operation_id="show_result",
    summary="Get extracted fields",
)
def show_result(request: ApiRequest, document_id: str, run_id: str) -> ResultShape:
    """Requires READ, for personal data PERSONAL. 404 until fields are extracted; 409 if the run ended without any."""
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
    """``" at OCR: <its error>"``, of the first step that failed; empty if none says so."""
    stored = board.data.as_dict()
    for step in seed_000.definition_of(board).steps:
        error = str((stored.get(step.name) or {}).get("error") or "")
        if error:
            return f" at {step.label}: {error.rstrip('. ')}"
    return ""


def whole_number(number: float | None) -> int | None:
    return None if number is None else int(number)
