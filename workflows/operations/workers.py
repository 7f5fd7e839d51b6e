"""What is known of the workers: their signs of life, how often one that stood still ended itself, what was repaired.

All of it are rows of one small partition, so that whoever looks at them makes one Query.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import aws, clock, table
from config.due.repairs import Repair
from config.item import Item

BEAT_SECONDS = 60
ALIVE_SECONDS = 3 * BEAT_SECONDS  # since its last sign of life
_KEPT_SECONDS = 3600
_MOST = 500  # rows of the partition: workers of a large fleet


class WorkerStall(Item):
    """Access: by queue; all of them."""

    queue = UnicodeAttribute()
    stalls = NumberAttribute(default=0)
    waiting = NumberAttribute(default=0)  # messages, when it last happened
    stalled_at = UnicodeAttribute(null=True)


class Worker(Item):
    """A worker's sign of life. ``taken``: messages since it started; ``rate``: of them in the last minute.

    ``waited``: seconds that the longest of these had waited. ``busy`` of its ``slots``. Access: by name; all of them.
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


class Storage(Item):
    """How many rows both tables have, and bytes; of the disk of whoever looked. DynamoDB counts every few hours."""

    measured_at = UnicodeAttribute()
    rows = NumberAttribute(default=0)
    row_bytes = NumberAttribute(default=0)
    old_rows = NumberAttribute(default=0)
    old_row_bytes = NumberAttribute(default=0)
    disk_free = NumberAttribute(default=0)
    disk_bytes = NumberAttribute(default=0)


@dataclass(frozen=True)
class Known:
    """The partition's rows by their kind; workers without those that are gone for an hour."""

    workers: Sequence[Worker] = ()
    stalls: Mapping[str, WorkerStall] = field(default_factory=dict)
    repairs: Sequence[Repair] = ()
    storage: Storage | None = None

    def of_queue(self, queue: str) -> list[Worker]:
        """Those that take from it, whoever was seen last first."""
        found = [one for one in self.workers if queue in one.queues.split()]
        return sorted(found, key=lambda one: one.seen_at, reverse=True)


def record_stall(waiting: Mapping[str, int]) -> None:
    """A worker of these queues stood still."""
    for queue, messages in waiting.items():
        WorkerStall.change(
            table.WORKER_STALL.key(table.DEFAULT_SITE, queue=queue),
            [
                WorkerStall.queue.set(queue),
                WorkerStall.stalls.add(1),
                WorkerStall.waiting.set(messages),
                WorkerStall.stalled_at.set(clock.iso(clock.now())),
            ],
            # always true, and said so: counting must not depend on what is there
            WorkerStall.stalls.does_not_exist() | WorkerStall.stalls.exists(),
        )


class Pulse:
    """Writes a worker's sign of life, over a connection that nothing else of its process has.

    A worker's main process forks: what it shared with its children, two processes would write to.
    """

    def __init__(self, worker: str, queues: Sequence[str], slots: int) -> None:
        self.worker, self.queues, self.slots = worker, queues, slots
        self.started_at = clock.iso(clock.now())
        self._taken = 0
        self._client: Any = None

    def beat(self, *, taken: int, waited: float, busy: int) -> None:
        """``waited``: of what was taken since the last beat. Raises: CountersignError."""
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
        """It ends in order, so no one has to look for it. Raises: CountersignError."""
        if self._client is not None:
            key = table.WORKER.key(table.DEFAULT_SITE, worker=self.worker)
            with aws.translate_aws_errors():
                self._client.delete_item(TableName=settings.TABLE_NAME, Key={"PK": {"S": key.pk}, "SK": {"S": key.sk}})


def record_storage() -> Storage:
    """Measure it and write it down; two calls that read no row. Raises: CountersignError."""
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
    # whatever is there: the last measure counts
    always = Storage.measured_at.does_not_exist() | Storage.measured_at.exists()
    return Storage.change(table.STORAGE.key(table.DEFAULT_SITE), actions, always)


def list_stalls() -> list[WorkerStall]:
    """Of each queue that a worker stood still at, in no order: one Query."""
    return list(read_known().stalls.values())


def read_known() -> Known:
    """One Query, the same on every site."""
    kinds: dict[str, type[Item]] = {
        table.WORKER.sort_prefix(): Worker,
        table.WORKER_STALL.sort_prefix(): WorkerStall,
        table.REPAIR.sort_prefix(): Repair,
        table.STORAGE.sort_prefix(): Storage,
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
    )
