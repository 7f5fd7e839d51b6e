"""What is known of the workers: how much waits in each queue, and how often one that stood still ended itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import clock, table
from config.brokers import queues
from config.errors import CountersignError
from config.item import Item


class WorkerStall(Item):
    """Access: by queue; all of them."""

    queue = UnicodeAttribute()
    stalls = NumberAttribute(default=0)
    waiting = NumberAttribute(default=0)  # messages, when it last happened
    stalled_at = UnicodeAttribute(null=True)


@dataclass(frozen=True)
class QueueState:
    """``waiting``: messages that no worker has taken, None if the broker did not say.

    ``stalls``: since ever; ``stalled_waiting``: how many messages waited at the last of them.
    """

    queue: str
    waiting: int | None
    stalls: int = 0
    stalled_at: str | None = None
    stalled_waiting: int = 0


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


def list_stalls() -> list[WorkerStall]:
    """Of each queue that a worker stood still at: one Query, the same on every site."""
    pk = table.WORKER_STALL.partition_key(table.DEFAULT_SITE)
    prefix = WorkerStall.SK.startswith(table.WORKER_STALL.sort_prefix())
    return list(WorkerStall.page(pk, sk=prefix, limit=50).rows)


def list_queues() -> list[QueueState]:
    """Every queue of the workers, in the order of the settings: one Query, and a question to the broker for each."""
    known = {row.queue: row for row in list_stalls()}
    found = []
    for queue in settings.QUEUE_URLS:
        row = known.get(queue)
        stalls = (int(row.stalls), row.stalled_at, int(row.waiting)) if row else ()
        found.append(QueueState(queue, _count(queue), *stalls))
    return found


def _count(queue: str) -> int | None:
    try:
        return queues.count_messages(queue)
    except CountersignError:
        return None
