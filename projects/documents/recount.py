"""Recounting: comparing counters with a full count by Queries, without a Scan."""

import functools
import operator
from collections import Counter as Sums
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import table
from config.item import Item
from config.transaction import Change, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents import counting
from projects.documents.counting import Kind, Place, Tally
from projects.documents.items import NAMES, Counter, DocumentStatus, ListedDocument
from projects.documents.queries import list_shards
from projects.queues.items import DEFAULT_QUEUE, Queue
from projects.schemas.items import SchemaHead
from projects.schemas.queries import ENTITY

R = TypeVar("R", bound=Item)


class _WaitingReview(Item):
    """A review in its queue's index, with the attributes needed for counting."""

    document_id = UnicodeAttribute()


BY = Actor("recount", "Recount")
_A_PAGE = 1000
Numbers = Mapping[str, int]  # by name


@dataclass(frozen=True)
class Difference:
    """A wrong counter; ``said`` and ``found`` by name, summed over shards."""

    kind: Kind
    counted: str
    said: Numbers
    found: Numbers
    changes: tuple[tuple[Place, Numbers, Numbers], ...]  # of each shard: what it said, and what it should say

    @property
    def words(self) -> str:
        names = [name for name in NAMES if self.said.get(name, 0) != self.found.get(name, 0)]
        told = (f"{name} {self.said.get(name, 0)}, counted {self.found.get(name, 0)}" for name in names)
        return f"{self.kind} {self.counted}: {'; '.join(told)}"


def find_differences(site: str) -> list[Difference]:
    """Compare counters, read first, with a full count; ``repair_counter`` detects changes in between.

    Indexes lag behind the table: on a busy desk, count again before trusting a difference.
    """
    said = {_place(kind, row): row.numbers for kind in Kind for row in list_shards(site, kind)}
    found: dict[Place, dict[str, int]] = defaultdict(dict)
    for (place, name), number in _full(site, said).items():
        found[place][name] = number
    places = defaultdict(list)
    for place in sorted({*said, *found}):
        places[place.kind, place.counted].append(place)
    all_of = [_difference(kind, counted, of, said, found) for (kind, counted), of in places.items()]
    return [one for one in all_of if one.said != one.found]


def _place(kind: Kind, row: Counter) -> Place:
    return Place(kind, row.counted, row.shard)


def _difference(
    kind: Kind, counted: str, places: list[Place], said: Mapping[Place, Numbers], found: Mapping[Place, Numbers]
) -> Difference:
    def total(numbers: Mapping[Place, Numbers]) -> Numbers:
        sums: Sums[str] = Sums()
        for place in places:
            sums.update(numbers.get(place, {}))
        return {name: number for name, number in sums.items() if number}

    changes = tuple((place, said.get(place, {}), found.get(place, {})) for place in places)
    return Difference(kind, counted, total(said), total(found), changes)


def repair_counter(site: str, difference: Difference) -> None:
    """Correct the counter, in one transaction with its audit event.

    Raises:
        Conflict: something was counted since; nothing was changed.

    """
    changes: list[Change] = [
        Update(counting.key_of(site, place), _actions_to_set(before, after), _still(before), of=Counter)
        for place, before, after in difference.changes
        if before != after
    ]
    payload = {"counter": difference.words}
    name = f"{difference.kind}-{difference.counted}"
    transact(changes, entity_event(site, "counter", name, "repaired", by=BY, payload=payload))


def _actions_to_set(before: Numbers, after: Numbers) -> list[Action]:
    return [getattr(Counter, name).set(after.get(name, 0)) for name in NAMES if name in before or name in after]


def _still(before: Numbers) -> Condition:
    """Condition: nothing was counted since; zero may be stored or absent."""
    holds: list[Condition] = [
        getattr(Counter, name) == before[name]
        if name in before
        else getattr(Counter, name).does_not_exist() | (getattr(Counter, name) == 0)
        for name in NAMES
    ]
    return functools.reduce(operator.and_, holds)


def _full(site: str, said: Mapping[Place, Numbers]) -> Tally:
    """Count everything, including queues and types known only to counters."""
    tally = Tally()
    for status in DocumentStatus:
        pk = table.DOCUMENT_BY_STATUS.gsi2_partition(site, status=status)
        for row in _all(ListedDocument, pk, "GSI2"):
            tally.update(counting.count_move(str(row.project_id), str(row.document_id), None, status))
    for classification_id in {*_ids(said, Kind.CLASSIFICATION), *_classifications(site)}:
        pk = table.DOCUMENT_BY_CLASSIFICATION.gsi2_partition(site, classification_id=classification_id)
        for row in _all(ListedDocument, pk, "GSI2"):
            shard = counting.shard_of(str(row.document_id))
            tally[Place(Kind.CLASSIFICATION, classification_id, shard), "documents"] += 1
    for queue in {DEFAULT_QUEUE, *_ids(said, Kind.QUEUE), *_queues(site)}:
        for review in _all(_WaitingReview, table.REVIEW.gsi1_partition(site, queue=queue), "GSI1"):
            put_off = str(review.GSI1SK).startswith(table.POSTPONED)
            tally.update(counting.count_queued(queue, review.document_id, 1, postponed=put_off))
    return tally


def _ids(said: Mapping[Place, Numbers], kind: Kind) -> set[str]:
    return {place.counted for place in said if place.kind == kind}


def _classifications(site: str) -> Iterator[str]:
    pk = table.CLASSIFICATION.gsi1_partition(site, entity=ENTITY)
    yield from (row.id for row in _all(SchemaHead, pk, "GSI1"))


def _queues(site: str) -> Iterator[str]:
    yield from (row.id for row in _all(Queue, table.QUEUE.gsi1_partition(site), "GSI1"))


def _all(kind: type[R], pk: str, index: str) -> Iterator[R]:
    cursor = None
    while True:
        page = kind.page(pk, index=index, limit=_A_PAGE, cursor=cursor)
        yield from page.rows
        cursor = page.next
        if not cursor:
            return
