"""Metrics of the deployment: read when /metrics is scraped, and logged for CloudWatch once a minute."""

import contextlib
import time
from collections.abc import Collection, Iterator

from django.conf import settings
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from config import clock
from config.due.repairs import RUN
from config.errors import CountersignError
from config.metrics import Kind, Metric, Sample, build_families
from workflows.insight import metrics as insight_metrics
from workflows.operations import desk_state
from workflows.operations.desk_state import AT_MOST, DeskState

_FRESH_SECONDS = 10  # seconds that an answer is cached: the page is public, and each answer takes several calls
_LAST_MINUTE = "in the last minute"

WAITING = Metric("countersign_waiting_messages", Kind.GAUGE, "Messages that no worker has taken", ("queue",))
WAITED = Metric(
    "countersign_message_wait_seconds", Kind.GAUGE, f"The longest wait of a message that was taken {_LAST_MINUTE}",
    ("queue",), "Seconds",
)  # fmt: skip
FAILED = Metric("countersign_failed_messages", Kind.GAUGE, "Dead letters; on SQS of the event bus too", ("queue",))
WORKERS = Metric("countersign_workers", Kind.GAUGE, "Workers that gave a sign of life in three minutes", ("queue",))
TAKEN = Metric("countersign_taken_messages", Kind.GAUGE, f"Messages taken {_LAST_MINUTE}", ("queue",))
STALLED = Metric(
    "countersign_stalled_workers", Kind.GAUGE, "Workers that stood still and ended themselves, since ever", ("queue",)
)
OVERDUE = Metric("countersign_overdue_rows", Kind.GAUGE, f"Rows that are due, at most {AT_MOST} a shard", ("kind",))
OVERDUE_SECONDS = Metric(
    "countersign_overdue_seconds", Kind.GAUGE, "How long the first of them has been due", ("kind",), "Seconds"
)
BACKLOG = Metric("countersign_redeem_backlog", Kind.GAUGE, "Decisions that their runs should have taken by now")
STUCK = Metric("countersign_stuck_runs", Kind.GAUGE, "Runs that a sweep should have looked at and could not")
REPAIRS = Metric("countersign_repairs_total", Kind.COUNTER, "Work that was taken up again, since ever", ("kind",))
PAUSED = Metric("countersign_provider_paused", Kind.GAUGE, "1 while no one asks the service", ("provider",))
ROWS = Metric("countersign_table_rows", Kind.GAUGE, "Rows, as DynamoDB counts them every few hours", ("table",))
ROW_BYTES = Metric("countersign_table_bytes", Kind.GAUGE, "Their bytes", ("table",), "Bytes")
DISK_FREE = Metric("countersign_disk_free_bytes", Kind.GAUGE, "Of the disk of the worker that looked", (), "Bytes")
METRICS = (
    WAITING, WAITED, FAILED, WORKERS, TAKEN, STALLED, OVERDUE, OVERDUE_SECONDS, BACKLOG, STUCK, REPAIRS, PAUSED, ROWS,
    ROW_BYTES, DISK_FREE,
)  # fmt: skip
EVERY_METRIC = (*METRICS, *insight_metrics.METRICS)


class DeskCollector(Collector):
    """Metrics of all sites, so each web process returns the same; values that could not be read are omitted.

    ``decided``: statuses of reviews whose decision is not applied yet; the review app registers them.
    """

    def __init__(self, *, decided: Collection[str] = ()) -> None:
        self.decided = decided
        self._known: list[Family] = []
        self._until = 0.0

    def describe(self) -> list[Family]:
        """Called at registration, which must not send a Query."""
        return list(build_families(EVERY_METRIC, ()))

    def collect(self) -> Iterator[Family]:
        if time.monotonic() >= self._until:
            samples = self.sample(desk_state.read_state())
            with contextlib.suppress(CountersignError):  # other metrics say that the table does not answer
                samples += insight_metrics.read_samples()
            self._known = list(build_families(EVERY_METRIC, samples))
            self._until = time.monotonic() + _FRESH_SECONDS
        yield from self._known

    def sample(self, state: DeskState) -> list[Sample]:
        return list(_sample_state(state, self.decided))


desk = DeskCollector()  # the collector of /metrics and of the task that logs the same for CloudWatch


def _sample_state(state: DeskState, decided: Collection[str]) -> Iterator[Sample]:
    yield from _sample_queues(state)
    yield from _sample_overdue(state, decided)
    for repair in state.repairs:
        yield REPAIRS.sample(int(repair.repairs), repair.kind)
    paused = {one.provider for one in state.find_paused(clock.iso(clock.now()))}
    for provider in state.providers or ():
        yield PAUSED.sample(float(provider.provider in paused), provider.provider)
    if storage := state.storage:
        yield ROWS.sample(int(storage.rows), "main")
        yield ROWS.sample(int(storage.old_rows), "versions")
        yield ROW_BYTES.sample(int(storage.row_bytes), "main")
        yield ROW_BYTES.sample(int(storage.old_row_bytes), "versions")
        yield DISK_FREE.sample(int(storage.disk_free))


def _sample_queues(state: DeskState) -> Iterator[Sample]:
    for one in state.queues:
        if one.waiting is not None:
            yield WAITING.sample(one.waiting, one.queue)
        if one.dead is not None:
            yield FAILED.sample(one.dead, one.queue)
        yield WORKERS.sample(one.alive, one.queue)
        yield TAKEN.sample(one.rate, one.queue)
        yield WAITED.sample(one.waited, one.queue)
        yield STALLED.sample(one.stalls, one.queue)
    if state.undelivered is not None:
        yield FAILED.sample(state.undelivered, settings.EVENTS_QUEUE)


def _sample_overdue(state: DeskState, decided: Collection[str]) -> Iterator[Sample]:
    if state.overdue is None:
        return
    waits: dict[str, list[float]] = {}
    for row in state.overdue:
        waits.setdefault(row.kind, []).append(row.seconds)
    for kind, waited in waits.items():
        yield OVERDUE.sample(len(waited), kind)
        yield OVERDUE_SECONDS.sample(max(waited), kind)
    yield BACKLOG.sample(sum(row.kind == "review" and row.status in decided for row in state.overdue))
    yield STUCK.sample(sum(row.kind == RUN for row in state.stuck))
