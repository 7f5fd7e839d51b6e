"""The handler of due removals."""

from config.due import actions as due_work
from config.due.registry import due
from projects.documents.items import DocumentRemoval
from workflows.documents.tasks import order_removal


@due("removal", DocumentRemoval)
def resume_removal(site: str, row: DocumentRemoval) -> None:
    """Hand the removal to a worker, since it may take minutes. It is not due until the message is taken."""
    due_work.postpone(row, at=due_work.next_look())
    order_removal(site, str(row.documentId))
