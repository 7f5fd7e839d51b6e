"""Days in the request's time zone; in UTC outside of a request."""

import datetime as dt
import functools
from collections.abc import Callable

from django.utils import dateformat, timezone
from django.utils.translation import get_language, pgettext

from config import clock


def today() -> dt.date:
    """Return today's date."""
    return timezone.localdate(clock.now())


def start_of(day: dt.date) -> dt.datetime:
    """Return the instant at which a day starts.

    >>> clock.iso(start_of(dt.date(2026, 11, 25)))
    '2026-11-25T00:00:00.000000+00:00'
    """
    return dt.datetime.combine(day, dt.time(), timezone.get_current_timezone())


def _cached_by_language(show: Callable[[dt.date], str]) -> Callable[[dt.date], str]:
    """Cache the texts of days: charts and tables repeat the same ones."""

    @functools.lru_cache(maxsize=2048)
    def show_in(day: dt.date, _language: str | None) -> str:
        return show(day)

    @functools.wraps(show)
    def show_cached(day: dt.date) -> str:
        return show_in(day, get_language())

    return show_cached


@_cached_by_language
def day_with_weekday(day: dt.date) -> str:
    """``Thu 26 Nov 2026``, as the language writes it."""
    # Translators: Django's date filter, as above; D is the short name of the weekday, F the long one of the month.
    return dateformat.format(day, pgettext("pattern of a date", "D j M Y"))


@_cached_by_language
def day_of_year(day: dt.date) -> str:
    """``26 Nov``, as the language writes it."""
    return dateformat.format(day, pgettext("pattern of a date", "j M"))


@_cached_by_language
def long_day_of_year(day: dt.date) -> str:
    """``26 November``, as the language writes it."""
    return dateformat.format(day, pgettext("pattern of a date", "j F"))


@_cached_by_language
def month_of_year(day: dt.date) -> str:
    """``November 2026``, as the language writes it."""
    return dateformat.format(day, pgettext("pattern of a date", "F Y"))


def span_of_days(first: dt.date, last: dt.date) -> str:
    """``20 Nov – 26 Nov 2026``, as the language writes it."""
    # Translators: of two days, as above; the first one has no year.
    return f"{day_of_year(first)} – {dateformat.format(last, pgettext('pattern of a date', 'j M Y'))}"
