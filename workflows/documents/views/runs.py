"""The runs of a document: which there are, which counts, what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.errors import NotFound
from config.table import InvalidKey
from projects.documents.queries import removals as removal_queries
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.runs import queries, run_cost
from workflows.runs.items import DocumentWorkflow, Outcome, ProjectDocument
from workflows.runs.run_cost import RunCost
from workflows.runs.views import state_labels
from workflows.runs.views.state_labels import Mark

_ENDS = {
    "completed": Mark("good", "check", "Ended"),
    "failed": Mark("bad", "alert", "Failed"),
    "in_progress": state_labels.UNDER_WAY,
}


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
    context, _ = load_runs(request, document_id)
    return render_answer(
        request, "workflows/documents/document_runs.html", "workflows/documents/_document_runs.html", context
    )


def load_runs(request: DeskRequest, document_id: str) -> tuple[dict[str, Any], ProjectDocument | None]:
    """What the panel of runs shows, and the document's row in its project; None before its first run.

    Raises: NotFound, if the address names no place among them.
    """
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    row = _project_document(request.site, document_id, page.rows)
    context = {
        "document_id": document_id,
        "runs": [_run(link, row) for link in page.rows],
        "next_runs": page.next,
        "cost": str(sum(map(run_cost.of_link, page.rows), RunCost())),
        "in_use": _in_use(row) if row and len(page.rows) > 1 else "",
    }
    return context, row


def _project_document(site: str, document_id: str, links: Sequence[DocumentWorkflow]) -> ProjectDocument | None:
    project_id = str(links[0].data.as_dict().get("project_id") or "") if links else ""
    try:
        return queries.project_document(site, project_id, document_id) if project_id else None
    except NotFound:
        return None


def _in_use(row: ProjectDocument) -> str:
    """The run whose result is the document's; empty while nothing has been published."""
    return row.counts if row.decided or row.outcome == Outcome.PUBLISHED else ""


def _run(link: DocumentWorkflow, row: ProjectDocument | None) -> RunRow:
    """The document's row says more of its newest run than that run's own link does."""
    run_id, status = str(link.SK).partition("#")[2], str(link.data["status"])
    mark = _ENDS.get(status, Mark("", "info", status.replace("_", " ")))
    if row is not None and row.workflow_id == run_id:
        mark = state_labels.of_document(row.status, row.outcome, row.current_step)
    return RunRow(
        run_id,
        str(link.data["file_name"]),
        state_labels.start_of_run(run_id) or link.created_at,
        mark,
        str(link.data.as_dict().get("error") or ""),
        str(run_cost.of_link(link)),
    )
