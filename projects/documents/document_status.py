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
    PARTIAL = "partial"  # pages failed, and somebody has to say how to go on
    CANCELLED = "cancelled"
    UNPACKED = "unpacked"


class Look(NamedTuple):
    """How a status is shown: a tone, a drawing and words."""

    tone: str
    icon: str
    words: str


S = DocumentStatus
LOOKS: dict[DocumentStatus, Look] = {
    S.IN_PROGRESS: Look("info", "run", "Running"),
    S.WAITING: Look("warn", "user", "Needs review"),
    S.PUBLISHED: Look("good", "check", "Published"),
    S.REJECTED: Look("", "x", "Rejected"),
    S.EXPIRED: Look("bad", "clock", "Review expired"),
    S.FAILED: Look("bad", "alert", "Failed"),
    S.PARTIAL: Look("warn", "alert", "Partial"),
    S.CANCELLED: Look("", "x", "Cancelled"),
    S.UNPACKED: Look("good", "check", "Extracted"),
}


def look_of(status: str | None) -> Look | None:
    """None where a row does not tell."""
    return LOOKS[DocumentStatus(status)] if status in set(DocumentStatus) else None
