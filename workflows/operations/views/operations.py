"""The Operations page: what runs, what is stuck, what is paused; each with the action that helps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config import clock
from config.due import repairs
from config.due.repairs import Repair
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.insight.report import show_seconds
from workflows.learning import calibrations, versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.operations import actions, desk_state
from workflows.operations.desk_state import DeskState, OverdueRow, QueueState
from workflows.operations.processes import PROCESSES
from workflows.providers import actions as provider_actions
from workflows.providers.names import LABELS
from workflows.runs.views.state_labels import Mark

_PAGE = "operations:show-operations"
_SHOWN = 20  # overdue rows on the page; the metrics count all
_LOW_DISK = 0.1  # share of the disk that is free

WORKING = Mark("good", "check", Phrase("Working"))
MISSING = Mark("warn", "alert", Phrase("No worker"))
WAITS = Mark("bad", "alert", Phrase("No worker, messages wait"))
SILENT = Mark("bad", "stop", Phrase("Queue does not respond"))
PAUSED = Mark("warn", "pause", Phrase("Paused"))
ACTIVE = Mark("good", "check", Phrase("Active"))
DEFAULT = Mark("", "minus", Phrase("Default confidence"))
_KINDS: Mapping[str, str] = {
    "arrival": Phrase("File from the bucket"),
    "batch": Phrase("Batch"),
    "check": Phrase("Second review"),
    "digest": Phrase("Mail digest"),
    "event": Phrase("Event for the bus"),
    "experiment": Phrase("Experiment"),
    "figures": Phrase("Figures of a run"),
    "followup": Phrase("Post-processing"),
    "join": Phrase("Pages of a large document"),
    "notice": Phrase("Notice to a sender"),
    "notification": Phrase("Mail to a reviewer"),
    "question": Phrase("Question about a page"),
    "removal": Phrase("Deletion"),
    "review": Phrase("Review"),
    "run": Phrase("Run"),
    "unpacking": Phrase("Unpacking of an archive"),
}
_REPAIRS: Mapping[str, str] = {
    repairs.RUN: Phrase("Run restarted at its step"),
    repairs.SLICES: Phrase("Pages sent again"),
    repairs.DECISION: Phrase("Decision sent again"),
}


@dataclass(frozen=True)
class QueueRow:
    """``process``: the worker of the queue, as ``manage.py start`` names it."""

    state: QueueState
    mark: Mark
    process: str
    waited: str

    @property
    def needs_worker(self) -> bool:
        return self.mark in (MISSING, WAITS)


@dataclass(frozen=True)
class StuckRow:
    """``url``: of its run or document; empty if there is none."""

    row: OverdueRow
    label: str
    url: str


@dataclass(frozen=True)
class CalibrationRow:
    name: str
    url: str
    mark: Mark
    version: int


@require_safe
def show_operations(request: DeskRequest) -> HttpResponse:
    """Five calls of the table. With ``count``, messages are counted anew: on SQS, a call for each queue."""
    access.check_can_manage_sites(request)  # queues are shared by all sites
    state = desk_state.read_state(count="count" in request.GET)
    now = clock.iso(clock.now())
    context = {
        "state": state,
        "queues": [_queue_row(one, is_uncounted=state.is_uncounted) for one in state.queues],
        "stuck": [_stuck_row(one) for one in state.stuck[:_SHOWN]],
        "more": max(len(state.stuck) - _SHOWN, 0),
        "paused": [(LABELS.get(one.provider, one.provider), one) for one in state.find_paused(now)],
        "repairs": [(_REPAIRS.get(one.kind, one.kind), one, _url_of_repair(one)) for one in state.repairs],
        "sweep": next(one for one in state.queues if one.queue == settings.SWEEP_QUEUE),
        "sweep_seconds": settings.SWEEP_SECONDS,
        "stalled_seconds": settings.WORKER_STALLED_SECONDS,
        "calibrations": _list_calibrations(),
        "storage": _storage_facts(state),
    }
    return render_answer(request, "workflows/operations/operations.html", None, context)


@require_POST
def hurry_repair(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    row = actions.hurry_repair(request.POST.get("place", ""), by=actor_of(request.user))
    messages.success(
        request,
        gettext("%(kind)s %(id)s is being repaired by a sweep that starts now.")
        % {"kind": _KINDS.get(row.kind, row.kind), "id": row.id},
    )
    return redirect_after_post(request, reverse(_PAGE))


@require_POST
def order_sweep(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    actions.order_sweep()
    messages.success(request, gettext("Sweep started. Overdue work is processed in a moment."))
    return redirect_after_post(request, reverse(_PAGE))


@require_POST
def retry_provider(request: DeskRequest, provider: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    provider_actions.retry_provider(provider, by=actor_of(request.user))
    messages.success(
        request, gettext("The next call tries %(provider)s again.") % {"provider": LABELS.get(provider, provider)}
    )
    return redirect_after_post(request, reverse(_PAGE))


def _queue_row(state: QueueState, *, is_uncounted: bool) -> QueueRow:
    process = next((name for name, arguments in PROCESSES.items() if state.queue in arguments), "")
    if state.waiting is None and not is_uncounted:
        mark = SILENT
    elif not state.alive:
        mark = WAITS if state.waiting else MISSING
    else:
        mark = WORKING
    return QueueRow(state, mark, process, show_seconds(state.waited) if state.rate else "–")


def _stuck_row(row: OverdueRow) -> StuckRow:
    return StuckRow(row, _KINDS.get(row.kind, row.kind), _url_of(row.site, row.document_id, row.workflow_id))


def _url_of_repair(repair: Repair) -> str:
    return _url_of(repair.site_id, str(repair.document_id or ""), str(repair.workflow_id or ""))


def _url_of(site: str, document_id: str, workflow_id: str) -> str:
    if not document_id or document_id.startswith("desk-"):  # another system's review request has no document
        return ""
    names = (
        ("workflows:show-run", [document_id, workflow_id])
        if workflow_id
        else ("documents:show-document", [document_id])
    )
    return f"{access.home(site).rstrip('/')}{reverse(names[0], args=names[1])}"


def _list_calibrations() -> Sequence[CalibrationRow]:
    """List calibrations of the main site's projects, last changed first: a Query and a batch read."""
    listed, _ = project_queries.list_projects(DEFAULT_SITE)
    found = project_queries.get_projects(DEFAULT_SITE, [one.project_id for one in listed])
    return [_calibration_row(found[one.project_id], one.name) for one in listed if one.project_id in found]


def _calibration_row(project: Project, name: str) -> CalibrationRow:
    version = versions.active_version(CALIBRATIONS, project)
    mark = PAUSED if calibrations.is_paused(project) else ACTIVE if version else DEFAULT
    return CalibrationRow(name, reverse("workflows:show-calibration", args=[project.id]), mark, version)


def _storage_facts(state: DeskState) -> Mapping[str, object]:
    """Return an empty mapping until it was measured."""
    storage = state.storage
    if storage is None:
        return {}
    free, disk = int(storage.disk_free), int(storage.disk_bytes)
    return {
        "measured_at": storage.measured_at,
        "rows": int(storage.rows),
        "old_rows": int(storage.old_rows),
        "table": int(storage.row_bytes) + int(storage.old_row_bytes),
        "free": free,
        "disk": disk,
        "is_low": bool(disk) and free < _LOW_DISK * disk,
    }
