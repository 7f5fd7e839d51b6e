"""How documents fare: figures of a period by project and document type, as a page and as CSV."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from config import clock, table
from config.errors import NotFound
from projects.documents import queries as documents_queries
from projects.documents.items import DocumentStatus
from projects.documents.states import word_of
from projects.models.prices import money
from projects.queues import admission
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from projects.web.spreadsheets import csv_line
from workflows.definitions.blueprint import SHIPPED, label_of
from workflows.insight import figures, queries
from workflows.insight.actions import EVERY_TYPE, NO_TYPE
from workflows.insight.queries import Scope
from workflows.insight.report import Report, Sums, list_days, make_report, show_seconds
from workflows.insight.views.charts import draw_days
from workflows.runs import queries as run_queries
from workflows.runs.items import Outcome

PERIODS: Mapping[str, tuple[str, int]] = {
    "today": ("Today", 1), "7d": ("7 days", 7), "30d": ("30 days", 30), "90d": ("90 days", 90),
}  # fmt: skip
_ORDER = {(one.name, step.name): step.order for one in SHIPPED.values() for step in one.steps}
_USUAL = "30d"
_TIMES = (2, 4, 10, 20, 60, 120, 240, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 345_600, 864_000)
_ENDS = (Outcome.REJECTED, Outcome.EXPIRED)
_WALL_SECONDS = 60
_LOOKED_AT = 50  # documents that the oldest one of a project is looked for among
_COLUMNS = (
    "day", "received", "published", "straight_through", "reviewed", "rejected", "expired", "failed",
    "p50_seconds", "p90_seconds", "p99_seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What the address asks for. ``kind``: a document type's id, one of two signs, or empty for all."""

    project_id: str = ""
    kind: str = ""
    period: str = _USUAL

    @property
    def days(self) -> int:
        return PERIODS[self.period][1]

    def url(self, view: str = "workflows:show-insight") -> str:
        usual = {"period": _USUAL}
        asked = {"project": self.project_id, "type": self.kind, "period": self.period}
        asked = {name: value for name, value in asked.items() if value and value != usual.get(name)}
        return f"{reverse(view)}{f'?{urlencode(asked)}' if asked else ''}"


@dataclass(frozen=True)
class Place:
    """What this person sees of the site: ``projects`` by id, and whether its sums are theirs to see."""

    site: str
    projects: Mapping[str, str]
    whole: bool


def _visible(request: DeskRequest) -> Place:
    """Raises: NotAllowed. A project whose queue does not let this person in is not there, nor is any sum with it."""
    access.check_can_view(request)
    rows, _ = project_queries.list_projects(request.site, limit=project_queries.MOST)
    named = {row.project_id: row.name for row in sorted(rows, key=lambda row: row.name.casefold())}
    closed = admission.list_closed_queues(request)
    if not closed:
        return Place(request.site, named, whole=True)
    keys = [table.PROJECT.key(request.site, project_id=one) for one in named]
    hidden = {one.id for one in Project.load_many(keys) if one.settings.review_queue in closed}
    return Place(request.site, {one: name for one, name in named.items() if one not in hidden}, whole=False)


def _read_wish(request: DeskRequest, place: Place) -> Wish:
    """Raises: NotFound for a project that is not there for this person."""
    project_id, period = request.GET.get("project", ""), request.GET.get("period", "")
    if not project_id and not place.whole:
        project_id = next(iter(place.projects), "")
    if project_id and project_id not in place.projects:
        raise NotFound("Project not found.")
    return Wish(project_id, request.GET.get("type", "")[:100], period if period in PERIODS else _USUAL)


def _read_report(place: Place, wish: Wish) -> Report:
    today = clock.now().date()
    if not wish.project_id and not place.whole:
        return make_report({}, today, wish.days)
    scope = Scope(place.site, wish.project_id, wish.kind or EVERY_TYPE)
    try:
        found = queries.list_days(scope, list_days(today, 2 * wish.days)[0], today)
    except table.InvalidKey as error:
        raise NotFound("Document type not found.") from error
    return make_report(found, today, wish.days)


@require_safe
def show_insight(request: DeskRequest) -> HttpResponse:
    place = _visible(request)
    wish = _read_wish(request, place)
    report = _read_report(place, wish)
    types = schema_queries.all_classifications(request.site)
    context = {
        "wish": wish,
        "projects": place.projects,
        "whole": place.whole,
        "types": [*((one.id, one.name) for one in types), (NO_TYPE, "No type")] if types else [],
        "periods": [
            (words, replace(wish, period=name).url(), name == wish.period) for name, (words, _) in PERIODS.items()
        ],
        "csv_url": wish.url("workflows:export-insight"),
        "wall_url": wish.url("workflows:show-wall"),
        "report": report,
        "tiles": _tiles(request, place, wish, report),
        "charts": _charts(request, report),
        "before": "day" if wish.days == 1 else f"{wish.days} days",
        "steps": _steps(report.now),
        "causes": [
            (name_step(one.step), name_error(one.error), one.number, before, _url_of(one))
            for one, before in report.causes
        ],
        "fields": [
            (one.now, show_share(one.now.rate), show_share(one.before), show_change(one.change))
            for one in report.fields
        ],
        "guarded": _guarded(request, place, report),
        "days": _days(request, report),
    }
    return render_answer(request, "workflows/insight/insight.html", None, context)


def _steps(sums: Sums) -> list[tuple[str, str, str, str, str, int]]:
    """Steps in the order of their workflow, which is named if there are several."""
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
    """A row of the table of days: its numbers with what each is called."""

    name: str
    numbers: Sequence[tuple[str, str]]


def _days(request: DeskRequest, report: Report) -> list[Day]:
    """The last one first."""
    costs = access.abilities(request).configure
    return [
        Day(
            f"{day:%a %-d %b %Y}",
            [
                ("Received", f"{one.received:,}"),
                ("Published", f"{one.published:,}"),
                ("Straight", show_share(one.straight_rate)),
                ("Review rate", show_share(one.review_rate)),
                ("Median", show_seconds(one.total.p50)),
                ("p90", show_seconds(one.total.p90)),
                ("Failed", f"{one.failed:,}"),
                *([("Cost", money(one.micros))] if costs else []),
            ],
        )
        for day, one in reversed(report.days)
    ]


def name_error(error: str) -> str:
    """An error's stored name, for people.

    >>> name_error("ReviewExpired"), name_error("States.Timeout"), name_error("E")
    ('Review expired', 'Timeout', 'E')
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in error.rpartition(".")[2])
    return words.strip().capitalize()


def _url_of(cause: Any) -> str:
    return f"{reverse('workflows:list-failures')}?{urlencode({'step': cause.step, 'error': cause.error})}"


@dataclass(frozen=True)
class Tile:
    """One figure: its name, how it is now, and a line below it."""

    name: str
    value: str
    note: str = ""
    url: str = ""
    since: str = ""


def _tiles(request: DeskRequest, place: Place, wish: Wish, report: Report) -> list[Tile]:
    counted = _counted(report)
    if access.abilities(request).configure:
        counted.append(Tile("Cost", money(report.now.micros), f"before: {money(report.before.micros)}"))
    return [*counted[:4], *_waiting(place, wish), *counted[4:]]


def _counted(report: Report) -> list[Tile]:
    now, before = report.now, report.before
    causes, fields = ("#h-causes" if now.causes else ""), ("#h-fields" if now.fields else "")
    return [
        Tile("Received", f"{now.received:,}", f"before: {before.received:,}"),
        Tile("Published", f"{now.published:,}", f"before: {before.published:,}"),
        Tile("Straight-through", show_share(now.straight_rate), f"before: {show_share(before.straight_rate)}"),
        Tile("Review rate", show_share(now.review_rate), f"before: {show_share(before.review_rate)}"),
        Tile(
            "Receipt to published",
            show_seconds(now.total.p50),
            f"median; p90 {show_seconds(now.total.p90)}, p99 {show_seconds(now.total.p99)}",
        ),
        Tile(
            "Values corrected", show_share(now.correction_rate), f"before: {show_share(before.correction_rate)}", fields
        ),
        Tile("Failed", f"{now.failed:,}", f"before: {before.failed:,}", causes),
        Tile("Due dates missed", f"{now.due_missed:,}", f"before: {before.due_missed:,}", causes),
    ]


def _waiting(place: Place, wish: Wish) -> list[Tile]:
    """What waits for a person at this moment, of all types."""
    if not wish.project_id and not place.whole:
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
    return [Tile("Waiting now", f"{number:,}", "", url, since)]


def _charts(request: DeskRequest, report: Report) -> list[Any]:
    days = [day for day, _ in report.days]
    sums = [one for _, one in report.days]
    drawn = [
        draw_days(
            "Documents by day",
            days,
            [("Received", [one.received for one in sums]), ("Published", [one.published for one in sums])],
            lambda value: f"{value:,.0f}",
            whole=True,
        ),
        draw_days(
            "Receipt to published by day",
            days,
            [("Median", [one.total.p50 for one in sums]), ("p90", [one.total.p90 for one in sums])],
            show_seconds,
            tops=_TIMES,
        ),
    ]
    if access.abilities(request).configure:
        drawn.append(
            draw_days(
                "Cost by day", days, [("Cost", [one.micros for one in sums])], lambda micros: money(round(micros))
            )
        )
    return [one for one in drawn if one]


def _guarded(request: DeskRequest, place: Place, report: Report) -> dict[str, Any]:
    """What only those see who set projects up: money, and how people work."""
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
    """For people.

    >>> show_share(0.925), show_share(None)
    ('92.5 %', '–')
    """
    return "–" if share is None else f"{round(share * 100, 1):g} %"


def show_change(change: float | None) -> str:
    """Of a share, in points of a hundred, for people.

    >>> show_change(0.031), show_change(-0.2), show_change(0.0), show_change(None)
    ('+3.1', '-20', '0', '–')
    """
    return "–" if change is None else f"{round(change * 100, 1):+g}" if round(change, 3) else "0"


@require_safe
def show_wall(request: DeskRequest) -> HttpResponse:
    """The figures for a screen on a wall: large, without controls or money, and asked for anew by itself."""
    place = _visible(request)
    wish = _read_wish(request, place)
    context = {
        "scope": place.projects.get(wish.project_id, "All projects"),
        "period": PERIODS[wish.period][0],
        "tiles": [*_waiting(place, wish), *_counted(_read_report(place, wish))],
        "seconds": _WALL_SECONDS,
        "now": clock.now(),
        "insight_url": wish.url(),
        "own_url": request.get_full_path(),
    }
    return render_answer(request, "workflows/insight/wall.html", "workflows/insight/_wall.html", context)


@require_safe
def export_insight(request: DeskRequest) -> StreamingHttpResponse:
    place = _visible(request)
    wish = _read_wish(request, place)
    report, costs = _read_report(place, wish), access.abilities(request).configure
    response = StreamingHttpResponse(_lines(report.days, costs=costs), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="insight-{clock.now():%Y-%m-%d}-{wish.period}.csv"'
    return response


def _lines(days: Sequence[tuple[dt.date, Sums]], *, costs: bool) -> Iterator[str]:
    yield csv_line(*_COLUMNS, *(["usd"] if costs else []))
    for day, one in days:
        counts = [
            one.received,
            one.published,
            *(one.numbers.get(name, 0) for name in (figures.STRAIGHT, figures.REVIEWED)),
        ]
        ends = [one.ended(outcome) for outcome in _ENDS] + [one.failed]
        times = ["" if value is None else f"{value:.1f}" for value in (one.total.p50, one.total.p90, one.total.p99)]
        yield csv_line(day, *counts, *ends, *times, *([f"{one.micros / 1_000_000:.6f}"] if costs else []))
