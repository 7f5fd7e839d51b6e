"""Reads of sums: a range of days in one Query, whatever happened in them."""

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings

from config import table
from config.item import Page
from projects.documents.counting import EVERYTHING, Kind
from workflows.insight.actions import EVERY_TYPE, DayKey
from workflows.insight.figures import join_name
from workflows.insight.items import DayFigures
from workflows.runs.items.figures import RunFigures

_MOST_DAYS = 400  # rows of one Query


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
