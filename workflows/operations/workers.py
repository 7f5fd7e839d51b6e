"""Rows of the workers: heartbeats, stalls, counted messages, and the measured storage.

All are in one small partition, so that reading them takes one Query.
"""

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import aws, clock, table
from config.due.repairs import Repair
from config.errors import Conflict
from config.item import Item

BEAT_SECONDS = 60
ALIVE_SECONDS = 3 * BEAT_SECONDS  # since its last heartbeat
_KEPT_SECONDS = 3600
_FRESH_SECONDS = 90  # messages are counted once a minute
_MOST = 500  # rows of the partition: workers of a large fleet


class WorkerStall(Item):
    """Access: by queue; all of them."""

    queue = UnicodeAttribute()
    stalls = NumberAttribute(default=0)
    waiting = NumberAttribute(default=0)  # messages at the latest stall
    stalled_at = UnicodeAttribute(null=True)


class Worker(Item):
    """A worker's heartbeat. ``taken``: messages since it started; ``rate``: in the last minute.

    ``waited``: the longest wait of these in seconds. ``busy`` of its ``slots``. Access: by name; all of them.
    """

    worker = UnicodeAttribute()
    queues = UnicodeAttribute()  # separated by spaces
    started_at = UnicodeAttribute()
    seen_at = UnicodeAttribute()
    taken = NumberAttribute(default=0)
    rate = NumberAttribute(default=0)
    waited = NumberAttribute(default=0)
    busy = NumberAttribute(default=0)
    slots = NumberAttribute(default=1)

    @property
    def is_alive(self) -> bool:
        return (clock.now() - clock.parse(self.seen_at)).total_seconds() <= ALIVE_SECONDS

    @property
    def has_rate(self) -> bool:
        return (clock.parse(self.seen_at) - clock.parse(self.started_at)).total_seconds() >= BEAT_SECONDS


class Storage(Item):
    """Rows and bytes of both tables, and the disk of the machine that measured.

    DynamoDB updates its counts every few hours.
    """

    measured_at = UnicodeAttribute()
    rows = NumberAttribute(default=0)
    row_bytes = NumberAttribute(default=0)
    old_rows = NumberAttribute(default=0)
    old_row_bytes = NumberAttribute(default=0)
    disk_free = NumberAttribute(default=0)
    disk_bytes = NumberAttribute(default=0)


class QueueDepths(Item):
    """How many messages waited in each queue, and in its dead letters, when a worker last counted them."""

    counted_at = UnicodeAttribute()
    waiting = UnicodeAttribute()  # queue → messages, as JSON
    dead = UnicodeAttribute()

    @property
    def is_fresh(self) -> bool:
        return (clock.now() - clock.parse(self.counted_at)).total_seconds() <= _FRESH_SECONDS

    @property
    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """The waiting messages and the dead letters by queue."""
        return json.loads(self.waiting), json.loads(self.dead)


@dataclass(frozen=True)
class Known:
    """The partition's rows by kind, without workers that have been gone for an hour."""

    workers: Sequence[Worker] = ()
    stalls: Mapping[str, WorkerStall] = field(default_factory=dict)
    repairs: Sequence[Repair] = ()
    storage: Storage | None = None
    depths: QueueDepths | None = None

    def of_queue(self, queue: str) -> list[Worker]:
        """Return the workers of a queue, most recently seen first."""
        found = [one for one in self.workers if queue in one.queues.split()]
        return sorted(found, key=lambda one: one.seen_at, reverse=True)


def record_stall(waiting: Mapping[str, int]) -> None:
    """Record that a worker of these queues was stalled."""
    for queue, messages in waiting.items():
        WorkerStall.change(
            table.WORKER_STALL.key(table.DEFAULT_SITE, queue=queue),
            [
                WorkerStall.queue.set(queue),
                WorkerStall.stalls.add(1),
                WorkerStall.waiting.set(messages),
                WorkerStall.stalled_at.set(clock.iso(clock.now())),
            ],
            # always true on purpose: counting must not depend on what exists
            WorkerStall.stalls.does_not_exist() | WorkerStall.stalls.exists(),
        )


class Pulse:
    """Writes a worker's heartbeats over a connection of its own.

    A worker's main process forks, and children must not share a connection with it.
    """

    def __init__(self, worker: str, queues: Sequence[str], slots: int) -> None:
        self.worker, self.queues, self.slots = worker, queues, slots
        self.started_at = clock.iso(clock.now())
        self._taken = 0
        self._client: Any = None

    def beat(self, *, taken: int, waited: float, busy: int) -> None:
        """``waited``: of what was taken since the last heartbeat. Raises: CountersignError."""
        now = clock.now()
        row = Worker(
            *table.WORKER.key(table.DEFAULT_SITE, worker=self.worker),
            worker=self.worker,
            queues=" ".join(self.queues),
            started_at=self.started_at,
            seen_at=clock.iso(now),
            taken=taken,
            rate=taken - self._taken,
            waited=round(waited, 1),
            busy=busy,
            slots=self.slots,
            TimeToLive=int(now.timestamp()) + _KEPT_SECONDS,
        )
        self._taken = taken
        self._client = self._client or aws.separate_client("dynamodb")
        with aws.translate_aws_errors():
            self._client.put_item(TableName=settings.TABLE_NAME, Item=row.serialize())

    def end(self) -> None:
        """Record a graceful shutdown, so that nobody looks for the worker. Raises: CountersignError."""
        if self._client is not None:
            key = table.WORKER.key(table.DEFAULT_SITE, worker=self.worker)
            with aws.translate_aws_errors():
                self._client.delete_item(TableName=settings.TABLE_NAME, Key={"PK": {"S": key.pk}, "SK": {"S": key.sk}})


def record_storage() -> Storage:
    """Measure and store it; two calls that read no row. Raises: CountersignError."""
    client = aws.dynamodb_client()
    with aws.translate_aws_errors():
        tables = [
            client.describe_table(TableName=name)["Table"]
            for name in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME)
        ]
    disk = shutil.disk_usage(settings.STATE_DIR if settings.STATE_DIR.exists() else "/")
    numbers = (
        (Storage.rows, tables[0].get("ItemCount", 0)),
        (Storage.row_bytes, tables[0].get("TableSizeBytes", 0)),
        (Storage.old_rows, tables[1].get("ItemCount", 0)),
        (Storage.old_row_bytes, tables[1].get("TableSizeBytes", 0)),
        (Storage.disk_free, disk.free),
        (Storage.disk_bytes, disk.total),
    )
    actions = [Storage.measured_at.set(clock.iso(clock.now())), *(one.set(value) for one, value in numbers)]
    # unconditional: the last measurement counts
    always = Storage.measured_at.does_not_exist() | Storage.measured_at.exists()
    return Storage.change(table.STORAGE.key(table.DEFAULT_SITE), actions, always)


def record_depths(waiting: Mapping[str, int], dead: Mapping[str, int]) -> None:
    """Store what was counted now. Raises: CountersignError."""
    now = clock.iso(clock.now())
    actions = [
        QueueDepths.counted_at.set(now),
        QueueDepths.waiting.set(json.dumps(dict(waiting))),
        QueueDepths.dead.set(json.dumps(dict(dead))),
    ]
    # a later count stays
    older = QueueDepths.counted_at.does_not_exist() | (QueueDepths.counted_at < now)
    with contextlib.suppress(Conflict):
        QueueDepths.change(table.QUEUE_DEPTHS.key(table.DEFAULT_SITE), actions, older)


def list_stalls() -> list[WorkerStall]:
    """List the queues with stalls, unordered: one Query."""
    return list(read_known().stalls.values())


def read_known() -> Known:
    """Read the partition, which is the same on every site: one Query."""
    kinds: dict[str, type[Item]] = {
        table.WORKER.sort_prefix(): Worker,
        table.WORKER_STALL.sort_prefix(): WorkerStall,
        table.REPAIR.sort_prefix(): Repair,
        table.STORAGE.sort_prefix(): Storage,
        table.QUEUE_DEPTHS.sort_prefix(): QueueDepths,
    }
    found: dict[type[Item], list[Any]] = {kind: [] for kind in kinds.values()}
    for wire in Item.partition(table.WORKER.partition_key(table.DEFAULT_SITE), limit=_MOST):
        kind = next((one for prefix, one in kinds.items() if wire["SK"]["S"].startswith(prefix)), None)
        if kind is not None:
            found[kind].append(kind.from_raw_data(wire))
    now = clock.now().timestamp()
    return Known(
        [one for one in found[Worker] if int(one.TimeToLive or 0) > now],
        {one.queue: one for one in found[WorkerStall]},
        found[Repair],
        next(iter(found[Storage]), None),
        next(iter(found[QueueDepths]), None),
    )
