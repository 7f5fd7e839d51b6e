"""Reads of exports, of their schedules, and of the documents that they export: one Query a page."""

from collections.abc import Sequence
from typing import Any

from config import table
from config.errors import NotFound
from config.item import Page
from config.phrase import Phrase
from config.table import InvalidKey, Key
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from workflows.exports.items import Export, ExportSchedule
from workflows.runs import run_settings
from workflows.runs.items import ProjectDocument
from workflows.stages.base import FieldSpec

A_PAGE = 100  # documents that are read and held in memory at a time
MOST_SCHEDULES = 20
_MISSING = Phrase("There is no such export in this project. Files are kept for two weeks.")


def export_key(site: str, project_id: str, export_id: str) -> Key:
    return table.EXPORT.key(site, project_id=project_id, export_id=export_id)


def schedule_key(site: str, project_id: str, schedule_id: str) -> Key:
    return table.EXPORT_SCHEDULE.key(site, project_id=project_id, schedule_id=schedule_id)


def list_exports(site: str, project_id: str, *, cursor: str | None = None) -> Page[Export]:
    """Newest first, strongly consistent."""
    pk = table.EXPORT.partition_key(site, project_id=project_id)
    prefix = Export.SK.startswith(table.EXPORT.sort_prefix())
    return Export.page(pk, sk=prefix, newest_first=True, cursor=cursor, consistent=True)


def get_export(site: str, project_id: str, export_id: str) -> Export:
    """Strongly consistent. Raises: NotFound."""
    try:
        return Export.load(export_key(site, project_id, export_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(_MISSING) from error


def list_schedules(site: str, project_id: str) -> Sequence[ExportSchedule]:
    pk = table.EXPORT_SCHEDULE.partition_key(site, project_id=project_id)
    prefix = ExportSchedule.SK.startswith(table.EXPORT_SCHEDULE.sort_prefix())
    return ExportSchedule.page(pk, sk=prefix, limit=MOST_SCHEDULES, consistent=True).rows


def list_fields(site: str, project: Project) -> list[FieldSpec]:
    """List each field that the project's documents may have, once: its own, or those of its document types."""
    data: dict[str, Any] = project.data.as_dict()
    fixed = str(data.get("classification_id") or "")
    if data.get("typing") and not fixed:
        governing = schema_queries.list_governing(site)
    else:
        try:
            governing = [schema_queries.get_governing(site, fixed)]
        except NotFound:  # its document type was deleted: use its own fields
            governing = [run_settings.UNGOVERNED]
    found: dict[str, FieldSpec] = {}
    for one in governing:
        for field in run_settings.freeze(_with_fields(data), one).fields:
            found.setdefault(field.name, field)
    return list(found.values())


def _with_fields(data: dict[str, Any]) -> dict[str, Any]:
    """Add the default fields to a project that was written before it stored its own."""
    return {"fields": run_settings.default_fields(), **data}


def list_documents(
    site: str, project_id: str, since: str, until: str, *, cursor: str | None = None
) -> Page[ProjectDocument]:
    """List a project's documents that changed in the range, ``until`` excluded, oldest first: one Query a page."""
    if since >= until:  # DynamoDB rejects an empty range
        return Page([], None)
    pk = table.PROJECT_DOCUMENT.gsi1_partition(site, project_id=project_id)
    window = ProjectDocument.GSI1SK.between(since or " ", until)
    return ProjectDocument.page(pk, sk=window, index="GSI1", limit=A_PAGE, cursor=cursor)
