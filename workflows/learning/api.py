"""The API of calibrations, and of the simulation of review thresholds."""

from collections.abc import Iterable

from ninja import Field, Router, Schema, Status

from projects.audit.items import EntityEvent
from projects.settings.items import Project
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from workflows.learning import actions, calibrations, collecting, history, tasks, versions
from workflows.learning.calibrations import CALIBRATIONS, Summary
from workflows.learning.history import Simulation
from workflows.learning.versions import Version

router = Router(tags=["learning"])
_MOST = 999_999


class LevelShape(Schema):
    """The effect of reviewing values below ``threshold``; shares 0–1.

    ``documents``: with a review. ``asked``: of values. ``precision``: of values that are not reviewed; null if there
    are none.
    """

    threshold: float
    documents: float
    asked: float
    precision: float | None


class CalibrationShape(Schema):
    """``documents``: reviewed ones that it learned from. ``auc``: how well it ranks right values above wrong ones.

    0.5 by chance; null if nothing was wrong. ``prior_auc``: the default's, on the same documents.
    """

    version: int
    documents: int
    created_at: str
    created_by: str
    activated_at: str | None
    activated_by: str | None
    auc: float | None
    prior_auc: float | None
    levels: list[LevelShape]


class LearnedEvent(Schema):
    """``type``: proposed, trained, activated, paused or refused. ``reason``: why nothing was proposed."""

    type: str
    by: str
    at: str
    version: int | None
    reason: str | None


class CalibrationList(Schema):
    """``active``: of new runs; 0 is the default. ``paused``: the audit sample had more errors than it promised."""

    active: int
    paused: bool
    items: list[CalibrationShape]
    events: list[LearnedEvent]


class ActiveCalibration(Body):
    """``version``: 0 for the default. ``expected``: the currently active one."""

    model_config = with_example(version=0, expected=0)

    version: int = Field(ge=0, le=_MOST, strict=True)
    expected: int = Field(ge=0, le=_MOST, strict=True)


class FieldSimulationShape(Schema):
    """``asked``: values below its threshold. ``passing_errors``: wrong values above it."""

    name: str
    threshold: float
    values: int
    asked: int
    passing_errors: int


class SimulationShape(Schema):
    """``reviewed``: documents with a review, ``always`` of them under any threshold.

    ``passing_errors``: wrong values of the other documents; ``errors``: of all.
    """

    documents: int
    always: int
    reviewed: int
    errors: int
    passing_errors: int
    fields: list[FieldSimulationShape]


class ThresholdsShape(Schema):
    """``collecting``: reviews are being read. ``problem``: why that failed. ``simulation``: null before the first."""

    collecting: bool
    problem: str
    collected_at: str | None
    simulation: SimulationShape | None


@router.get(
    "/{project_id}/calibrations",
    response={200: CalibrationList, **FAILURES},
    operation_id="list_calibrations",
    summary="List calibrations of confidence",
)
def list_calibrations(request: ApiRequest, project_id: str) -> CalibrationList:
    """Newest first, with their latest events. Requires ADMIN."""
    return _shape(access.project_to_configure(request, project_id), request.site)


def _shape(project: Project, site: str) -> CalibrationList:
    stored = versions.list_versions(CALIBRATIONS, site, project.id)
    return CalibrationList(
        active=versions.active_version(CALIBRATIONS, project),
        paused=calibrations.is_paused(project),
        items=list(map(_shape_version, stored)),
        events=list_learned_events(versions.list_version_events(CALIBRATIONS, site, project.id)),
    )


def _shape_version(one: Version[Summary]) -> CalibrationShape:
    return CalibrationShape(
        version=one.number,
        documents=one.documents,
        created_at=one.created_at,
        created_by=one.created_by,
        activated_at=one.activated_at or None,
        activated_by=one.activated_by or None,
        auc=one.summary.auc,
        prior_auc=one.summary.prior_auc,
        levels=[
            LevelShape(
                threshold=level.threshold, documents=level.documents, asked=level.asked, precision=level.precision
            )
            for level in one.summary.levels
        ],
    )


def list_learned_events(rows: Iterable[EntityEvent]) -> list[LearnedEvent]:
    """Format the events of calibrations and extractors."""
    found = []
    for row in rows:
        told = row.payload.as_dict()
        number = told.get("after", told.get("version"))
        found.append(
            LearnedEvent(
                type=str(row.type),
                by=str(row.metadata.as_dict().get("name") or ""),
                at=str(row.inserteddate),
                version=None if number is None else int(number),
                reason=told.get("reason"),
            )
        )
    return found


@router.post(
    "/{project_id}/calibrations",
    response={202: None, **FAILURES},
    operation_id="propose_calibration",
    summary="Learn a calibration from reviews",
)
def propose_calibration(request: ApiRequest, project_id: str) -> Status[None]:
    """A worker proposes a version, or records an event with the reason. Changes nothing by itself. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    tasks.order_calibration(request.site, project.id, by=request.auth.actor)
    return Status(202, None)


@router.put(
    "/{project_id}/calibrations/active",
    response={200: CalibrationList, **REFUSALS},
    operation_id="activate_calibration",
    summary="Activate a calibration",
)
def activate_calibration(request: ApiRequest, project_id: str, wish: ActiveCalibration) -> CalibrationList:
    """For runs that start from now on. 409 if the active version is not `expected`. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    actions.activate_calibration(request.site, project.id, wish.version, seen=wish.expected, by=request.auth.actor)
    return _shape(access.project_to_configure(request, project_id), request.site)


@router.get(
    "/{project_id}/thresholds",
    response={200: ThresholdsShape, **FAILURES},
    operation_id="simulate_thresholds",
    summary="Simulate a review threshold",
)
def simulate_thresholds(request: ApiRequest, project_id: str, threshold: float | None = None) -> ThresholdsShape:
    """Simulates another default `threshold` (0–1) on past reviews; fields keep their own. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    found, past = collecting.find_collecting(request.site, project.id), history.load_history(request.site, project.id)
    own = {one.name: one.threshold for one in project.settings.fields if one.threshold is not None}
    default = project.settings.default_threshold if threshold is None else threshold
    return ThresholdsShape(
        collecting=found.is_under_way,
        problem=found.problem,
        collected_at=past.collected_at if past else None,
        simulation=_shape_simulation(history.simulate_thresholds(past, default, own)) if past else None,
    )


def _shape_simulation(one: Simulation) -> SimulationShape:
    fields = [
        FieldSimulationShape(
            name=field.name, threshold=field.threshold, values=field.values, asked=field.asked,
            passing_errors=field.passing_errors,
        )
        for field in one.fields
    ]  # fmt: skip
    return SimulationShape(
        documents=one.documents, always=one.always, reviewed=one.reviewed, errors=one.errors,
        passing_errors=one.passing_errors, fields=fields,
    )  # fmt: skip


@router.post(
    "/{project_id}/thresholds/collect",
    response={202: None, **FAILURES},
    operation_id="collect_reviews",
    summary="Collect reviews for the simulation",
)
def collect_reviews(request: ApiRequest, project_id: str) -> Status[None]:
    """A worker reads the latest reviews. Idempotent. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    tasks.order_history(request.site, project.id)
    return Status(202, None)
