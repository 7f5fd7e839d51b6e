"""How often a key may ask: counted on its own row, of which each process takes some requests at once.

No cache: a laptop has none that processes share, and a key's row is read at each request anyway. One conditional write
for every ``_AT_ONCE`` requests keeps the limit for all processes; what a process took and did not use is lost.
"""

import logging
import math
import threading
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, CountersignError, TooManyTries
from projects.sites.items import ApiKey
from projects.sites.queries import KEY_ACTIVE

logger = logging.getLogger(__name__)
_AT_ONCE = 20
_MOST_HELD = 1_000  # keys that a process remembers
_guard = threading.Lock()
_held: dict[str, tuple[int, int]] = {}  # hash of a key → its while, and what this process has left of it


@dataclass(frozen=True)
class Rate:
    """``limit`` requests in a while, of which ``remaining`` are left for ``seconds``."""

    limit: int
    remaining: int
    seconds: int


def take_request(row: ApiKey) -> Rate:
    """Count one request of the key as it was read for it, and note the hour of its use with each while's first.

    A request is not refused because it could not be counted: a ``remaining`` below zero says that none was left.
    """
    now = clock.now()
    window = int(now.timestamp() // settings.API_SECONDS) * settings.API_SECONDS
    seconds = max(math.ceil(window + settings.API_SECONDS - now.timestamp()), 1)
    taken = int(row.requests or 0) if int(row.window or 0) == window else 0
    digest = str(row.apiKey)
    left = _take_held(digest, window)
    if left is None:
        try:
            drawn = _draw(row, window)
        except CountersignError:
            logger.warning("the use of a key was not noted", extra={"site": row.siteId, "event": row.mask})
            drawn = 1
        if not drawn:
            return Rate(settings.API_REQUESTS, -1, seconds)
        left, taken = drawn - 1, taken + drawn
        _hold(digest, window, left)
    return Rate(settings.API_REQUESTS, max(settings.API_REQUESTS - taken, 0) + left, seconds)


def check_rate(rate: Rate) -> None:
    """Raises: TooManyTries, with the seconds to wait."""
    if rate.remaining < 0:
        raise TooManyTries(
            f"An API key may send {rate.limit:,} requests in {settings.API_SECONDS} seconds. "
            f"Try again in {rate.seconds} s.",
            seconds=rate.seconds,
        )


def _take_held(digest: str, window: int) -> int | None:
    """What is left to this process after one more request; None if it has to ask for more."""
    with _guard:
        since, left = _held.get(digest, (0, 0))
        if since != window or not left:
            return None
        _held[digest] = (window, left - 1)
        return left - 1


def _hold(digest: str, window: int, drawn: int) -> None:
    with _guard:
        if len(_held) >= _MOST_HELD:
            _held.clear()
        since, left = _held.get(digest, (0, 0))
        _held[digest] = (window, drawn + (left if since == window else 0))  # another thread may have asked as well


def _draw(row: ApiKey, window: int) -> int:
    """Take requests of the while for this process, the last ones singly; 0 if all are taken."""
    hour = clock.now().replace(minute=0, second=0, microsecond=0)
    begin: list[Action] = [ApiKey.window.set(window), ApiKey.used_at.set(clock.iso(hour))]
    stands: Condition = ApiKey.status == KEY_ACTIVE
    earlier: Condition = ApiKey.window.does_not_exist() | (ApiKey.window < window)
    for size in dict.fromkeys((min(_AT_ONCE, settings.API_REQUESTS), 1)):
        room: Condition = (ApiKey.window == window) & (ApiKey.requests <= settings.API_REQUESTS - size)
        ways: list[tuple[list[Action], Condition]] = [
            ([ApiKey.requests.add(size)], stands & room),
            ([*begin, ApiKey.requests.set(size)], stands & earlier),
        ]
        if int(row.window or 0) != window:
            ways.reverse()
        for actions, condition in ways:
            with suppress(Conflict):
                ApiKey.change(row.key, actions, condition)
                return size
    return 0
