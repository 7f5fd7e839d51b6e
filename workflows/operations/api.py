"""The API of operations: a site's costs, external services, and the state of the whole deployment."""

from ninja import Router, Schema

from config import clock
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest
from workflows.operations import costs, desk_state
from workflows.operations.costs import Cost, Month
from workflows.operations.desk_state import DeskState, OverdueRow, QueueState
from workflows.operations.views.costs import read_month
from workflows.operations.workers import Storage, Worker
from workflows.providers import queries as provider_queries
from workflows.providers.names import LABELS
from workflows.providers.views import make_provider_row

router = Router(tags=["operations"])
_SHOWN = 100  # overdue rows


class CostRow(Schema):
    """The costs of a project, service and model. ``usd``: of steps with a price; ``unpriced``: steps without one."""

    project_id: str
    service: str
    model: str
    steps: int
    pages: int
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float
    usd: float
    unpriced: int


class CostMonth(Schema):
    """``partial``: there are more rows than listed; request a single project."""

    month: str
    usd: float
    items: list[CostRow]
    partial: bool


class ProviderShape(Schema):
    """``status``: as text. ``failures``: consecutive. ``paused_until``: no run calls it before."""

    id: str
    name: str
    status: str
    error: str
    failures: int
    failed_at: str | None
    worked_at: str | None
    paused_until: str | None


class WorkerShape(Schema):
    """``taken``: messages since it started; ``rate``: in the last minute; ``waited``: longest wait in seconds."""

    name: str
    alive: bool
    queues: list[str]
    started_at: str
    seen_at: str
    taken: int
    rate: int
    waited: float
    busy: int
    slots: int


class QueueStatus(Schema):
    """``waiting``, ``dead``: messages; null if the broker does not report them. ``stalls``: of its workers."""

    name: str
    waiting: int | None
    dead: int | None
    workers: int
    stalls: int
    stalled_at: str | None


class OverdueShape(Schema):
    """Work that no worker took up in time; ``tries``: failed repairs."""

    kind: str
    id: str
    site: str
    since: str
    seconds: int
    tries: int
    document_id: str | None
    run_id: str | None


class RepairShape(Schema):
    """``repairs``: of this kind in total; the other values are of the latest one."""

    kind: str
    repairs: int
    repaired_at: str
    site: str
    document_id: str | None
    run_id: str | None


class StorageShape(Schema):
    """Rows and bytes of both tables; the disk of the machine that measured."""

    measured_at: str
    rows: int
    old_rows: int
    table_bytes: int
    disk_free: int
    disk_bytes: int


class DeskShape(Schema):
    """Values that could not be read are null. ``undelivered``: events that the bus gave up on."""

    queues: list[QueueStatus]
    workers: list[WorkerShape]
    overdue: list[OverdueShape] | None
    repairs: list[RepairShape]
    storage: StorageShape | None
    undelivered: int | None


@router.get(
    "/costs/{month}", response={200: CostMonth, **FAILURES}, operation_id="list_costs", summary="Get a month's costs"
)
def list_costs(request: ApiRequest, month: str, project_id: str = "") -> CostMonth:
    """`month`: such as 2026-11. Of all projects or one, highest first. Requires ADMIN."""
    access.check_can_configure(request)
    which = read_month(month)
    if project_id:
        access.project_to_configure(request, project_id)
    return _shape_month(costs.costs_of_month(request.site, which, project_id=project_id))


def _shape_month(found: Month) -> CostMonth:
    return CostMonth(
        month=found.month,
        usd=found.total.micros / 1_000_000,
        items=list(map(_shape_cost, found.rows)),
        partial=found.partial,
    )


def _shape_cost(one: Cost) -> CostRow:
    counts = {name: getattr(one, name) for name in CostRow.model_fields if hasattr(one, name)}
    return CostRow(**counts, usd=one.micros / 1_000_000)


@router.get(
    "/services",
    response={200: list[ProviderShape], **FAILURES},
    operation_id="list_services",
    summary="List external services",
)
def list_services(request: ApiRequest) -> list[ProviderShape]:
    """Circuit breaker states, shared by all workers. Requires ADMIN."""
    access.check_can_configure(request)
    known, now = {state.provider: state for state in provider_queries.provider_states()}, clock.iso(clock.now())
    rows = {name: make_provider_row(name, known.get(name), now) for name in LABELS}
    return [
        ProviderShape(
            id=name,
            name=row.label,
            status=row.mark.words,
            error=row.error,
            failures=row.failures,
            failed_at=row.failed_at,
            worked_at=row.worked_at,
            paused_until=row.until,
        )
        for name, row in rows.items()
    ]


@router.get(
    "/operations",
    response={200: DeskShape, **FAILURES},
    operation_id="show_operations",
    summary="Get the state of operations",
)
def show_operations(request: ApiRequest) -> DeskShape:
    """Returns queues, workers, overdue work, repairs and storage of all sites. Requires ADMIN on the main site."""
    access.check_can_manage_sites(request)
    return _shape_desk(desk_state.read_state())


def _shape_desk(state: DeskState) -> DeskShape:
    workers = {one.worker: one for queue in state.queues for one in queue.workers}
    return DeskShape(
        queues=list(map(_shape_queue, state.queues)),
        workers=[_shape_worker(one) for one in workers.values()],
        overdue=None if state.overdue is None else [_shape_overdue(one) for one in state.stuck[:_SHOWN]],
        repairs=[
            RepairShape(
                kind=one.kind,
                repairs=int(one.repairs),
                repaired_at=one.repaired_at,
                site=one.site_id,
                document_id=one.document_id,
                run_id=one.workflow_id,
            )
            for one in state.repairs
        ],
        storage=None if state.storage is None else _shape_storage(state.storage),
        undelivered=state.undelivered,
    )


def _shape_storage(one: Storage) -> StorageShape:
    return StorageShape(
        measured_at=one.measured_at,
        rows=int(one.rows),
        old_rows=int(one.old_rows),
        table_bytes=int(one.row_bytes) + int(one.old_row_bytes),
        disk_free=int(one.disk_free),
        disk_bytes=int(one.disk_bytes),
    )


def _shape_queue(one: QueueState) -> QueueStatus:
    return QueueStatus(
        name=one.queue, waiting=one.waiting, dead=one.dead, workers=one.alive, stalls=one.stalls,
        stalled_at=one.stalled_at,
    )  # fmt: skip


def _shape_worker(one: Worker) -> WorkerShape:
    return WorkerShape(
        name=one.worker,
        alive=one.is_alive,
        queues=one.queues.split(),
        started_at=one.started_at,
        seen_at=one.seen_at,
        taken=int(one.taken),
        rate=int(one.rate),
        waited=float(one.waited),
        busy=int(one.busy),
        slots=int(one.slots),
    )


def _shape_overdue(one: OverdueRow) -> OverdueShape:
    return OverdueShape(
        kind=one.kind, id=one.id, site=one.site, since=one.since, seconds=round(one.seconds), tries=one.tries,
        document_id=one.document_id or None, run_id=one.workflow_id or None,
    )  # fmt: skip
