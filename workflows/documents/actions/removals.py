"""Deletion, restoration and purge of documents: one transaction changes the state, then the other rows follow.

The other rows do not fit into one transaction. The removal's record has the progress and is in the due index, so a
worker finishes what another left. Every part is idempotent.
"""

import logging
import time
from collections.abc import Callable, Sequence

from django.conf import settings
from django.utils.translation import gettext

from config import clock, logs
from config.due import actions as due_work
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.phrase import Phrase, Sentence
from config.transaction import Change, Check, Delete, RecordAt, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents import removal_changes as parts
from projects.documents.activity import ActivityType, explain_lock, record_activity
from projects.documents.items import ChildDocument, Document, DocumentRemoval, RemovalState, SoftDeletedDocument
from projects.documents.queries import get_document, get_removal, soft_deleted
from workflows.documents.actions import hide, purge
from workflows.publish import hiding
from workflows.runs import events, queries
from workflows.runs.actions import document_rows
from workflows.runs.items import DocumentEvent, Run, StepStatus

log = logging.getLogger(__name__)

UNDER_WAY = Sentence("A run of this document is in progress or needs review. Delete the document when it has ended.")
HELD = Phrase("This document is on legal hold. It can be deleted when the hold is released.")
FOLLOWED = Phrase("Post-processing actions of this document are running. Try again in a moment.")
MOVING = Phrase("The document is being deleted or restored. Try again in a moment.")
_ATTEMPTS = 8
S = RemovalState


def delete_document(site: str, document_id: str, *, by: Actor, reason: str = "") -> None:
    """Delete a document: it leaves every list and can be restored exactly as it was.

    Raises:
        NotFound: no such document, or it was deleted.
        Refused: it is on legal hold, checked out by someone else, or has a run in progress or in review.
        Conflict: it is being restored, or kept changing.

    """
    for attempt in range(_ATTEMPTS):
        document = get_document(site, document_id)
        if document.hold_at:  # placed meanwhile: it changed the revision, so the write was retried
            raise Refused(HELD)
        if told := explain_lock(document, by):
            raise Refused(told)
        row = queries.project_document(site, document.project_id, document_id)
        if row.status == StepStatus.IN_PROGRESS:
            raise Refused(UNDER_WAY)
        gone = parts.delete_changes(
            site, document, by=by, reason=reason, workflow_id=row.workflow_id, due_at=due_work.next_look()
        )
        run = Run(site, document.project_id, document_id, row.workflow_id or document_id)
        hidden = document_rows.hide_in_project(run, row, document.classification_id)
        changes = [*gone, *hidden, *hiding.hide_follow_ups(site, document_id)]
        try:
            _write(site, document, row.workflow_id, changes, kind=ActivityType.SOFT_DELETE, by=by)
        except Conflict as conflict:
            if "removal" in conflict.failed:
                raise Conflict(MOVING) from conflict
            if conflict.failed == {"follow_up"}:
                raise Refused(FOLLOWED) from conflict
            time.sleep(0.01 * (attempt + 1))
        else:
            return _follow(site, document_id)
    raise Conflict(gettext("This document is being changed by others. Nothing was deleted; try again in a moment."))


def restore_document(site: str, document_id: str, *, by: Actor) -> None:
    """Restore a deleted document exactly as it was.

    Raises:
        NotFound: it is not deleted.
        Conflict: it is still being deleted, or someone purged or restored it first.

    """
    soft = _load_deleted(site, document_id)
    row = queries.project_document(site, soft.project_id, document_id)
    run = Run(site, soft.project_id, document_id, row.workflow_id or document_id)
    shown = document_rows.show_in_project(run, row, soft.classification_id)
    changes = [*parts.restore_changes(site, soft, due_at=due_work.next_look()), *shown]
    try:
        _write(site, soft, row.workflow_id, changes, kind=ActivityType.RESTORE, by=by)
    except Conflict as conflict:
        raise Conflict(_explain_late(site, document_id)) from conflict
    _follow(site, document_id)


def purge_document(site: str, document_id: str, *, by: Actor) -> None:
    """Write the tombstone, which is irreversible; a worker then destroys rows and files.

    Raises:
        NotFound: it is not deleted.
        Conflict: it is still being deleted, or someone purged or restored it first.

    """
    soft = _load_deleted(site, document_id)
    record = get_removal(site, document_id)
    payload = {"project": soft.project_id}
    audit = entity_event(site, "document", document_id, "purged", by=by, payload=payload)
    changes = parts.tombstone_changes(site, soft, by=by, due_at=due_work.next_look())
    try:
        _write(site, soft, record.workflow_id, changes, kind=ActivityType.DELETE, by=by, more=[audit])
    except Conflict as conflict:
        raise Conflict(_explain_late(site, document_id)) from conflict


def _load_deleted(site: str, document_id: str) -> SoftDeletedDocument:
    """Raises: NotFound, Conflict."""
    if get_removal(site, document_id).status != S.DELETED:
        raise Conflict(_explain_late(site, document_id))
    return soft_deleted(site, document_id)


def _explain_late(site: str, document_id: str) -> str:
    """Explain to the loser of the race what happened to the document."""
    try:
        record = get_removal(site, document_id)
    except NotFound:
        return Phrase("This document was already restored by another user.")
    if record.status in (S.PURGING, S.PURGED):
        return f"{record.purged_by_name} has already purged this document."
    return MOVING


_WORDS = {
    ActivityType.SOFT_DELETE: ("DELETED", events.DELETED),
    ActivityType.RESTORE: ("RESTORED", events.RESTORED),
    ActivityType.DELETE: ("PURGED", events.PURGED),
}


def _write(
    site: str,
    document: Document,
    workflow_id: str | None,
    changes: Sequence[Change],
    *,
    kind: ActivityType,
    by: Actor,
    more: Sequence[RecordAt] = (),
) -> None:
    word, bus_type = _WORDS[kind]
    run = Run(site, document.project_id, document.document_id, workflow_id or document.document_id)
    told = record_activity(site, document.document_id, kind, by=by, name=document.name)
    lineage = events.lineage(run, word, by=by, bus_type=bus_type)
    written = transact(changes, lineage, told, *more)
    log.info("document moved", extra={"document": document.document_id, "to": word, "site": site})
    events.publish_soon(next(one for one in written if isinstance(one, DocumentEvent)))


def _follow(site: str, document_id: str) -> None:
    """Finish the removal at once, so that the next page shows it. If that fails, the sweeper does it."""
    try:
        finish_removal(site, document_id)
    except CountersignError as error:
        log.warning("removal waits for the sweeper", extra={"document": document_id, "error": logs.place_of(error)})


def finish_removal(site: str, document_id: str) -> None:
    """Bring every row to the state that the record says. Idempotent and safe to run concurrently.

    Raises:
        Unavailable: the table or S3 does not answer; it is finished later.

    """
    try:
        record = get_removal(site, document_id)
    except NotFound:
        return
    steps: dict[str, Callable[[str, DocumentRemoval, hide.Beat], None]] = {
        S.DELETING: _finish_deletion,
        S.RESTORING: _finish_restoration,
        S.PURGING: _finish_purge,
    }
    if step := steps.get(str(record.status)):
        try:
            step(site, record, _beat(record))
        except Conflict:  # another worker was faster
            log.info("removal finished by another", extra={"document": document_id})


def _finish_deletion(site: str, record: DocumentRemoval, beat: hide.Beat) -> None:
    document_id = str(record.documentId)
    hide.hide_document(site, document_id, _still(record), beat)
    _mark_child(site, record, clock.iso(clock.now()))
    transact([parts.move_removal(site, document_id, S.DELETING, S.DELETED, due_at=None)])


def _finish_restoration(site: str, record: DocumentRemoval, beat: hide.Beat) -> None:
    hide.show_document(site, str(record.documentId), _still(record), beat)
    _mark_child(site, record, None)
    transact([Delete(record.key, DocumentRemoval.status == S.RESTORING)])


def _finish_purge(site: str, record: DocumentRemoval, beat: hide.Beat) -> None:
    purge.destroy_document(site, record, beat)
    transact([parts.move_removal(site, str(record.documentId), S.PURGING, S.PURGED, due_at=None)])


def _mark_child(site: str, record: DocumentRemoval, deleted_at: str | None) -> None:
    """Mark the child as deleted on its parent, whose page then omits it. The parent may be gone."""
    if not record.belongsToDocumentId:
        return
    key = purge.child_key(site, record.belongsToDocumentId, str(record.documentId))
    mark = ChildDocument.deleted_at.set(deleted_at) if deleted_at else ChildDocument.deleted_at.remove()
    try:
        transact([_still(record), Update(key, [mark], ChildDocument.PK.exists())])
    except Conflict as conflict:
        if "removal" in conflict.failed:
            raise


def _still(record: DocumentRemoval) -> Check:
    """Return the check that stops an overtaken worker from hiding rows of a restored document."""
    return Check(record.key, DocumentRemoval.status == record.status, name="removal")


def _beat(record: DocumentRemoval) -> hide.Beat:
    """Return a heartbeat that moves the due time, at most every third of its length, to keep the sweeper away."""
    last = 0.0

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last < settings.REPAIR_AFTER_SECONDS / 3:
            return
        last = time.monotonic()
        due_work.postpone(record, at=due_work.next_look(), when=DocumentRemoval.status == record.status)

    return beat
