"""Writes of executions without a document: one conditional transaction each, with its audit event."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, logs, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused
from config.item import Item
from config.phrase import Phrase, Sentence
from config.transaction import Change, Delete, Put, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from workflows.definitions import versions
from workflows.definitions.blueprint import END, Definition, StepDefinition
from workflows.engine import waits
from workflows.executions import data, queries
from workflows.executions.approvals import forget_reviews, plan_withdrawal
from workflows.executions.items import STATUS_AT_END, ExecutionInput, ExecutionOutcome, InputExecution
from workflows.runs import engine_choice, events
from workflows.runs.actions import advance
from workflows.runs.items import DocumentEvent, RunStatus, Transition

_REUSED = Phrase(
    "This Idempotency-Key was used to start another execution. Nothing was started. Use a new key for each."
)
_PURGED = Phrase("The execution started with this Idempotency-Key was purged. Send a new key to start it again.")
_ENDED = Phrase("This execution has ended.")
_CANCELLED = Sentence("Cancelled by %(name)s.")


@dataclass(frozen=True)
class Wish:
    """A request to start an execution. ``key``: an idempotency key."""

    definition: Definition
    title: str
    input: str
    key: str = ""

    def id_for(self, site: str, by: Actor) -> str:
        """Return the id derived from the caller's key, or a new one."""
        if not self.key:
            return clock.new_ulid()
        return hashlib.sha256("\n".join([site, by.id, self.key]).encode()).hexdigest()[:26]


def new_form_id() -> str:
    """Return an id for a form, so that a form that is sent twice starts one execution."""
    return clock.new_ulid()


def create_execution(site: str, wish: Wish, *, by: Actor, execution_id: str = "") -> tuple[InputExecution, bool]:
    """Create the execution at its first step; the second value is whether it is new. The caller starts the engine.

    Raises:
        Refused: the definition runs on documents, or the key was used for another execution.

    """
    if wish.definition.needs_document:
        raise Refused(
            gettext("%(name)s runs on documents. Upload one, or choose another workflow.")
            % {"name": wish.definition.name}
        )
    execution = _new_row(site, wish, execution_id or wish.id_for(site, by), by=by)
    key = queries.input_key(site, execution.executionId)
    rows = [Put(execution), Put(ExecutionInput(*key, json=wish.input, sha256=execution.input_sha256))]
    told = _record(site, execution, "started", by, {"definition": wish.definition.id})
    facts = {"workflow": wish.definition.name, "definition": wish.definition.id}
    bus = events.of_execution(site, execution.executionId, events.EXECUTION_STARTED, facts)
    try:
        written = transact(rows, told, bus)
    except Conflict as conflict:
        known = InputExecution.load(execution.key)
        if known.purged_at:
            raise Refused(_PURGED) from conflict
        if (known.input_sha256, known.workflowId) != (execution.input_sha256, execution.workflowId):
            raise Refused(_REUSED) from conflict
        return known, False
    _publish(written)
    return execution, True


def _new_row(site: str, wish: Wish, execution_id: str, *, by: Actor) -> InputExecution:
    now = clock.iso(clock.now())
    family = wish.definition.name
    key = queries.execution_key(site, execution_id)
    return InputExecution(
        key.pk,
        key.sk,
        **table.INPUT_EXECUTION.gsi1(site, workflow_id=family, datetime=now, execution_id=execution_id),
        **InputExecution.due_keys(_next_check(), execution_id=execution_id),
        executionId=execution_id,
        workflowId=family,
        status=RunStatus.RUNNING,
        currentStep=1,
        triggeredBy=by.id,
        started_by=by.name,
        createdAt=now,
        updatedAt=now,
        title=wish.title or family,
        definition=wish.definition.id,
        request_id=logs.request_id() or None,
        engine_attempt=1,
        engine=engine_choice.choose_engine(),
        step_attempt=1,
        input_sha256=data.hash_input(wish.input),
    )


def _next_check() -> str:
    return clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS))


def if_at(step: int, attempt: int) -> Condition:
    """Return the condition that it is running at this step, driven by this attempt."""
    running: Condition = InputExecution.status == RunStatus.RUNNING
    here: Condition = running & (InputExecution.currentStep == step) & (InputExecution.engine_attempt == attempt)
    return here


@dataclass(frozen=True)
class Leaving:
    """How a step is left, as its transition records it. ``bus_type``: an event to publish as well.

    ``corrected``: the input from now on, and before; the facts list its changed entries with both values. ``also``:
    further changes, and ``still`` a further condition on the execution.
    """

    result: str
    to: int
    outcome: ExecutionOutcome | None = None
    reason: str = ""
    facts: Mapping[str, Any] | None = None
    bus_type: str = ""
    corrected: tuple[str, str] | None = None
    also: Sequence[Change] = ()
    still: Condition | None = None

    @property
    def word(self) -> str:
        """Return the name of the audit event."""
        if self.outcome == ExecutionOutcome.CANCELLED:
            return "cancelled"
        return "ended" if self.outcome else "advanced"


def leave_step(
    site: str, execution: InputExecution, step: StepDefinition, leaving: Leaving, *, attempt: int, by: Actor
) -> str:
    """Advance the execution by one guarded step, or end it; return the transition's id.

    Raises:
        Conflict: it has moved on, has ended, or a newer attempt drives it.

    """
    transition_id, now = clock.ulid_after(execution.last_transition), clock.iso(clock.now())
    ended = leaving.outcome
    actions: list[Action] = [
        InputExecution.currentStep.set(leaving.to),
        InputExecution.status.set(STATUS_AT_END[ended] if ended else RunStatus.RUNNING),
        InputExecution.updatedAt.set(now),
        InputExecution.last_transition.set(transition_id),
        InputExecution.step_attempt.set(attempt),
        InputExecution.review.remove(),
        InputExecution.waits_until.remove(),
    ]
    if ended:
        actions += [InputExecution.outcome.set(ended), *due_work.finish_actions()]
        actions.append(InputExecution.reason.set(leaving.reason) if leaving.reason else InputExecution.reason.remove())
    else:
        actions += due_work.postpone_actions(InputExecution, _next_check(), execution_id=execution.executionId)
    facts = {**(leaving.facts or {}), **({"reason": leaving.reason} if leaving.reason else {})}
    transition = Transition(
        *table.TRANSITION.key(site, execution_id=execution.executionId, transition_id=transition_id),
        fromStep=step.order,
        toStep=leaving.to,
        result=leaving.result,
        data=facts or None,
        occurredAt=now,
    )
    here = if_at(step.order, attempt)
    if leaving.still is not None:
        here &= leaving.still
    changes: list[Change] = [
        Update(execution.key, actions, here, of=InputExecution, name="execution"),
        Put(transition),
        *leaving.also,
    ]
    if leaving.corrected:
        after, before = leaving.corrected
        same = ExecutionInput.sha256 == data.hash_input(before)
        set_input: list[Action] = [ExecutionInput.json.set(after), ExecutionInput.sha256.set(data.hash_input(after))]
        changes.append(Update(queries.input_key(site, execution.executionId), set_input, same, of=ExecutionInput))
    payload = {"step": step.name, "result": leaving.result} | ({"outcome": ended.value} if ended else {})
    if corrections := facts.get("corrections"):
        payload["corrected"] = ", ".join(one["entry"] for one in corrections)  # values must not outlive a purge
    told: list[RecordAt] = [_record(site, execution, leaving.word, by, payload)]
    told += _bus_events(site, execution, step, leaving)
    _publish(transact(changes, *told))
    return transition_id


def _bus_events(
    site: str, execution: InputExecution, step: StepDefinition, leaving: Leaving
) -> Sequence[events.EventAt]:
    facts = {"workflow": execution.workflowId, "definition": execution.definition, "step": step.name}
    found = []
    if leaving.bus_type:
        found.append(events.of_execution(site, execution.executionId, leaving.bus_type, facts))
    if leaving.outcome:
        ended = {**facts, "outcome": leaving.outcome.value}
        found.append(events.of_execution(site, execution.executionId, events.EXECUTION_ENDED, ended))
    return found


def end_execution(
    site: str, execution: InputExecution, outcome: ExecutionOutcome, reason: str, *, attempt: int, by: Actor
) -> None:
    """End it at its current step. Raises: Conflict if it has ended or a newer attempt drives it."""
    if int(execution.currentStep) == END:
        raise Conflict(_ENDED)
    leave_step(
        site, execution, _step_of(execution), Leaving(outcome.value, END, outcome, reason), attempt=attempt, by=by
    )


def _step_of(execution: InputExecution) -> StepDefinition:
    return versions.find_definition(execution.definition).step(int(execution.currentStep))


def cancel_execution(site: str, execution_id: str, *, by: Actor) -> InputExecution:
    """Cancel it for a person; its open review leaves the queue in the same transaction.

    Raises:
        NotFound: there is none.
        Conflict: it has ended, or was just decided.

    """
    execution = queries.get_execution(site, execution_id)
    if execution.status != RunStatus.RUNNING:
        raise Conflict(_ENDED)
    same_review = (
        InputExecution.review == execution.review if execution.review else InputExecution.review.does_not_exist()
    )  # otherwise another review would stay in its queue
    outcome = ExecutionOutcome.CANCELLED
    leaving = Leaving(
        outcome.value,
        END,
        outcome,
        _CANCELLED.fill(name=by.name),
        also=plan_withdrawal(site, execution),
        still=same_review,
    )
    try:
        leave_step(site, execution, _step_of(execution), leaving, attempt=int(execution.engine_attempt), by=by)
    except Conflict as conflict:
        raise Conflict(
            gettext("This execution is at another step now. Nothing was cancelled; reload the page.")
        ) from conflict
    return execution


def begin_next_attempt(site: str, execution: InputExecution, *, why: str) -> int:
    """Make the next attempt its driver before the engine starts. Raises: Conflict if another repair was first."""
    attempt = int(execution.engine_attempt)
    actions = [
        *advance.begin_attempt(attempt + 1),
        *due_work.postpone_actions(InputExecution, _next_check(), execution_id=execution.executionId),
        InputExecution.updatedAt.set(clock.iso(clock.now())),
    ]
    change = Update(execution.key, actions, if_at(int(execution.currentStep), attempt), of=InputExecution)
    told = _record(site, execution, "restarted", Actor("system", "system"), {"attempt": attempt + 1, "why": why})
    transact([change], told)
    return attempt + 1


def note_review(execution: InputExecution, review_id: str, *, step: int, attempt: int) -> None:
    """Record the review that it waits for, also for a purge. Raises: Conflict if it has moved on."""
    noted = [InputExecution.review.set(review_id), InputExecution.reviews.add({review_id})]
    InputExecution.change(execution.key, noted, if_at(step, attempt))


def begin_wait(site: str, execution: InputExecution, step: StepDefinition, *, attempt: int, until: str) -> None:
    """Record the end of a wait. Raises: Conflict if it has moved on or another message was first."""
    look = waits.look_at(until, kind=execution.engine)
    actions = [
        InputExecution.waits_until.set(until),
        *due_work.postpone_actions(InputExecution, look, execution_id=execution.executionId),
    ]
    still = if_at(step.order, attempt) & InputExecution.waits_until.does_not_exist()
    told = _record(site, execution, "waits", Actor("system", "system"), {"step": step.name, "until": until})
    transact([Update(execution.key, actions, still, of=InputExecution)], told)


def purge_execution(site: str, execution_id: str, *, by: Actor) -> None:
    """Destroy its input and the output of its steps; the row stays, so that its id cannot be reused.

    Raises:
        NotFound: there is none.
        Refused: it has not ended.

    """
    execution = queries.get_execution(site, execution_id)
    if execution.status == RunStatus.RUNNING:
        raise Refused(gettext("This execution has not ended. Cancel it first."))
    gone: list[Action] = [
        InputExecution.purged_at.set(clock.iso(clock.now())),
        InputExecution.title.remove(),
        InputExecution.reason.remove(),
        InputExecution.GSI1PK.remove(),
        InputExecution.GSI1SK.remove(),
    ]
    ended: Condition = (InputExecution.status != RunStatus.RUNNING) & InputExecution.purged_at.does_not_exist()
    changes: list[Change] = [
        Update(execution.key, gone, ended, of=InputExecution),
        Delete(queries.input_key(site, execution_id)),
        *(Delete(one.key) for one in queries.list_transitions(site, execution_id)),
    ]
    told = _record(site, execution, "purged", by, {"definition": execution.definition})
    forget_reviews(site, execution)  # first: without the row's ids they could not be found again
    try:
        transact(changes, told)
    except Conflict as conflict:
        raise NotFound(queries.MISSING) from conflict


def _record(site: str, execution: InputExecution, word: str, by: Actor, payload: Mapping[str, Any]) -> RecordAt:
    about = {"workflow": execution.workflowId, **payload}
    return entity_event(site, "execution", execution.executionId, word, by=by, payload=about)


def _publish(written: Sequence[Item]) -> None:
    for one in written:
        if isinstance(one, DocumentEvent):
            events.publish_soon(one)
