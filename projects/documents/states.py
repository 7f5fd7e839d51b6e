"""States of documents and runs: one word for API and URLs, one label for pages."""

from typing import NamedTuple

from config.phrase import Phrase
from projects.documents.items import DocumentStatus

S = DocumentStatus


class StatusLabel(NamedTuple):
    """Display of a status: tone, icon and label."""

    tone: str
    icon: str
    words: str


STATUS_LABELS: dict[DocumentStatus, StatusLabel] = {
    S.IN_PROGRESS: StatusLabel("info", "run", Phrase("Running")),
    S.WAITING: StatusLabel("warn", "user", Phrase("Needs review")),
    S.PUBLISHED: StatusLabel("good", "check", Phrase("Published")),
    S.REJECTED: StatusLabel("", "x", Phrase("Rejected")),
    S.EXPIRED: StatusLabel("bad", "clock", Phrase("Review expired")),
    S.FAILED: StatusLabel("bad", "alert", Phrase("Failed")),
    S.PARTIAL: StatusLabel("warn", "alert", Phrase("Partial")),
    S.CANCELLED: StatusLabel("", "x", Phrase("Cancelled")),
    S.UNPACKED: StatusLabel("good", "check", Phrase("Unpacked")),
}
# The words of API and addresses for what is stored otherwise.
_WORDS = {S.IN_PROGRESS: "running", S.WAITING: "in_review"}


def look_of(status: str | None) -> StatusLabel | None:
    """Return the display; None if the row does not tell."""
    return STATUS_LABELS[DocumentStatus(status)] if status in set(DocumentStatus) else None


def status_of(word: str) -> DocumentStatus | None:
    """Return the status for a word in a URL; None if unknown."""
    return next((one for one in S if word_of(one) == word), None)


def word_of(status: str) -> str:
    """Return the word used in API and URLs.

    >>> word_of("waiting"), word_of("published")
    ('in_review', 'published')
    """
    return _WORDS.get(S(status), str(status)) if status in set(S) else status


def word_of_run(outcome: str | None, *, waits: bool) -> str:
    """Return the word for a run; ``waits``: for a person, if it has no outcome."""
    return word_of(outcome or (S.WAITING if waits else S.IN_PROGRESS))
