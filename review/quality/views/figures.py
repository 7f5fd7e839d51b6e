"""Reviewer statistics: one's own, or everyone's for those who configure projects."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import clock
from config.errors import NotFound
from config.phrase import Figure, Phrase
from projects.settings import queries as project_queries
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from projects.web.spreadsheets import csv_line
from review.quality import queries
from review.quality.figures import KNOWN_FIELD, Agreement, ReviewerFigures, list_fields
from workflows.insight import queries as insight_queries
from workflows.insight.figures import add_up
from workflows.insight.queries import Scope
from workflows.insight.report import Sums, show_seconds
from workflows.insight.views.insight import show_share

PERIODS: Mapping[str, tuple[str, int]] = {
    "1m": (Phrase("This month"), 1),
    "3m": (Phrase("3 months"), 3),
    "12m": (Phrase("12 months"), 12),
}
_USUAL = "3m"
_COLUMNS = (
    "reviewer", "documents", "agreed", "agreement", "low", "high", "corrections_confirmed", "corrections_overturned",
    "errors_missed", "decisions_overturned", "decisions", "median_seconds",
    "known_documents", "known_agreed",
)  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """Parameters of the URL. ``project_id``: empty for all."""

    project_id: str
    period: str

    @property
    def months(self) -> int:
        return PERIODS[self.period][1]

    def url(self, view: str, period: str = "") -> str:
        asked = {"project": self.project_id, "period": period or self.period}
        return f"{reverse(view)}?{urlencode({name: value for name, value in asked.items() if value})}"


@dataclass(frozen=True)
class ReviewerRow:
    """One person's line. ``decisions`` and ``median``: over all decisions of the period, as in Insight."""

    figures: ReviewerFigures
    decisions: int
    median: float | None

    @property
    def agreement(self) -> str:
        return describe_agreement(self.figures.documents)

    @property
    def time(self) -> str:
        return show_seconds(self.median)


def describe_agreement(found: Agreement) -> str:
    """Describe an agreement with its confidence interval.

    >>> describe_agreement(Agreement(19, 1)), describe_agreement(Agreement(0, 0))
    ('95 % (76–99 %)', '–')
    """
    if not found.number:
        return "–"
    low, high = found.interval
    return Figure(f"{show_share(found.share)} ({low * 100:.0f}–{high * 100:.0f} %)")


def _read_wish(request: DeskRequest, projects: Mapping[str, str]) -> Wish:
    """Raises: NotFound."""
    project_id, period = request.GET.get("project", ""), request.GET.get("period", "")
    if project_id and project_id not in projects:
        raise NotFound(gettext("Project not found."))
    return Wish(project_id, period if period in PERIODS else _USUAL)


def check_project(request: DeskRequest, project_id: str) -> None:
    """``project_id``: empty for all. Raises: NotFound."""
    if project_id and project_id not in _list_projects(request):
        raise NotFound(gettext("Project not found."))


def _list_projects(request: DeskRequest) -> dict[str, str]:
    rows, _ = project_queries.list_projects(request.site, limit=project_queries.MOST)
    return {row.project_id: row.name for row in sorted(rows, key=lambda row: row.name.casefold())}


def _first_day(months: int) -> dt.date:
    today = clock.now().date()
    number = today.year * 12 + today.month - months
    return dt.date(number // 12, number % 12 + 1, 1)


def list_reviewer_rows(request: DeskRequest, wish: Wish) -> list[ReviewerRow]:
    """Return rows by name, never by speed. Two Queries and a batch of at most three days."""
    everybody = access.abilities(request).configure
    only, first, today = "" if everybody else str(request.user.pk), _first_day(wish.months), clock.now().date()
    found = queries.list_figures(request.site, wish.project_id, first, today, only)
    if not everybody:  # a line without second reviews would reveal a seeded check
        found = [one for one in found if one.documents.number]
    sums = Sums(insight_queries.sum_since(Scope(request.site, wish.project_id), first))
    decided = {one.user_id: one for one in sums.reviewers}
    return [
        ReviewerRow(one, decided[one.user_id].decisions, decided[one.user_id].median)
        if one.user_id in decided
        else ReviewerRow(one, 0, None)
        for one in found
    ]


@require_safe
def show_quality(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    projects = _list_projects(request)
    wish = _read_wish(request, projects)
    rows = list_reviewer_rows(request, wish)
    context: dict[str, Any] = {
        "wish": wish,
        "projects": projects,
        "periods": [
            (words, wish.url("review:show-quality", name), name == wish.period) for name, (words, _) in PERIODS.items()
        ],
        "everybody": access.abilities(request).configure,
        "rows": rows,
        "fields": _list_field_rows(rows, pairs=access.abilities(request).configure),
        # One's own figures would reveal which document was a check.
        "known": _list_known_rows(rows) if access.abilities(request).configure else [],
        "csv_url": wish.url("review:export-quality"),
        "may_set_up": access.abilities(request).configure,
    }
    return render_answer(request, "review/quality/quality.html", None, context)


def _list_field_rows(rows: Sequence[ReviewerRow], *, pairs: bool) -> list[tuple[str, int, int, str]]:
    """Return each field with the number of second reviews, differences and the confidence interval.

    ``pairs``: both reviewers of each pair are in ``rows``, so pairs count twice.
    """
    sums = add_up(row.figures.numbers for row in rows)
    half = 2 if pairs else 1
    found = ((label, Agreement(one.agreed // half, one.differed // half)) for label, one in list_fields(sums))
    return [(label, one.number, one.differed, describe_agreement(one)) for label, one in found]


def _list_known_rows(rows: Sequence[ReviewerRow]) -> list[tuple[str, str, int, int, str]]:
    """Return each reviewer's seeded checks, overall and by field: name, field, number, wrong, agreement."""
    return [
        (row.figures.name, label, one.number, one.differed, describe_agreement(one))
        for row in rows
        if row.figures.known.number
        for label, one in [(Phrase("All fields"), row.figures.known), *list_fields(row.figures.numbers, KNOWN_FIELD)]
    ]


@require_safe
def export_quality(request: DeskRequest) -> StreamingHttpResponse:
    access.check_can_view(request)
    wish = _read_wish(request, _list_projects(request))
    response = StreamingHttpResponse(
        _lines(list_reviewer_rows(request, wish), everybody=access.abilities(request).configure),
        content_type="text/csv",
    )
    response["Content-Disposition"] = f'attachment; filename="quality-{clock.now():%Y-%m-%d}-{wish.period}.csv"'
    return response


def _lines(rows: Sequence[ReviewerRow], *, everybody: bool) -> Iterator[str]:
    yield csv_line(*_COLUMNS)
    for row in rows:
        one = row.figures.documents
        known = [row.figures.known.number, row.figures.known.agreed] if everybody else ["", ""]
        shares = [f"{share:.4f}" for share in (one.share, *one.interval)] if one.share is not None else [""] * 3
        corrected = (row.figures.confirmed, row.figures.overturned, row.figures.missed)
        median = "" if row.median is None else f"{row.median:.1f}"
        yield csv_line(
            row.figures.name, one.number, one.agreed, *shares, *corrected, row.figures.decisions_overturned,
            row.decisions, median, *known,
        )  # fmt: skip
