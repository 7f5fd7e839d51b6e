"""Which run it is, its four ids, and the words it, its steps and its documents may have as a state."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from config import clock
from config.errors import CountersignError
from workflows.definitions.blueprint import (
    Outcome,  # noqa: PLC0414 - re-exported
)


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str

    @classmethod
    def new(cls, site: str, project_id: str, document_id: str) -> Self:
        """One that nothing is written of yet."""
        return cls(site, project_id, document_id, clock.new_ulid())


class RunStatus(StrEnum):
    """Of an execution (seed 003), stored as written."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class StepStatus(StrEnum):
    """Of one step on the board, and of the whole board in GSI1 (seed 000)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ActionType(StrEnum):
    """What is done with a document after it is published (seed 002), stored as written."""

    OCR = "OCR"
    QUEUE = "QUEUE"
    NOTIFY = "NOTIFY"
    PUBLISH = "PUBLISH"
    WEBHOOK = "WEBHOOK"


ACTION_WORDS = {
    ActionType.OCR.value: "Store text as a file",
    ActionType.QUEUE.value: "Add to a queue",
    ActionType.NOTIFY.value: "Send an email",
    ActionType.PUBLISH.value: "Publish to the event bus",
    ActionType.WEBHOOK.value: "Call a webhook",
}


class ActionStatus(StrEnum):
    """Of one action (seed 002), stored as written."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING_FOR_RETRY = "WAITING_FOR_RETRY"
    IN_QUEUE = "IN_QUEUE"  # a person is to look at the document, and the actions behind wait for that
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


class QuestionStatus(StrEnum):
    """Of a question that someone asked about a page."""

    ASKED = "asked"
    ANSWERED = "answered"
    FAILED = "failed"
    DELETED = "deleted"  # its number stays taken


class FollowUpStatus(StrEnum):
    """Of what is done after a publication."""

    OPEN = "OPEN"
    WAITING = "WAITING"  # for a person: one takes the document out of a queue, or has a failed action done again
    DONE = "DONE"
    CANCELLED = "CANCELLED"  # the document was deleted


A, F = ActionStatus, FollowUpStatus
ACTION_TRANSITIONS: dict[ActionStatus, frozenset[ActionStatus]] = {
    A.PENDING: frozenset({A.RUNNING, A.IN_QUEUE, A.SKIPPED}),
    A.RUNNING: frozenset({A.RUNNING, A.COMPLETE, A.WAITING_FOR_RETRY, A.FAILED}),
    A.WAITING_FOR_RETRY: frozenset({A.RUNNING, A.PENDING, A.SKIPPED}),
    A.IN_QUEUE: frozenset({A.COMPLETE, A.SKIPPED}),
    A.FAILED: frozenset({A.PENDING, A.SKIPPED}),
    A.COMPLETE: frozenset(),
    A.SKIPPED: frozenset(),
}
ACTION_ENDED = (A.COMPLETE, A.SKIPPED)

RUN_ENDS: dict[Outcome, RunStatus] = {
    Outcome.PUBLISHED: RunStatus.COMPLETED,
    Outcome.REJECTED: RunStatus.COMPLETED,
    Outcome.EXPIRED: RunStatus.FAILED,
    Outcome.FAILED: RunStatus.FAILED,
    Outcome.PARTIAL: RunStatus.FAILED,
    Outcome.CANCELLED: RunStatus.FAILED,
}


class RunState(StrEnum):
    """What a run may do next depends on this: its step while it runs, its outcome afterwards. Not stored."""

    RUNNING = "running"  # a machine works on its step
    WAITING = "waiting"  # its step is an approval
    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class RunMove:
    """One change of a run's state: from any of ``sources`` to ``to``; a run that begins has no source."""

    sources: tuple[RunState, ...]
    to: RunState


R = RunState
UNDER_WAY = (R.RUNNING, R.WAITING)
# What the writes' conditions ask of the state; step, attempt and lease come on top of it.
START = RunMove((), R.RUNNING)
ADVANCE = RunMove((R.RUNNING,), R.RUNNING)
WAIT = RunMove((R.RUNNING,), R.WAITING)
DECIDE = RunMove((R.WAITING,), R.RUNNING)
ASK_ANOTHER = RunMove((R.WAITING,), R.WAITING)  # an approval that follows on another
PUBLISH = RunMove((R.RUNNING,), R.PUBLISHED)
REJECT = RunMove(UNDER_WAY, R.REJECTED)  # by the decision itself, or by a step after it
EXPIRE = RunMove(UNDER_WAY, R.EXPIRED)  # by the deadline, or by a step that its definition ends with
FAIL = RunMove(UNDER_WAY, R.FAILED)
END_PARTIAL = RunMove((R.RUNNING,), R.PARTIAL)  # pages failed, as engine/partial.py says after assess
CANCEL = RunMove((R.RUNNING,), R.CANCELLED)  # a person who is asked rejects instead
# What expired has a review that is closed, what was decided is decided.
RESUME = RunMove((R.PARTIAL, R.FAILED, R.CANCELLED), R.RUNNING)
RUN_MOVES = (
    START, ADVANCE, WAIT, DECIDE, ASK_ANOTHER, PUBLISH, REJECT, EXPIRE, FAIL, END_PARTIAL, CANCEL, RESUME,
)  # fmt: skip
RESUMABLE = tuple(Outcome(state) for state in RESUME.sources)


def state_of(outcome: Outcome | str | None, *, waits: bool) -> RunState:
    """``waits``: the run's step is an approval."""
    if outcome:
        return RunState(outcome)
    return RunState.WAITING if waits else RunState.RUNNING


def check_can_move(before: RunState | None, after: RunState) -> None:
    """Raises: CountersignError, since a caller that asks for such a move is wrong whatever the table holds."""
    if not any(after == move.to and (before in move.sources if before else not move.sources) for move in RUN_MOVES):
        raise CountersignError(f"A run cannot go from {before or 'nothing'} to {after}.")
