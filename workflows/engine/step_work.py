"""The order of a step, the work of the worker that claimed it, and the one write that leaves it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.errors import CountersignError
from config.transaction import Change
from workflows.definitions.blueprint import Definition, StepDefinition
from workflows.runs import events
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.events import EventAt
from workflows.runs.items import DocumentWorkflow, Execution, Run

SLOT = "batch_line"  # in the answer of a step after which no machine works on the run


class Busy(CountersignError):
    """Another worker holds the step; retry after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__("Another worker does this step.")
        self.seconds = seconds


class BelongsToSlices(CountersignError):
    """A step of a large document or lower-priority run, which belongs to the slice workers, so pages do not wait."""

    def __init__(self) -> None:
        super().__init__("Another worker does the steps of large documents and of busy sites.")


@dataclass(frozen=True)
class StepOrder:
    """The content of a step message."""

    run: Run
    step: int
    attempt: int


@dataclass(frozen=True)
class StepWork:
    """A step that a worker has claimed: the order, and the run's rows as read then."""

    order: StepOrder
    definition: Definition
    step: StepDefinition
    execution: Execution
    document: DocumentWorkflow

    @property
    def run(self) -> Run:
        return self.order.run

    def after(self, outcome: str) -> int:
        """Return the next step, without those that the run skips."""
        return self.definition.after(self.step, outcome, {int(one) for one in self.execution.left_out or ()})


@dataclass(frozen=True)
class StepOutcome:
    """The result of a step that is not a stage: its ``outcome``, the text for people, and the event."""

    result: str
    reason: str
    outcome: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    bus_type: str = ""
    bus_detail: Mapping[str, Any] = field(default_factory=dict)


def hand_on(
    work: StepWork, move: Advance, *, also: Sequence[Change] = (), event: EventAt | None = None
) -> Mapping[str, Any]:
    """Write the guarded advance that leaves a step, publish its event, and return the engine's input.

    Raises: Conflict if someone else was first.
    """
    last = work.execution.last_transition
    done = advance.advance(work.run, work.definition, move, last=last, also=also, event=event)
    events.publish_soon(done.event)
    return {"next": move.to, "last": done.last, **_slot_of(work, move.to), **move.facts}


def _slot_of(work: StepWork, to: int) -> dict[str, str]:
    """Return the batch slot that is free now, if no machine works on the run any more."""
    rests = to < 1 or work.definition.step(to).rests
    return {SLOT: str(work.execution.batch_line)} if rests and work.execution.batch_line else {}
