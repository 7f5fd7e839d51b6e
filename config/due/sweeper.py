"""The sweeper: it reads the due index every few seconds and calls the handler of each due row."""

import logging
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, logs, table
from config.due.registry import HANDLERS
from config.errors import Conflict, CountersignError
from config.item import Item
from config.table import Key

log = logging.getLogger(__name__)

_SHARE = 0.25  # of a sweep, that failed repairs of one kind of row may take


@dataclass(frozen=True)
class DueRow:
    """The kind and keys of a due row."""

    kind: str
    id: str
    key: Key
    site: str
    sort_key: str = ""
    tries: int = 0


def sweep() -> int:
    """Handle all due rows and log the sweep, which an alarm watches; return the number of rows handled."""
    began = time.monotonic()
    looked = _Sweep().run()
    log.info("swept", extra={"rows": looked, "seconds": round(time.monotonic() - began, 3)})
    return looked


@dataclass
class _Sweep:
    """One pass over the due index: rows that have not failed first, then those that have.

    Each kind of row has a share of the sweep's time, so that a service that does not answer delays only its own kind.
    A failed row is postponed; the rows of a kind that has used up its share wait for the next sweep.
    """

    looked: int = 0
    lost: Counter[str] = field(default_factory=Counter)  # milliseconds, by kind, of repairs that failed

    def run(self) -> int:
        failed: list[DueRow] = []
        self._look_at(_split_fresh(failed), settings.SWEEP_SECONDS)
        self._look_at(failed, settings.SWEEP_SECONDS / 2)
        return self.looked

    def _look_at(self, rows: Iterable[DueRow], seconds: float) -> None:
        """Handle rows for up to ``seconds``, not counting failures; the rest waits for the next sweep."""
        began, lost = time.monotonic(), self.lost.total()
        for row in rows:
            if self.lost[row.kind] <= _SHARE * settings.SWEEP_SECONDS * 1000:
                with logs.on_site(row.site):
                    self._repair(row)
                self.looked += 1
            if time.monotonic() - began > seconds + (self.lost.total() - lost) / 1000:
                log.warning("sweep is behind")
                return

    def _repair(self, row: DueRow) -> None:
        began = time.monotonic()
        try:
            repair_due(row)
        except Conflict:  # another sweeper, or the run itself, was first
            log.info("repair was not needed", extra={"event": row.id})
        except CountersignError as error:
            log.warning("repair waits", extra={"event": row.id, "error": logs.place_of(error)})
            self.lost[row.kind] += round((time.monotonic() - began) * 1000)
        except Exception:  # one row that raises must not keep every decision after it waiting
            log.exception("row could not be repaired", extra={"event": row.id})
            self.lost[row.kind] += round((time.monotonic() - began) * 1000)
        else:
            return
        _postpone_failed(row)


def _split_fresh(failed: list[DueRow]) -> Iterator[DueRow]:
    """Yield rows that have not failed; append the others to ``failed``."""
    for shard in random.sample(range(settings.DUE_SHARDS), settings.DUE_SHARDS):
        for row in due_rows(shard):
            if row.tries:
                failed.append(row)
            else:
                yield row


def due_rows(shard: int) -> Iterator[DueRow]:
    """Yield due rows, longest overdue first; one Query of the system-wide index per page."""
    before = clock.iso(clock.now()) > Item.GSI2SK
    return map(_to_due_row, Item.every(table.due_partition(shard), sk=before, index="GSI2"))


def _to_due_row(item: Item) -> DueRow:
    sort_key = str(item.GSI2SK)
    place = table.due_place(sort_key)
    return DueRow(place.kind, place.id, item.key, table.site_of(item.PK), sort_key, place.tries)


def _postpone_failed(row: DueRow) -> None:
    """Postpone with exponential backoff, unless something else has moved the row meanwhile."""
    pause = min(settings.SWEEP_SECONDS * 2 ** min(row.tries, 10), settings.SWEEP_PAUSE_SECONDS)
    later = table.due_again(table.due_place(row.sort_key), clock.iso(clock.in_seconds(pause)))
    here: Condition = Item.GSI2SK == row.sort_key  # noqa: SIM300 - the attribute makes the condition
    try:
        Item.change(row.key, [Item.GSI2SK.set(later)], here)
    except Conflict:
        return
    except CountersignError as error:
        log.warning("row could not be moved on", extra={"event": row.id, "error": logs.place_of(error)})


def repair_due(row: DueRow) -> None:
    """Call the row's handler; unknown kinds (of a newer version) are skipped."""
    if handler := HANDLERS.get(row.kind):
        handler.run(row.site, row.key)
