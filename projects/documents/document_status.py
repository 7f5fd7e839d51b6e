"""Where a document stands: the status of its newest run as people are told it, in lists and in counts."""

from enum import StrEnum
from typing import NamedTuple


class DocumentStatus(StrEnum):
    """Stored as written. A run's outcomes are called the same; a mail or an archive has no run and is unpacked."""

    IN_PROGRESS = "in_progress"
    WAITING = "waiting"  # for a person, until what that person decided is applied
    PUBLISHED = "published"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"
    PARTIAL = "partial"  # pages failed, and someone has to say how to go on
    CANCELLED = "cancelled"
    UNPACKED = "unpacked"


class StatusLabel(NamedTuple):
    """How a status is shown: a tone, a drawing and words."""

    tone: str
    icon: str
    words: str


S = DocumentStatus
STATUS_LABELS: dict[DocumentStatus, StatusLabel] = {
    S.IN_PROGRESS: StatusLabel("info", "run", "Running"),
    S.WAITING: StatusLabel("warn", "user", "Needs review"),
    S.PUBLISHED: StatusLabel("good", "check", "Published"),
    S.REJECTED: StatusLabel("", "x", "Rejected"),
    S.EXPIRED: StatusLabel("bad", "clock", "Review expired"),
    S.FAILED: StatusLabel("bad", "alert", "Failed"),
    S.PARTIAL: StatusLabel("warn", "alert", "Partial"),
    S.CANCELLED: StatusLabel("", "x", "Cancelled"),
    S.UNPACKED: StatusLabel("good", "check", "Extracted"),
}


def look_of(status: str | None) -> StatusLabel | None:
    """None if a row does not tell."""
    return STATUS_LABELS[DocumentStatus(status)] if status in set(DocumentStatus) else None
