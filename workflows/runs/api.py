"""The API of runs: how far one is, and what was read."""

import json
from collections.abc import Mapping
from typing import Any

from ninja import Router, Schema

from config.errors import Conflict, NotFound
from projects.web.api import FAILURES, ApiRequest, Problem
from workflows.definitions.blueprint import APPROVALS
from workflows.runs import queries, seed_000
from workflows.runs.items.runs import WorkflowSteps
from workflows.runs.status import Outcome
from workflows.runs.views.segments import run_of
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

router = Router(tags=["documents"])
_NO_RESULT = {
    Outcome.FAILED: "This run failed{at}. It has no result. Run it again from a stage, or upload the file again.",
    Outcome.CANCELLED: "This run was cancelled. It has no result. Run it again from a stage, or upload the file again.",
    Outcome.PARTIAL: "Some pages failed{at}. A person decides on the run's page whether to retry or to skip them.",
}
_NOTHING_READ = "This run ended as {} and no fields were stored. Run it again, or open it in the browser."


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
        page_count=whole_number(board.page_count),
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


def whole_number(number: float | None) -> int | None:
    return None if number is None else int(number)
