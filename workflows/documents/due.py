"""What is done with a removal that is due."""

from config.due.registry import due
from projects.documents.items.removals import DocumentRemoval
from workflows.documents.actions import removals
from workflows.documents.tasks import order_removal


@due("removal", DocumentRemoval)
def resume_removal(site: str, row: DocumentRemoval) -> None:
    """A worker finishes it: it may take minutes, which no sweep has."""
    removals.look_again(row)
    order_removal(site, str(row.documentId))
