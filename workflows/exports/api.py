"""The API of exports: order one, follow it and download its files; and schedule daily, weekly or monthly exports."""

import datetime as dt
from typing import Any

from django.http import HttpResponseBase
from ninja import Field, Router, Schema, Status

from config.errors import Refused
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, Problem, with_example
from workflows.exports import actions, queries, tasks
from workflows.exports.choice import CONTENT_TYPES, FLAT, FORMATS, TABLE_WAYS, Choice, days_to_instants, lay_out
from workflows.exports.items import Export, ExportSchedule
from workflows.exports.views import orderer_of, send_file

router = Router(tags=["exports"])
# Any content type: it depends on the format of the export.
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_A_FILE: dict[str, Any] = {"responses": {200: {"content": dict.fromkeys(CONTENT_TYPES.values(), _BYTES)}}}
_DAY = r"^\d{4}-\d{2}-\d{2}$"


class ExportWish(Body):
    """``since``, ``until``: days (UTC) of publication, both included. ``columns``: empty for all.

    ``tables``: flat (one line per table row), apart (a file per table), none. In JSON Lines, flat tables are lists
    inside their document. ``personal``: with personal data; requires PERSONAL.
    """

    model_config = with_example(format="csv", tables="flat", columns=["document"], since="2026-11-01")

    format: str = Field(json_schema_extra={"enum": list(FORMATS)})
    tables: str = Field(FLAT, json_schema_extra={"enum": list(TABLE_WAYS)})
    columns: list[str] = Field(default_factory=list, max_length=200)
    since: str | None = Field(None, pattern=_DAY)
    until: str | None = Field(None, pattern=_DAY)
    personal: bool = False


class ExportFileShape(Schema):
    """``index``: of the file, for its URL."""

    index: int
    name: str
    rows: int
    bytes: int


class ExportShape(Schema):
    """``status``: queued, running, done, failed. ``documents``: written so far. ``message``: the error."""

    id: str
    project_id: str
    status: str
    format: str
    documents: int
    files: list[ExportFileShape]
    message: str | None
    created_at: str
    ended_at: str | None


class ExportList(Schema):
    items: list[ExportShape]
    next: str | None


class ScheduleWish(Body):
    """``folder``: below it, each day's files get a folder. The rest as in ``ExportWish``."""

    model_config = with_example(every="month", folder="finance/monthly", format="xlsx")

    every: str = Field(json_schema_extra={"enum": list(actions.EVERY)})
    folder: str = Field(min_length=1, max_length=actions.LONGEST_FOLDER)
    format: str = Field(json_schema_extra={"enum": list(FORMATS)})
    tables: str = Field(FLAT, json_schema_extra={"enum": list(TABLE_WAYS)})
    columns: list[str] = Field(default_factory=list, max_length=200)
    personal: bool = Field(False, strict=True)


class ScheduleShape(Schema):
    """``next_at``: the time of the next export, of what was published since ``since``."""

    id: str
    project_id: str
    every: str
    folder: str
    format: str
    tables: str
    columns: list[str]
    personal: bool
    since: str
    next_at: str
    created_by: str
    created_at: str


class ScheduleList(Schema):
    items: list[ScheduleShape]


@router.post(
    "/{project_id}/exports",
    response={201: ExportShape, 422: Problem, **FAILURES},
    operation_id="create_export",
    summary="Export published results",
)
def create_export(request: ApiRequest, project_id: str, wish: ExportWish) -> Any:
    """A worker writes the files; poll the export until it is done. Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    if wish.personal:
        access.check_can_see_personal(request)
    choice = Choice(wish.format, wish.tables, tuple(wish.columns), *_range(wish), wish.personal)
    actions.check_choice(choice)
    lay_out(choice, queries.list_fields(request.site, project))
    row = actions.order_export(request.site, project.id, choice, who=orderer_of(request))
    tasks.order_writing(request.site, row)
    return Status(201, _shape(row))


def _range(wish: ExportWish) -> tuple[str, str]:
    """Raises: Refused."""
    days = []
    for name, text in (("since", wish.since), ("until", wish.until)):
        try:
            days.append(dt.date.fromisoformat(text) if text else None)
        except ValueError as error:
            raise Refused(f"{text} is no day. Send one such as 2026-11-01.", field=name) from error
    return days_to_instants(*days)


@router.get(
    "/{project_id}/exports", response={200: ExportList, **FAILURES}, operation_id="list_exports",
    summary="List exports",
)  # fmt: skip
def list_exports(request: ApiRequest, project_id: str, after: str | None = None) -> ExportList:
    """Newest first, of the last two weeks. Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    page = queries.list_exports(request.site, project.id, cursor=after)
    return ExportList(items=[_shape(one) for one in page.rows], next=page.next)


@router.get(
    "/{project_id}/exports/{export_id}", response={200: ExportShape, **FAILURES}, operation_id="show_export",
    summary="Get an export",
)  # fmt: skip
def show_export(request: ApiRequest, project_id: str, export_id: str) -> ExportShape:
    """Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    return _shape(queries.get_export(request.site, project.id, export_id))


@router.get(
    "/{project_id}/exports/{export_id}/files/{index}",
    response={200: Any, **FAILURES},
    operation_id="download_export",
    summary="Download a file of an export",
    openapi_extra=_A_FILE,
)
def download_export(request: ApiRequest, project_id: str, export_id: str, index: int) -> HttpResponseBase:
    """Returns text/csv, application/jsonl, Excel or Parquet. Requires EXPORT, and PERSONAL if it has personal data."""
    project = access.project_to_export(request, project_id)
    return send_file(request, project, export_id, index)


@router.get(
    "/{project_id}/export-schedules", response={200: ScheduleList, **FAILURES}, operation_id="list_export_schedules",
    summary="List export schedules",
)  # fmt: skip
def list_export_schedules(request: ApiRequest, project_id: str) -> ScheduleList:
    """All of a project. Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    return ScheduleList(items=list(map(_shape_schedule, queries.list_schedules(request.site, project.id))))


@router.post(
    "/{project_id}/export-schedules",
    response={201: ScheduleShape, 422: Problem, **FAILURES},
    operation_id="create_export_schedule",
    summary="Export on a schedule",
)
def create_export_schedule(request: ApiRequest, project_id: str, wish: ScheduleWish) -> Any:
    """Exports what is published from now on, the first time after one `every`. Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    if wish.personal:
        access.check_can_see_personal(request)
    choice = Choice(wish.format, wish.tables, tuple(wish.columns), personal=wish.personal)
    actions.check_choice(choice)
    lay_out(choice, queries.list_fields(request.site, project))
    row = actions.create_schedule(request.site, project.id, choice, wish.every, wish.folder, who=orderer_of(request))
    return Status(201, _shape_schedule(row))


@router.delete(
    "/{project_id}/export-schedules/{schedule_id}",
    response={204: None, **FAILURES},
    operation_id="delete_export_schedule",
    summary="Delete an export schedule",
)
def delete_export_schedule(request: ApiRequest, project_id: str, schedule_id: str) -> Status[None]:
    """Its files stay. Idempotent. Requires EXPORT."""
    project = access.project_to_export(request, project_id)
    actions.delete_schedule(request.site, project.id, schedule_id, by=request.auth.actor)
    return Status(204, None)


def _shape_schedule(row: ExportSchedule) -> ScheduleShape:
    choice = Choice.from_json(row.choice)
    return ScheduleShape(
        id=row.schedule_id,
        project_id=row.project_id,
        every=row.repeat,
        folder=row.folder,
        format=choice.form,
        tables=choice.tables,
        columns=list(choice.columns),
        personal=choice.personal,
        since=row.since,
        next_at=row.due_at,
        created_by=row.by_name,
        created_at=row.created_at,
    )


def _shape(row: Export) -> ExportShape:
    files = [
        ExportFileShape(index=number, name=one.name, rows=int(one.rows), bytes=int(one.bytes))
        for number, one in enumerate(row.files or ())
    ]
    return ExportShape(
        id=row.export_id,
        project_id=row.project_id,
        status=row.status,
        format=Choice.from_json(row.choice).form,
        documents=int(row.documents),
        files=files,
        message=row.message,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )
