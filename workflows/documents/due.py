"""What is done with a removal that is due."""

from config.due import actions as due_work
from config.due.registry import due
from projects.documents.items import DocumentRemoval
from workflows.documents.tasks import order_removal


@due("removal", DocumentRemoval)
def resume_removal(site: str, row: DocumentRemoval) -> None:
    """A worker finishes it: it may take minutes, which no sweep has. Until its message is taken it is not due."""
    due_work.postpone(row, at=due_work.next_look())
    order_removal(site, str(row.documentId))
