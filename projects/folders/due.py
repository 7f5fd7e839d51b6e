"""What is done with a folder whose documents' paths have yet to follow it."""

from config.due import actions as due_work
from config.due.registry import due
from projects.folders.items import FolderChange
from projects.folders.tasks import order_refresh


@due("folder", FolderChange)
def resume_refresh(site: str, row: FolderChange) -> None:
    """A worker does it: a folder may hold thousands. Until its message is taken it is not due."""
    due_work.postpone(row, at=due_work.next_look())
    order_refresh(site, row.documentId)
