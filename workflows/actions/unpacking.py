"""A mail or an archive enters, and is done when everything has come out of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.table import Key
from config.transaction import Change, Put, Update, transact
from projects.actions.documents import creation
from projects.activity import ActivityType, activity
from projects.audit import Actor
from projects.document_status import DocumentStatus
from projects.items.unpacking import DocumentUnpacking, UnpackingStatus
from workflows import events
from workflows.actions import standing
from workflows.actions.documents import Original, entered, new_document, project_document
from workflows.frozen import Run
from workflows.items.documents import ProjectDocument
from workflows.status import StepStatus

_TOLD = 50  # refused files that the record names
_SHORT = 300  # letters of each sentence


def key_of(site: str, document_id: str) -> Key:
    return table.DOCUMENT_UNPACKING.key(site, document_id=document_id)


def begin(
    *,
    site: str,
    by: Actor,
    project_id: str,
    project: Mapping[str, Any],
    document_id: str,
    original: Original,
    parent: DocumentUnpacking | None = None,
    also: Sequence[Change] = (),
) -> None:
    """Make the document of a mail or an archive; its children come when a worker unpacks it.

    Raises:
        Conflict: the document exists, or one of ``also`` did not hold.
        Unavailable: the table does not answer; nothing was created.

    """
    at = clock.now()
    now = clock.iso(at)
    run = Run(site, project_id, document_id, "")
    parent_id = parent.documentId if parent else ""
    row = project_document(run, project, original, now)
    row.workflow_id = None
    record = DocumentUnpacking(
        *key_of(site, document_id),
        **_due(document_id),
        documentId=document_id,
        project_id=project_id,
        status=UnpackingStatus.OPEN,
        root=parent.root if parent else document_id,
        depth=int(parent.depth) + 1 if parent else 0,
        userId=by.id,
        user_name=by.name,
        inserteddate=now,
    )
    new = new_document(run, project, original, parent_id=parent_id)
    changes = [Put(row), Put(record), *creation(site, new, by=by, at=at), *also, *entered(site, new)]
    lineage = events.lineage(_named(run), "INGESTED", by=by.name)
    transact(changes, lineage, activity(site, document_id, ActivityType.CREATE, by=by, name=original.name))


def _named(run: Run) -> Run:
    """Its events are of no run: they are told under the document's own id."""
    return Run(run.site, run.project_id, run.document_id, run.document_id)


def _due(document_id: str) -> dict[str, Any]:
    due_at = clock.iso(clock.in_seconds(settings.REPAIR_AFTER_SECONDS))
    return table.due(table.DOCUMENT_UNPACKING, due_at, document_id=document_id)


def look_again(record: DocumentUnpacking) -> None:
    """Not due again while somebody is at it. Raises: Conflict, where it is done."""
    is_open = DocumentUnpacking.status == UnpackingStatus.OPEN
    DocumentUnpacking.change(record.key, [DocumentUnpacking.GSI2SK.set(_due(record.documentId)["GSI2SK"])], is_open)


def counted(site: str, record: DocumentUnpacking, size: int) -> Update:
    """One more file of ``size`` bytes at the root, in the transaction that makes it; fails where it is one too many."""
    files, all_bytes = DocumentUnpacking.files, DocumentUnpacking.bytes_
    fits: Condition = (files < settings.UNPACK_MAX_FILES) & (all_bytes <= settings.UNPACK_MAX_BYTES - size)
    return Update(key_of(site, record.root), [files.set(files + 1), all_bytes.set(all_bytes + size)], fits)


def finish(site: str, record: DocumentUnpacking, *, refused: Sequence[tuple[str, str]], message: str) -> None:
    """All that can come out has. Raises: Conflict, where another worker was as fast."""
    now = clock.iso(clock.now())
    told = [{"name": name, "why": why[:_SHORT]} for name, why in refused[:_TOLD]]
    done = [
        DocumentUnpacking.status.set(UnpackingStatus.DONE),
        DocumentUnpacking.refused.set(told) if told else DocumentUnpacking.refused.remove(),
        DocumentUnpacking.message.set(message) if message else DocumentUnpacking.message.remove(),
        DocumentUnpacking.GSI2PK.remove(),
        DocumentUnpacking.GSI2SK.remove(),
    ]
    run = Run(site, record.project_id, record.documentId, record.documentId)
    index = table.PROJECT_DOCUMENT.gsi1(site, project_id=record.project_id, updated_at=now)
    path: Any = ProjectDocument.data
    rests = [
        path["status"].set(StepStatus.COMPLETED.value),
        ProjectDocument.status.set(StepStatus.COMPLETED),
        ProjectDocument.updated_at.set(now),
        ProjectDocument.GSI1SK.set(index["GSI1SK"]),
        *standing.moved_in_list(run, DocumentStatus.UNPACKED, now),
    ]
    row = table.PROJECT_DOCUMENT.key(site, project_id=record.project_id, document_id=record.documentId)
    changes = [
        Update(record.key, done, DocumentUnpacking.status == UnpackingStatus.OPEN),
        Update(row, rests, ProjectDocument.PK.exists()),
        *standing.moved(run, DocumentStatus.IN_PROGRESS, DocumentStatus.UNPACKED),
    ]
    transact(changes, events.lineage(run, "UNPACKED", facts={"not taken": len(refused)}))
