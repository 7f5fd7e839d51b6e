"""The API of figures: how documents were processed in a period, by day and by step."""

import datetime as dt
from typing import Annotated, Any, Literal

from ninja import Field, Router, Schema

from config.errors import NotFound
from config.table import InvalidKey
from projects.queues import visibility
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from workflows.insight import figures, queries
from workflows.insight.report import Latency, Sums
from workflows.insight.views.insight import check_shown, choose_wish, find_visible_place, read_days, read_report
from workflows.runs.items import Outcome

router = Router(tags=["operations"])


class LatencyShape(Schema):
    """Seconds, over ``runs``: half of them took at most ``p50``."""

    runs: int
    p50: float | None
    p90: float | None
    p99: float | None


class FigureSums(Schema):
    """``straight_through``: published without a person. ``seconds``: from receipt to publication.

    ``usd``: null for keys without ADMIN.
    """

    received: int
    published: int
    straight_through: int
    reviewed: int
    rejected: int
    expired: int
    failed: int
    seconds: LatencyShape
    usd: float | None


class FigureDay(FigureSums):
    day: str


class StepFigures(Schema):
    workflow: str
    step: str
    seconds: LatencyShape


class FailureCause(Schema):
    """``before``: in the preceding period of the same length."""

    step: str
    error: str
    runs: int
    before: int


class FieldFigures(Schema):
    """Of reviewed values; ``correction_rate``: 0–1."""

    field: str
    confirmed: int
    corrected: int
    correction_rate: float


class FigureReport(Schema):
    """``before``: the preceding period of the same length. ``days``: each day of the period, in UTC."""

    now: FigureSums
    before: FigureSums
    days: list[FigureDay]
    steps: list[StepFigures]
    failures: list[FailureCause]
    fields: list[FieldFigures]


class FailedRun(Schema):
    project_id: str
    document_id: str
    run_id: str
    failed_at: str


class FailureList(Schema):
    items: list[FailedRun]
    next: str | None


@router.get(
    "/figures", response={200: FigureReport, **FAILURES}, operation_id="show_figures", summary="Get figures of a period"
)
def show_figures(
    request: ApiRequest,
    project_id: str = "",
    document_type: str = "",
    period: Literal["today", "7d", "30d", "90d"] = "30d",
) -> FigureReport:
    """Figures of a project or the site, of one document type or all. Requires READ; costs require ADMIN.

    A key that cannot see all queues gets one project at a time; by default the first. 422 while an access policy is
    active, which may hide documents that they count.
    """
    place = find_visible_place(request, project_id)
    check_shown(place)
    wish = choose_wish(place, project_id, document_type, period)
    report = read_report(place, wish)
    costs = access.abilities(request).configure
    return FigureReport(
        now=FigureSums(**_sums(report.now, costs=costs)),
        before=FigureSums(**_sums(report.before, costs=costs)),
        days=[_day(one.first, one.sums, costs=costs) for one in read_days(place, wish, report)],
        steps=[
            StepFigures(workflow=one.family, step=one.name, seconds=_latency(one.latency)) for one in report.now.steps
        ],
        failures=[
            FailureCause(step=one.step, error=one.error, runs=one.number, before=before)
            for one, before in report.causes
        ],
        fields=[
            FieldFigures(
                field=one.now.label,
                confirmed=one.now.confirmed,
                corrected=one.now.corrected,
                correction_rate=one.now.rate,
            )
            for one in report.fields
        ],
    )


@router.get(
    "/figures/failures",
    response={200: FailureList, **FAILURES},
    operation_id="list_failures",
    summary="List failed runs by cause",
)
def list_failures(
    request: ApiRequest,
    step: Annotated[str, Field(min_length=1, max_length=100)],
    error: Annotated[str, Field(min_length=1, max_length=200)],
    after: str | None = None,
) -> FailureList:
    """Runs that failed at this step with this error, as `failures` of the figures name both, latest first.

    Requires READ. Runs that were tried again and succeeded are not listed.
    """
    access.check_can_view(request)
    try:
        page = visibility.filter_page(
            request,
            lambda place: queries.list_failures(request.site, step, error, cursor=place),
            after,
            lambda row: row.document_id,
        )
    except InvalidKey as wrong:
        raise NotFound("No runs failed for this reason. Use a step and error from the figures.") from wrong
    shapes = [
        FailedRun(
            project_id=str(row.project_id),
            document_id=str(row.document_id),
            run_id=str(row.workflow_id),
            failed_at=str(row.failed_at),
        )
        for row in page.rows
    ]
    return FailureList(items=shapes, next=page.next)


def _day(day: dt.date, one: Sums, *, costs: bool) -> FigureDay:
    return FigureDay(day=day.isoformat(), **_sums(one, costs=costs))


def _sums(one: Sums, *, costs: bool) -> dict[str, Any]:
    return {
        "received": one.received,
        "published": one.published,
        "straight_through": one.numbers.get(figures.STRAIGHT, 0),
        "reviewed": one.numbers.get(figures.REVIEWED, 0),
        "rejected": one.ended(Outcome.REJECTED),
        "expired": one.ended(Outcome.EXPIRED),
        "failed": one.failed,
        "seconds": _latency(one.total),
        "usd": one.micros / 1_000_000 if costs else None,
    }


def _latency(one: Latency) -> LatencyShape:
    return LatencyShape(runs=one.number, p50=one.p50, p90=one.p90, p99=one.p99)
