"""Periods as whole weeks, and the days by which their first week is divided. Pure functions."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workflows.insight.figures import add_up, monday_of

Numbers = Mapping[str, int]
WEEK = dt.timedelta(days=7)


@dataclass(frozen=True)
class Cut:
    """The week that a period begins in; the days before ``first`` belong to the period before."""

    first: dt.date

    @cached_property
    def week(self) -> dt.date:
        return monday_of(self.first)

    @cached_property
    def days(self) -> Sequence[dt.date]:
        """The days of the shorter side, of at most three: the other side is the week without them."""
        before = [self.week + dt.timedelta(days=number) for number in range((self.first - self.week).days)]
        after = [self.first + dt.timedelta(days=number) for number in range(7 - len(before))]
        return min(before, after, key=len)

    def divide(self, week: Numbers, days: Mapping[dt.date, Numbers]) -> tuple[Numbers, Numbers]:
        """Return the sums of the days before ``first``, and of the days from it on.

        >>> Cut(dt.date(2026, 11, 25)).divide({"received": 9}, {dt.date(2026, 11, 24): {"received": 2}})
        ({'received': 2}, {'received': 7})
        """
        part = dict(add_up(days.get(day, {}) for day in self.days))
        rest = {name: left for name, number in week.items() if (left := number - part.get(name, 0)) > 0}
        return (part, rest) if self.first not in self.days else (rest, part)


def list_weeks(first: dt.date, last: dt.date) -> list[dt.date]:
    """List the Mondays of the weeks that ``first`` to ``last`` lie in."""
    week, found = monday_of(first), []
    while week <= last:
        found.append(week)
        week += WEEK
    return found


def list_days(last: dt.date, number: int) -> list[dt.date]:
    return [last - dt.timedelta(days=back) for back in reversed(range(number))]
