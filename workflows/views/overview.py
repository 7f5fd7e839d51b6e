"""What is under way on the site, and the documents of a project: one Query each."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects import access
from projects.http import DeskRequest, answer
from workflows import containers, earlier, queries
from workflows.items.documents import ProjectDocument
from workflows.items.runs import WorkflowSteps
from workflows.views import marks
from workflows.views.marks import Mark


@dataclass(frozen=True)
class Analysis:
    """A row of the overview: a run that has not ended, ``number`` of ``total`` steps along."""

    board: WorkflowSteps
    mark: Mark
    pips: list[marks.Pip]
    number: int
    total: int
    label: str

    @property
    def waits(self) -> bool:
        return self.mark == marks.WAITING

    @property
    def moves(self) -> bool:
        """An earlier system leaves a failed run among those under way."""
        return self.mark == marks.RUNNING

    @property
    def width(self) -> int:
        return marks.PIP * self.total


def _analysis(board: WorkflowSteps) -> Analysis:
    definition = earlier.definition_of(board.workflow_id)
    progress = queries.progress(board, definition)
    step = definition.steps[min(progress.done, progress.total - 1)]
    mark = marks.of_run(progress.outcome, waits=step.type == "approval")
    pips = list(marks.pips(definition, progress.done))
    return Analysis(board, mark, pips, min(progress.done + 1, progress.total), progress.total, step.label)


@require_safe
def overview(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    page = queries.in_progress(request.site, cursor=cursor)
    rows = [_analysis(board) for board in page.rows]
    context = {
        "rows": rows,
        "moving": any(row.moves for row in rows),
        "waiting": sum(row.waits for row in rows),
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("workflows:overview"),
        "poll_url": request.get_full_path(),
    }
    return answer(request, "workflow/overview.html", "workflow/_overview.html", context)


@dataclass(frozen=True)
class DocumentRow:
    """A row of a project's documents."""

    document: ProjectDocument
    mark: Mark

    @property
    def url(self) -> str:
        """An earlier system's rows do not name their run; what was only uploaded has none."""
        if (self.document.status or "") in {"uploading", "uploaded", "deleted"}:
            return ""
        if self.document.file_type in containers.TYPES:
            return reverse("documents:show-document", args=[self.document.document_id])
        return reverse("workflows:newest-run", args=[self.document.document_id])


def _waiting(site: str, documents: Sequence[ProjectDocument]) -> set[str]:
    """The runs that wait for a person. A document's row does not tell: the boards of those under way are read too."""
    moving = [str(one.workflow_id) for one in documents if one.workflow_id and not one.outcome]
    return {str(board.workflow_id) for board in queries.boards(site, moving) if _analysis(board).waits}


@require_safe
def list_documents(request: DeskRequest, project_id: str) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    page = queries.project_documents(request.site, project_id, cursor=cursor)
    waiting = _waiting(request.site, page.rows)
    rows = [
        DocumentRow(one, marks.WAITING if one.workflow_id in waiting else marks.of_document(one.status, one.outcome))
        for one in page.rows
    ]
    context = {
        "project_id": project_id,
        "rows": rows,
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("workflows:list-documents", args=[project_id]),
    }
    return answer(request, "workflow/documents.html", "workflow/_documents.html", context)
