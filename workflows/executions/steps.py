"""One step of an execution without a document, whichever engine ordered it: do it, advance, say what follows."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import ActionFailed, Conflict, StageFailed, StaleAttempt
from projects.audit.events import Actor
from projects.web.links import page_url
from workflows.definitions import states, versions
from workflows.definitions.blueprint import APPROVE, END, Definition, StepDefinition
from workflows.engine.steps import OTHERWISE, Choice, choose_case
from workflows.executions import actions, data, queries
from workflows.executions.actions import Leaving
from workflows.executions.items import ExecutionOutcome, InputExecution
from workflows.publish import action_kinds, webhooks
from workflows.publish.webhooks import Delivery
from workflows.runs.items import Run, RunStatus
from workflows.runs.queries import transition_from

SYSTEM = Actor("system", "system")


@dataclass(frozen=True)
class ExecutionStep:
    """A step as its message orders it, and the execution as it was then."""

    run: Run
    execution: InputExecution
    definition: Definition
    step: StepDefinition
    attempt: int

    @property
    def delivery_id(self) -> str:
        """The same each time it is done, so that whoever gets it twice can tell."""
        text = f"{self.run.site}/{self.execution.executionId}/step/{self.step.order}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def parameters(self) -> dict[str, str]:
        return dict(self.step.parameters)


def open_step(run: Run, *, step: int, attempt: int) -> ExecutionStep:
    """Raises: NotFound."""
    execution = queries.get_execution(run.site, run.workflow_id)
    definition = versions.find_definition(execution.definition)
    return ExecutionStep(run, execution, definition, definition.step(step), attempt)


def perform_step(work: ExecutionStep) -> Mapping[str, Any]:
    """Do it, or find that it was done; returns what the engine goes on with.

    A message that comes twice at once may do it twice, with one id: the guard lets one of them advance.

    Raises:
        StaleAttempt: a newer attempt drives the execution, or it has ended.
        StageFailed: trying again would not help.
        Unavailable: later may help.

    """
    if not is_at(work):
        return earlier_answer(work)
    try:
        leaving = _DOES[work.step.type](work)
    except ActionFailed as error:
        raise StageFailed(str(error)) from error
    return leave(work, leaving, by=SYSTEM)


def is_at(work: ExecutionStep) -> bool:
    """Whether the execution stands at this step and this attempt drives it. Raises: StaleAttempt."""
    execution = work.execution
    if int(execution.engine_attempt) > work.attempt:
        raise StaleAttempt("A newer attempt has taken over this execution.")
    return execution.status == RunStatus.RUNNING and int(execution.currentStep) == work.step.order


def leave(work: ExecutionStep, leaving: Leaving, *, by: Actor) -> Mapping[str, Any]:
    """Advance, or find that another message did. Raises: StaleAttempt."""
    try:
        last = actions.leave_step(work.run.site, work.execution, work.step, leaving, attempt=work.attempt, by=by)
    except Conflict:
        return earlier_answer(open_step(work.run, step=work.step.order, attempt=work.attempt))
    return {"next": leaving.to, "last": last}


def earlier_answer(work: ExecutionStep) -> Mapping[str, Any]:
    """What was answered when it was left. Raises: StaleAttempt, if it was not left by its own work."""
    execution = work.execution
    if int(execution.engine_attempt) > work.attempt:
        raise StaleAttempt("A newer attempt has taken over this execution.")
    done = transition_from(work.run, work.step.order)
    if done is None:
        raise StaleAttempt("The execution has moved on without this step.")
    to = int(done.toStep)
    handed = execution.handed is not None and execution.handed == execution.last_transition
    passed = {states.PASSED: True} if handed or int(execution.currentStep) != to else {}
    return {"next": to, "last": str(done.SK).rsplit("#", 1)[-1], **passed}


def decide(
    work: ExecutionStep, *, approved: bool, facts: Mapping[str, Any], reason: str, by: Actor
) -> Mapping[str, Any]:
    """Leave an approval with a person's decision. Raises: StaleAttempt."""
    if not is_at(work):
        return earlier_answer(work)
    to = work.step.after(APPROVE if approved else "")
    outcome = ExecutionOutcome.REJECTED if to == END else None
    word = "approved" if approved else "rejected"
    return leave(work, Leaving(word, to, outcome, reason, facts), by=by)


def choose_way(step: StepDefinition, text: str) -> Choice:
    """The first case of a choice that holds for the input."""
    return choose_case(step, data.facts_of(text))


def _take_case(work: ExecutionStep) -> Leaving:
    chosen = choose_way(work.step, queries.get_input(work.run.site, work.execution.executionId))
    return Leaving(chosen.outcome or OTHERWISE, work.step.after(chosen.outcome), reason=chosen.why)


def _finish(_work: ExecutionStep) -> Leaving:
    return Leaving("completed", END, ExecutionOutcome.COMPLETED)


def _notify(work: ExecutionStep) -> Leaving:
    return _NOTIFIES[work.step.does](work)


def _done(work: ExecutionStep, words: str, *, bus_type: str = "") -> Leaving:
    return Leaving("completed", work.step.after(), reason=words, bus_type=bus_type)


def _mail(work: ExecutionStep) -> Leaving:
    """Where to look, and nothing of what was sent: its title neither."""
    to = [one.strip() for one in work.parameters.get("to", "").split(",") if one.strip()]
    if not to:
        raise ActionFailed("No recipients. Add addresses to the workflow definition.")
    sentence = f"An execution of {work.definition.name} is at the step {work.step.label}."
    where = page_url(work.run.site, "workflows:show-execution", work.execution.executionId)
    text = f"{sentence}\n\n{where}\n\nSign in to view it.\n"
    action_kinds.send_mail(to, sentence.rstrip("."), text, work.delivery_id)
    return _done(work, f"Sent to {len(to)} address{'' if len(to) == 1 else 'es'}.")


def _event(work: ExecutionStep) -> Leaving:
    return _done(work, "Event sent.", bus_type=work.parameters["type"])


def _webhook(work: ExecutionStep) -> Leaving:
    """Ids alone: whoever wants more asks the API for it."""
    content = {
        "id": work.delivery_id,
        "type": "execution.step",
        "siteId": work.run.site,
        "executionId": work.execution.executionId,
        "workflow": work.definition.name,
        "step": work.step.name,
    }
    url = work.parameters.get("url", "")
    status = webhooks.deliver_webhook(Delivery(work.run.site, work.delivery_id, url, content))
    return _done(work, f"The receiver returned {status}.")


_NOTIFIES: Mapping[str, Callable[[ExecutionStep], Leaving]] = {"mail": _mail, "event": _event, "webhook": _webhook}
_DOES: Mapping[str, Callable[[ExecutionStep], Leaving]] = {
    "choice": _take_case,
    "notification": _notify,
    "finish": _finish,
}
