"""Runs: the list, one run with its steps, what happened to its document, what was read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from config import table
from config.errors import NotFound
from config.item import Page, translate_store_errors
from projects.documents.queries import removals
from projects.documents.view_log import record_view
from projects.personal.access import names_in_document
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.definitions.blueprint import APPROVALS, DEFINITIONS, DOCUMENT_ANALYSIS, FIRST_ANALYSIS
from workflows.engine import queries as engine_queries
from workflows.engine.actions.interventions import ResumeWay
from workflows.engine.items import Join
from workflows.engine.partial import PARTIAL_AT
from workflows.runs import queries, run_cost, seed_000
from workflows.runs.items import DocumentWorkflow, Execution, WorkflowSteps
from workflows.runs.run import RESUMABLE, Outcome, StepStatus
from workflows.runs.seed_000 import Link
from workflows.runs.views import state_labels
from workflows.runs.views.segments import run_of, segments_of
from workflows.runs.views.state_labels import Mark
from workflows.runs.views.timeline import list_event_rows, list_step_rows
from workflows.runs.views.waterfall import bars_of
from workflows.stages import paddleocr_processor


@dataclass(frozen=True)
class RunRow:
    """A row of the list of runs; ``name`` falls back to the run's id where its document is gone."""

    run: Execution
    run_id: str
    name: str
    project_name: str
    definition: str  # the pinned version; empty if its document is gone
    mark: Mark
    started_at: Any


@require_safe
def list_runs(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor, family = request.GET.get("after"), request.GET.get("definition", DOCUMENT_ANALYSIS.name)
    families = list(dict.fromkeys(one.name for one in DEFINITIONS.values()))
    if family not in families:
        raise NotFound("Workflow definition not found.")
    page = list_visible_executions(request, family, cursor)
    context = {
        "families": families,
        "family": family,
        "rows": run_rows(request.site, page.rows),
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": f"{reverse('workflows:list-runs')}?{urlencode({'definition': family})}",
        "joiner": "&",
    }
    return render_answer(request, "workflows/runs/list.html", None, context)


def list_visible_executions(request: DeskRequest, family: str, cursor: str | None) -> Page[Execution]:
    """A family's runs, newest first, of documents that the person is let into."""
    return admission.filter_page(
        request,
        lambda place: queries.executions(request.site, family, cursor=place),
        cursor,
        lambda run: run.document_id,
    )


def run_rows(site: str, found: Iterable[Execution]) -> list[RunRow]:
    """The index of runs carries no names: one batch read fetches those of the page."""
    runs = [(run, str(run.GSI1SK).rpartition("#")[2]) for run in found]
    keys = [
        table.DOCUMENT_WORKFLOW.key(site, document_id=run.document_id, workflow_id=run_id)
        for run, run_id in runs
        if run.document_id
    ]
    with translate_store_errors():
        links = {link.SK: link for link in DocumentWorkflow.batch_get([tuple(key) for key in keys])} if keys else {}
    by_run = {sk.rpartition("#")[2]: link for sk, link in links.items()}
    return [
        RunRow(
            run,
            run_id,
            str(by_run[run_id].data["file_name"]) if run_id in by_run else run_id,
            str(by_run[run_id].project_name or "") if run_id in by_run else "",
            str(by_run[run_id].definition or FIRST_ANALYSIS.id) if run_id in by_run else "",
            state_labels.of_run(run.outcome, waits=_waits(run, by_run.get(run_id))),
            state_labels.start_of_run(run_id),
        )
        for run, run_id in runs
    ]


def _waits(run: Execution, link: DocumentWorkflow | None) -> bool:
    """Whether it is at the approval of its own version, which its link names."""
    pinned = DEFINITIONS.get((link and link.definition) or FIRST_ANALYSIS.id, FIRST_ANALYSIS)
    return int(run.currentStep) in {step.order for step in pinned.steps if step.type == "approval"}


@require_safe
def newest_run(request: DeskRequest, document_id: str) -> HttpResponse:
    """Leads to a document's newest run, where a list could not name it."""
    access.check_can_view(request)
    admission.check_document(request, document_id)
    try:
        found = seed_000.newest_run(request.site, document_id)
    except table.InvalidKey:
        found = None
    if found is None:
        raise NotFound("This document has not been processed yet.")
    return HttpResponseRedirect(reverse("workflows:show-run", args=[document_id, found]))


@require_safe
def show_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    page = _run_page(request, *run_of(request, document_id, workflow_id))
    return record_view(request, page, document_id)


@require_safe
def poll_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """204 while nothing has changed since ``seen``; the fragment of an ended run asks no more."""
    board, link = run_of(request, document_id, workflow_id)
    if request.GET.get("seen") == _make_poll_token(board, _slices(board)):
        return HttpResponse(status=204)
    return _run_page(request, board, link)


def _slices(board: WorkflowSteps) -> Join | None:
    """How far the running step is where slices do it, which only documents of many pages have."""
    if board.outcome or int(board.page_count or 0) <= paddleocr_processor.PAGES:
        return None
    return engine_queries.newest_join(table.site_of(board.PK), str(board.workflow_id), str(board.current_step))


def _make_poll_token(board: WorkflowSteps, join: Join | None) -> str:
    return f"{board.updated_at} {len(join.done or ())}" if join else str(board.updated_at)


class Slices(NamedTuple):
    """Of the running step, how many are done of all."""

    step: str | None
    done: int
    all: int


def _ways(board: WorkflowSteps, link: Link | None) -> Sequence[tuple[ResumeWay, str]]:
    """How a person may have the run go on, with the button's words; the first is the usual one."""
    if link is not None or board.replaced_by or board.outcome not in RESUMABLE:
        return ()
    if board.outcome == Outcome.PARTIAL:
        return ((ResumeWay.RETRY, "Retry failed pages"), (ResumeWay.ACCEPT, "Continue without them"))
    return () if _has_ended_in_review(board) else ((ResumeWay.AGAIN, "Retry"),)


def _has_ended_in_review(board: WorkflowSteps) -> bool:
    steps = board.data.as_dict()
    return any((steps.get(name) or {}).get("status") == StepStatus.FAILED for name in APPROVALS)


class Failure(NamedTuple):
    label: str
    error: str


def _run_page(request: DeskRequest, board: WorkflowSteps, link: Link | None) -> HttpResponse:
    waits = board.current_step in APPROVALS and not board.outcome
    definition = seed_000.definition_of(board)
    steps = state_labels.step_rows(definition, board, link)
    told = Failure("The analysis", link.error) if link and link.error else None
    kept = queries.run_kept_instead(board)
    segments, following = segments_of(request, board, link)
    join = _slices(board)
    context = {
        "board": board,
        "seen": _make_poll_token(board, join),
        "slices": join and Slices(board.current_step, len(join.done or ()), int(join.slices)),
        "ways": _ways(board, link),
        "earlier": link is not None,
        "mark": state_labels.of_run(board.outcome, waits=waits, beside=bool(kept)),
        "kept": kept,
        "stands_beside": kept and board.outcome == Outcome.PUBLISHED,
        "waits": waits,
        "moving": not board.outcome and not waits,  # a person may take days: nothing moves until then
        "aside": board.aside and not board.outcome and not waits,
        "failed": next((Failure(step.label, step.error) for step in steps if step.error), told),
        "partial": board.outcome == Outcome.PARTIAL and board.data[PARTIAL_AT]["reason"],
        "cancelled": board.outcome == Outcome.CANCELLED,
        "steps": steps,
        "definition": definition,
        "bars": bars_of(steps, APPROVALS),
        "left_out": [step for step in steps if step.mark.tone == "skipped" and not step.started_at],
        "prompt_unused": (board.data.as_dict().get("segment_analyzer") or {}).get("prompt_unused"),
        "paused": next((Failure(step.label, step.paused) for step in steps if step.paused), None),
        "cost": str(run_cost.of_board(board)),
        "models_asked": _has_asked_models(board),
        "segments": segments,
        "next_segments": following,
    }
    return render_answer(request, "workflows/runs/show.html", "workflows/runs/_run.html", context)


@require_safe
def show_lineage(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_view(request)
    admission.check_document(request, document_id)
    if not access.can_delete(request) and removals.is_gone(request.site, document_id):
        raise NotFound("Document not found.")  # what was deleted is for those who may bring it back
    page = queries.lineage(request.site, document_id, cursor=request.GET.get("after"))
    hidden = names_in_document(request, document_id)
    rows = list_event_rows(page.rows, hidden, in_full=not hidden or access.can_see_personal(request))
    derived = not rows and seed_000.wrote(workflow_id)
    if derived:  # that system keeps no history: its steps tell most of it
        rows = list_step_rows(*run_of(request, document_id, workflow_id))
    if not rows and not derived:
        raise NotFound("Document not found.")
    ids = {"document_id": document_id, "workflow_id": workflow_id}
    context = {"rows": rows, "next": page.next, "derived": derived, **ids}
    return render_answer(request, "workflows/runs/lineage.html", "workflows/runs/_lineage.html", context)


def _has_asked_models(board: WorkflowSteps) -> bool:
    """Whether it came to such a step by itself; one that was taken over from another run began in that one."""
    steps = board.data.as_dict()
    return any((steps.get(name) or {}).get("started_at") for name in board.asks_at or ())
