"""A run moves: one step forward or to its end, each in one transaction with its event."""

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
from config.table import Key
from config.transaction import EXISTS, Change, EventAt, Put, Update, transact
from projects.documents.actions.classification import Classified
from projects.documents.actions.documents import moved_to_queue
from projects.documents.document_status import DocumentStatus
from workflows.definitions.blueprint import ROUTED, Definition, StepDefinition
from workflows.publish.actions import notices
from workflows.runs import events, traces
from workflows.runs.actions import document_status, links, ocr
from workflows.runs.actions.links import Place
from workflows.runs.items.events import DocumentEvent
from workflows.runs.items.runs import Execution, Transition, WorkflowSteps
from workflows.runs.run import Run
from workflows.runs.status import END, RUN_ENDS, Outcome, RunStatus, StepStatus, check_can_move, state_of


@dataclass(frozen=True)
class Advance:
    """One guarded step forward. ``outcome`` is set where ``to`` is ``END``; ``facts`` go to the transition.

    ``execution``: as it was read before. Where the run ends, it says whether another run's result stays the document's.
    ``used``: what the step took, as ``workflows.runs.prices`` makes it; kept with the transition and the board.
    ``pinned`` are more changes of the execution itself: DynamoDB takes one operation an item and transaction.
    ``classified``: the type that the document is published as.
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
    check_at: dt.datetime | None = None
    used: Sequence[Mapping[str, Any]] = ()
    classified: Classified | None = None
    execution: Execution | None = None

    @property
    def place(self) -> Place:
        return links.place_of(self.execution, self.outcome) if self.outcome else Place()


# Facts that the board shows: counts as seed 000 does, and that no model read the prompt.
_SHOWN = ("entity_count", "relationship_count", "prompt_unused")


class Advanced(NamedTuple):
    """What an advance wrote: the transition's id and the lineage event, which may have to go on the bus."""

    last: str
    event: DocumentEvent


def execution_key(run: Run) -> Key:
    return table.EXECUTION.key(run.site, execution_id=run.workflow_id)


def board_key(run: Run) -> Key:
    return table.WORKFLOW_STEPS.key(run.site, workflow_id=run.workflow_id)


def drives(attempt: int, step: int) -> Condition:
    """The run is at ``step`` and ``attempt`` is its driver: the guard of every change that a message asks for."""
    here: Condition = (Execution.currentStep == step) & (Execution.status == RunStatus.RUNNING)
    guard: Condition = here & (Execution.engine_attempt == attempt)
    return guard


def advance(
    run: Run, definition: Definition, move: Advance, *, last: str | None, also: Sequence[Change] = (),
    by: events.Who = events.SYSTEM, event: EventAt | None = None,
) -> Advanced:  # fmt: skip
    """Execution, transition, board, links and event in one transaction (DESIGN section 1).

    ``last`` is the id of the run's last transition: the new one sorts behind it, whatever the clocks of workers say.

    Raises:
        Conflict: with ``run`` in ``failed`` another message advanced the run first, or a newer attempt drives it;
            otherwise one of ``also`` did not hold.

    """
    transition_id = clock.ulid_after(last)
    guarded, *others = moving(run, definition, move, transition_id, clock.iso(clock.now()))
    trace = traces.of_step(run, definition, move.step.order, move.attempt, move.execution)
    told: EventAt = events.traced(cast("events.EventAt", event or _event(run, move, by)), trace)
    if move.place.keeps:
        told = events.beside(cast("events.EventAt", told), move.place.keeps)
    typed = move.classified.events if move.classified else ()
    written = transact([guarded, *also, *others], told, *typed)
    return Advanced(transition_id, cast("DocumentEvent", written[0]))


def hold_slot(run: Run, mark: str, *, attempt: int) -> None:
    """Whose slot of a batch the run holds when it goes on. Raises: Conflict, where it has gone on already."""
    rests = (Execution.engine_attempt == attempt) & (Execution.status != RunStatus.RUNNING)
    Execution.change(execution_key(run), [Execution.batch_line.set(mark)], rests)


def moving(run: Run, definition: Definition, move: Advance, transition_id: str, now: str) -> list[Change]:
    """What one advance writes beside its event, the guarded execution first.

    Raises:
        CountersignError: no run may go from that step to that end.

    """
    goes_to_approval = move.to != END and definition.step(move.to).type == "approval"
    check_can_move(state_of(None, waits=move.step.type == "approval"), state_of(move.outcome, waits=goes_to_approval))
    changes: list[Change] = [
        _move_execution(run, move, transition_id, now),
        _transition(run, transition_id, move, now),
        _move_board(run, definition, move, now),
    ]
    changes += ocr.recorded(run, move.step.name, move.status, move.facts, now)
    if move.to == END and move.outcome:
        changes += links.closing(run, move.outcome, move.reason, now, move.place)
        if move.place.keeps:
            return changes + document_status.moved(run, document_status.at_step(move.step), DocumentStatus.PUBLISHED)
        changes += notices.planned(run, move.outcome, move.attempt, now)
        before, after = document_status.at_step(move.step), DocumentStatus(move.outcome)
        return changes + document_status.moved(run, before, after, classified=move.classified)
    return changes + _pause(run, move, definition.step(move.to), now)


def _pause(run: Run, move: Advance, entered: StepDefinition, now: str) -> list[Change]:
    """What an advance into a step that waits for a person writes more, and one out of it; one that routes, too."""
    before, after = document_status.at_step(move.step), document_status.at_step(entered)
    queue = str(move.facts.get("queue") or "") if move.step.name == ROUTED else None
    if before == after:
        # Published without a review, it belongs to the queue where its review would have waited.
        return [moved_to_queue(run.site, run.document_id, queue)] if queue else []
    name = entered.name if after == DocumentStatus.WAITING else None
    return [document_status.paused(run, name, after, now), *document_status.moved(run, before, after, queue=queue)]


def _event(run: Run, move: Advance, by: events.Who) -> EventAt:
    word = "SKIPPED" if move.status == StepStatus.SKIPPED else "COMPLETED"
    return events.lineage(run, f"{move.step.name.upper()}_{word}", by=by, facts=_facts(move))


def _facts(move: Advance) -> dict[str, Any] | None:
    facts = {name: value for name, value in _plain(move.facts).items() if isinstance(value, str | int | bool)}
    if move.reason:
        facts["reason"] = move.reason
    return facts or None


def _move_execution(run: Run, move: Advance, transition_id: str, now: str) -> Update:
    status = RUN_ENDS[move.outcome] if move.outcome else RunStatus.RUNNING
    actions: list[Action] = [
        Execution.currentStep.set(move.to),
        Execution.step_attempt.set(move.attempt),
        Execution.updatedAt.set(now),
        Execution.last_transition.set(transition_id),
        *due_work.release_actions(),
        Execution.job.remove(),
        Execution.afresh.remove(),
        *move.pinned,
    ]
    if move.outcome:
        actions += [
            Execution.status.set(status),
            Execution.outcome.set(move.outcome),
            *due_work.finish_actions(),
        ]
    else:
        check_at = move.check_at or clock.in_seconds(settings.RUN_CHECK_SECONDS)
        actions += due_work.postpone_actions(Execution, clock.iso(check_at), execution_id=run.workflow_id)
    return Update(execution_key(run), actions, drives(move.attempt, move.step.order), name="run")


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Enums as the text they are stored as: PynamoDB's maps take plain types only."""
    return {name: value.value if isinstance(value, StrEnum) else value for name, value in facts.items()}


def _transition(run: Run, transition_id: str, move: Advance, now: str) -> Put:
    key = table.TRANSITION.key(run.site, execution_id=run.workflow_id, transition_id=transition_id)
    data = _plain(move.facts) | ({"reason": move.reason} if move.reason else {})
    if move.used:
        data["used"] = [dict(one) for one in move.used]
    return Put(
        Transition(
            *key,
            fromStep=move.step.order,
            toStep=move.to,
            result=move.result,
            data=data or None,
            occurredAt=now,
        )
    )


def _move_board(run: Run, definition: Definition, move: Advance, now: str) -> Update:
    step = WorkflowSteps.data[move.step.name]
    actions: list[Action] = [
        step["status"].set(move.status.value),
        step["ended_at"].set(now),
        WorkflowSteps.updated_at.set(now),
    ]
    if move.reason:
        word = "error" if move.status == StepStatus.FAILED else "reason"
        actions.append(step[word].set(move.reason))
    if move.used:
        actions.append(step["used"].set([dict(one) for one in move.used]))
    if isinstance(count := move.facts.get("segment_count"), int):
        actions += [step["segment_count"].set(count), WorkflowSteps.page_count.set(count)]
    actions += [step[name].set(move.facts[name]) for name in _SHOWN if name in move.facts]
    if move.to == END:
        board = (
            StepStatus.COMPLETED
            if move.outcome and RUN_ENDS[move.outcome] == RunStatus.COMPLETED
            else StepStatus.FAILED
        )
        actions.append(WorkflowSteps.GSI1SK.set(board))
        if move.outcome:
            actions.append(WorkflowSteps.outcome.set(move.outcome))
    else:
        following = definition.step(move.to).name
        actions += [
            WorkflowSteps.data[following].set({"status": StepStatus.IN_PROGRESS.value, "started_at": now}),
            WorkflowSteps.data["current_step"].set(following),
            WorkflowSteps.current_step.set(following),
        ]
    return Update(board_key(run), actions, EXISTS)


def fail(
    run: Run, definition: Definition, execution: Execution, *, attempt: int, error: str, sentence: str,
    outcome: Outcome = Outcome.FAILED, by: events.Who = events.SYSTEM, also: Sequence[Change] = (),
) -> Advanced:  # fmt: skip
    """End the run where it stands; ``sentence`` is what people read.

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
        execution=execution,
    )
    kind = _ENDINGS.get(outcome, "FAILED")
    detail = {"step": step.name, "error": error, "reason": sentence, "outcome": outcome}
    facts = {"step": step.name, "error": error, "reason": sentence}
    event = events.lineage(run, kind, by=by, facts=facts, bus_type=events.FAILED, bus_detail=detail)
    return advance(run, definition, move, last=execution.last_transition, also=also, event=event)


_ENDINGS = {Outcome.EXPIRED: "REVIEW_EXPIRED", Outcome.CANCELLED: "CANCELLED"}
