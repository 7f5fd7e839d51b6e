"""The days of who looks: in the time zone of the request, and outside of one in UTC."""

import datetime as dt

from django.utils import timezone

from config import clock


def today() -> dt.date:
    """The day that it is."""
    return timezone.localdate(clock.now())


def start_of(day: dt.date) -> dt.datetime:
    """The instant at which a day begins.

    >>> clock.iso(start_of(dt.date(2026, 11, 25)))
    '2026-11-25T00:00:00.000000+00:00'
    """
    return dt.datetime.combine(day, dt.time(), timezone.get_current_timezone())
