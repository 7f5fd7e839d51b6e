"""The verbs of due work: claim, renew, postpone, release, finish. Each is one conditional write.

Where such a write shares a transaction, or its condition is another, ``…_actions`` are the parts of it. A row comes
into the index by ``DueWork.due_keys``, or comes back by ``schedule_actions``; a verb alone never puts it there.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due.items import CountedWork, DueWork
from config.errors import Conflict, CountersignError

T = TypeVar("T", bound=CountedWork)


def claim(record: T, *, owner: str, when: Condition | None = None, also: Sequence[Action] = (), until: str = "") -> T:
    """Take the lease and count the begin; the same owner may take it again (its message came back).

    Only a worker without a lease begins: messages that piled up in a long queue are not taken for workers that died.
    ``until``: when the lease ends, of work without heartbeats.

    Raises:
        Conflict: another worker holds it, its attempts are exhausted, or ``when`` does not hold.

    """
    actions = [
        *lease_actions(owner, until or next_look()),
        CountedWork.tries.set((CountedWork.tries | 0) + 1),
        *also,
    ]
    seldom = ~(CountedWork.tries >= settings.WORKER_ATTEMPTS)  # rows of older writers have no such number
    may: Condition = lease_is_free(owner) & seldom
    return type(record).change(record.key, actions, may if when is None else when & may)


def renew(record: DueWork, *, when: Condition, also: Sequence[Action] = (), until: str = "") -> None:
    """Prolong the lease, as a worker's heartbeat; ``until`` as for ``claim``.

    Also if the lease ran out: two workers at it are harmless, and one that stopped would leave a file that takes longer
    than a lease to the next, which would stop as well.

    Raises:
        Conflict: ``when`` does not hold; the work must stop.

    """
    type(record).change(record.key, [DueWork.lease_until.set(until or next_look()), *also], when)


def postpone(record: DueWork, *, at: str, when: Condition | None = None, also: Sequence[Action] = ()) -> None:
    """Have it due later, ``at`` a stored instant, while its message is on the way or nothing can be done.

    Raises:
        Conflict: it is no longer due where ``record`` was read, or ``when`` does not hold.

    """
    if record.GSI2SK is None:
        raise Conflict
    later = table.due_later(table.due_place(record.GSI2SK), at)
    type(record).change(record.key, [DueWork.GSI2SK.set(later), *also], if_not_moved(record) if when is None else when)


def release(record: CountedWork, *, owner: str) -> None:
    """Give the lease back: something does not answer, the worker lives, so its begin does not count.

    Harmless if the lease was lost.
    """
    with suppress(CountersignError):
        actions = [*release_actions(), CountedWork.tries.set(CountedWork.tries - 1)]
        type(record).change(record.key, actions, (DueWork.lease_owner == owner) & (CountedWork.tries > 0))


def finish(record: DueWork, *, when: Condition | None = None, also: Sequence[Action] = ()) -> None:
    """Take it out of the due index.

    Raises:
        Conflict: it is no longer due where ``record`` was read, or ``when`` does not hold.

    """
    type(record).change(record.key, [*finish_actions(), *also], if_not_moved(record) if when is None else when)


def schedule_actions(work: type[DueWork], at: str, **ids: str) -> list[Action]:
    """Put a row that was finished into the index again."""
    keys = work.due_keys(at, **ids)
    return [DueWork.GSI2PK.set(keys["GSI2PK"]), DueWork.GSI2SK.set(keys["GSI2SK"])]


def postpone_actions(work: type[DueWork], at: str, **ids: str) -> list[Action]:
    """Never the partition: a row that is not in the index stays out of it."""
    return [DueWork.GSI2SK.set(work.due_keys(at, **ids)["GSI2SK"])]


def finish_actions() -> list[Action]:
    return [DueWork.GSI2PK.remove(), DueWork.GSI2SK.remove()]


def lease_actions(owner: str, until: str) -> list[Action]:
    return [DueWork.lease_owner.set(owner), DueWork.lease_until.set(until)]


def release_actions() -> list[Action]:
    return [DueWork.lease_owner.remove(), DueWork.lease_until.remove()]


def if_not_moved(record: DueWork) -> Condition:
    """It is due where ``record`` was read: no other sweeper, and no worker, has moved it since."""
    same: Condition = DueWork.GSI2SK == record.GSI2SK
    return same


def if_scheduled() -> Condition:
    """It stands in the due index, whenever it is due."""
    there: Condition = DueWork.GSI2PK.exists()
    return there


def lease_is_free(owner: str) -> Condition:
    """No other worker holds it."""
    over = DueWork.lease_until < clock.iso(clock.now())
    free: Condition = DueWork.lease_owner.does_not_exist() | (DueWork.lease_owner == owner) | over
    return free


def not_begun_since(record: CountedWork, *, owner: str) -> Condition:
    """For giving it up: no other worker holds it, and none has begun it or got on with it since ``record`` was read."""
    same: Condition = (CountedWork.tries == int(record.tries)) & lease_is_free(owner)
    return same


def attempts_exhausted(record: CountedWork) -> bool:
    """Return True if it was begun so often that it is given up."""
    return int(record.tries) >= settings.WORKER_ATTEMPTS


def is_abandoned(record: CountedWork) -> bool:
    """Return True if its attempts are exhausted and no worker holds it."""
    over = not record.lease_until or record.lease_until < clock.iso(clock.now())
    return attempts_exhausted(record) and over


def next_look() -> str:
    """When a row is due again, if nothing else is said: a lease is as long as that."""
    return clock.iso(clock.in_seconds(settings.REPAIR_AFTER_SECONDS))


def lease_end() -> str:
    """When a lease taken or renewed now ends, of work with heartbeats as a step's."""
    return clock.iso(clock.in_seconds(settings.STEP_LEASE_SECONDS))
