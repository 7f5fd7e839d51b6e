"""A run's state changes: the one write of all rows that show it, and the actions that lead a run on or end it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from config import clock
from config.item import Item
from config.transaction import Change, EventAt, Put, transact
from workflows.definitions.blueprint import ROUTED, Definition
from workflows.runs import events, traces
from workflows.runs.actions.at_end import plan_end
from workflows.runs.actions.document_rows import NOTHING, DocumentState, More, write_document
from workflows.runs.actions.figures import schedule_figures
from workflows.runs.actions.run_rows import (
    Advance,
    RunPosition,
    execution_key,
    facts_to_store,
    leave_step,
    place_of,
    reopen,
)
from workflows.runs.items import DocumentEvent, Execution
from workflows.runs.run import END, Outcome, Run, RunStatus, StepStatus, check_can_move


class AdvanceResult(NamedTuple):
    """What an advance wrote: the transition's id and the lineage event, which may have to go on the bus."""

    last: str
    event: DocumentEvent


class Left(NamedTuple):
    """How a run left its step, and the id of the transition that records it."""

    how: Advance
    transition_id: str


def write(
    before: RunPosition | DocumentState | None, after: RunPosition, now: str,
    *, left: Left | None = None, new_rows: Sequence[Item] = (), more: More = NOTHING,
) -> list[Change]:  # fmt: skip
    """Everything that shows a run's state, changed from ``before`` to ``after``, for one transaction.

    That is its execution, transition, step board and seed 000's rows of it, its document's two rows with their places
    in lists, the counts, that its figures are due, and whom its end is to be told. The run's own guard comes first.

    ``before``: of a run that begins (``new_rows``), what its document showed until now; None if that is new as well,
    whose rows the caller puts. ``left``: how it left its step; without, an ended run goes on. Raised conflicts name
    ``run``, ``project_document`` and ``document`` if those are not as ``before`` and ``more`` ask.

    Raises:
        CountersignError: no run goes from the one state to the other (``RUN_MOVES``).

    """
    if not isinstance(before, RunPosition):
        check_can_move(None, after.state)
        own: list[Change] = [Put(row) for row in new_rows]
        own.append(schedule_figures(after.run, now, received=before is None))
        return [*own, *write_document(after.run, before, after.document, now, more=more)]
    check_can_move(before.state, after.state)
    if left:
        own = leave_step(before, after, left.how, left.transition_id, now)
    else:
        own = reopen(before, after, more.execution, now)
    if after.outcome or not left:
        own.append(schedule_figures(after.run, now, ended=bool(after.outcome)))
    if after.outcome and not after.keeps:
        own += plan_end(after.run, after.outcome, after.attempt, now)
    return [*own, *write_document(after.run, before.document, after.document, now, more=more)]


def advance(
    run: Run, definition: Definition, move: Advance, *, last: str | None, also: Sequence[Change] = (),
    by: events.Who = events.SYSTEM, event: EventAt | None = None,
) -> AdvanceResult:  # fmt: skip
    """One guarded step forward, or the run's end, with its event (docs/design.md, One step).

    ``last`` is the id of the run's last transition: the new one sorts after it, whatever the clocks of workers say.

    Raises:
        Conflict: with ``run`` in ``failed`` another message advanced the run first, or a newer attempt drives it;
            otherwise one of ``also`` did not hold.

    """
    transition_id = clock.ulid_after(last)
    guarded, *others = plan_advance(run, definition, move, transition_id, clock.iso(clock.now()))
    trace = traces.of_step(run, definition, move.step.order, move.attempt, move.execution)
    told: EventAt = events.add_trace(cast("events.EventAt", event or _event(run, move, by)), trace)
    if keeps := place_of(run, move.execution, move.outcome).keeps:
        told = events.keep_beside(cast("events.EventAt", told), keeps)
    typed = move.classified.events if move.classified else ()
    written = transact([guarded, *also, *others], told, *typed)
    return AdvanceResult(transition_id, cast("DocumentEvent", written[0]))


def plan_advance(run: Run, definition: Definition, move: Advance, transition_id: str, now: str) -> list[Change]:
    """What one advance writes besides its event, the guarded execution first."""
    place = place_of(run, move.execution, move.outcome)
    before = RunPosition(run, definition, move.step.order, move.attempt)
    after = RunPosition(run, definition, move.to, move.attempt, move.outcome, *place)
    routed = move.step.name == ROUTED and not move.outcome
    more = More(queue=str(move.facts.get("queue") or "") if routed else None, classified=move.classified)
    return write(before, after, now, left=Left(move, transition_id), more=more)


def hold_slot(run: Run, mark: str, *, attempt: int) -> None:
    """Whose slot of a batch the run holds when it goes on. Raises: Conflict if it has gone on already."""
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
) -> AdvanceResult:  # fmt: skip
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
