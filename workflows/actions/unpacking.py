"""A mail or an archive enters, and is done when everything has come out of it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.table import Key
from config.transaction import Change, Put, Update, transact
from projects.actions.documents import creation
from projects.activity import ActivityType, activity
from projects.audit import Actor
from projects.document_status import DocumentStatus
from projects.items.unpacking import DocumentUnpacking, UnpackingStatus
from workflows import events
from workflows.actions import begins, standing
from workflows.actions.documents import Original, entered, new_document, project_document
from workflows.frozen import Run
from workflows.items.documents import ProjectDocument
from workflows.status import StepStatus

_TOLD = 50  # refused files that the record names
_SHORT = 300  # letters of each sentence
_DEADLY = "It could not be unpacked: it ended the program {} times. Upload its files by themselves."
_OPEN: Condition = DocumentUnpacking.status == UnpackingStatus.OPEN


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
    chosen: Mapping[str, str] = MappingProxyType({}),
    also: Sequence[Change] = (),
) -> None:
    """Make the document of a mail or an archive; its children come when a worker unpacks it.

    ``chosen``: who does the work for all that comes out of it (projects.doers).

    Raises:
        Conflict: the document exists, or one of ``also`` did not hold.
        Unavailable: the table does not answer; nothing was created.

    """
    at = clock.now()
    now = clock.iso(at)
    run = Run(site, project_id, document_id, "")
    parent_id = parent.documentId if parent else ""
    row = project_document(run, project, original, now, chosen)
    row.workflow_id = None
    record = DocumentUnpacking(
        *key_of(site, document_id),
        **_due(document_id),
        documentId=document_id,
        project_id=project_id,
        status=UnpackingStatus.OPEN,
        root=parent.root if parent else document_id,
        depth=int(parent.depth) + 1 if parent else 0,
        chosen=dict(chosen) or None,
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
    """Not due again while its message is on the way. Raises: Conflict, where it is done."""
    DocumentUnpacking.change(record.key, [_moved(record)], _OPEN)


def claim(record: DocumentUnpacking, *, owner: str) -> None:
    """Begin it; due again when the lease runs out. Raises: Conflict, as ``begins.claim``, and where it is done."""
    begins.claim(record, owner=owner, when=_OPEN, also=[_moved(record)])


def renew(record: DocumentUnpacking) -> None:
    """Not due again while somebody is at it. Raises: Conflict, where it is done."""
    begins.renew(record, when=_OPEN, also=[_moved(record)])


def _moved(record: DocumentUnpacking) -> Action:
    moved: Action = DocumentUnpacking.GSI2SK.set(_due(record.documentId)["GSI2SK"])
    return moved


def counted(site: str, record: DocumentUnpacking, size: int) -> list[Change]:
    """One more file of ``size`` bytes at the root, in the transaction that makes it; fails where it is one too many.

    It fails as well where ``record`` was given up meanwhile. Whoever dies from here on died with something done: the
    begins before do not count any more.
    """
    files, all_bytes = DocumentUnpacking.files, DocumentUnpacking.bytes_
    fits: Condition = (files < settings.UNPACK_MAX_FILES) & (all_bytes <= settings.UNPACK_MAX_BYTES - size)
    more = [files.set(files + 1), all_bytes.set(all_bytes + size)]
    lives = DocumentUnpacking.tries.set(1)
    if record.root == record.documentId:
        return [Update(record.key, [*more, lives], fits & _OPEN)]
    return [Update(key_of(site, record.root), more, fits), Update(record.key, [lives], _OPEN)]


def finish(site: str, record: DocumentUnpacking, *, refused: Sequence[tuple[str, str]], message: str) -> None:
    """All that can come out has. Raises: Conflict, where another worker was as fast."""
    told = [{"name": name, "why": why[:_SHORT]} for name, why in refused[:_TOLD]]
    refusals = DocumentUnpacking.refused.set(told) if told else DocumentUnpacking.refused.remove()
    _end(site, record, [refusals], message, when=_OPEN, event=("UNPACKED", {"not taken": len(refused)}))


def give_up(site: str, record: DocumentUnpacking, *, owner: str) -> None:
    """It ended every worker that began it; what came out stays. Raises: Conflict, where somebody is at it again."""
    tries = int(record.tries)
    event = ("UNPACKING_GIVEN_UP", {"begun": tries})
    _end(site, record, [], _DEADLY.format(tries), when=_OPEN & begins.unmoved(record, owner=owner), event=event)


def _end(
    site: str, record: DocumentUnpacking, actions: Sequence[Action], message: str, *, when: Condition,
    event: tuple[str, Mapping[str, int]],
) -> None:  # fmt: skip
    now = clock.iso(clock.now())
    done = [
        DocumentUnpacking.status.set(UnpackingStatus.DONE),
        *actions,
        *begins.released(),
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
        Update(record.key, done, when),
        Update(row, rests, ProjectDocument.PK.exists()),
        *standing.moved(run, DocumentStatus.IN_PROGRESS, DocumentStatus.UNPACKED),
    ]
    word, facts = event
    transact(changes, events.lineage(run, word, facts=facts))
