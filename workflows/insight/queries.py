"""Reads of sums: a range of days in one Query, whatever happened in them."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache

from config import clock, table
from config.item import Page
from projects.documents.counting import EVERYTHING, Kind
from workflows.insight.actions import EVERY_TYPE, DayKey
from workflows.insight.figures import add_up, join_name
from workflows.insight.items import DayFigures
from workflows.insight.report import Sums
from workflows.runs.items import RunFigures

_MOST_DAYS = 400  # rows of one Query
_USUAL_DAYS = 30
_ENOUGH_RUNS = 20  # that a percentile is of
_USUAL_KEPT = 60  # seconds


class Scope(NamedTuple):
    """Of one project or, if that is empty, the site; of one document type or all."""

    site: str
    project_id: str = ""
    classification_id: str = EVERY_TYPE

    def key(self, day: dt.date) -> table.Key:
        kind, counted = (Kind.PROJECT, self.project_id) if self.project_id else (Kind.SITE, EVERYTHING)
        return DayKey(kind, counted, self.classification_id, day.isoformat()).at(self.site)


def list_days(scope: Scope, first: dt.date, last: dt.date) -> dict[str, dict[str, int]]:
    """Day → name → number, of the days on which something was counted; one Query for each MB of them."""
    start, end = scope.key(first), scope.key(last)
    found: dict[str, dict[str, int]] = {}
    cursor: str | None = None
    while True:
        page = DayFigures.page(start.pk, sk=DayFigures.SK.between(start.sk, end.sk), limit=_MOST_DAYS, cursor=cursor)
        found |= {row.day: row.numbers for row in page.rows}
        cursor = page.next
        if cursor is None:
            return found


def usual_seconds(site: str) -> Mapping[tuple[str, str], float]:
    """What nine of ten runs took at most (p90) of the last thirty days, by workflow and step, where enough ran it.

    One Query a minute and process: it moves slowly.
    """
    name = f"insight-usual-{site}"
    found: Mapping[tuple[str, str], float] | None = cache.get(name)
    if found is None:
        today = clock.now().date()
        days = list_days(Scope(site), today - dt.timedelta(days=_USUAL_DAYS - 1), today)
        steps = Sums(add_up(days.values())).steps
        found = {
            (one.family, one.name): one.latency.p90
            for one in steps
            if one.latency.number >= _ENOUGH_RUNS and one.latency.p90 is not None
        }
        cache.set(name, found, _USUAL_KEPT)
    return found


def list_failures(site: str, step: str, error: str, *, cursor: str | None) -> Page[RunFigures]:
    """The runs that failed at this step for this reason, the last first: one Query."""
    pk = table.RUN_FIGURES.gsi1_partition(site, name=join_name(step, error))
    return RunFigures.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def every_run(site: str) -> Iterator[RunFigures]:
    """What each run has added, for a recount."""
    for bucket in range(settings.COUNTER_SHARDS):
        yield from RunFigures.every(table.RUN_FIGURES.partition_key(site, bucket=bucket), consistent=True)


def every_sum(site: str, kind: Kind, counted: str) -> Iterator[DayFigures]:
    """All days of all types of a site or project, for a recount."""
    yield from DayFigures.every(
        table.DAY_FIGURES.partition_key(site, kind=kind.value, counted=counted), consistent=True
    )
