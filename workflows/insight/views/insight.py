"""The Insight page: figures of a period by project and document type, as a page and as CSV."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import clock, table
from config.errors import NotFound, Refused
from config.phrase import Figure, Phrase
from projects.documents import queries as documents_queries
from projects.documents.items import DocumentStatus
from projects.documents.states import word_of
from projects.models.cost_words import money
from projects.policies.gate import UNCOUNTED, shows_counts
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import access
from projects.web import days
from projects.web.http import DeskRequest, render_answer
from projects.web.spreadsheets import csv_line
from workflows.definitions.blueprint import SHIPPED, label_of
from workflows.insight import figures, queries
from workflows.insight.actions import EVERY_TYPE, NO_TYPE
from workflows.insight.queries import Scope
from workflows.insight.report import Report, Span, Sums, show_seconds
from workflows.insight.views.charts import draw_days
from workflows.runs import queries as run_queries
from workflows.runs.items import Outcome

PERIODS: Mapping[str, tuple[str, int]] = {
    "today": (Phrase("Today"), 1), "7d": (Phrase("7 days"), 7), "30d": (Phrase("30 days"), 30),
    "90d": (Phrase("90 days"), 90),
}  # fmt: skip
_ORDER = {(one.name, step.name): step.order for one in SHIPPED.values() for step in one.steps}
_USUAL = "30d"
_TIMES = (2, 4, 10, 20, 60, 120, 240, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 345_600, 864_000)
_ENDS = (Outcome.REJECTED, Outcome.EXPIRED)
_WALL_SECONDS = 60
_NAMES_SECONDS = 10
_LOOKED_AT = 50  # documents among which the oldest one of a project is searched
_COLUMNS = (
    "day", "received", "published", "straight_through", "reviewed", "rejected", "expired", "failed",
    "p50_seconds", "p90_seconds", "p99_seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """The query string. ``kind``: a document type's id, one of two markers, or empty for all."""

    project_id: str = ""
    kind: str = ""
    period: str = _USUAL

    @property
    def days(self) -> int:
        return PERIODS[self.period][1]

    def url(self, view: str = "workflows:show-insight", of: str = "") -> str:
        usual = {"period": _USUAL}
        asked = {"project": self.project_id, "type": self.kind, "period": self.period, "of": of}
        asked = {name: value for name, value in asked.items() if value and value != usual.get(name)}
        return f"{reverse(view)}{f'?{urlencode(asked)}' if asked else ''}"


@dataclass(frozen=True)
class Place:
    """What the person may see: ``projects`` by id, and whether the site's totals are visible.

    ``shown``: False while an access policy may hide some of the documents that the figures count.
    """

    site: str
    projects: Mapping[str, str]
    whole: bool
    shown: bool = True


def find_visible_place(request: DeskRequest, asked: str = "") -> Place:
    """Raises: NotAllowed. Projects whose queue is closed to the person are omitted, and totals that include them.

    ``asked``: the project that must not be missed though it is new.
    """
    access.check_can_view(request)
    named = _name_projects(request.site, asked)
    closed, shown = visibility.list_closed_queues(request), shows_counts(request)
    if not closed:
        return Place(request.site, named, whole=True, shown=shown)
    keys = [table.PROJECT.key(request.site, project_id=one) for one in named]
    hidden = {one.id for one in Project.load_many(keys) if one.settings.review_queue in closed}
    named = {one: name for one, name in named.items() if one not in hidden}
    return Place(request.site, named, whole=False, shown=shown)


def _name_projects(site: str, asked: str) -> dict[str, str]:
    """Return names by id, by name; cached for seconds unless ``asked`` is not among them."""
    name = f"insight-projects-{site}"
    found: dict[str, str] | None = cache.get(name)
    if found is None or (asked and asked not in found):
        rows, _ = project_queries.list_projects(site, limit=project_queries.MOST)
        found = {row.project_id: row.name for row in sorted(rows, key=lambda row: row.name.casefold())}
        cache.set(name, found, _NAMES_SECONDS)
    return found


def _name_types(site: str) -> list[tuple[str, str]]:
    """Return ids and names of document types, and of what has none; empty without types. Cached for seconds."""
    name = f"insight-types-{site}"
    found: list[tuple[str, str]] | None = cache.get(name)
    if found is None:
        found = [(one.id, one.name) for one in schema_queries.all_classifications(site)]
        cache.set(name, found, _NAMES_SECONDS)
    return [*found, (NO_TYPE, Phrase("No type"))] if found else []


def _read_wish(request: DeskRequest, place: Place) -> Wish:
    """Raises: NotFound if the person may not see the project."""
    asked = request.GET
    return choose_wish(place, asked.get("project", ""), asked.get("type", "")[:100], asked.get("period", ""))


def choose_wish(place: Place, project_id: str, kind: str, period: str) -> Wish:
    """Raises: NotFound if the person may not see the project."""
    if not project_id and not place.whole:
        project_id = next(iter(place.projects), "")
    if project_id and project_id not in place.projects:
        raise NotFound(gettext("Project not found."))
    return Wish(project_id, kind, period if period in PERIODS else _USUAL)


def read_report(place: Place, wish: Wish) -> Report:
    """Return an empty report if no figures may be shown."""
    if not place.shown or (not wish.project_id and not place.whole):
        return Report(Sums({}), Sums({}))
    scope = Scope(place.site, wish.project_id, wish.kind or EVERY_TYPE)
    try:
        return queries.read_report(scope, clock.now().date(), wish.days)
    except table.InvalidKey as error:
        raise NotFound(gettext("Document type not found.")) from error


def check_shown(place: Place) -> None:
    """Raises: Refused while an access policy is active."""
    if not place.shown:
        raise Refused(UNCOUNTED)


def read_days(place: Place, wish: Wish, report: Report) -> Sequence[Span]:
    """Return the days of ``report``, which are read if it has weeks only."""
    if not report.is_by_week:
        return report.spans
    return queries.list_spans(
        Scope(place.site, wish.project_id, wish.kind or EVERY_TYPE), clock.now().date(), wish.days
    )


@require_safe
def show_insight(request: DeskRequest) -> HttpResponse:
    place = find_visible_place(request, request.GET.get("project", ""))
    wish = _read_wish(request, place)
    report = read_report(place, wish)
    context = {
        "wish": wish,
        "projects": place.projects,
        "whole": place.whole,
        "types": _name_types(request.site),
        "periods": [
            (words, replace(wish, period=name).url(), name == wish.period) for name, (words, _) in PERIODS.items()
        ],
        "csv_url": wish.url("workflows:export-insight"),
        "tables": {name: wish.url("workflows:export-insight", name) for name in _TABLES},
        "wall_url": wish.url("workflows:show-wall"),
        "report": report,
        "tiles": _tiles(request, place, wish, report),
        "charts": _charts(request, report),
        "steps": _steps(report.now),
        "causes": _causes(report),
        "fields": [
            (one.now, show_share(one.now.rate), show_share(one.before), show_change(one.change))
            for one in report.fields
        ],
        "guarded": _guarded(request, place, report),
        **_days(request, report),
        "span_word": Phrase("Week") if report.is_by_week else Phrase("Day"),
        "by_span": Phrase("By week") if report.is_by_week else Phrase("By day"),
    }
    return render_answer(request, "workflows/insight/insight.html", None, context)


def _steps(sums: Sums) -> list[tuple[str, str, str, str, str, int]]:
    """List steps in the order of their workflow, which is named if there are several."""
    found = sums.steps
    several = len({one.family for one in found}) > 1
    ordered = sorted(found, key=lambda one: (one.family, _ORDER.get((one.family, one.name), 0)))
    return [
        (
            name_step(one.name),
            one.family if several else "",
            show_seconds(one.latency.p50),
            show_seconds(one.latency.p90),
            show_seconds(one.latency.p99),
            one.latency.number,
        )
        for one in ordered
    ]


def name_step(name: str) -> str:
    return label_of(name)


@dataclass(frozen=True)
class Day:
    """A row of the table of days: its numbers with their labels."""

    name: str
    numbers: Sequence[tuple[str, str]]


def _days(request: DeskRequest, report: Report) -> dict[str, Any]:
    """List the latest first, by week for long periods, without empty ones; with the total of the period."""
    costs = access.abilities(request).configure
    names = [
        Phrase("Received"), Phrase("Published"), Phrase("Straight"), Phrase("Review rate"), Phrase("Median"),
        "p90", Phrase("Failed"), Phrase("Due dates missed"), *([Phrase("Cost")] if costs else []),
    ]  # fmt: skip
    labels = [one.translated() if isinstance(one, Phrase) else one for one in names]  # once for all rows

    def day(name: str, sums: Sums) -> Day:
        return Day(name, list(zip(labels, _show_sums(sums, costs=costs), strict=True)))

    busy = [span for span in reversed(report.spans) if not span.sums.is_empty]
    return {
        "days": [day(_name_span(span), span.sums) for span in busy],
        "left_out": len(report.spans) - len(busy),
        "total": day(Phrase("Total"), report.now),
    }


def _show_sums(one: Sums, *, costs: bool) -> list[str]:
    return [
        Figure(f"{one.received:,}"), Figure(f"{one.published:,}"),
        show_share(one.straight_rate), show_share(one.review_rate),
        show_seconds(one.total.p50), show_seconds(one.total.p90), Figure(f"{one.failed:,}"),
        Figure(f"{one.due_missed:,}"),
        *([money(one.micros)] if costs else []),
    ]  # fmt: skip


def _name_span(span: Span) -> str:
    if span.first == span.last:
        return days.day_with_weekday(span.first)
    return days.span_of_days(span.first, span.last)


@functools.lru_cache(maxsize=1024)
def name_error(error: str) -> str:
    """Format a stored error name for people.

    >>> name_error("ReviewExpired"), name_error("States.Timeout"), name_error("E")
    ('Review expired', 'Timeout', 'E')
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in error.rpartition(".")[2])
    return words.strip().capitalize()


@functools.lru_cache(maxsize=1024)
def _ask_for(step: str, error: str) -> str:
    return urlencode({"step": step, "error": error})


def _causes(report: Report) -> list[tuple[str, str, int, int, str]]:
    """List each cause with the page of its runs."""
    url, causes = reverse("workflows:list-failures"), report.causes
    names = {one.step: name_step(one.step) for one, _ in causes}
    return [
        (
            names[one.step],
            name_error(one.error),
            one.number,
            before,
            f"{url}?{_ask_for(one.step, one.error)}",
        )
        for one, before in causes
    ]


@dataclass(frozen=True)
class Tile:
    """One figure: its label, its value, and a line below it."""

    name: str
    value: str
    note: str = ""
    url: str = ""
    since: str = ""


def _tiles(request: DeskRequest, place: Place, wish: Wish, report: Report) -> list[Tile]:
    counted = _counted(report)
    if access.abilities(request).configure:
        cost = money(report.now.micros)
        counted.append(Tile(Phrase("Cost of ended runs"), cost, _before(money(report.before.micros)), "#h-cost"))
    return [*counted[:4], *_waiting(place, wish), *counted[4:]]


def _counted(report: Report) -> list[Tile]:
    now, before = report.now, report.before
    causes, fields = ("#h-causes" if now.causes else ""), ("#h-fields" if now.fields else "")
    # No index lists what a rollup counts of a period: these lead to their column, whose last row they are.
    return [
        Tile(Phrase("Received"), Figure(f"{now.received:,}"), _before(Figure(f"{before.received:,}")), "#h-received"),
        Tile(
            Phrase("Published"), Figure(f"{now.published:,}"), _before(Figure(f"{before.published:,}")), "#h-published"
        ),
        Tile(
            Phrase("Straight-through"),
            show_share(now.straight_rate),
            _before(show_share(before.straight_rate)),
            "#h-straight",
        ),
        Tile(
            Phrase("Review rate"), show_share(now.review_rate), _before(show_share(before.review_rate)), "#h-reviewed"
        ),
        Tile(
            Phrase("Receipt to published"),
            show_seconds(now.total.p50),
            Phrase("Median; p90 %(p90)s, p99 %(p99)s").fill(
                p90=show_seconds(now.total.p90), p99=show_seconds(now.total.p99)
            ),
            "#h-median",
        ),
        Tile(
            Phrase("Values corrected"),
            show_share(now.correction_rate),
            _before(show_share(before.correction_rate)),
            fields,
        ),
        Tile(Phrase("Failed"), Figure(f"{now.failed:,}"), _before(Figure(f"{before.failed:,}")), causes or "#h-failed"),
        Tile(
            Phrase("Due dates missed"),
            Figure(f"{now.due_missed:,}"),
            _before(Figure(f"{before.due_missed:,}")),
            causes or "#h-due-missed",
        ),
    ]


def _before(value: str) -> str:
    return Phrase("Before: %(value)s").fill(value=value)


def _waiting(place: Place, wish: Wish) -> list[Tile]:
    """Return what is in review now, for all types."""
    if not place.shown or (not wish.project_id and not place.whole):
        return []
    site = place.site
    counts = (
        documents_queries.documents_of_project(site, wish.project_id)
        if wish.project_id
        else documents_queries.count_documents(site)
    )
    number = counts.count_of(DocumentStatus.WAITING)
    limit = _LOOKED_AT if wish.project_id else 1
    rows = run_queries.documents_with_status(site, DocumentStatus.WAITING, limit=limit).rows if number else []
    mine = [one for one in rows if wish.project_id in ("", one.project_id)]
    since = str(mine[0].GSI2SK).partition("#")[0] if mine else ""
    asked = {"state": word_of(DocumentStatus.WAITING), "project": wish.project_id}
    url = f"{reverse('workflows:overview')}?{urlencode(asked)}"
    return [Tile(Phrase("Waiting now"), Figure(f"{number:,}"), "", url, since)]


def _charts(request: DeskRequest, report: Report) -> list[Any]:
    days, sums = [(one.first, one.last) for one in report.spans], [one.sums for one in report.spans]
    weeks = report.is_by_week
    drawn = [
        draw_days(
            Phrase("Documents by week") if weeks else Phrase("Documents by day"),
            days,
            [
                (Phrase("Received"), [one.received for one in sums]),
                (Phrase("Published"), [one.published for one in sums]),
            ],
            lambda value: f"{value:,.0f}",
            whole=True,
        ),
        draw_days(
            Phrase("Receipt to published by week") if weeks else Phrase("Receipt to published by day"),
            days,
            [(Phrase("Median"), [one.total.p50 for one in sums]), ("p90", [one.total.p90 for one in sums])],
            show_seconds,
            tops=_TIMES,
        ),
    ]
    if access.abilities(request).configure:
        drawn.append(
            draw_days(
                Phrase("Cost by week") if weeks else Phrase("Cost by day"),
                days,
                [(Phrase("Cost"), [one.micros for one in sums])],
                lambda micros: money(round(micros)),
            )
        )
    return [one for one in drawn if one]


def _guarded(request: DeskRequest, place: Place, report: Report) -> dict[str, Any]:
    """Return what only project admins see: costs, and figures by reviewer."""
    if not access.abilities(request).configure:
        return {"shown": False}
    costs = [
        (place.projects.get(one.project_id, one.project_id), f"{one.service} {one.model}".strip(), money(one.micros))
        for one in report.now.costs
    ]
    people = [
        (
            one.name,
            one.decisions,
            before.decisions if before else 0,
            show_seconds(one.median),
            show_seconds(before.median if before else None),
        )
        for one, before in report.reviewers
    ]
    return {"shown": True, "costs": costs, "people": people}


def show_share(share: float | None) -> str:
    """Format a share for people.

    >>> show_share(0.925), show_share(None)
    ('92.5 %', '–')
    """
    return "–" if share is None else Figure(f"{round(share * 100, 1):g} %")


def show_change(change: float | None) -> str:
    """Format the change of a share, in percentage points.

    >>> show_change(0.031), show_change(-0.2), show_change(0.0), show_change(None)
    ('+3.1', '-20', '0', '–')
    """
    return "–" if change is None else Figure(f"{round(change * 100, 1):+g}") if round(change, 3) else "0"


@require_safe
def show_wall(request: DeskRequest) -> HttpResponse:
    """Show the figures on a wall screen: large, without controls or costs, and refreshed periodically."""
    place = find_visible_place(request, request.GET.get("project", ""))
    wish = _read_wish(request, place)
    context = {
        "scope": place.projects.get(wish.project_id, Phrase("All projects")),
        "period": PERIODS[wish.period][0],
        "tiles": [*_waiting(place, wish), *_counted(read_report(place, wish))] if place.shown else [],
        "seconds": _WALL_SECONDS,
        "now": clock.now(),
        "insight_url": wish.url(),
        "own_url": request.get_full_path(),
    }
    return render_answer(request, "workflows/insight/wall.html", "workflows/insight/_wall.html", context)


@require_safe
def export_insight(request: DeskRequest) -> StreamingHttpResponse:
    """Export by day, or one of the tables with ``of``.

    Raises: NotFound for a table that the person may not see; Refused while an access policy is active.
    """
    place = find_visible_place(request, request.GET.get("project", ""))
    check_shown(place)
    wish = _read_wish(request, place)
    guarded, table_name = access.abilities(request).configure, request.GET.get("of", "")
    if table_name and (table_name not in _TABLES or (table_name in _GUARDED and not guarded)):
        raise NotFound(gettext("Table not found."))
    report = read_report(place, wish)
    if table_name:
        columns, rows = _TABLES[table_name]
        lines = iter([csv_line(*cells) for cells in (columns, *rows(report, place))])
    else:
        lines = _lines(read_days(place, wish, report), costs=guarded)
    response = StreamingHttpResponse(lines, content_type="text/csv")
    name = f"insight-{table_name}" if table_name else "insight"
    response["Content-Disposition"] = f'attachment; filename="{name}-{clock.now():%Y-%m-%d}-{wish.period}.csv"'
    return response


Cells = Sequence[Any]


def _step_rows(report: Report, _place: Place) -> Iterator[Cells]:
    for one in report.now.steps:
        times = (one.latency.p50, one.latency.p90, one.latency.p99)
        yield (one.family, name_step(one.name), one.latency.number, *map(_in_seconds, times))


def _cause_rows(report: Report, _place: Place) -> Iterator[Cells]:
    for one, before in report.causes:
        yield (name_step(one.step), name_error(one.error), one.number, before)


def _field_rows(report: Report, _place: Place) -> Iterator[Cells]:
    for one in report.fields:
        yield (one.now.label, one.now.checked, one.now.corrected, _as_share(one.now.rate), _as_share(one.before))


def _reviewer_rows(report: Report, _place: Place) -> Iterator[Cells]:
    for one, before in report.reviewers:
        counts = (one.decisions, before.decisions if before else 0)
        yield (one.name, *counts, _in_seconds(one.median), _in_seconds(before.median if before else None))


def _cost_rows(report: Report, place: Place) -> Iterator[Cells]:
    for one in report.now.costs:
        project = place.projects.get(one.project_id, one.project_id)
        yield (project, one.service, one.model, f"{one.micros / 1_000_000:.6f}")


def _in_seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _as_share(share: float | None) -> str:
    return "" if share is None else f"{share:.4f}"


# The columns of each table, and its rows.
_TABLES: Mapping[str, tuple[Cells, Callable[[Report, Place], Iterator[Cells]]]] = {
    "steps": (("workflow", "step", "runs", "p50_seconds", "p90_seconds", "p99_seconds"), _step_rows),
    "failures": (("step", "error", "runs", "before"), _cause_rows),
    "fields": (("field", "reviewed", "corrected", "rate", "before"), _field_rows),
    "reviewers": (("reviewer", "decisions", "before", "median_seconds", "median_seconds_before"), _reviewer_rows),
    "costs": (("project", "service", "model", "usd"), _cost_rows),
}
_GUARDED = ("reviewers", "costs")  # for project admins


def _lines(spans: Sequence[Span], *, costs: bool) -> Iterator[str]:
    yield csv_line(*_COLUMNS, *(["usd"] if costs else []))
    for day, one in ((span.first, span.sums) for span in spans):
        counts = [
            one.received,
            one.published,
            *(one.numbers.get(name, 0) for name in (figures.STRAIGHT, figures.REVIEWED)),
        ]
        ends = [one.ended(outcome) for outcome in _ENDS] + [one.failed]
        times = [_in_seconds(value) for value in (one.total.p50, one.total.p90, one.total.p99)]
        yield csv_line(day, *counts, *ends, *times, *([f"{one.micros / 1_000_000:.6f}"] if costs else []))
