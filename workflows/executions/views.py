"""Pages of executions without a document: those of a workflow, one as it goes on, and starting one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotFound, Refused
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.definitions import diagram, versions
from workflows.definitions.blueprint import Definition
from workflows.definitions.diagram import StepState
from workflows.executions import actions, approvals, data, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import ExecutionOutcome, InputExecution
from workflows.executions.visibility import get_visible, is_visible, list_closed_names
from workflows.runs.items import RunStatus, Transition
from workflows.runs.views.state_labels import Mark

_RUNNING = Mark("info", "run", "Running")
_WAITING = Mark("warn", "user", "Needs approval")
_ENDS: Mapping[str, Mark] = {
    ExecutionOutcome.COMPLETED: Mark("good", "check", "Completed"),
    ExecutionOutcome.REJECTED: Mark("", "x", "Rejected"),
    ExecutionOutcome.EXPIRED: Mark("bad", "clock", "Approval expired"),
    ExecutionOutcome.FAILED: Mark("bad", "alert", "Failed"),
    ExecutionOutcome.CANCELLED: Mark("", "x", "Cancelled"),
}
_ROOM = 36  # letters of a box's second line


@dataclass(frozen=True)
class ExecutionRow:
    execution: InputExecution
    mark: Mark
    step: str  # where it stands, while it runs


@dataclass(frozen=True)
class HistoryLine:
    """A step that it left. ``by``: who decided, of an approval."""

    label: str
    result: str
    reason: str
    by: str
    at: str


def mark_of(execution: InputExecution) -> Mark:
    if execution.outcome:
        return _ENDS[execution.outcome]
    return _WAITING if execution.review else _RUNNING


@require_safe
def list_executions(request: DeskRequest) -> HttpResponse:
    """``?workflow=``: the name of one that needs no document; the first there is without."""
    access.check_can_view(request)
    families = sorted(versions.list_without_documents())
    family, cursor = request.GET.get("workflow") or (families[0] if families else ""), request.GET.get("after")
    if family and family not in families:
        raise NotFound("Workflow definition not found.")
    rows: list[ExecutionRow] = []
    following = None
    if family:
        page = queries.list_executions(request.site, family, cursor=cursor)
        by, closed = actor_of(request.user), list_closed_names(request)
        rows = [_row(one) for one in page.rows if is_visible(one, by, closed)]
        following = page.next
    context = {
        "families": families,
        "family": family,
        "rows": rows,
        "next_cursor": following,
        "is_first": not cursor,
        "first_url": f"{reverse('workflows:list-executions')}?{urlencode({'workflow': family})}",
        "joiner": "&",
    }
    return render_answer(request, "workflows/executions/list.html", None, context)


def _row(execution: InputExecution) -> ExecutionRow:
    order = int(execution.currentStep)
    step = versions.find_definition(execution.definition).step(order).label if order > 0 else ""
    return ExecutionRow(execution, mark_of(execution), step)


@require_safe
def show_execution(request: DeskRequest, execution_id: str) -> HttpResponse:
    """Htmx gets what moves while it runs."""
    access.check_can_view(request)
    execution = get_visible(request, execution_id, actor_of(request.user))
    definition = versions.find_definition(execution.definition)
    moves = queries.list_transitions(request.site, execution_id)
    text = queries.get_input(request.site, execution_id)
    context = {
        "execution": execution,
        "definition": definition,
        "mark": mark_of(execution),
        "moves": _lines(definition, moves),
        "drawing": diagram.draw_definition(definition, _states(definition, execution, moves)),
        "steps": definition.steps,
        "values": list(data.list_values(text)),
        "input": json.dumps(json.loads(text), ensure_ascii=False, indent=2),
        "runs": execution.status == RunStatus.RUNNING,
        "review_url": approvals.review_path(execution),
        "page_url": reverse("workflows:show-execution", args=[execution_id]),
    }
    page, fragment = "workflows/executions/show.html", "workflows/executions/_progress.html"
    return render_answer(request, page, fragment, context)


def _lines(definition: Definition, moves: Sequence[Transition]) -> list[HistoryLine]:
    labels = {step.order: step.label for step in definition.steps}
    found = []
    for one in moves:
        facts = one.data.as_dict() if one.data else {}
        words = one.result.replace("_", " ").capitalize()
        found.append(
            HistoryLine(
                labels.get(int(one.fromStep), ""), words, facts.get("reason", ""), facts.get("by", ""), one.occurredAt
            )
        )
    return found


def _states(definition: Definition, execution: InputExecution, moves: Sequence[Transition]) -> dict[str, StepState]:
    """For the diagram: what its boxes say of each step."""
    left = {int(one.fromStep): one for one in moves}
    states = {}
    for step in definition.steps:
        move = left.get(step.order)
        if move is not None:
            bad = bool(execution.outcome) and int(move.toStep) < 1 and execution.outcome != ExecutionOutcome.COMPLETED
            told = move.result.replace("_", " ").capitalize()
            states[step.name] = StepState("warn" if bad else "done", told[:_ROOM])
        elif step.order == int(execution.currentStep):
            states[step.name] = StepState("now", mark_of(execution).words)
        else:
            states[step.name] = StepState("todo", "Not run" if execution.outcome else "Pending")
    return states


@require_http_methods(["GET", "POST"])
def start_execution(request: DeskRequest) -> HttpResponse:
    """``workflow``, ``title``, ``input``: JSON; ``form_id`` makes a form that is sent twice one execution."""
    access.check_can_upload(request)
    families = _startable()
    typed: Mapping[str, Any] = request.POST if request.method == "POST" else request.GET
    errors: dict[str, str] = {}
    if request.method == "POST":
        by = actor_of(request.user)
        try:
            wish = _wish(request, errors)
            if not errors:
                execution, _ = starting.start_execution(request.site, wish, by=by)
                messages.success(request, "Execution started.")
                where = reverse("workflows:show-execution", args=[execution.executionId])
                return redirect_after_post(request, where)
        except Refused as error:
            errors.setdefault("workflow", str(error))
    context = {
        "families": families,
        "typed": typed,
        "errors": errors,
        "most_bytes": data.MOST_BYTES,
        "longest": data.LONGEST_TITLE,
        "form_id": typed.get("form_id") or actions.new_form_id(),
    }
    return render_answer(request, "workflows/executions/new.html", None, context, status=422 if errors else 200)


def _startable() -> list[str]:
    """The workflows without documents that have an active version."""
    without = versions.list_without_documents()
    return [one.name for one in versions.list_families() if one.active and one.name in without]


def _wish(request: DeskRequest, errors: dict[str, str]) -> Wish:
    """``errors``: what is wrong, by the name of the entry. Raises: Refused, of the workflow."""
    post = request.POST
    title = text = ""
    try:
        title = data.check_title(post.get("title", ""))
    except Refused as error:
        errors["title"] = str(error)
    try:
        text = data.write_input(data.read_typed_input(post.get("input", "")))
    except Refused as error:
        errors["input"] = str(error)
    definition = starting.startable_definition(post.get("workflow", ""))
    return Wish(definition, title, text, key=f"form {post['form_id'][:64]}" if post.get("form_id") else "")


@require_POST
def cancel_execution(request: DeskRequest, execution_id: str) -> HttpResponse:
    access.check_can_upload(request)
    by = actor_of(request.user)
    get_visible(request, execution_id, by)
    starting.cancel_execution(request.site, execution_id, by=by)
    messages.success(request, "Execution cancelled.")
    return redirect_after_post(request, reverse("workflows:show-execution", args=[execution_id]))


@require_POST
def purge_execution(request: DeskRequest, execution_id: str) -> HttpResponse:
    """``sure``: checked by whoever means it."""
    access.check_can_delete(request)
    by = actor_of(request.user)
    execution = get_visible(request, execution_id, by)
    if not request.POST.get("sure"):
        raise Refused("Confirm that it is deleted for good.")
    actions.purge_execution(request.site, execution_id, by=by)
    messages.success(request, "Execution purged.")
    where = f"{reverse('workflows:list-executions')}?{urlencode({'workflow': execution.workflowId})}"
    return redirect_after_post(request, where)
