"""Pages of usage and costs: a site's month with its export, and a project's."""

import datetime as dt
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import clock, table
from config.errors import NotFound
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from projects.web.spreadsheets import csv_line
from workflows.operations import costs
from workflows.operations.costs import Cost

_COLUMNS = ("project", "service", "model", "steps", "pages", "calls", "tokens_in", "tokens_out", "seconds", "usd")


@dataclass(frozen=True)
class ProjectCosts:
    """``name`` falls back to the id if the project is gone."""

    id: str
    name: str
    total: Cost
    rows: tuple[Cost, ...]
    is_there: bool


@require_safe
def show_costs(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    which = read_month(request.GET.get("month", ""))
    found = costs.costs_of_month(request.site, which)
    context = {
        "month": found,
        "projects": _by_project(request.site, found.rows),
        "here": which,
        "ways": [
            (costs.write_month(name), f"{reverse('operations:show-costs')}?month={name}", name == which)
            for name in _months()
        ],
    }
    return render_answer(request, "workflows/operations/site_costs.html", None, context)


@require_safe
def show_project_costs(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    which = read_month(request.GET.get("month", ""))
    context = {"project": project, "month": costs.costs_of_month(request.site, which, project_id=project.id)}
    return render_answer(
        request, "workflows/operations/project_costs.html", "workflows/operations/_project_costs.html", context
    )


@require_safe
def export_costs(request: DeskRequest, month: str) -> StreamingHttpResponse:
    access.check_can_configure(request)
    found = costs.whole_month(request.site, read_month(month))
    named = {one.id: one.name for one in _by_project(request.site, found.rows)}
    response = StreamingHttpResponse(_lines(found.rows, named), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="costs-{found.month}.csv"'
    return response


def _lines(rows: tuple[Cost, ...], named: dict[str, str]) -> Iterator[str]:
    yield csv_line(*_COLUMNS)
    for one in rows:
        price = "" if one.unpriced == one.steps else f"{one.micros / 1_000_000:.6f}"
        counts = (one.steps, one.pages, one.calls, one.tokens_in, one.tokens_out, f"{one.seconds:.1f}", price)
        yield csv_line(named.get(one.project_id, one.project_id), one.service, one.model, *counts)


def _by_project(site: str, rows: tuple[Cost, ...]) -> list[ProjectCosts]:
    """Sum by project, with names from one more call; highest first."""
    ordered = sorted(rows, key=lambda one: one.project_id)
    groups = {key: tuple(group) for key, group in itertools.groupby(ordered, key=lambda one: one.project_id)}
    keys = [table.PROJECT.key(site, project_id=key) for key in groups]
    names = {project.id: project.settings.name for project in Project.load_many(keys, consistent=False)}
    found = [
        ProjectCosts(key, names.get(key, key), costs.total_cost(group, key), group, key in names)
        for key, group in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.total.micros, one.name))


def read_month(text: str) -> str:
    """Return the requested month, else the current one. Raises: NotFound."""
    if not text:
        return _months()[0]
    try:
        return dt.datetime.strptime(text, "%Y-%m").replace(tzinfo=dt.UTC).strftime("%Y-%m")
    except ValueError as error:
        raise NotFound(gettext("Write a month as 2026-11.")) from error


def _months() -> list[str]:
    """List the current month and the five before."""
    now = clock.now()
    first = now.year * 12 + now.month - 1
    return [f"{(first - back) // 12:04d}-{(first - back) % 12 + 1:02d}" for back in range(6)]
