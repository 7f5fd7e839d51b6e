"""The handlers of exports whose worker is silent, and of due schedules."""

import logging

from config.due import actions as due_work
from config.due.registry import due
from workflows.exports import actions, tasks
from workflows.exports.items import Export, ExportSchedule

log = logging.getLogger(__name__)


@due("export", Export)
def resume_export(site: str, row: Export) -> None:
    """Resend the message, which was lost or killed its worker; give up after too many tries."""
    if due_work.is_abandoned(row):
        actions.give_up_export(site, row)
        return
    due_work.postpone(row, at=due_work.next_look())
    log.warning("export sent again", extra={"project": row.project_id})
    tasks.order_writing(site, row)


@due("export_schedule", ExportSchedule)
def begin_scheduled(site: str, row: ExportSchedule) -> None:
    """Begin the scheduled export; the next is due a day, a week or a month later."""
    if found := actions.begin_scheduled(site, row):
        tasks.order_writing(site, found)
