"""What a purge destroys: a document's files, then its rows, and last the rows that lead to others."""

from collections.abc import Callable

from config import table
from config.due import repairs
from config.errors import NotFound
from config.item import Item, VersionItem, translate_store_errors
from config.table import Key
from projects.documents import purge_hooks
from projects.documents.actions.copies import forget_digests
from projects.documents.items import DocumentActivity, DocumentRemoval
from workflows.documents.actions.hide import Beat, runs_of
from workflows.intake import bucket
from workflows.intake.items import IncomingFile, IncomingOrigin
from workflows.runs import purge_hooks as run_purge_hooks
from workflows.runs.actions import advance
from workflows.runs.items import DocumentEvent, Run
from workflows.storage.objects import DocumentFiles, delete_object

_BATCH = 25  # rows between two heartbeats


def child_key(site: str, parent_id: str, document_id: str) -> Key:
    return table.CHILD_DOCUMENT.key(site, document_id=parent_id, child_document_id=document_id)


def destroy_document(site: str, record: DocumentRemoval, beat: Beat) -> None:
    """Delete the files, then the rows, and last the rows that lead to others.

    Raises:
        Unavailable: S3 or the table does not answer; what was deleted stays deleted, and a later call continues.

    """
    document_id, project_id = str(record.documentId), str(record.project_id)
    _destroy_arrival(site, document_id)
    DocumentFiles(site, project_id, document_id).destroy(beat)
    for run in runs_of(site, document_id):
        _destroy_run(run, beat)
    of_document = table.DOCUMENT_WORKFLOW.partition_key(site, document_id=document_id)
    event = table.DOCUMENT_EVENT.sort_prefix()
    _empty_partition(Item, of_document, beat, keep=lambda sk: sk.startswith(event))
    for told in DocumentEvent.every(of_document, sk=DocumentEvent.SK.startswith(event), consistent=True):
        if told.facts:  # what happened and when stays; what people wrote, as in comments, does not
            DocumentEvent.change(told.key, [DocumentEvent.facts.remove()], DocumentEvent.PK.exists())
            beat()
    _empty_partition(Item, table.REVIEW_CHECKPOINT.partition_key(site, document_id=document_id), beat)
    _empty_partition(Item, table.DEFINITION_DOCUMENT.partition_key(site, document_id=document_id), beat)
    _remove(table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id))
    forget_digests(site, document_id)
    repairs.forget_repairs(site, document_id)
    purge_hooks.forget_everywhere(site, document_id)
    _empty_partition(Item, record.PK, beat, keep=lambda sk: sk == record.SK)
    _empty_partition(VersionItem, table.DOCUMENT_VERSION.partition_key(site, document_id=document_id), beat)
    history = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    activity = table.DOCUMENT_ACTIVITY.sort_prefix()
    _empty_partition(VersionItem, history, beat, keep=lambda sk: sk.startswith(activity))
    for row in DocumentActivity.every(history):
        if row.changes or row.name:  # who did what stays; values and the file's name do not
            gone = [DocumentActivity.changes.remove(), DocumentActivity.name.remove()]
            DocumentActivity.change(row.key, gone, DocumentActivity.PK.exists())
            beat()
    if record.belongsToDocumentId:
        _remove(child_key(site, record.belongsToDocumentId, document_id))


def _destroy_arrival(site: str, document_id: str) -> None:
    """Delete the object that another system put into the bucket, if the document came from one."""
    try:
        origin = IncomingOrigin.load(table.INCOMING_ORIGIN.key(site, document_id=document_id))
        file = IncomingFile.load(bucket.key_of(origin.digest))
    except NotFound:
        return
    if file.s3_key:
        delete_object(file.s3_key, file.s3version or "")
        bucket.forget(file)


def _destroy_run(run: Run, beat: Beat) -> None:
    """Delete a run. Its link from the document goes last, so that a retry still finds the run."""
    run_purge_hooks.forget_everywhere(run)
    _empty_partition(Item, advance.board_key(run).pk, beat)
    _empty_partition(Item, advance.execution_key(run).pk, beat)
    _remove(table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id))
    _remove(table.WEB_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id))
    _remove(table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id))


def _empty_partition(kind: type[Item], pk: str, beat: Beat, *, keep: Callable[[str], bool] = lambda _: False) -> None:
    """Delete the partition's rows, except those whose sort key ``keep`` accepts."""
    with translate_store_errors(), kind.batch_write() as batch:
        rows = kind.query(pk, consistent_read=True, attributes_to_get=["PK", "SK"])
        for number, row in enumerate(rows):
            if number % _BATCH == 0:
                beat()
            if not keep(str(row.SK)):
                batch.delete(row)


def _remove(key: Key) -> None:
    with translate_store_errors():
        Item(key.pk, key.sk).delete()
