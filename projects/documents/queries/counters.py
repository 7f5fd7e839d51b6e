"""Reads of counters: one Query each, whatever is counted."""

from collections import Counter as Sums
from collections.abc import Mapping
from dataclasses import dataclass, field

from config import table
from config.table import InvalidKey
from projects.documents.counting import EVERYTHING, POSTPONED, Kind
from projects.documents.document_status import STATUS_LABELS, DocumentStatus, StatusLabel
from projects.documents.items import Counter

_WAITING = DocumentStatus.WAITING.value
_ALL = 1000  # rows: far more than one counter's shards; all counters of a kind go on from page to page
_EVERY = 10_000  # rows of a hundred queues and more: less than a Query answers at once


@dataclass(frozen=True)
class Counts:
    """Documents by status; a status that no document has is left out."""

    by_status: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def shown(self) -> list[tuple[StatusLabel, int, str]]:
        """Each status that some document has, as it is shown, with how many and in words, in the order of a life."""
        found = [(look, self.count_of(status)) for status, look in STATUS_LABELS.items() if self.count_of(status)]
        return [(look, number, _in_words(look, number)) for look, number in found]

    @property
    def figures(self) -> list[tuple[DocumentStatus, StatusLabel, int, str]]:
        """As ``shown``, with the status that a link asks for."""
        there = [status for status in STATUS_LABELS if self.count_of(status)]
        return [(status, *one) for status, one in zip(there, self.shown, strict=True)]

    def count_of(self, status: DocumentStatus) -> int:
        return self.by_status.get(status.value, 0)


def _in_words(look: StatusLabel, number: int) -> str:
    """``Needs review`` of three: they need it."""
    words = look.words.lower()
    return words if number == 1 else words.replace("needs", "need")


def count_documents(site: str) -> Counts:
    """Of the whole site."""
    return Counts(_sum(site, Kind.SITE, EVERYTHING))


def documents_of_project(site: str, project_id: str) -> Counts:
    return Counts(_sum(site, Kind.PROJECT, project_id))


def documents_of_classification(site: str, classification_id: str) -> int:
    return _sum(site, Kind.CLASSIFICATION, classification_id).get("documents", 0)


@dataclass(frozen=True)
class Queued:
    """How many reviews wait in a queue, and how many are postponed there."""

    waiting: int = 0
    postponed: int = 0


def count_by_queue(site: str) -> dict[str, Queued]:
    """Of every queue that ever had a review, as reviews store it."""
    rows = Counter.page(table.COUNTER.partition_key(site, kind=Kind.QUEUE), limit=_EVERY).rows
    sums: dict[str, Sums[str]] = {}
    for row in rows:
        sums.setdefault(row.counted, Sums()).update(row.numbers)
    return {queue: Queued(max(one[_WAITING], 0), max(one[POSTPONED], 0)) for queue, one in sums.items()}


def count_waiting_by_queue(site: str) -> dict[str, int]:
    """Of every queue where reviews wait, as reviews store it."""
    return {queue: one.waiting for queue, one in count_by_queue(site).items() if one.waiting}


def list_shards(site: str, kind: Kind, counted: str = "") -> list[Counter]:
    """The rows themselves, strongly consistent, of one counter or of all of a kind; a Query for each thousand."""
    pk, cursor = table.COUNTER.partition_key(site, kind=kind), None
    rows: list[Counter] = []
    prefix = Counter.SK.startswith(table.COUNTER.sort_prefix(counted=counted)) if counted else None
    while True:
        page = Counter.page(pk, sk=prefix, limit=_ALL, consistent=True, cursor=cursor)
        rows += page.rows
        cursor = page.next
        if not cursor:
            return rows


def _sum(site: str, kind: Kind, counted: str) -> dict[str, int]:
    try:
        prefix = Counter.SK.startswith(table.COUNTER.sort_prefix(counted=counted))
    except InvalidKey:
        return {}
    rows = Counter.page(table.COUNTER.partition_key(site, kind=kind), sk=prefix, limit=_ALL).rows
    sums: Sums[str] = Sums()
    for row in rows:
        sums.update(row.numbers)
    return {name: number for name, number in sums.items() if number > 0}
