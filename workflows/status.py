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


RUN_ENDS: dict[Outcome, RunStatus] = {
    Outcome.PUBLISHED: RunStatus.COMPLETED,
    Outcome.REJECTED: RunStatus.COMPLETED,
    Outcome.EXPIRED: RunStatus.FAILED,
    Outcome.FAILED: RunStatus.FAILED,
}

END = -1  # seed 003: the step order behind the last one
