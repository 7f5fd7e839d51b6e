"""Reads of rollups: a range of days or weeks in one Query, however much happened."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache

from config import clock, table
from config.item import Page
from projects.documents.counting import EVERYTHING, Kind
from workflows.insight import periods, report
from workflows.insight.actions import EVERY_TYPE, RollupKey, Span
from workflows.insight.figures import STEP, add_up, join_name, list_names_by_day, monday_of
from workflows.insight.items import Rollup
from workflows.insight.report import Report, Sums
from workflows.runs.items import RunFigures

_STEPS = f"{STEP}|"
_BY_DAY = list_names_by_day()
_FEW_DAYS = 7  # longest period that is read day by day
_MOST_BARS = 31  # days of a chart
_MOST_ROWS = 400  # of one Query
_DAY = dt.timedelta(days=1)
_USUAL_WEEKS = 4
_ENOUGH_RUNS = 20  # fewest runs of a percentile
_USUAL_KEPT = 60  # seconds
_BEFORE_KEPT = 600  # seconds


class Scope(NamedTuple):
    """One project, or the site if that is empty; one document type or all."""

    site: str
    project_id: str = ""
    classification_id: str = EVERY_TYPE

    def key(self, first: dt.date, span: Span = Span.DAY) -> table.Key:
        """Return the key of a day's rollup, or of the week that begins on Monday ``first``."""
        kind, counted = (Kind.PROJECT, self.project_id) if self.project_id else (Kind.SITE, EVERYTHING)
        return RollupKey(span, kind, counted, self.classification_id, first.isoformat()).at(self.site)


def sum_since(scope: Scope, first: dt.date) -> dict[str, int]:
    """Return the sums from ``first`` to today: one batch of its weeks and at most three days."""
    cut = periods.Cut(first)
    rows, days = _load_batch(scope, periods.list_weeks(first, clock.now().date()), cut.days)
    weeks = {week: row.numbers for week, row in rows.items()}
    _, tail = cut.divide(weeks.pop(cut.week, {}), {day: row.numbers for day, row in days.items()})
    return dict(add_up([tail, *weeks.values()]))


def list_spans(scope: Scope, last: dt.date, number: int) -> list[report.Span]:
    """Return the ``number`` days up to ``last`` with what tables show of them; one Query per MB."""
    days = periods.list_days(last, number)
    found = {row.first: row.numbers for row in _each(scope, Span.DAY, days[0], last, only=_BY_DAY)}
    return report.list_spans(days, found)


def read_report(scope: Scope, last: dt.date, number: int) -> Report:
    """Report on ``number`` days up to ``last``, compared with as many before them, of which no steps are read.

    ``last``: today, since its week must have no later day. A Query of days for a short period; for a long one, one
    batch of its weeks and at most six days, and of all its days if it has at most a month. What was before a long
    period changes by a repair or a corrected type only, and is kept for minutes.
    """
    if number <= _FEW_DAYS:
        return _report_on_days(scope, last, number)
    first, earlier = (periods.Cut(last - dt.timedelta(days=back * number - 1)) for back in (1, 2))
    kept_as = f"insight-before-{number}-{'-'.join(scope.key(first.first))}"
    before: Mapping[str, int] | None = cache.get(kept_as)
    cuts = [earlier, first] if before is None else [first]
    is_by_week = number > _MOST_BARS
    own = [] if is_by_week else periods.list_days(last, number)
    cut_days = [day for cut in cuts for day in cut.days]
    rows, by_day = _load_batch(scope, periods.list_weeks(cuts[0].first, last), [*own, *cut_days])
    days = {day: by_day[day].numbers for day in cut_days if day in by_day}
    weeks = {week: row.numbers if week >= first.week else row.numbers_without(_STEPS) for week, row in rows.items()}
    head, tail = first.divide(weeks.get(first.week, {}), days)
    if before is None:
        _, oldest = earlier.divide(weeks.get(earlier.week, {}), days)
        between = (one for week, one in weeks.items() if earlier.week < week < first.week)
        before = _without_steps(add_up([oldest, head, *between]))
        cache.set(kept_as, before, _BEFORE_KEPT)
    by_week = {week: weeks.get(week, {}) for week in periods.list_weeks(first.first, last)} | {first.week: tail}
    if is_by_week:
        spans = [
            report.Span(max(week, first.first), min(week + periods.WEEK - _DAY, last), Sums(_pick(one)))
            for week, one in by_week.items()
        ]
    else:
        spans = report.list_spans(own, {day.isoformat(): row.pick(_BY_DAY) for day, row in by_day.items()})
    return Report(Sums(add_up(by_week.values())), Sums(before), spans, is_by_week)


def _report_on_days(scope: Scope, last: dt.date, number: int) -> Report:
    own = periods.list_days(last, number)
    earlier = own[0] - dt.timedelta(days=number)
    days = {row.first: row for row in _each(scope, Span.DAY, earlier, last)}
    began = own[0].isoformat()
    now = {day: row.numbers for day, row in days.items() if day >= began}
    before = [row.numbers_without(_STEPS) for day, row in days.items() if day < began]
    return Report(Sums(add_up(now.values())), Sums(add_up(before)), report.list_spans(own, now))


def _pick(numbers: Mapping[str, int]) -> dict[str, int]:
    return {name: numbers[name] for name in _BY_DAY if name in numbers}


def _without_steps(numbers: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in numbers.items() if not name.startswith(_STEPS)}


def _load_batch(
    scope: Scope, weeks: Sequence[dt.date], days: Sequence[dt.date]
) -> tuple[dict[dt.date, Rollup], dict[dt.date, Rollup]]:
    """Return the rows of weeks by Monday, and those of days: one BatchGetItem for a hundred of both.

    Queries of them read the same rows, but are a call each.
    """
    mondays, dates = (
        {scope.key(one, span): one for one in ones} for span, ones in ((Span.WEEK, weeks), (Span.DAY, days))
    )
    rows = {row.key: row for row in Rollup.load_many([*mondays, *dates], consistent=False)}
    return (
        {monday: rows[key] for key, monday in mondays.items() if key in rows},
        {day: rows[key] for key, day in dates.items() if key in rows},
    )


def _each(
    scope: Scope, span: Span, first: dt.date, last: dt.date, *, only: Sequence[str] | None = None
) -> Iterator[Rollup]:
    start, end = scope.key(first, span), scope.key(last, span)
    between = Rollup.SK.between(start.sk, end.sk)
    cursor: str | None = None
    while True:
        page = Rollup.page(start.pk, sk=between, limit=_MOST_ROWS, cursor=cursor, only=only)
        yield from page.rows
        cursor = page.next
        if cursor is None:
            return


def usual_seconds(site: str) -> Mapping[tuple[str, str], float]:
    """Return the p90 duration by workflow and step since the Monday four weeks ago, if enough runs had it.

    One Query a minute and process: it changes slowly.
    """
    name = f"insight-usual-{site}"
    found: Mapping[tuple[str, str], float] | None = cache.get(name)
    if found is None:
        today = clock.now().date()
        weeks = _each(Scope(site), Span.WEEK, monday_of(today) - _USUAL_WEEKS * periods.WEEK, today)
        steps = Sums(add_up(row.numbers for row in weeks)).steps
        found = {
            (one.family, one.name): one.latency.p90
            for one in steps
            if one.latency.number >= _ENOUGH_RUNS and one.latency.p90 is not None
        }
        cache.set(name, found, _USUAL_KEPT)
    return found


def list_failures(site: str, step: str, error: str, *, cursor: str | None) -> Page[RunFigures]:
    """List the runs that failed at this step for this reason, latest first: one Query."""
    pk = table.RUN_FIGURES.gsi1_partition(site, name=join_name(step, error))
    return RunFigures.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def every_run(site: str) -> Iterator[RunFigures]:
    """Iterate over what each run has added, for a recount."""
    for bucket in range(settings.COUNTER_SHARDS):
        yield from RunFigures.every(table.RUN_FIGURES.partition_key(site, bucket=bucket), consistent=True)


def every_sum(site: str, kind: Kind, counted: str) -> Iterator[Rollup]:
    """Iterate over all days, weeks and types of a site or project, for a recount."""
    yield from Rollup.every(table.DAY_FIGURES.partition_key(site, kind=kind.value, counted=counted), consistent=True)
