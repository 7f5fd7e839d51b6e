"""Writes of a removal on the document's own rows, for ``workflows/documents/actions/removals.py``."""

from typing import Any

from config import clock, table
from config.due import actions as due_work
from config.errors import NotFound
from config.phrase import Phrase
from config.transaction import Change, Delete, Put, Update
from projects.audit.events import Actor
from projects.documents.actions.documents import by_classification
from projects.documents.items import Document, DocumentRemoval, RemovalState, SoftDeletedDocument
from projects.documents.queries import DELETED, PURGED
from projects.folders import placing
from projects.folders.placing import Place
from projects.folders.queries import ROOT

# What the pages say that a purge does; a test compares both tables and S3 with it.
DESTROYED = (
    Phrase("all file versions, including the original object in the ingestion bucket"),
    Phrase("derived data: page images, text, results and corrections"),
    Phrase("runs with their steps and pages; reviews with their decisions and drafts"),
    Phrase("tags, attributes and metadata, including their history"),
    Phrase("known answers in test sets; answers of models in trials and experiments"),
)
LEFT = (
    Phrase("this record: document ID, project, and who deleted and purged it, and when"),
    Phrase("the activity log: who did what and when, without names or values"),
    Phrase("the step history of its runs, without content"),
    Phrase("in the audit log: that it was purged, shared or added to a case, with the document ID only"),
    Phrase("for 90 days: which API calls asked for changes of it, with IDs only"),
    Phrase("for 30 days: which webhooks were called for it, with IDs only"),
    Phrase("for 90 days, in executions of Step Functions: the document name"),
    Phrase("for files ingested from the bucket: a record that the object was processed, without its name"),
    Phrase("for batch files: the manifest line, until the manifest expires"),
    Phrase("its ID in the search index, so that late updates cannot restore it"),
    Phrase("its values in exports made before the purge, for 14 days after each export"),
    Phrase("in experiments: which of its fields were right, without values"),
    Phrase("vendor data its project learned from the review: seller name and addresses"),
    Phrase("suppliers and customers saved from it: name, tax ID and IBAN"),
)
_KEYS = frozenset(["PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "TimeToLive"])


def delete_changes(
    site: str, document: Document, *, by: Actor, reason: str, workflow_id: str | None, due_at: str
) -> list[Change]:
    """Plan moving the document's row out of reach and starting its removal.

    Conflicts name ``document`` if it was changed meanwhile, ``removal`` if another removal is in progress, and
    ``deleted`` if another removal took the key of this second.
    """
    now = clock.now()
    stamp = clock.iso(now)
    parts = {"document_id": document.document_id, "date": table.date_partition(now), "datetime": table.datetime_s(now)}
    place = table.SOFT_DELETED_DOCUMENT.key(site, **parts)
    index = table.SOFT_DELETED_DOCUMENT.gsi1(site, **parts)
    soft = SoftDeletedDocument(place.pk, place.sk, **index, **_values(document))
    record_key = table.DOCUMENT_REMOVAL.key(site, document_id=document.document_id)
    record = DocumentRemoval(
        record_key.pk,
        record_key.sk,
        **_removal_index(site, document.document_id, DELETED, now),
        **DocumentRemoval.due_keys(due_at, document_id=document.document_id),
        documentId=document.document_id,
        status=RemovalState.DELETING,
        userId=by.id,
        user_name=by.name,
        holder_name=by.name,
        inserteddate=stamp,
        reason=reason or None,
        belongsToDocumentId=document.belongsToDocumentId,
        name=document.name,
        document_id=document.document_id,
        queue=document.queue,
        folder_id=document.folder_id,
        project_id=document.project_id,
        project_name=document.project_name,
        workflow_id=workflow_id,
        file_type=document.file_type,
        file_size=document.file_size,
        created_at=document.created_at,
        updated_at=stamp,
    )
    unchanged = Document.revision == document.revision
    return [
        Delete(document.key, unchanged, name="document"),
        Put(soft, name="deleted"),
        Put(record, name="removal"),
        *placing.leave_changes(site, document.document_id, document.folder_id, document.path),
    ]


def restore_changes(site: str, soft: SoftDeletedDocument, *, due_at: str) -> list[Change]:
    """Plan moving the document's row back; fails if its removal continued meanwhile."""
    at = clock.parse(soft.inserteddate)
    parts = {"document_id": soft.document_id, "date": table.date_partition(at), "datetime": table.datetime_s(at)}
    place = table.DOCUMENT.key(site, **parts)
    index = table.DOCUMENT.gsi1(site, **parts) | by_classification(
        site, soft.document_id, soft.classification_id, at=at
    )
    live = Document(place.pk, place.sk, **index, **_values(soft))
    filed = _return_place(site, soft)
    live.folder_id, live.path = (filed.folder_id, filed.path) if filed else (None, soft.name)
    return [
        move_removal(site, soft.document_id, RemovalState.DELETED, RemovalState.RESTORING, due_at=due_at),
        Delete(soft.key, SoftDeletedDocument.PK.exists()),
        Put(live),
        *(placing.enter_changes(site, filed, soft.document_id, user_id=soft.userId) if filed else []),
    ]


def _return_place(site: str, soft: SoftDeletedDocument) -> Place | None:
    """Return its place in the folder, under the old name if free; None if it had no folder or that is gone."""
    try:
        return placing.choose_place(site, soft.folder_id or ROOT, soft.path.rpartition("/")[2])
    except NotFound:
        return None


def tombstone_changes(site: str, soft: SoftDeletedDocument, *, by: Actor, due_at: str) -> list[Change]:
    """Plan the final tombstone, without the file's name and the reason; fails if the removal took another turn."""
    now = clock.now()
    index = _removal_index(site, soft.document_id, PURGED, now)
    actions = [
        DocumentRemoval.purgedDate.set(clock.iso(now)),
        DocumentRemoval.purged_by.set(by.id),
        DocumentRemoval.purged_by_name.set(by.name),
        DocumentRemoval.holder_name.set(by.name),
        DocumentRemoval.name.remove(),
        DocumentRemoval.reason.remove(),
        DocumentRemoval.GSI1PK.set(index["GSI1PK"]),
        DocumentRemoval.GSI1SK.set(index["GSI1SK"]),
    ]
    move = move_removal(site, soft.document_id, RemovalState.DELETED, RemovalState.PURGING, due_at=due_at, more=actions)
    return [move, Delete(soft.key, SoftDeletedDocument.PK.exists())]


def move_removal(
    site: str, document_id: str, before: RemovalState, after: RemovalState, *, due_at: str | None, more: Any = ()
) -> Update:
    """Plan the next state; without ``due_at`` it is no longer due work."""
    actions = [
        DocumentRemoval.status.set(after),
        DocumentRemoval.updated_at.set(clock.iso(clock.now())),
        *more,
    ]
    if due_at:
        actions += due_work.schedule_actions(DocumentRemoval, due_at, document_id=document_id)
    else:
        actions += due_work.finish_actions()
    key = table.DOCUMENT_REMOVAL.key(site, document_id=document_id)
    return Update(key, actions, DocumentRemoval.status == before)


def _removal_index(site: str, document_id: str, which: str, at: Any) -> dict[str, Any]:
    return table.DOCUMENT_REMOVAL.gsi1(site, state=which, datetime_us=table.datetime_us(at), document_id=document_id)


def _values(row: Document) -> dict[str, Any]:
    """Return all attributes except the keys."""
    return {name: getattr(row, name) for name in Document.get_attributes() if name not in _KEYS}
