"""What waits longer than it should, and messages that were put aside, read when /metrics is asked for."""

import time
from collections.abc import Collection, Iterator

from django.conf import settings
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from pynamodb.attributes import UnicodeAttribute

from config import clock, table
from config.brokers import queues
from config.due.items import DueWork
from config.errors import CountersignError
from workflows.operations import dead_letter_queues, workers

_AT_MOST = 500  # rows a shard: beyond it someone has to look anyhow
_FRESH_SECONDS = 10  # whoever asks more often gets the same answer: the page is open, and each answer is a Query


class _DueRow(DueWork):
    """A row of any kind, with what the index carries of it."""

    status = UnicodeAttribute(null=True)


class Overdue(Collector):
    """Gauges of all sites, so each web process returns the same; nothing if the table does not answer.

    ``decided``: statuses of a review whose decision its run has not taken yet.
    """

    def __init__(self, *, decided: Collection[str]) -> None:
        self._decided = decided
        self._known: list[GaugeMetricFamily] = []
        self._until = 0.0

    def describe(self) -> list[GaugeMetricFamily]:
        """Asked when it is registered, which is no time for a Query."""
        return _families()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        if time.monotonic() >= self._until:
            try:
                self._known = _read_overdue(self._decided)
            except CountersignError:
                self._known = []
            self._until = time.monotonic() + _FRESH_SECONDS
        yield from self._known


def _families() -> list[GaugeMetricFamily]:
    return [
        GaugeMetricFamily(
            "countersign_overdue_rows", f"Rows that are due, at most {_AT_MOST} a shard", labels=["kind"]
        ),
        GaugeMetricFamily("countersign_overdue_seconds", "How long the first of them has been due", labels=["kind"]),
        GaugeMetricFamily("countersign_redeem_backlog", "Decisions that their runs should have taken by now"),
        GaugeMetricFamily(
            "countersign_failed_messages",
            "Put aside on Redis or RabbitMQ; SQS counts itself",
            labels=["queue"],
        ),
        GaugeMetricFamily(
            "countersign_waiting_messages",
            "On Redis or RabbitMQ, taken by no worker; SQS counts itself",
            labels=["queue"],
        ),
        GaugeMetricFamily(
            "countersign_stalled_workers", "Workers that stood still and ended themselves, since ever", labels=["queue"]
        ),
    ]


def _read_overdue(decided_statuses: Collection[str]) -> list[GaugeMetricFamily]:
    now = clock.now()
    waits: dict[str, list[float]] = {}
    decided = 0
    for shard in range(settings.DUE_SHARDS):
        before = clock.iso(clock.in_seconds(settings.SWEEP_PAUSE_SECONDS)) > _DueRow.GSI2SK
        for row in _DueRow.page(table.due_partition(shard), sk=before, index="GSI2", limit=_AT_MOST).rows:
            place = table.due_place(str(row.GSI2SK))
            due_for = (now - clock.parse(place.since)).total_seconds()  # also while it waits for its next try
            if due_for < 0:
                continue
            waits.setdefault(place.kind, []).append(due_for)
            decided += place.kind == "review" and row.status in decided_statuses
    rows, seconds, backlog, failed, waiting, stalled = families = _families()
    for kind, waited in waits.items():
        rows.add_metric([kind], len(waited))
        seconds.add_metric([kind], max(waited))
    backlog.add_metric([], decided)
    for queue, count in dead_letter_queues.count_dead_letters().items():
        failed.add_metric([queue], count)
    for one in workers.list_stalls():
        stalled.add_metric([str(one.queue)], int(one.stalls))
    for queue, count in queues.count_all_messages().items():
        waiting.add_metric([queue], count)
    return families
