"""Rows of exports and of their schedules."""

from enum import StrEnum
from typing import Any, Self

from pynamodb.attributes import BooleanAttribute, ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import CountedWork, DueWork


class ExportStatus(StrEnum):
    """The status, stored as written."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


UNDER_WAY = (ExportStatus.QUEUED, ExportStatus.RUNNING)


class ExportFile(MapAttribute[str, Any]):
    """A file of an export: its name, its rows below the header, its size."""

    name = UnicodeAttribute()
    rows = NumberAttribute()
    bytes = NumberAttribute()

    @classmethod
    def of(cls, name: str, rows: int, size: int) -> Self:
        return cls(name=name, rows=rows, bytes=size)


class Export(CountedWork):
    """One export. Access: all of a project, newest first; due (GSI2) until its files are written.

    ``groups``, ``is_everywhere``: of the person who ordered it, so that queues and folders that are closed to them are
    omitted. ``documents``: written so far.
    """

    due_entity = table.EXPORT
    project_id = UnicodeAttribute()
    export_id = UnicodeAttribute()
    status = UnicodeAttribute()
    choice = UnicodeAttribute()  # JSON of workflows.exports.choice.Choice
    groups: ListAttribute[str] = ListAttribute()
    is_everywhere = BooleanAttribute()
    folder = UnicodeAttribute()  # of its files, below the project's exports
    documents = NumberAttribute(default=0)
    files: ListAttribute[ExportFile] = ListAttribute(of=ExportFile, null=True)
    message = UnicodeAttribute(null=True)  # why it failed
    schedule_id = UnicodeAttribute(null=True)
    by_id = UnicodeAttribute()
    by_name = UnicodeAttribute()
    created_at = UnicodeAttribute()
    ended_at = UnicodeAttribute(null=True)

    @property
    def is_under_way(self) -> bool:
        return self.status in UNDER_WAY


class ExportSchedule(DueWork):
    """Access: all of a project; due (GSI2) at its next time. ``since``: the end of the last export."""

    due_entity = table.EXPORT_SCHEDULE
    project_id = UnicodeAttribute()
    schedule_id = UnicodeAttribute()
    choice = UnicodeAttribute()
    groups: ListAttribute[str] = ListAttribute()
    is_everywhere = BooleanAttribute()
    repeat = UnicodeAttribute()  # every day, week or month
    folder = UnicodeAttribute()
    since = UnicodeAttribute()
    due_at = UnicodeAttribute()
    by_id = UnicodeAttribute()
    by_name = UnicodeAttribute()
    created_at = UnicodeAttribute()
