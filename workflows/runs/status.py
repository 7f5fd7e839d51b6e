"""The words a run, its steps and its documents may have as a state; a definition says which step follows which."""

from enum import StrEnum


class RunStatus(StrEnum):
    """Of an execution (seed 003), stored as written."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class Outcome(StrEnum):
    """How a run ended. A rejection is a business outcome: the run is completed, not failed."""

    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and the others wait for somebody to say how to go on
    CANCELLED = "cancelled"


class StepStatus(StrEnum):
    """Of one step on the board, and of the whole board in GSI1 (seed 000)."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class DefinitionStatus(StrEnum):
    """Of a definition's version (seed 003), stored as written."""

    DRAFT = "draft"  # published, and no run gets it
    ACTIVE = "active"
    ARCHIVED = "archived"


class ActionType(StrEnum):
    """What is done with a document after it is published (seed 002), stored as written."""

    OCR = "OCR"
    QUEUE = "QUEUE"
    NOTIFY = "NOTIFY"
    PUBLISH = "PUBLISH"
    WEBHOOK = "WEBHOOK"


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
    """Of a question that somebody asked about a page."""

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
# A person may have these go on. What expired has a review that is closed, what was decided is decided.
RESUMABLE = (Outcome.PARTIAL, Outcome.FAILED, Outcome.CANCELLED)

END = -1  # seed 003: the step order behind the last one
