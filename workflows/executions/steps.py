"""One step of an execution without a document, for every engine: do it, advance, and say what follows."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from config.errors import ActionFailed, Conflict, StageFailed, StaleAttempt
from config.phrase import Sentence, count_sentence
from projects.audit.events import Actor
from projects.web.links import page_url
from workflows.definitions import states, versions
from workflows.definitions.blueprint import APPROVE, END, OTHERWISE, Definition, StepDefinition
from workflows.definitions.rules import Facts
from workflows.engine import waits
from workflows.engine.steps import Choice, choose_case
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
    """A step as ordered by its message, and the execution as read then."""

    run: Run
    execution: InputExecution
    definition: Definition
    step: StepDefinition
    attempt: int

    @property
    def delivery_id(self) -> str:
        """A stable id, by which recipients can detect a repetition."""
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
    """Do the step, or find that it was done; return what the engine continues with.

    If a message is delivered twice at the same time, the step may be done twice, with one id; only one advances.

    Raises:
        StaleAttempt: a newer attempt drives the execution, or it has ended.
        StageFailed: a retry would not help.
        Unavailable: a later retry may help.

    """
    if not is_at(work):
        return earlier_answer(work)
    try:
        if work.step.type == "wait" and (seconds := _wait(work)):
            return {"next": work.step.order, states.WAIT: seconds}
        leaving = _DOES[work.step.type](work)
    except ActionFailed as error:
        raise StageFailed(str(error)) from error
    return leave(work, leaving, by=SYSTEM)


def is_at(work: ExecutionStep) -> bool:
    """Return True if the execution is at this step and driven by this attempt. Raises: StaleAttempt."""
    execution = work.execution
    if int(execution.engine_attempt) > work.attempt:
        raise StaleAttempt(gettext("A newer attempt has taken over this execution."))
    return execution.status == RunStatus.RUNNING and int(execution.currentStep) == work.step.order


def leave(work: ExecutionStep, leaving: Leaving, *, by: Actor) -> Mapping[str, Any]:
    """Advance, or return what another message's advance answered. Raises: StaleAttempt."""
    try:
        last = actions.leave_step(work.run.site, work.execution, work.step, leaving, attempt=work.attempt, by=by)
    except Conflict:
        return earlier_answer(open_step(work.run, step=work.step.order, attempt=work.attempt))
    return {"next": leaving.to, "last": last}


def earlier_answer(work: ExecutionStep) -> Mapping[str, Any]:
    """Return the answer stored when the step was left. Raises: StaleAttempt if another attempt left it."""
    execution = work.execution
    if int(execution.engine_attempt) > work.attempt:
        raise StaleAttempt(gettext("A newer attempt has taken over this execution."))
    done = transition_from(work.run, work.step.order)
    if done is None:
        raise StaleAttempt(gettext("The execution has moved on without this step."))
    to = int(done.toStep)
    handed = execution.handed is not None and execution.handed == execution.last_transition
    passed = {states.PASSED: True} if handed or int(execution.currentStep) != to else {}
    return {"next": to, "last": str(done.SK).rsplit("#", 1)[-1], **passed}


def decide(
    work: ExecutionStep, *, approved: bool, facts: Mapping[str, Any], reason: str, by: Actor,
    corrections: Mapping[str, str | None],
) -> Mapping[str, Any]:  # fmt: skip
    """Leave an approval with a person's decision. ``corrections``: path → value, applied if approved.

    Raises: StaleAttempt; Refused if the data would be too large.
    """
    if not is_at(work):
        return earlier_answer(work)
    to = work.step.after(APPROVE if approved else "")
    outcome = ExecutionOutcome.REJECTED if to == END else None
    word = "approved" if approved else "rejected"
    leaving = Leaving(word, to, outcome, reason, facts)
    return leave(work, _correct(work, leaving, corrections) if approved else leaving, by=by)


def _correct(work: ExecutionStep, leaving: Leaving, corrections: Mapping[str, str | None]) -> Leaving:
    """Apply only the corrections that the workflow permits."""
    allowed = {path: value for path, value in corrections.items() if path in work.step.corrects}
    if not allowed:
        return leaving
    before = queries.get_input(work.run.site, work.execution.executionId)
    changes = [
        {"entry": path, "before": data.read_entry(before, path) or "", "after": value or ""}
        for path, value in allowed.items()
    ]
    facts = {**(leaving.facts or {}), "corrections": changes}
    return replace(leaving, facts=facts, corrected=(data.correct_entries(before, allowed), before))


def choose_way(step: StepDefinition, text: str) -> Choice:
    """Return the first matching case of a choice, or how long a wait would last."""
    return choose_case(step, data.facts_of(text))


def _take_case(work: ExecutionStep) -> Leaving:
    chosen = choose_case(work.step, _facts(work))
    return Leaving(chosen.outcome or OTHERWISE, work.step.after(chosen.outcome), reason=chosen.why)


def _wait(work: ExecutionStep) -> int:
    """Return the seconds until the next check; 0 if the wait is over."""
    if work.execution.waits_until:
        return waits.seconds_until(work.execution.waits_until)
    until = waits.find_end(work.step, _facts(work))
    if seconds := waits.seconds_until(until):
        with suppress(Conflict):  # another message recorded it, or it has moved on: the next order finds out
            actions.begin_wait(work.run.site, work.execution, work.step, attempt=work.attempt, until=until)
    return seconds


def _end_wait(work: ExecutionStep) -> Leaving:
    words = waits.describe_end(work.step, work.execution.waits_until or waits.find_end(work.step, _facts(work)))
    return Leaving("completed", work.step.after(), reason=words)


def _facts(work: ExecutionStep) -> Facts:
    return data.facts_of(queries.get_input(work.run.site, work.execution.executionId))


def _finish(_work: ExecutionStep) -> Leaving:
    return Leaving("completed", END, ExecutionOutcome.COMPLETED)


def _notify(work: ExecutionStep) -> Leaving:
    return _NOTIFIES[work.step.does](work)


def _done(work: ExecutionStep, words: str, *, bus_type: str = "") -> Leaving:
    return Leaving("completed", work.step.after(), reason=words, bus_type=bus_type)


def _mail(work: ExecutionStep) -> Leaving:
    """Mail a link, without any of the input, not even its title."""
    to = [one.strip() for one in work.parameters.get("to", "").split(",") if one.strip()]
    if not to:
        raise ActionFailed(gettext("No recipients. Add addresses to the workflow definition."))
    where = page_url(work.run.site, "workflows:show-execution", work.execution.executionId)
    with translation.override(settings.MAIL_LANGUAGE):
        said = gettext("An execution of %(workflow)s is at the step %(step)s.")
        sentence = said % {"workflow": work.definition.name, "step": gettext(work.step.label)}
        text = f"{sentence}\n\n{where}\n\n{gettext('Sign in to view it.')}\n"
    action_kinds.send_mail(to, sentence.rstrip(".。"), text, work.delivery_id)
    return _done(work, count_sentence("Sent to %(count)s address.", "Sent to %(count)s addresses.", len(to)))


def _event(work: ExecutionStep) -> Leaving:
    return _done(work, Sentence("Event sent."), bus_type=work.parameters["type"])


def _webhook(work: ExecutionStep) -> Leaving:
    """Send ids only; recipients can ask the API for more."""
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
    return _done(work, Sentence("The receiver returned %(status)s.").fill(status=status))


_NOTIFIES: Mapping[str, Callable[[ExecutionStep], Leaving]] = {"mail": _mail, "event": _event, "webhook": _webhook}
_DOES: Mapping[str, Callable[[ExecutionStep], Leaving]] = {
    "choice": _take_case,
    "notification": _notify,
    "wait": _end_wait,
    "finish": _finish,
}
