"""A run's transitions with what each step took, and the definition's version that the run is pinned to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import clock
from config.errors import NotFound
from projects.web.http import DeskRequest, render_answer
from workflows.definitions.blueprint import Definition
from workflows.runs import queries
from workflows.runs.items import Transition
from workflows.runs.run import END, Run
from workflows.runs.views.segments import run_of
from workflows.runs.views.state_labels import words_of

_RESULTS = {
    "completed": "Completed",
    "skipped": "Not needed",
    "approve": "Approved",
    "reject": "Rejected",
    "partial": "Partial",
    "Cancelled": "Cancelled",
    "ReviewExpired": "Review expired",
}


@dataclass(frozen=True)
class Move:
    """``took``: since the transition before it, or the run's beginning."""

    left: str
    to: str
    result: str
    at: str
    took: str
    reason: str


@require_safe
def show_history(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    board, link = run_of(request, document_id, workflow_id)
    if link is not None:
        raise NotFound("The source system stored no step history.")
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    execution = queries.execution(run)
    definition = queries.definition_of(execution)
    cursor = request.GET.get("after")
    page = queries.transitions(run.site, workflow_id, cursor=cursor)
    since = request.GET.get("since") or execution.createdAt
    context = {
        "board": board,
        "definition": definition,
        "attempt": int(execution.engine_attempt),
        "rows": list(_moves(definition, page.rows, since)),
        "next": page.next,
        "last_at": page.rows[-1].occurredAt if page.rows else since,
        "document_id": document_id,
        "workflow_id": workflow_id,
    }
    return render_answer(request, "workflows/runs/history.html", "workflows/runs/_history.html", context)


def _moves(definition: Definition, rows: Iterable[Transition], since: str) -> Iterator[Move]:
    labels = {step.order: step.label for step in definition.steps} | {END: "End"}
    for row in rows:
        seconds = (clock.parse(row.occurredAt) - clock.parse(since)).total_seconds()
        data = row.data.as_dict() if row.data is not None else {}
        left, to = labels.get(int(row.fromStep), "?"), labels.get(int(row.toStep), "?")
        took, reason = words_of(max(seconds, 0.0)), str(data.get("reason") or "")
        yield Move(left, to, _describe_result(row.result, is_choice="choice" in data), row.occurredAt, took, reason)
        since = row.occurredAt


def _describe_result(result: str, *, is_choice: bool) -> str:
    """A failed step's result is its error's code: the reason beside it says what happened."""
    return _RESULTS.get(result) or (result.replace("_", " ").capitalize() if is_choice else "Failed")
