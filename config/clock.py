"""The only source of time and of time-ordered ids; everything is UTC."""

import datetime as dt
import hashlib

from ulid import ULID


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def iso(moment: dt.datetime) -> str:
    """Return the stored form: 2026-11-21T12:00:00.000000+00:00. Its width is fixed, so text order is time order."""
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds")


def parse(text: str) -> dt.datetime:
    """Parse a stored instant, ours or an older writer's (``Z`` or an offset, any precision).

    Raises:
        ValueError: the text is not an ISO 8601 instant.

    """
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def in_seconds(seconds: float) -> dt.datetime:
    return now() + dt.timedelta(seconds=seconds)


def new_ulid() -> str:
    return str(ULID())


def ulid_of(moment: dt.datetime, name: str) -> str:
    """Return a deterministic ULID of an instant and a name; it sorts among those made at that instant.

    >>> ulid_of(dt.datetime(2026, 12, 1, tzinfo=dt.UTC), "monthly")[:10]
    '01M8QEDC00'
    """
    head = int(moment.timestamp() * 1000).to_bytes(6, "big")
    return str(ULID.from_bytes(head + hashlib.sha256(name.encode()).digest()[:10]))


def ulid_after(last: str | None) -> str:
    """Return a ULID greater than ``last``, even if the clocks of two machines differ."""
    fresh = ULID()
    if last is None or str(fresh) > last:
        return str(fresh)
    return str(ULID.from_int(int(ULID.from_str(last)) + 1))
