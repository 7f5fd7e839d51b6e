"""The state of the deployment: its queues, overdue work and paused services, from counters and rows.

One read for the Operations page and the metrics. Values that could not be read are None.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from pynamodb.attributes import UnicodeAttribute

from config import clock, logs, table
from config.brokers import queues
from config.brokers.transport import SQS
from config.due.items import DueWork
from config.due.repairs import Repair
from config.errors import CountersignError
from workflows.operations import dead_letter_queues, workers
from workflows.operations.workers import Storage, Worker
from workflows.providers import queries as provider_queries
from workflows.providers.items import ProviderState

log = logging.getLogger(__name__)
T = TypeVar("T")

AT_MOST = 500  # rows a shard: beyond that an operator has to look anyway
STUCK_SECONDS = 60  # sweeps come every ten seconds, so work that is due for longer is stuck


class _DueRow(DueWork):
    """A row of any kind, with the attributes that the index projects."""

    status = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)


@dataclass(frozen=True)
class OverdueRow:
    """``seconds``: overdue; ``tries``: failed repairs. ``place``: its sort key in the due index."""

    kind: str
    id: str
    site: str
    key: table.Key
    place: str
    since: str
    seconds: float
    tries: int
    status: str
    document_id: str
    workflow_id: str

    @property
    def is_stuck(self) -> bool:
        return bool(self.tries) or self.seconds >= STUCK_SECONDS


@dataclass(frozen=True)
class QueueState:
    """``waiting``, ``dead``: messages; None if the broker did not report them, or nobody has counted them.

    ``stalls``: in total; ``stalled_waiting``: how many messages waited at the latest of them.
    """

    queue: str
    waiting: int | None
    dead: int | None
    workers: Sequence[Worker] = ()
    stalls: int = 0
    stalled_at: str | None = None
    stalled_waiting: int = 0

    @property
    def alive(self) -> int:
        return sum(one.is_alive for one in self.workers)

    @property
    def seen_at(self) -> str | None:
        return self.workers[0].seen_at if self.workers else None

    @property
    def rate(self) -> int:
        """Messages taken in the last minute, from all queues of its workers."""
        return sum(int(one.rate) for one in self.workers if one.is_alive)

    @property
    def has_rate(self) -> bool:
        """False until a heartbeat comes a whole interval after its worker's start: the first one has counted nothing.

        True without a live worker, which takes nothing.
        """
        return not self.alive or any(one.is_alive and one.has_rate for one in self.workers)

    @property
    def waited(self) -> float:
        """The longest time in seconds that a message taken in the last minute had waited."""
        return max((float(one.waited) for one in self.workers if one.is_alive), default=0.0)


@dataclass(frozen=True)
class DeskState:
    """``overdue``: longest first. ``undelivered``: events that the bus gave up on. None: no answer.

    ``counted_at``: when the messages were counted; None if they were counted for this answer, or never.
    ``is_uncounted``: no worker has counted them lately, and neither has this answer.
    """

    queues: Sequence[QueueState]
    overdue: Sequence[OverdueRow] | None
    providers: Sequence[ProviderState] | None
    repairs: Sequence[Repair]
    storage: Storage | None
    undelivered: int | None
    counted_at: str | None = None
    is_uncounted: bool = False

    @property
    def dead(self) -> int | None:
        """The number of all known dead letters; None if no queue's are known."""
        known = [one for one in (*(queue.dead for queue in self.queues), self.undelivered) if one is not None]
        return sum(known) if known else None

    @property
    def stuck(self) -> list[OverdueRow]:
        return [one for one in self.overdue or () if one.is_stuck]

    def find_paused(self, now: str) -> list[ProviderState]:
        """Return services that are paused until after ``now``."""
        return [one for one in self.providers or () if one.failures and one.open_until and one.open_until > now]


def read_state(*, count: bool = True) -> DeskState:
    """Read the state: three Queries, and what the broker reports: on SQS, a call for each queue.

    ``count``: without it, the last counts of a worker are used: on SQS however old they are, since a page must not
    make a call for each queue; on Redis and RabbitMQ, which count without a call of AWS, if they are fresh.
    """
    rows = _try(workers.read_known) or workers.Known()
    is_fresh = rows.depths is not None and rows.depths.is_fresh
    counts_now = count or (settings.BROKER != SQS and not is_fresh)
    remembered = None if counts_now else rows.depths
    waiting, dead = _count_messages() if counts_now else remembered.counts if remembered else ({}, {})
    return DeskState(
        [_queue(queue, rows, waiting.get(queue), dead.get(queue)) for queue in settings.QUEUE_URLS],
        _try(list_overdue),
        _try(provider_queries.provider_states),
        sorted(rows.repairs, key=lambda one: one.repaired_at, reverse=True),
        rows.storage,
        dead.get(settings.EVENTS_QUEUE),
        remembered.counted_at if remembered else None,
        is_uncounted=not counts_now and not is_fresh,
    )


def _count_messages() -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Count what waits and the dead letters; empty if the broker does not answer."""
    dead = _try(dead_letter_queues.count_dead_letters) or {}
    return _try(queues.count_all_messages) or {}, dead


def record_depths(state: DeskState) -> None:
    """Store the counted messages for the Operations page, unless some are unknown."""
    waiting = {one.queue: one.waiting for one in state.queues if one.waiting is not None}
    dead = {one.queue: one.dead for one in state.queues if one.dead is not None}
    if not len(waiting) == len(dead) == len(state.queues):
        return
    if state.undelivered is not None:
        dead[settings.EVENTS_QUEUE] = state.undelivered
    workers.record_depths(waiting, dead)


def _queue(queue: str, known: workers.Known, waiting: int | None, dead: int | None) -> QueueState:
    stall = known.stalls.get(queue)
    stalls = (int(stall.stalls), stall.stalled_at, int(stall.waiting)) if stall else ()
    return QueueState(queue, waiting, dead, known.of_queue(queue), *stalls)


def _try(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except CountersignError as error:
        log.warning("part of the desk's state is not known", extra={"error": logs.place_of(error)})
        return None


def list_overdue() -> list[OverdueRow]:
    """List overdue work, including what waits for its next try, longest first; a Query a shard.

    Raises:
        Unavailable: the table does not answer.

    """
    now = clock.now()
    found = []
    for shard in range(settings.DUE_SHARDS):
        before = clock.iso(clock.in_seconds(settings.SWEEP_PAUSE_SECONDS)) > _DueRow.GSI2SK
        for row in _DueRow.page(table.due_partition(shard), sk=before, index="GSI2", limit=AT_MOST).rows:
            place = table.due_place(str(row.GSI2SK))
            seconds = (now - clock.parse(place.since)).total_seconds()
            if seconds >= 0:
                site = table.site_of(row.PK)
                about = (str(row.status or ""), str(row.document_id or ""), str(row.workflow_id or ""))
                at = (row.key, str(row.GSI2SK), place.since)
                found.append(OverdueRow(place.kind, place.id, site, *at, seconds, place.tries, *about))
    return sorted(found, key=lambda one: one.since)
