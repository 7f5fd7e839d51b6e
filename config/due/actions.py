"""The verbs of due work: claim, renew, postpone, release, finish. Each is one conditional write.

For writes that are part of a transaction or have another condition, ``…_actions`` return the update expressions. Only
``DueWork.due_keys`` and ``schedule_actions`` put a row into the index; no verb does.
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
    """Take the lease and count the attempt; the same owner may take it again after a redelivery.

    Only a new lease counts as an attempt, so duplicate messages in a long queue are not mistaken for crashes.
    ``until``: end of the lease, for work without heartbeats.

    Raises:
        Conflict: another worker holds the lease, the attempts are exhausted, or ``when`` does not hold.

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
    """Extend the lease (the worker's heartbeat); ``until`` as in ``claim``.

    An expired lease can be renewed too. Two workers on the same work are harmless; if each stopped at expiry, a file
    that takes longer than one lease would never be finished.

    Raises:
        Conflict: ``when`` does not hold; the work must stop.

    """
    type(record).change(record.key, [DueWork.lease_until.set(until or next_look()), *also], when)


def postpone(record: DueWork, *, at: str, when: Condition | None = None, also: Sequence[Action] = ()) -> None:
    """Make the row due later, ``at`` a stored instant: its message is on the way, or nothing can be done yet.

    Raises:
        Conflict: the row was moved since ``record`` was read, or ``when`` does not hold.

    """
    if record.GSI2SK is None:
        raise Conflict
    later = table.due_later(table.due_place(record.GSI2SK), at)
    type(record).change(record.key, [DueWork.GSI2SK.set(later), *also], if_not_moved(record) if when is None else when)


def release(record: CountedWork, *, owner: str) -> None:
    """Give the lease back without counting the attempt: a service does not answer, the worker did not crash.

    Does nothing if the lease was lost.
    """
    with suppress(CountersignError):
        actions = [*release_actions(), CountedWork.tries.set(CountedWork.tries - 1)]
        type(record).change(record.key, actions, (DueWork.lease_owner == owner) & (CountedWork.tries > 0))


def finish(record: DueWork, *, when: Condition | None = None, also: Sequence[Action] = ()) -> None:
    """Remove the row from the due index.

    Raises:
        Conflict: the row was moved since ``record`` was read, or ``when`` does not hold.

    """
    type(record).change(record.key, [*finish_actions(), *also], if_not_moved(record) if when is None else when)


def schedule_actions(work: type[DueWork], at: str, **ids: str) -> list[Action]:
    """Return the actions that put a finished row back into the index."""
    keys = work.due_keys(at, **ids)
    return [DueWork.GSI2PK.set(keys["GSI2PK"]), DueWork.GSI2SK.set(keys["GSI2SK"])]


def postpone_actions(work: type[DueWork], at: str, **ids: str) -> list[Action]:
    """Return the actions that postpone a row. They never set the partition: a row outside the index stays outside."""
    return [DueWork.GSI2SK.set(work.due_keys(at, **ids)["GSI2SK"])]


def finish_actions() -> list[Action]:
    return [DueWork.GSI2PK.remove(), DueWork.GSI2SK.remove()]


def lease_actions(owner: str, until: str) -> list[Action]:
    return [DueWork.lease_owner.set(owner), DueWork.lease_until.set(until)]


def release_actions() -> list[Action]:
    return [DueWork.lease_owner.remove(), DueWork.lease_until.remove()]


def if_not_moved(record: DueWork) -> Condition:
    """Condition: no sweeper or worker has moved the row since ``record`` was read."""
    same: Condition = DueWork.GSI2SK == record.GSI2SK
    return same


def if_scheduled() -> Condition:
    """Condition: the row is in the due index."""
    there: Condition = DueWork.GSI2PK.exists()
    return there


def lease_is_free(owner: str) -> Condition:
    """Condition: no other worker holds the lease."""
    over = DueWork.lease_until < clock.iso(clock.now())
    free: Condition = DueWork.lease_owner.does_not_exist() | (DueWork.lease_owner == owner) | over
    return free


def not_begun_since(record: CountedWork, *, owner: str) -> Condition:
    """Condition for giving up: no other worker holds the lease, and none made progress since ``record`` was read."""
    same: Condition = (CountedWork.tries == int(record.tries)) & lease_is_free(owner)
    return same


def attempts_exhausted(record: CountedWork) -> bool:
    """Return whether the work has used up its attempts."""
    return int(record.tries) >= settings.WORKER_ATTEMPTS


def is_abandoned(record: CountedWork) -> bool:
    """Return whether the attempts are exhausted and no worker holds the lease."""
    over = not record.lease_until or record.lease_until < clock.iso(clock.now())
    return attempts_exhausted(record) and over


def next_look() -> str:
    """Return when a row is due again by default: after one lease."""
    return clock.iso(clock.in_seconds(settings.REPAIR_AFTER_SECONDS))


def lease_end() -> str:
    """Return the end of a lease that is taken or renewed now, for work with heartbeats."""
    return clock.iso(clock.in_seconds(settings.STEP_LEASE_SECONDS))
