"""Reads of what follows a publication, named as the access pattern they serve; a page is one Query."""

from config import table
from config.errors import NotFound
from config.item import Page
from config.table import InvalidKey
from workflows.publish.items import DocumentAction, FollowUp
from workflows.runs.items import ActionStatus, ActionType, Run


def document_actions(site: str, document_id: str) -> list[DocumentAction]:
    """All actions of a document in their order, strongly consistent; a Query for each hundred."""
    pk = table.DOCUMENT_ACTION.partition_key(site, document_id=document_id)
    prefix = DocumentAction.SK.startswith(table.DOCUMENT_ACTION.sort_prefix())
    return list(DocumentAction.every(pk, sk=prefix, consistent=True))


def actions_of(run: Run) -> list[DocumentAction]:
    """Those of one run, in their order."""
    return [one for one in document_actions(run.site, run.document_id) if one.workflowId == run.workflow_id]


def document_action(site: str, document_id: str, idx: int, kind: str) -> DocumentAction:
    """Raises: NotFound."""
    try:
        return DocumentAction.load(table.DOCUMENT_ACTION.key(site, document_id=document_id, idx=idx, type=kind))
    except (NotFound, InvalidKey) as error:
        raise NotFound("Action not found.") from error


def follow_up(run: Run) -> FollowUp | None:
    """Strongly consistent; None if nothing followed."""
    key = table.FOLLOW_UP.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    try:
        return FollowUp.load(key)
    except NotFound:
        return None


def actions_with(site: str, status: ActionStatus, *, cursor: str | None = None) -> Page[DocumentAction]:
    """Actions of all documents that are in this state, but for done ones, which the index does not hold: one Query."""
    pk = table.DOCUMENT_ACTION.gsi2_partition(site, status=status)
    return DocumentAction.page(pk, index="GSI2", cursor=cursor)


def list_queued_documents(site: str, queue_id: str, *, cursor: str | None = None) -> Page[DocumentAction]:
    """What waits in a queue for a person after its publication: one Query."""
    pk = table.DOCUMENT_ACTION.gsi1_partition(site, type=ActionType.QUEUE, queue_id=queue_id)
    return DocumentAction.page(pk, index="GSI1", cursor=cursor)
