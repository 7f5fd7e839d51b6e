"""Work that may kill whoever does it: each begin is counted with its lease, so that nothing kills workers for ever.

Only who holds no lease begins: messages that piled up in a long queue are not taken for workers that died.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.due.items import Begun
from config.errors import CountersignError

T = TypeVar("T", bound=Begun)


def were_enough(record: Begun) -> bool:
    """It is not begun once more: whoever would do so says why."""
    return int(record.tries) >= settings.WORKER_ATTEMPTS


def claim(record: T, *, owner: str, when: Condition | None = None, also: Sequence[Action] = (), until: str = "") -> T:
    """Take the lease and count the begin; the same owner may take it again (its message came back).

    ``until``: when the lease ends, of work without heartbeats.

    Raises:
        Conflict: another worker has it, it was begun often enough, or ``when`` does not hold.

    """
    actions = [
        Begun.lease_owner.set(owner),
        Begun.lease_until.set(until or _next_look()),
        Begun.tries.set((Begun.tries | 0) + 1),
        *also,
    ]
    seldom = ~(Begun.tries >= settings.WORKER_ATTEMPTS)  # rows of older writers have no such number
    may: Condition = free(owner) & seldom
    return type(record).change(record.key, actions, may if when is None else when & may)


def is_over(record: Begun) -> bool:
    """It was begun often enough, and nobody is at it any more."""
    gone = not record.lease_until or record.lease_until < clock.iso(clock.now())
    return were_enough(record) and gone


def renew(record: Begun, *, when: Condition, also: Sequence[Action] = (), until: str = "") -> None:
    """A worker's heartbeat; ``until`` as ``claim``. Raises: Conflict, where ``when`` does not hold: the work must stop.

    Also of one whose lease ran out: twice at it is harmless, and who stopped then would leave a file that takes longer
    than a lease to the next, which would stop as well.
    """
    type(record).change(record.key, [Begun.lease_until.set(until or _next_look()), *also], when)


def give_back(record: Begun, *, owner: str) -> None:
    """Something does not answer, and the worker lives: its begin does not count. Harmless where the lease was lost."""
    with suppress(CountersignError):
        actions = [*released(), Begun.tries.set(Begun.tries - 1)]
        type(record).change(record.key, actions, (Begun.lease_owner == owner) & (Begun.tries > 0))


def unmoved(record: Begun, *, owner: str) -> Condition:
    """For giving it up: nobody is at it, and nobody has got on with it since ``record`` was read."""
    same: Condition = (Begun.tries == int(record.tries)) & free(owner)
    return same


def free(owner: str) -> Condition:
    gone = Begun.lease_until < clock.iso(clock.now())
    nobody: Condition = Begun.lease_owner.does_not_exist() | (Begun.lease_owner == owner) | gone
    return nobody


def released() -> list[Action]:
    return [Begun.lease_owner.remove(), Begun.lease_until.remove()]


def _next_look() -> str:
    """A lease is as long as what is due waits."""
    return clock.iso(clock.in_seconds(settings.REPAIR_AFTER_SECONDS))
