"""The sweeper: looks into the due index every few seconds and has each row repaired whose time has come."""

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings

from config import clock, logs, table
from config.errors import Conflict, CountersignError
from config.item import Item
from config.table import Key
from projects.items.removals import DocumentRemoval
from projects.items.unpacking import DocumentUnpacking
from review import repair
from review.items.reviews import READABLE, Review
from workflows import events
from workflows.items.actions import FollowUp
from workflows.items.batches import Batch
from workflows.items.events import DocumentEvent
from workflows.items.incoming import ArrivalBegin
from workflows.items.joins import Join
from workflows.items.notices import SenderNotice
from workflows.items.questions import Question
from workflows.items.runs import Execution

log = logging.getLogger(__name__)

_ROWS_A_PAGE = 100


@dataclass(frozen=True)
class DueRow:
    """A row whose time has come: what it is and where it lies."""

    kind: str
    id: str
    key: Key
    site: str


def sweep() -> int:
    """Repair what is due and say so, which an alarm listens for; answers how many rows it looked at."""
    began = time.monotonic()
    looked = _sweep(began + settings.SWEEP_SECONDS)
    log.info("swept", extra={"rows": looked, "seconds": round(time.monotonic() - began, 3)})
    return looked


def _sweep(until: float) -> int:
    """For as long as one sweep may last.

    The time is bounded since decisions wait for the same worker; what is left over is the next sweep's. No row that
    cannot be repaired keeps those behind it from being looked at.
    """
    looked = 0
    for shard in random.sample(range(settings.DUE_SHARDS), settings.DUE_SHARDS):
        for row in due_rows(shard):
            with logs.on_site(row.site):
                _repair_one(row)
            looked += 1
            if time.monotonic() > until:
                log.warning("sweep is behind")
                return looked
    return looked


def due_rows(shard: int) -> Iterator[DueRow]:
    """What is due now, the longest due first; one Query on the system-wide index for each page."""
    before = clock.iso(clock.now()) > Item.GSI2SK
    cursor: str | None = None
    while True:
        page = Item.page(table.due_partition(shard), sk=before, index="GSI2", limit=_ROWS_A_PAGE, cursor=cursor)
        yield from map(_row, page.rows)
        cursor = page.next
        if cursor is None:
            return


def _row(item: Item) -> DueRow:
    _, kind, name = str(item.GSI2SK).split("#", 2)
    return DueRow(kind, name, item.key, table.site_of(item.PK))


def _repair_one(row: DueRow) -> None:
    try:
        repair_due(row)
    except Conflict:  # another sweeper, or the run itself, was first
        log.info("repair was not needed", extra={"event": row.id})
    except CountersignError as error:
        log.warning("repair waits", extra={"event": row.id, "error": logs.place_of(error)})
    except Exception:  # one row that nobody understands must not keep every decision behind it waiting
        log.exception("row could not be repaired", extra={"event": row.id})


def repair_due(row: DueRow) -> None:
    """Do what the row waits for; of a kind that only a newer version knows, nothing."""
    if row.kind in _REPAIRS:
        _REPAIRS[row.kind](row)


_REPAIRS: Mapping[str, Callable[[DueRow], object]] = {
    "event": lambda row: events.publish(DocumentEvent.load(row.key)),
    "review": lambda row: repair.drive_review(row.site, Review.load(row.key, only=READABLE)),
    "followup": lambda row: repair.resume_follow_up(row.site, FollowUp.load(row.key)),
    "join": lambda row: repair.resume_join(row.site, Join.load(row.key)),
    "run": lambda row: repair.check_run(row.site, Execution.load(row.key)),
    "removal": lambda row: repair.resume_removal(row.site, DocumentRemoval.load(row.key)),
    "unpacking": lambda row: repair.resume_unpacking(row.site, DocumentUnpacking.load(row.key)),
    "arrival": lambda row: repair.resume_arrival(ArrivalBegin.load(row.key)),
    "notice": lambda row: repair.resume_notice(row.site, SenderNotice.load(row.key)),
    "question": lambda row: repair.resume_question(row.site, Question.load(row.key)),
    "batch": lambda row: repair.look_at_batch(row.site, Batch.load(row.key)),
}
