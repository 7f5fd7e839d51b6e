"""Due-work handler that updates documents' paths after a folder moved."""

from config.due import actions as due_work
from config.due.registry import due
from projects.folders.items import FolderChange
from projects.folders.tasks import order_refresh


@due("folder", FolderChange)
def resume_refresh(site: str, row: FolderChange) -> None:
    """Enqueue the update, since a folder may hold thousands of documents; it is not due until its message is taken."""
    due_work.postpone(row, at=due_work.next_look())
    order_refresh(site, row.documentId)
