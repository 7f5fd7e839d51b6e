"""The overview of runs in progress on the site, and a project's documents."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from config.phrase import Phrase
from projects.documents import queries as documents_queries
from projects.documents.items import DocumentStatus
from projects.policies.gate import shows_counts
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer
from workflows.runs import queries, seed_000
from workflows.runs.items import ProjectDocument, WorkflowSteps
from workflows.runs.views import runs, state_labels
from workflows.runs.views.state_labels import Mark
from workflows.stages.formats import CONTAINERS


@dataclass(frozen=True)
class Analysis:
    """A row of the overview: a run that has not ended, at step ``number`` of ``total``."""

    board: WorkflowSteps
    mark: Mark
    pips: SafeString
    number: int
    total: int
    label: str
    detail: runs.Detail = runs.NO_DETAIL

    @property
    def moves(self) -> bool:
        """An earlier system leaves failed runs among those in progress."""
        return self.mark in {state_labels.RUNNING, runs.STUCK}

    @property
    def width(self) -> int:
        return state_labels.STEP_MARK_WIDTH * self.total


def _analysis(board: WorkflowSteps) -> Analysis:
    definition = seed_000.definition_of(board)
    progress = queries.progress(board, definition)
    step = definition.steps[min(progress.done, progress.total - 1)]
    mark = state_labels.of_run(progress.outcome, waits=step.type == "approval")
    pips = state_labels.draw_steps(progress.total, progress.done, waits=mark == state_labels.WAITING)
    return Analysis(board, mark, pips, min(progress.done + 1, progress.total), progress.total, Phrase(step.label))


def _add_detail(row: Analysis, detail: runs.Detail | None) -> Analysis:
    if detail is None:
        return row
    return replace(row, detail=detail, mark=runs.STUCK if detail.stuck else row.mark)


@require_safe
def overview(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    filters, cursor = runs.Filters.from_query(request.GET), request.GET.get("after")
    if filters.state:
        return _by_state(request, filters, cursor)
    page = visibility.filter_page(
        request,
        lambda place: queries.in_progress(request.site, cursor=place),
        cursor,
        lambda board: board.document_id,
    )
    rows = [_analysis(board) for board in page.rows]
    moving = {str(row.board.workflow_id) for row in rows if row.moves}
    details = runs.list_details(request.site, page.rows, moving)
    rows = [_add_detail(row, details.get(str(row.board.workflow_id))) for row in rows]
    counts = documents_queries.count_documents(request.site) if shows_counts(request) else None
    context = {
        "rows": rows,
        "figures": runs.figures(counts),
        "tabs_of_state": runs.tabs(filters, counts),
        "any_waiting": counts is not None and counts.count_of(DocumentStatus.WAITING) > 0,
        "moving": any(row.moves for row in rows),
        **page_links(request, page.next, reverse("workflows:overview")),
        "poll_url": request.get_full_path(),
    }
    return render_answer(request, "workflows/runs/overview.html", "workflows/runs/_overview.html", context)


def _by_state(request: DeskRequest, filters: runs.Filters, cursor: str | None) -> HttpResponse:
    page = runs.read_page(request, filters, cursor)
    counts = documents_queries.count_documents(request.site) if shows_counts(request) else None
    context = {
        "filters": filters,
        "rows": page.rows,
        "figures": runs.figures(counts),
        "tabs_of_state": runs.tabs(filters, counts),
        "any_waiting": counts is not None and counts.count_of(DocumentStatus.WAITING) > 0,
        "moving": filters.state == runs.RUNNING and bool(page.rows),
        "projects": runs.projects_of(page.rows, filters),
        "queues": runs.queues_of(request),
        "steps": runs.steps_of(filters.state),
        "ages": [(value, words) for value, (words, _) in runs.AGES.items()],
        "most_read": runs.MOST_READ,
        "page_size": runs.MOST_READ if filters.chosen else settings.PAGE_SIZE,
        **page_links(request, page.next, filters.url),
        "poll_url": request.get_full_path(),
    }
    return render_answer(request, "workflows/runs/overview.html", "workflows/runs/_overview.html", context)


@dataclass(frozen=True)
class DocumentRow:
    """A row of a project's documents."""

    document: ProjectDocument
    mark: Mark

    @property
    def url(self) -> str:
        """An earlier system's rows do not name their run; a document without a run has none."""
        if (self.document.status or "") in {"uploading", "uploaded", "deleted"}:
            return ""
        if self.document.file_type in CONTAINERS:
            return reverse("documents:show-document", args=[self.document.document_id])
        return reverse("workflows:newest-run", args=[self.document.document_id])


def _mark_of(row: ProjectDocument) -> Mark:
    is_container = row.file_type in CONTAINERS
    return state_labels.of_document(row.status, row.outcome, row.current_step, is_container=is_container)


@require_safe
def list_documents(request: DeskRequest, project_id: str) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    page = visibility.filter_page(
        request,
        lambda place: queries.project_documents(request.site, project_id, cursor=place),
        cursor,
        lambda row: row.document_id,
    )
    rows = [DocumentRow(one, _mark_of(one)) for one in page.rows]
    counts = documents_queries.documents_of_project(request.site, project_id) if shows_counts(request) else None
    context = {
        "project_id": project_id,
        "rows": rows,
        "foreign": any(row.document.is_foreign for row in rows),
        "counts": counts,
        "figures": runs.figures(counts, project_id),
        **page_links(request, page.next, reverse("workflows:list-documents", args=[project_id])),
    }
    return render_answer(request, "workflows/runs/documents.html", "workflows/runs/_documents.html", context)
