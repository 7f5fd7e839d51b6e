"""Due-work handler that has documents follow a merge of entities."""

from config.due import actions as due_work
from config.due.registry import due
from projects.documents.tasks import order_repointing
from projects.entities.items import EntityMerge


@due("merge", EntityMerge)
def resume_repointing(site: str, row: EntityMerge) -> None:
    """Enqueue it, since thousands of documents may refer to a supplier; it is due again if its message is lost."""
    due_work.postpone(row, at=due_work.next_look())
    order_repointing(site, row.entityTypeId, row.documentId)
