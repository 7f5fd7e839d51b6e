"""The runs of a document, as a panel of its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey
from projects.documents import queries as document_queries
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.runs import queries, run_cost
from workflows.runs.items import DocumentWorkflow, Outcome, ProjectDocument
from workflows.runs.run_cost import RunCost
from workflows.runs.views import state_labels
from workflows.runs.views.state_labels import Mark

_ENDS = {
    "completed": Mark("good", "check", Phrase("Ended")),
    "failed": Mark("bad", "alert", Phrase("Failed")),
    "in_progress": state_labels.RUNNING,
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
    visibility.check_document(request, document_id)
    if not access.can_delete(request) and document_queries.is_gone(request.site, document_id):
        raise NotFound(gettext("This document was deleted."))
    context, _ = load_runs(request, document_id)
    return render_answer(
        request, "workflows/documents/document_runs.html", "workflows/documents/_document_runs.html", context
    )


def load_runs(request: DeskRequest, document_id: str) -> tuple[dict[str, Any], ProjectDocument | None]:
    """Return the context of the panel of runs, and the document's row in its project; None before its first run.

    Raises: NotFound if the cursor is invalid.
    """
    try:
        page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound(gettext("Document not found.")) from error
    project_id = find_project(page.rows)
    try:
        row = queries.project_document(request.site, project_id, document_id) if project_id else None
    except NotFound:
        row = None
    return describe_runs(document_id, page, row), row


def describe_runs(document_id: str, page: Page[DocumentWorkflow], row: ProjectDocument | None) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "runs": [_run_row(link, row) for link in page.rows],
        "next_runs": page.next,
        "cost": str(sum(map(run_cost.of_link, page.rows), RunCost())),
        "in_use": _in_use(row) if row and len(page.rows) > 1 else "",
    }


def find_project(links: Sequence[DocumentWorkflow]) -> str:
    """Return the document's project; empty before the first run."""
    return str(links[0].data.as_dict().get("project_id") or "") if links else ""


def _in_use(row: ProjectDocument) -> str:
    """Return the run whose result is in use; empty until one is published."""
    return row.counts if row.decided or row.outcome == Outcome.PUBLISHED else ""


def _run_row(link: DocumentWorkflow, row: ProjectDocument | None) -> RunRow:
    """The document's row has more recent data on its newest run than that run's own link."""
    run_id, status = str(link.SK).partition("#")[2], str(link.data["status"])
    mark = _ENDS.get(status, Mark("", "info", status.replace("_", " ")))
    if row is not None and row.workflow_id == run_id:
        mark = state_labels.of_document(row.status, row.outcome, row.current_step)
    return RunRow(
        run_id,
        link.file_name,
        state_labels.start_of_run(run_id) or link.created_at,
        mark,
        str(link.data.as_dict().get("error") or ""),
        str(run_cost.of_link(link)),
    )
