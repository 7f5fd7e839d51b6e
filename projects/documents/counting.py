"""Counter updates: parts of transactions, placed after everything that may fail.

All counts of a document are in the shard of its id, so a transaction writes one row per counter.
"""

import zlib
from collections import Counter as Sums
from enum import StrEnum
from typing import NamedTuple

from django.conf import settings

from config import table
from config.transaction import Change, Update
from projects.documents.items import Counter, DocumentStatus


class Kind(StrEnum):
    """The kind of thing counted."""

    SITE = "site"
    PROJECT = "project"
    CLASSIFICATION = "classification"
    QUEUE = "queue"


EVERYTHING = "documents"  # what the one counter of a site is of
POSTPONED = "postponed"  # the number of a queue beside those that wait


class Place(NamedTuple):
    """One shard of one counter."""

    kind: Kind
    counted: str
    shard: int


Tally = Sums[tuple[Place, str]]  # by how much which number of which place changes


def shard_of(document_id: str) -> int:
    return zlib.crc32(document_id.encode()) % settings.COUNTER_SHARDS


def count_move(
    project_id: str,
    document_id: str,
    before: DocumentStatus | None,
    after: DocumentStatus | None,
    classification_id: str | None = None,
) -> Tally:
    """Count a change of status; without ``before`` a new document, without ``after`` a removed one."""
    shard, tally = shard_of(document_id), Tally()
    for place in (Place(Kind.SITE, EVERYTHING, shard), Place(Kind.PROJECT, project_id, shard)):
        for status, by in ((before, -1), (after, 1)):
            if status:
                tally[place, status.value] += by
    if classification_id and (change := bool(after) - bool(before)):
        tally[Place(Kind.CLASSIFICATION, classification_id, shard), "documents"] += change
    return tally


def count_classification(document_id: str, before: str, after: str) -> Tally:
    """Count a change of document type; empty for none."""
    shard, tally = shard_of(document_id), Tally()
    for classification_id, by in ((before, -1), (after, 1)):
        if classification_id:
            tally[Place(Kind.CLASSIFICATION, classification_id, shard), "documents"] += by
    return tally


def count_queued(queue: str, document_id: str, by: int, *, postponed: bool = False) -> Tally:
    """Count ``by`` more waiting or postponed reviews of this document in a queue (stored form)."""
    name = POSTPONED if postponed else DocumentStatus.WAITING.value
    return Tally({(Place(Kind.QUEUE, queue, shard_of(document_id)), name): by})


def apply_tally(site: str, tally: Tally) -> list[Change]:
    """Update each counter row unconditionally; ADD creates missing rows."""
    places = dict.fromkeys(place for (place, _), by in tally.items() if by)
    return [
        Update(
            key_of(site, place),
            [getattr(Counter, name).add(by) for (at, name), by in tally.items() if at == place and by],
            of=Counter,
        )
        for place in places
    ]


def key_of(site: str, place: Place) -> table.Key:
    return table.COUNTER.key(site, kind=place.kind, counted=place.counted, shard=place.shard)
