"""Pages of executions without a document: the list by workflow, one in progress, and the start form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotFound, Refused
from config.phrase import Phrase, begin_sentence, tell_sentence
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from workflows.definitions import diagram, versions
from workflows.definitions.blueprint import END, Definition, StepDefinition, tell_label
from workflows.definitions.diagram import LEADS, StepState, name_outcome, name_way
from workflows.executions import actions, approvals, data, queries, starting
from workflows.executions.actions import Wish
from workflows.executions.items import ExecutionOutcome, InputExecution
from workflows.executions.visibility import get_visible, list_visible
from workflows.runs.items import RunStatus, StepStatus, Transition
from workflows.runs.views.state_labels import NOT_RUN, STEPS, Mark, words_of_wait

_RUNNING = Mark("info", "run", Phrase("Running"))
_WAITING = Mark("warn", "user", Phrase("Needs approval"))
_ENDS: Mapping[str, Mark] = {
    ExecutionOutcome.COMPLETED: Mark("good", "check", Phrase("Completed")),
    ExecutionOutcome.REJECTED: Mark("", "x", Phrase("Rejected")),
    ExecutionOutcome.EXPIRED: Mark("bad", "clock", Phrase("Approval expired")),
    ExecutionOutcome.FAILED: Mark("bad", "alert", Phrase("Failed")),
    ExecutionOutcome.CANCELLED: Mark("", "x", Phrase("Cancelled")),
}
_RESULTS: Mapping[str, Phrase] = {
    "completed": Phrase("Completed"),
    "approved": Phrase("Approved"),
    **{outcome.value: Phrase(_ENDS[outcome].words) for outcome in ExecutionOutcome},
}
_ROOM = 36  # characters of a box's second line


@dataclass(frozen=True)
class ExecutionRow:
    execution: InputExecution
    mark: Mark
    step: str  # the current step, while it runs


@dataclass(frozen=True)
class HistoryLine:
    """A step that it left. ``by``: who decided, for approvals."""

    label: str
    result: str
    reason: str
    by: str
    at: str


def mark_of(execution: InputExecution) -> Mark:
    if execution.outcome:
        return _ENDS[execution.outcome]
    if execution.waits_until:
        return Mark("info", "clock", words_of_wait(execution.waits_until))
    return _WAITING if execution.review else _RUNNING


@require_safe
def list_executions(request: DeskRequest) -> HttpResponse:
    """``?workflow=``: the name of a workflow without documents; by default the first."""
    access.check_can_view(request)
    families = sorted(versions.list_without_documents())
    family, cursor = request.GET.get("workflow") or (families[0] if families else ""), request.GET.get("after")
    if family and family not in families:
        raise NotFound(gettext("Workflow definition not found."))
    rows: list[ExecutionRow] = []
    following = None
    if family:
        page = list_visible(request, family, actor_of(request.user), cursor)
        rows, following = [_row(one) for one in page.rows], page.next
    context = {
        "families": families,
        "family": family,
        "rows": rows,
        **page_links(request, following, f"{reverse('workflows:list-executions')}?{urlencode({'workflow': family})}"),
        "joiner": "&",
    }
    return render_answer(request, "workflows/executions/list.html", None, context)


def _row(execution: InputExecution) -> ExecutionRow:
    order = int(execution.currentStep)
    step = tell_label(versions.find_definition(execution.definition).step(order).label) if order > 0 else ""
    return ExecutionRow(execution, mark_of(execution), step)


@require_safe
def show_execution(request: DeskRequest, execution_id: str) -> HttpResponse:
    """Htmx polls the parts that change while it runs."""
    access.check_can_view(request)
    execution = get_visible(request, execution_id, actor_of(request.user))
    definition = versions.find_definition(execution.definition)
    moves = queries.list_transitions(request.site, execution_id)
    text = queries.get_input(request.site, execution_id)
    context = {
        "execution": execution,
        "definition": definition,
        "mark": mark_of(execution),
        "reason": tell_sentence(execution.reason or ""),
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
    steps = {step.order: step for step in definition.steps}
    labels = {order: tell_label(step.label) for order, step in steps.items()} | {END: Phrase("End").translated()}
    found = []
    for one in moves:
        facts = one.data.as_dict() if one.data else {}
        step = steps.get(int(one.fromStep))
        words = name_result(one.result, step)
        if step is not None and step.type == "choice" and int(one.toStep) in labels:
            words = LEADS.fill(outcome=words, target=labels[int(one.toStep)]).translated()
        found.append(
            HistoryLine(labels.get(int(one.fromStep), ""), words, _why(facts), facts.get("by", ""), one.occurredAt)
        )
    return found


def name_result(result: str, step: StepDefinition | None = None) -> str:
    """Return how a step ended, in the viewer's language; the ways of a choice have names of their own.

    ``step``: the choice, whose way if no case matches says for a composed step whether its conditions hold.

    >>> name_result("completed"), name_result("above_1000"), name_result("not_1")
    ('Completed', 'Above 1000', 'Does not apply')
    """
    words = name_outcome(result) if step is None else name_way(step, result)
    return (_RESULTS.get(result) or begin_sentence(Phrase(words))).translated()


def _why(facts: Mapping[str, Any]) -> str:
    """Return the reason and the corrections."""
    said = Phrase("%(entry)s changed from %(before)s to %(after)s.")
    nothing = Phrase("nothing")
    changed = (
        said.fill(entry=one["entry"], before=one["before"] or nothing, after=one["after"] or nothing).translated()
        for one in facts.get("corrections") or ()
    )
    return " ".join(filter(None, (tell_sentence(facts.get("reason", "")).translated(), *changed)))


def _states(definition: Definition, execution: InputExecution, moves: Sequence[Transition]) -> dict[str, StepState]:
    """Return the state of each step for the diagram."""
    left = {int(one.fromStep): one for one in moves}
    states = {}
    for step in definition.steps:
        move = left.get(step.order)
        if move is not None:
            bad = bool(execution.outcome) and int(move.toStep) < 1 and execution.outcome != ExecutionOutcome.COMPLETED
            states[step.name] = StepState("warn" if bad else "done", name_result(move.result, step)[:_ROOM])
        elif step.order == int(execution.currentStep):
            states[step.name] = StepState("now", mark_of(execution).words)
        else:
            states[step.name] = StepState("todo", (NOT_RUN if execution.outcome else STEPS[StepStatus.PENDING]).words)
    return states


@require_http_methods(["GET", "POST"])
def start_execution(request: DeskRequest) -> HttpResponse:
    """``workflow``, ``title``, ``input``: JSON; ``form_id`` is the idempotency key of the form."""
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
                messages.success(request, gettext("Execution started."))
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
    """List the workflows without documents that have an active version."""
    without = versions.list_without_documents()
    return [one.name for one in versions.list_families() if one.active and one.name in without]


def _wish(request: DeskRequest, errors: dict[str, str]) -> Wish:
    """``errors``: messages by field name. Raises: Refused for an error of the workflow."""
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
    messages.success(request, gettext("Execution cancelled."))
    return redirect_after_post(request, reverse("workflows:show-execution", args=[execution_id]))


@require_POST
def purge_execution(request: DeskRequest, execution_id: str) -> HttpResponse:
    """``sure``: the confirmation checkbox."""
    access.check_can_delete(request)
    by = actor_of(request.user)
    execution = get_visible(request, execution_id, by)
    if not request.POST.get("sure"):
        raise Refused(gettext("Confirm the permanent deletion: it cannot be undone."))
    actions.purge_execution(request.site, execution_id, by=by)
    messages.success(request, gettext("Execution purged."))
    where = f"{reverse('workflows:list-executions')}?{urlencode({'workflow': execution.workflowId})}"
    return redirect_after_post(request, where)
