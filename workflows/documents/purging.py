"""What a purge destroys, in an order that a killed one can be gone on with: nothing is lost sight of before it is gone.

Left are the tombstone, the activity, the lineage of the runs and the audit record: ``projects.documents.removal.LEFT``.
"""

from collections.abc import Callable

from config import table
from config.errors import NotFound
from config.item import Item, VersionItem, translate_store_errors
from config.table import Key
from projects.documents.actions.copies import forget_digests
from projects.documents.items import DocumentRemoval
from workflows.documents.actions import hide
from workflows.insight.actions import forget_run
from workflows.intake import bucket
from workflows.intake.items import IncomingFile, IncomingOrigin
from workflows.runs.actions import advance
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles, delete_object

Beat = Callable[[], None]
Forget = Callable[[str, str], None]
_FORGETTERS: list[Forget] = []
_BATCH = 25  # a heartbeat's distance


def at_purge(forget: Forget) -> Forget:
    """Register what else forgets a purged document, of a site and by its id; again has to be harmless."""
    _FORGETTERS.append(forget)
    return forget


def destroy_document(site: str, record: DocumentRemoval, beat: Beat) -> None:
    """Delete the files, then the rows; the rows that lead to others go after them.

    Raises:
        Unavailable: S3 or the table does not answer; what is gone is gone, the rest is gone on with.

    """
    document_id, project_id = str(record.documentId), str(record.project_id)
    _destroy_arrival(site, document_id)
    DocumentFiles(site, project_id, document_id).destroy(beat)
    for run in hide.runs_of(site, document_id):
        _destroy_run(run, beat)
    of_document = table.DOCUMENT_WORKFLOW.partition_key(site, document_id=document_id)
    event = table.DOCUMENT_EVENT.sort_prefix()
    _empty_partition(Item, of_document, beat, keep=lambda sk: sk.startswith(event))
    _empty_partition(Item, table.REVIEW_CHECKPOINT.partition_key(site, document_id=document_id), beat)
    _remove(table.PROJECT_DOCUMENT.key(site, project_id=project_id, document_id=document_id))
    forget_digests(site, document_id)
    for forget in _FORGETTERS:
        forget(site, document_id)
    _empty_partition(Item, record.PK, beat, keep=lambda sk: sk == record.SK)
    _empty_partition(VersionItem, table.DOCUMENT_VERSION.partition_key(site, document_id=document_id), beat)
    history = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    told = table.DOCUMENT_ACTIVITY.sort_prefix()
    _empty_partition(VersionItem, history, beat, keep=lambda sk: sk.startswith(told))
    if record.belongsToDocumentId:
        _remove(hide.child_key(site, record.belongsToDocumentId, document_id))


def _destroy_arrival(site: str, document_id: str) -> None:
    """The object that another system put into the bucket, where the document was made of one."""
    try:
        origin = IncomingOrigin.load(table.INCOMING_ORIGIN.key(site, document_id=document_id))
        file = IncomingFile.load(bucket.key_of(origin.digest))
    except NotFound:
        return
    if file.s3_key:
        delete_object(file.s3_key, file.s3version or "")
        bucket.forget(file)


def _destroy_run(run: Run, beat: Beat) -> None:
    """The link from the document goes last: by it a second attempt finds the run."""
    forget_run(run)
    _empty_partition(Item, advance.board_key(run).pk, beat)
    _empty_partition(Item, advance.execution_key(run).pk, beat)
    _remove(table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id))
    _remove(table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id))


def _empty_partition(kind: type[Item], pk: str, beat: Beat, *, keep: Callable[[str], bool] = lambda _: False) -> None:
    """Delete the partition's rows but those whose sort key is to be kept."""
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
