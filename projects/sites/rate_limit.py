"""Rate limits of API keys, counted on the key's row; each process reserves several requests at a time.

There is no shared cache: a laptop has none, and a key's row is read at each request anyway. One conditional write for
every ``_AT_ONCE`` requests enforces the limit over all processes; unused reservations are lost.
"""

import logging
import math
import threading
from contextlib import suppress
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.errors import Conflict, CountersignError, TooManyTries
from projects.sites.items import ApiKey
from projects.sites.queries import KEY_ACTIVE

logger = logging.getLogger(__name__)
_AT_ONCE = 20
_MOST_HELD = 1_000  # keys that a process caches
_guard = threading.Lock()
_held: dict[str, tuple[int, int]] = {}  # hash of a key → its window, and this process's remaining reservation


@dataclass(frozen=True)
class Rate:
    """``limit`` requests in a window, of which ``remaining`` are left for ``seconds``."""

    limit: int
    remaining: int
    seconds: int


def take_request(row: ApiKey) -> Rate:
    """Count one request of the key, and record the hour of use with the first one of each window.

    A request is not refused because it could not be counted: a negative ``remaining`` means that none was left.
    At the end of a window, a server whose clock is ahead may have begun the next one: then that one is counted.
    """
    now = clock.now()
    window = int(now.timestamp() // settings.API_SECONDS) * settings.API_SECONDS
    stored = int(row.window or 0)
    counted = stored if stored == window + settings.API_SECONDS else window
    seconds = max(math.ceil(counted + settings.API_SECONDS - now.timestamp()), 1)
    taken = int(row.requests or 0) if stored == counted else 0
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
    """Raises: TooManyTries with the seconds to wait."""
    if rate.remaining < 0:
        raise TooManyTries(
            gettext("An API key may send %(limit)s requests in %(api_seconds)s seconds. Try again in %(seconds)s s.")
            % {"limit": f"{rate.limit:,}", "api_seconds": settings.API_SECONDS, "seconds": rate.seconds},
            seconds=rate.seconds,
        )


def _take_held(digest: str, window: int) -> int | None:
    """Return this process's remaining reservation after one more request; None if it has to reserve more."""
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
        _held[digest] = (window, drawn + (left if since == window else 0))  # another thread may have reserved as well


def _draw(row: ApiKey, window: int) -> int:
    """Reserve requests of the window for this process, the last ones singly; 0 if none are left."""
    hour = clock.now().replace(minute=0, second=0, microsecond=0)
    begin: list[Action] = [ApiKey.window.set(window), ApiKey.used_at.set(clock.iso(hour))]
    stands: Condition = ApiKey.status == KEY_ACTIVE
    earlier: Condition = ApiKey.window.does_not_exist() | (ApiKey.window < window)
    current: Condition = ApiKey.window.is_in(window, window + settings.API_SECONDS)
    for size in dict.fromkeys((min(_AT_ONCE, settings.API_REQUESTS), 1)):
        room: Condition = current & (ApiKey.requests <= settings.API_REQUESTS - size)
        ways: list[tuple[list[Action], Condition]] = [
            ([ApiKey.requests.add(size)], stands & room),
            ([*begin, ApiKey.requests.set(size)], stands & earlier),
        ]
        if int(row.window or 0) < window:
            ways.reverse()
        for actions, condition in ways:
            with suppress(Conflict):
                ApiKey.change(row.key, actions, condition)
                return size
    return 0
