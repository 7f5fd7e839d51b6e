"""What is done with a removal that is due."""

from projects.documents.items.removals import DocumentRemoval
from workflows.documents.actions import removals
from workflows.documents.tasks import order_removal


def resume_removal(site: str, due: DocumentRemoval) -> None:
    """A worker finishes it: it may take minutes, which no sweep has."""
    removals.look_again(due)
    order_removal(site, str(due.documentId))
