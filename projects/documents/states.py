"""The states of documents and runs: one word of API and addresses, and one label of pages, for each."""

from typing import NamedTuple

from projects.documents.items import DocumentStatus

S = DocumentStatus


class StatusLabel(NamedTuple):
    """How a status is shown: a tone, a drawing and words."""

    tone: str
    icon: str
    words: str


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
# The words of API and addresses for what is stored otherwise.
_WORDS = {S.IN_PROGRESS: "running", S.WAITING: "in_review"}


def look_of(status: str | None) -> StatusLabel | None:
    """None if a row does not tell."""
    return STATUS_LABELS[DocumentStatus(status)] if status in set(DocumentStatus) else None


def status_of(word: str) -> DocumentStatus | None:
    """What an address asks for; None of a word that is no state."""
    return next((one for one in S if word_of(one) == word), None)


def word_of(status: str) -> str:
    """What the API and addresses call it.

    >>> word_of("waiting"), word_of("published")
    ('in_review', 'published')
    """
    return _WORDS.get(S(status), str(status)) if status in set(S) else status


def word_of_run(outcome: str | None, *, waits: bool) -> str:
    """The same of a run: ``waits`` for a person, if it has no outcome."""
    return word_of(outcome or (S.WAITING if waits else S.IN_PROGRESS))
