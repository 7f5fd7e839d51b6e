"""Reads of follow-ups, named by access pattern; a page is one Query."""

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.item import Page
from config.table import InvalidKey
from workflows.publish.items import DocumentAction, FollowUp
from workflows.runs.items import ActionStatus, ActionType, Run


def document_actions(site: str, document_id: str) -> list[DocumentAction]:
    """List all actions of a document in order, strongly consistent; a Query for each hundred."""
    pk = table.DOCUMENT_ACTION.partition_key(site, document_id=document_id)
    prefix = DocumentAction.SK.startswith(table.DOCUMENT_ACTION.sort_prefix())
    return list(DocumentAction.every(pk, sk=prefix, consistent=True))


def actions_of(run: Run) -> list[DocumentAction]:
    """List the actions of a run in order."""
    return [one for one in document_actions(run.site, run.document_id) if one.workflowId == run.workflow_id]


def document_action(site: str, document_id: str, idx: int, kind: str) -> DocumentAction:
    """Raises: NotFound."""
    try:
        return DocumentAction.load(table.DOCUMENT_ACTION.key(site, document_id=document_id, idx=idx, type=kind))
    except (NotFound, InvalidKey) as error:
        raise NotFound(gettext("Action not found.")) from error


def follow_up(run: Run) -> FollowUp | None:
    """Return a run's follow-up, strongly consistent; None if it has none."""
    key = table.FOLLOW_UP.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    try:
        return FollowUp.load(key)
    except NotFound:
        return None


def actions_with(site: str, status: ActionStatus, *, cursor: str | None = None) -> Page[DocumentAction]:
    """List actions of all documents with this status, except for done ones, which are not in the index: one Query."""
    pk = table.DOCUMENT_ACTION.gsi2_partition(site, status=status)
    return DocumentAction.page(pk, index="GSI2", cursor=cursor)


def list_queued_documents(site: str, queue_id: str, *, cursor: str | None = None) -> Page[DocumentAction]:
    """List the documents that rules put into a queue: one Query."""
    pk = table.DOCUMENT_ACTION.gsi1_partition(site, type=ActionType.QUEUE, queue_id=queue_id)
    return DocumentAction.page(pk, index="GSI1", cursor=cursor)
