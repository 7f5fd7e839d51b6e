"""The page of a project's exports: order one, follow it, download its files; and the schedules."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotFound, Refused
from config.phrase import Phrase, count_phrase, join_phrases
from projects.audit.events import actor_of
from projects.personal.queries import get_personal_fields
from projects.schemas.labels.reading import find_locale, get_labels
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, make_inert, page_links, redirect_after_post, render_answer
from workflows.exports import actions, queries, tasks
from workflows.exports.actions import EVERY, Orderer
from workflows.exports.choice import APART, CONTENT_TYPES, FORMATS, LEFT_OUT, Choice, name_column, offer_columns
from workflows.exports.forms import ExportForm, ScheduleForm
from workflows.exports.items import Export, ExportFile, ExportSchedule, ExportStatus
from workflows.exports.writing import key_of
from workflows.runs.views.state_labels import Mark
from workflows.storage.objects import open_object

_MARKS: dict[str, Mark] = {
    ExportStatus.QUEUED: Mark("", "clock", Phrase("Queued")),
    ExportStatus.RUNNING: Mark("info", "run", Phrase("Running")),
    ExportStatus.DONE: Mark("good", "check", Phrase("Done")),
    ExportStatus.FAILED: Mark("bad", "alert", Phrase("Failed")),
}
_CHUNK = 64 * 1024
_TABLES: Mapping[str, str] = {APART: Phrase("tables apart"), LEFT_OUT: Phrase("without tables")}


@dataclass(frozen=True)
class ExportRow:
    """``may_fetch``: False if it has personal data that the person may not see."""

    export: Export
    choice: Choice
    mark: Mark
    words: str
    files: list[tuple[ExportFile, str]]
    may_fetch: bool


@dataclass(frozen=True)
class ScheduleRow:
    schedule: ExportSchedule
    words: str
    every: str


@require_http_methods(["GET", "POST"])
def list_exports(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_export(request, project_id)
    if request.method == "GET":
        return _answer(request, project)
    form = _form(request, project, request.POST)
    if not form.is_valid():
        return _answer(request, project, form=form, status=422)
    try:
        choice = replace(form.choice, locale=find_locale(request.site))
        row = actions.order_export(request.site, project.id, choice, who=orderer_of(request))
    except Refused as error:
        form.add_error(None, str(error))
        return _answer(request, project, form=form, status=422)
    tasks.order_writing(request.site, row)
    messages.success(request, gettext("Export ordered. Its files appear here."))
    return redirect_after_post(request, reverse("workflows:list-exports", args=[project.id]))


def orderer_of(request: DeskRequest) -> Orderer:
    """Return who asks, with the queues and folders that they may see."""
    program = getattr(request, "auth", None)
    by = program.actor if program is not None else actor_of(request.user)
    return Orderer(by, tuple(sorted(access.groups_of(request))), bool(request.user.is_superuser))


def _form(request: DeskRequest, project: Project, data: Any = None) -> ExportForm:
    labels = get_labels(request.site)
    offered = [name_column(one, labels) for one in offer_columns(queries.list_fields(request.site, project))]
    may_see = access.can_see_personal(request) and bool(get_personal_fields(request.site, project.id))
    return ExportForm(offered, data, may_see=may_see)


def _answer(
    request: DeskRequest, project: Project, *, form: ExportForm | None = None, schedule: ScheduleForm | None = None,
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    page = queries.list_exports(request.site, project.id, cursor=request.GET.get("after"))
    rows = [_row(request, one) for one in page.rows]
    context = {
        "project": project,
        "rows": rows,
        "moving": any(one.export.is_under_way for one in rows),
        **page_links(request, page.next, request.path),
        "kept_days": actions.KEPT_DAYS,
    }
    if not request.htmx or status != 200 or request.htmx.boosted:
        context |= {
            "form": form or _form(request, project),
            "schedule": schedule or ScheduleForm(),
            "schedules": [_schedule_row(one) for one in queries.list_schedules(request.site, project.id)],
        }
    return render_answer(
        request, "workflows/exports/list.html", "workflows/exports/_exports.html", context, status=status
    )


def _row(request: DeskRequest, export: Export) -> ExportRow:
    choice = Choice.from_json(export.choice)
    urls = [
        (one, reverse("workflows:download-export", args=[export.project_id, export.export_id, number]))
        for number, one in enumerate(export.files or ())
    ]
    may_fetch = not choice.personal or access.can_see_personal(request)
    return ExportRow(export, choice, _MARKS[export.status], describe_choice(choice), urls, may_fetch)


def describe_choice(choice: Choice) -> str:
    """Describe everything but the range: ``CSV, tables apart, 2 columns``."""
    told: list[str] = [FORMATS.get(choice.form, choice.form)]
    told += [_TABLES[choice.tables]] if choice.tables in _TABLES else []
    told += [count_phrase("%(count)s column", "%(count)s columns", len(choice.columns))] if choice.columns else []
    told += [Phrase("with personal data")] if choice.personal else []
    return join_phrases(told)


def _schedule_row(schedule: ExportSchedule) -> ScheduleRow:
    return ScheduleRow(schedule, describe_choice(Choice.from_json(schedule.choice)), EVERY[schedule.repeat])


@require_safe
def download_export(request: DeskRequest, project_id: str, export_id: str, index: int) -> HttpResponseBase:
    """Stream a file of a finished export. Raises: NotAllowed, NotFound."""
    project = access.project_to_export(request, project_id)
    return send_file(request, project, export_id, index)


def send_file(request: DeskRequest, project: Project, export_id: str, index: int) -> HttpResponseBase:
    """Raises: NotAllowed if it has personal data that the person may not see; NotFound."""
    row = queries.get_export(request.site, project.id, export_id)
    choice = Choice.from_json(row.choice)
    if choice.personal:
        access.check_can_see_personal(request)
    files = list(row.files or ())
    if index >= len(files):
        raise NotFound(gettext("This export has no such file."))
    name = files[index].name
    body = open_object(key_of(request.site, row, name))
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type=CONTENT_TYPES[choice.form])
    response["Content-Length"] = str(int(files[index].bytes))
    label = f"{project.settings.name} {row.created_at[:10]} {name}"
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=label) or ""
    response["Cache-Control"] = "private, no-store"
    return make_inert(response)


@require_POST
def create_schedule(request: DeskRequest, project_id: str) -> HttpResponse:
    """Uses the format, tables and columns of the form above."""
    project = access.project_to_export(request, project_id)
    form, schedule = _form(request, project, request.POST), ScheduleForm(request.POST)
    if not (form.is_valid() and schedule.is_valid()):
        return _answer(request, project, form=form, schedule=schedule, status=422)
    given = schedule.cleaned_data
    try:
        actions.create_schedule(
            request.site, project.id, form.choice, given["every"], given["folder"], who=orderer_of(request)
        )
    except Refused as error:
        schedule.add_error(error.field if error.field in schedule.fields else None, str(error))
        return _answer(request, project, form=form, schedule=schedule, status=422)
    messages.success(request, gettext("Schedule saved. It exports what is published from now on."))
    return redirect_after_post(request, reverse("workflows:list-exports", args=[project.id]))


@require_POST
def delete_schedule(request: DeskRequest, project_id: str, schedule_id: str) -> HttpResponse:
    project = access.project_to_export(request, project_id)
    actions.delete_schedule(request.site, project.id, schedule_id, by=actor_of(request.user))
    messages.success(request, gettext("Schedule deleted. Its files are kept as long as other exports."))
    return redirect_after_post(request, reverse("workflows:list-exports", args=[project.id]))
