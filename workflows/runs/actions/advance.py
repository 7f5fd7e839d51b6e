"""The single write of a run's state in all rows that show it, and the actions that advance or end a run."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, cast

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.item import Item
from config.table import Key
from config.transaction import EXISTS, Change, EventAt, Put, Update, transact
from projects.documents.actions.classification import Classified
from projects.documents.counting import shard_of
from projects.documents.items import DocumentStatus
from workflows.definitions.blueprint import ROUTED, Definition, StepDefinition
from workflows.runs import engine_choice, events, preprocess
from workflows.runs.actions import ocr, spending
from workflows.runs.actions.at_end import plan_end
from workflows.runs.actions.current_step import plan_current_step
from workflows.runs.actions.document_rows import NOTHING, DocumentState, More, write_document
from workflows.runs.items import (
    END,
    RUN_ENDS,
    DocumentEvent,
    DocumentWorkflow,
    Execution,
    Outcome,
    ProjectWorkflow,
    Run,
    RunFigures,
    RunState,
    RunStatus,
    StepStatus,
    Transition,
    WorkflowSteps,
    check_can_move,
    state_of,
)
from workflows.runs.preprocess import CrawlRequest


def execution_key(run: Run) -> Key:
    return table.EXECUTION.key(run.site, execution_id=run.workflow_id)


def board_key(run: Run) -> Key:
    return table.WORKFLOW_STEPS.key(run.site, workflow_id=run.workflow_id)


def drives(attempt: int, step: int) -> Condition:
    """Return the condition that the run is at ``step`` and driven by ``attempt``. It guards every message's write."""
    here: Condition = (Execution.currentStep == step) & (Execution.status == RunStatus.RUNNING)
    guard: Condition = here & (Execution.engine_attempt == attempt)
    return guard


@dataclass(frozen=True)
class RunPosition:
    """The state of a run at one moment.

    ``step``: ``END`` once it has ended. ``keeps``: the run whose result stays in use although this one ends.
    ``decided``: the run whose result a person decided or selected, while that is in use. ``left_out``: steps that the
    document skips.
    """

    run: Run
    definition: Definition
    step: int
    attempt: int = 1
    outcome: Outcome | None = None
    keeps: str = ""
    decided: str = ""
    left_out: frozenset[int] = frozenset()

    @property
    def crawls(self) -> bool:
        """Return True if the run reads a web page, whose row seed 000 stores in another place."""
        return any(step.needs == "web" and step.order not in self.left_out for step in self.definition.steps)

    @property
    def waits(self) -> bool:
        return self.step != END and self.definition.step(self.step).type == "approval"

    @property
    def state(self) -> RunState:
        return state_of(self.outcome, waits=self.waits)

    @property
    def status(self) -> RunStatus:
        return RUN_ENDS[self.outcome] if self.outcome else RunStatus.RUNNING

    @property
    def step_status(self) -> StepStatus:
        """The status of the whole board, and in seed 000's rows of the run."""
        return _BOARD_STATUS[self.status]

    @property
    def document(self) -> DocumentState:
        """The state of the document that follows from the run's."""
        run_id = self.run.workflow_id
        if not self.outcome:
            waits_at = self.definition.step(self.step).name if self.waits else ""
            status = DocumentStatus.WAITING if self.waits else DocumentStatus.IN_PROGRESS
            return DocumentState(status, run_id, self.decided, waits_at)
        status = DocumentStatus.PUBLISHED if self.keeps else DocumentStatus(self.outcome)
        return DocumentState(status, self.keeps or run_id, self.decided)


_BOARD_STATUS = {
    RunStatus.RUNNING: StepStatus.IN_PROGRESS,
    RunStatus.COMPLETED: StepStatus.COMPLETED,
    RunStatus.FAILED: StepStatus.FAILED,
}


@dataclass(frozen=True)
class Advance:
    """How a run leaves a step. ``outcome`` is set if ``to`` is ``END``; ``facts`` are stored on the transition.

    ``execution``: as read before. If the run ends, it says whether another run's result stays in use. ``used``: the
    step's usage with prices, as from ``workflows.runs.prices``; stored on the transition and the board. ``pinned``:
    further changes of the execution, since DynamoDB takes one operation an item and transaction. ``link``: of the run's
    own row, which seed 000 has too. ``request``: the request of a crawl. ``classified``: the type that the document is
    published as. ``document_if``: a further condition on the document's own row.
    """

    step: StepDefinition
    to: int
    attempt: int
    result: str
    status: StepStatus = StepStatus.COMPLETED
    reason: str | None = None
    outcome: Outcome | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    pinned: Sequence[Action] = ()
    link: Sequence[Action] = ()
    request: CrawlRequest | None = None
    check_at: dt.datetime | None = None
    used: Sequence[Mapping[str, Any]] = ()
    classified: Classified | None = None
    document_if: Condition | None = None
    execution: Execution | None = None


# Facts that the board shows: seed 000's counts, and that no model used the prompt.
_SHOWN = ("entity_count", "relationship_count", "prompt_unused")


def leave_step(before: RunPosition, after: RunPosition, left: Advance, transition_id: str, now: str) -> list[Change]:
    """Return the changes of execution, transition and board, and of seed 000's rows if they show the step."""
    last = [Execution.last_transition.set(transition_id), Execution.afresh.remove(), *left.pinned]
    changes = [
        _move_execution(before, after, last, now, check_at=left.check_at),
        _record_transition(before.run, transition_id, left, now),
        Update(board_key(before.run), [*_leave_step(left, now), *_enter_step(after, now)], EXISTS),
        *ocr.record_ocr(before.run, left.step.name, left.status, left.facts, now),
    ]
    told = [
        *left.link,
        *preprocess.leave(left.step.name, left.status, left.reason, now),
        *(preprocess.keep_request(left.request) if left.request else ()),
    ]
    if after.outcome:
        return [
            *changes,
            _move_in_project(after, now),
            *_write_link(after, told + _end_link(after, left.reason), left, now),
        ]
    entered = after.definition.step(after.step).name
    told += preprocess.enter(entered, now)
    return [*changes, *ocr.request_ocr(after.run, entered, now), *_write_link(after, told, left, now)]


def reopen(before: RunPosition, after: RunPosition, more: Sequence[Action], now: str) -> list[Change]:
    """Return the changes of execution, board and seed 000's rows of an ended run that is resumed."""
    to_come = [
        WorkflowSteps.data[one.name].set(step_entry(one, StepStatus.PENDING))
        for one in after.definition.steps
        if one.order > after.step and one.order not in after.left_out
    ]
    name = after.definition.step(after.step).name
    entered = preprocess.enter_again(after.definition, after.left_out, name, now)
    board = [
        *to_come,
        *_enter_step(after, now),
        WorkflowSteps.GSI1SK.set(after.step_status),
        WorkflowSteps.outcome.remove(),
        WorkflowSteps.updated_at.set(now),
    ]
    return [
        _move_execution(before, after, [Execution.outcome.remove(), *more], now),
        Update(board_key(after.run), board, EXISTS),
        _move_in_project(after, now),
        *ocr.request_ocr(after.run, name, now),
        *_write_link(after, [*_end_link(after, None), *entered], None, now),
    ]


def position_of(run: Run, definition: Definition, execution: Execution) -> RunPosition:
    """Return the run's position as its execution was read."""
    outcome = Outcome(execution.outcome) if execution.outcome else None
    place = place_of(run, execution, outcome)
    left_out = frozenset(int(order) for order in execution.left_out or ())
    step, attempt = int(execution.currentStep), int(execution.engine_attempt)
    return RunPosition(run, definition, step, attempt, outcome, *place, left_out)


class Place(NamedTuple):
    """Whose result is in use, as in ``RunPosition``."""

    keeps: str = ""
    decided: str = ""


def place_of(run: Run, execution: Execution | None, outcome: Outcome | None) -> Place:
    """A result that a person decided stays in use until a person decides or selects another."""
    if execution is None or outcome is None:
        return Place()
    keeps, decides = str(execution.keeps or ""), outcome == Outcome.PUBLISHED and bool(execution.decision_id)
    if decides and execution.decision_id != execution.carried:
        return Place("", run.workflow_id)
    return Place(keeps, keeps or (run.workflow_id if decides else ""))


def _move_execution(
    before: RunPosition, after: RunPosition, more: Sequence[Action], now: str, *, check_at: dt.datetime | None = None
) -> Update:
    run = after.run
    actions: list[Action] = [
        Execution.status.set(after.status),
        Execution.currentStep.set(after.step),
        Execution.step_attempt.set(after.attempt),
        Execution.updatedAt.set(now),
        *due_work.release_actions(),
        Execution.job.remove(),
        Execution.waits_until.remove(),
        *more,
    ]
    if after.attempt != before.attempt:
        actions += begin_attempt(after.attempt)
    if after.outcome:
        actions += [Execution.outcome.set(after.outcome), *due_work.finish_actions()]
    else:
        due_at = clock.iso(check_at or clock.in_seconds(settings.RUN_CHECK_SECONDS))
        plan = due_work.schedule_actions if before.outcome else due_work.postpone_actions
        actions += plan(Execution, due_at, execution_id=run.workflow_id)
    guard = drives(before.attempt, before.step)
    if before.outcome:
        guard = (Execution.engine_attempt == before.attempt) & (Execution.outcome == before.outcome)
    return Update(execution_key(run), actions, guard, name="run")


def begin_attempt(attempt: int) -> list[Action]:
    """Set the attempt that drives the run from now on, and its engine."""
    kind = engine_choice.choose_engine()
    engine = Execution.engine.set(kind) if kind else Execution.engine.remove()
    return [Execution.engine_attempt.set(attempt), engine]


def _record_transition(run: Run, transition_id: str, left: Advance, now: str) -> Put:
    key = table.TRANSITION.key(run.site, execution_id=run.workflow_id, transition_id=transition_id)
    data = facts_to_store(left.facts) | ({"reason": left.reason} if left.reason else {})
    if left.used:
        data["used"] = [dict(one) for one in left.used]
    return Put(
        Transition(
            *key,
            fromStep=left.step.order,
            toStep=left.to,
            result=left.result,
            data=data or None,
            occurredAt=now,
        )
    )


def facts_to_store(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Convert enums to text: PynamoDB's maps accept plain types only."""
    return {name: value.value if isinstance(value, StrEnum) else value for name, value in facts.items()}


def _leave_step(left: Advance, now: str) -> list[Action]:
    """Update the board's entry of the step that the run leaves."""
    step = WorkflowSteps.data[left.step.name]
    actions: list[Action] = [
        step["status"].set(left.status.value),
        step["ended_at"].set(now),
        WorkflowSteps.updated_at.set(now),
    ]
    if left.reason:
        word = "error" if left.status == StepStatus.FAILED else "reason"
        actions.append(step[word].set(left.reason))
    if left.used:
        actions.append(step["used"].set([dict(one) for one in left.used]))
    if isinstance(count := left.facts.get("segment_count"), int):
        actions += [step["segment_count"].set(count), WorkflowSteps.page_count.set(count)]
    return [*actions, *(step[name].set(left.facts[name]) for name in _SHOWN if name in left.facts)]


def _enter_step(after: RunPosition, now: str) -> list[Action]:
    """Update the board's entry of the step that the run enters, or its end."""
    if after.outcome:
        return [WorkflowSteps.GSI1SK.set(after.step_status), WorkflowSteps.outcome.set(after.outcome)]
    step = after.definition.step(after.step)
    return [
        WorkflowSteps.data[step.name].set(step_entry(step, StepStatus.IN_PROGRESS, started_at=now)),
        WorkflowSteps.data["current_step"].set(step.name),
        WorkflowSteps.current_step.set(step.name),
    ]


def step_entry(step: StepDefinition, status: StepStatus, **more: str) -> dict[str, str]:
    """Return a step's entry on the board, in seed 000's format."""
    return {"status": status.value, "label": step.label, **more}


def _move_in_project(after: RunPosition, now: str) -> Change:
    """Update seed 000's row of the run in its project."""
    run = after.run
    return Update(
        table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id),
        [ProjectWorkflow.data["status"].set(after.step_status.value), ProjectWorkflow.updated_at.set(now)],
        EXISTS,
    )


def _end_link(after: RunPosition, reason: str | None) -> list[Action]:
    """Update the run's own row when the run ends or is resumed."""
    error = DocumentWorkflow.data["error"]
    return [
        DocumentWorkflow.data["status"].set(after.step_status.value),
        error.set(reason) if reason and after.step_status == StepStatus.FAILED else error.remove(),
    ]


def _stand(after: RunPosition, now: str) -> Put:
    step = "" if after.step == END else after.definition.step(after.step).name
    return plan_current_step(after.run, after.definition, step, after.step_status, now)


def _write_link(after: RunPosition, told: Sequence[Action], left: Advance | None, now: str) -> list[Change]:
    """Update the run's own row, in two places for a web page; nothing if there are no changes."""
    run, owed = after.run, spending.of_run(left.used) if left else []
    ids = {"document_id": run.document_id, "workflow_id": run.workflow_id}
    changes: list[Change] = []
    if told or owed:
        actions = [*told, *owed, DocumentWorkflow.updated_at.set(now)]
        changes.append(Update(table.DOCUMENT_WORKFLOW.key(run.site, **ids), actions, EXISTS))
    if told and after.crawls:
        actions = [*told, DocumentWorkflow.updated_at.set(now)]
        changes.append(Update(table.WEB_WORKFLOW.key(run.site, **ids), actions, EXISTS))
    return changes


def figures_key(run: Run) -> Key:
    return table.RUN_FIGURES.key(run.site, bucket=shard_of(run.document_id), workflow_id=run.workflow_id)


def schedule_figures(run: Run, now: str, *, received: bool = False, ended: bool = False) -> Update:
    """Make the figures due at once, in a row of its own, so that no other run's write conflicts.

    ``received``: its document arrived with it.
    """
    actions: list[Action] = [
        *due_work.schedule_actions(RunFigures, now, workflow_id=run.workflow_id),
        RunFigures.project_id.set(run.project_id),
        RunFigures.document_id.set(run.document_id),
        RunFigures.workflow_id.set(run.workflow_id),
        RunFigures.ended_at.set(now) if ended else RunFigures.ended_at.remove(),
    ]
    if received:
        actions.append(RunFigures.received_at.set(now))
    return Update(figures_key(run), actions, of=RunFigures)


class AdvanceResult(NamedTuple):
    """The transition's id and the lineage event, which may have to be published."""

    last: str
    event: DocumentEvent


class Left(NamedTuple):
    """How a run left its step, and the id of the transition."""

    how: Advance
    transition_id: str


def write(
    before: RunPosition | DocumentState | None, after: RunPosition, now: str,
    *, left: Left | None = None, new_rows: Sequence[Item] = (), more: More = NOTHING,
) -> list[Change]:  # fmt: skip
    """Return all changes of rows that show a run's state, from ``before`` to ``after``, for one transaction.

    These are its execution, transition, step board and seed 000's rows of it, its document's two rows with their places
    in lists, the counters, its figures becoming due, and notices of its end. The run's own guard comes first.

    ``before``: for a run that begins (``new_rows``), what its document showed until now; None if that is new as well,
    whose rows the caller puts. ``left``: how it left its step; without it, an ended run is resumed. Conflicts name
    ``run``, ``project_document`` and ``document`` if those do not match ``before`` and the conditions of ``more``.

    Raises:
        CountersignError: there is no such transition (``RUN_MOVES``).

    """
    if not isinstance(before, RunPosition):
        check_can_move(None, after.state)
        own: list[Change] = [Put(row) for row in new_rows]
        own.append(schedule_figures(after.run, now, received=before is None))
        own.append(_stand(after, now))
        return [*own, *write_document(after.run, before, after.document, now, more=more)]
    check_can_move(before.state, after.state)
    if left:
        own = leave_step(before, after, left.how, left.transition_id, now)
    else:
        own = reopen(before, after, more.execution, now)
    if after.outcome or not left:
        own.append(schedule_figures(after.run, now, ended=bool(after.outcome)))
    own.append(_stand(after, now))
    if after.outcome and not after.keeps:
        own += plan_end(after.run, after.outcome, after.attempt, now)
    return [*own, *write_document(after.run, before.document, after.document, now, more=more)]


def advance(
    run: Run, definition: Definition, move: Advance, *, last: str | None, also: Sequence[Change] = (),
    by: events.Who = events.SYSTEM, event: EventAt | None = None,
) -> AdvanceResult:  # fmt: skip
    """Advance the run by one guarded step, or end it, with its event (docs/design.md, One step).

    ``last`` is the id of the run's last transition: the new one sorts after it, whatever the workers' clocks say.

    Raises:
        Conflict: with ``run`` in ``failed`` another message advanced the run first, or a newer attempt drives it;
            otherwise one of ``also`` did not hold.

    """
    transition_id = clock.ulid_after(last)
    guarded, *others = plan_advance(run, definition, move, transition_id, clock.iso(clock.now()))
    trace = events.of_step(run, definition, move.step.order, move.attempt, move.execution)
    told: EventAt = events.add_trace(cast("events.EventAt", event or _event(run, move, by)), trace)
    if keeps := place_of(run, move.execution, move.outcome).keeps:
        told = events.keep_beside(cast("events.EventAt", told), keeps)
    typed = move.classified.events if move.classified else ()
    written = transact([guarded, *also, *others], told, *typed)
    return AdvanceResult(transition_id, cast("DocumentEvent", written[0]))


def plan_advance(run: Run, definition: Definition, move: Advance, transition_id: str, now: str) -> list[Change]:
    """Return an advance's changes without its event, the guarded execution first."""
    place = place_of(run, move.execution, move.outcome)
    # If the execution was not read, nothing is known of its document.
    unneeded = {step.order for step in definition.steps if step.needs} if move.execution is None else ()
    left_out = frozenset(int(order) for order in (move.execution and move.execution.left_out) or unneeded)
    before = RunPosition(run, definition, move.step.order, move.attempt, left_out=left_out)
    after = RunPosition(run, definition, move.to, move.attempt, move.outcome, *place, left_out)
    routed = move.step.name == ROUTED and not move.outcome
    queue = str(move.facts.get("queue") or "") if routed else None
    more = More(queue=queue, classified=move.classified, document_if=move.document_if)
    return write(before, after, now, left=Left(move, transition_id), more=more)


def hold_slot(run: Run, mark: str, *, attempt: int) -> None:
    """Record the batch slot that a resumed run holds. Raises: Conflict if it has moved on already."""
    rests = (Execution.engine_attempt == attempt) & (Execution.status != RunStatus.RUNNING)
    Execution.change(execution_key(run), [Execution.batch_line.set(mark)], rests)


def _event(run: Run, move: Advance, by: events.Who) -> EventAt:
    word = "SKIPPED" if move.status == StepStatus.SKIPPED else "COMPLETED"
    return events.lineage(run, f"{move.step.name.upper()}_{word}", by=by, facts=_facts(move))


def _facts(move: Advance) -> dict[str, Any] | None:
    facts = {name: value for name, value in facts_to_store(move.facts).items() if isinstance(value, str | int | bool)}
    if move.reason:
        facts["reason"] = move.reason
    return facts or None


def fail(
    run: Run, definition: Definition, execution: Execution, *, attempt: int, error: str, sentence: str,
    outcome: Outcome = Outcome.FAILED, by: events.Who = events.SYSTEM, also: Sequence[Change] = (),
    document_if: Condition | None = None,
) -> AdvanceResult:  # fmt: skip
    """End the run at its current step; ``sentence`` is for people, ``document_if`` as in ``Advance``.

    Raises:
        Conflict: it has ended, moved on, or a newer attempt drives it; nothing was changed.

    """
    step = definition.step(int(execution.currentStep))
    move = Advance(
        step,
        END,
        attempt,
        result=error,
        status=StepStatus.FAILED,
        reason=sentence,
        outcome=outcome,
        document_if=document_if,
        execution=execution,
    )
    kind = _ENDINGS.get(outcome, "FAILED")
    detail = {"step": step.name, "error": error, "reason": sentence, "outcome": outcome}
    facts = {"step": step.name, "error": error, "reason": sentence}
    event = events.lineage(run, kind, by=by, facts=facts, bus_type=events.FAILED, bus_detail=detail)
    return advance(run, definition, move, last=execution.last_transition, also=also, event=event)


_ENDINGS = {Outcome.EXPIRED: "REVIEW_EXPIRED", Outcome.CANCELLED: "CANCELLED"}
