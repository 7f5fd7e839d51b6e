"""Writes of extractions: an email or an archive is created, and is done when its files have been extracted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from django.conf import settings
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, Sentence
from config.table import Key
from config.transaction import Change, Put, Update, transact
from projects.audit.events import Actor
from projects.documents.actions.documents import create_document
from projects.documents.activity import ActivityChange, ActivityType, record_activity
from projects.documents.items import ChildDocument, Document, DocumentStatus, DocumentUnpacking, UnpackingStatus
from projects.folders import placing
from projects.folders.placing import Place
from workflows.intake.actions.documents import new_document, project_document
from workflows.intake.containers.page_ranges import PageRange
from workflows.runs import events, queries
from workflows.runs.actions import document_rows
from workflows.runs.actions.document_rows import DocumentState, More
from workflows.runs.items import DocumentEvent, Outcome, Run
from workflows.runs.new_run import Original

_ENDING = re.compile(r"\.[A-Za-z0-9]{1,8}")
_KINDS = 20  # stored on the record
_TOLD = 50  # refused files stored on the record
_SHORT = 300  # characters of each sentence
_NOTHING = Phrase("No files could be unpacked. Upload the files individually.")
_DEADLY = Sentence("Could not be unpacked after %(tries)s attempts. Upload the files individually.")
_STILL_SPLITTING = Phrase("This document is being split already. Its parts appear on the document’s page.")
_UNDER_WAY = DocumentState(DocumentStatus.IN_PROGRESS)  # without a run
OPEN: Condition = DocumentUnpacking.status == UnpackingStatus.OPEN


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
    batch_line: str = "",
    folder_id: str = "",
) -> None:
    """Create the document of an email or an archive; a worker extracts its files later.

    ``chosen``: providers for all extracted documents (projects.settings.provider_choice). ``batch_line``: the slot that
    it holds. ``folder_id``: its folder and that of extracted documents.

    Raises:
        Conflict: the document exists, or a condition of ``also`` failed.
        Refused: the folder is gone.
        Unavailable: the table does not answer; nothing was created.

    """
    at = clock.now()
    now = clock.iso(at)
    run = Run(site, project_id, document_id, "")
    parent_id = parent.documentId if parent else ""
    row = project_document(run, project, original, _UNDER_WAY, now, chosen=chosen)
    record = DocumentUnpacking(
        *key_of(site, document_id),
        **DocumentUnpacking.due_keys(due_work.next_look(), document_id=document_id),
        documentId=document_id,
        project_id=project_id,
        status=UnpackingStatus.OPEN,
        root=parent.root if parent else document_id,
        depth=int(parent.depth) + 1 if parent else 0,
        chosen=dict(chosen) or None,
        batch_line=batch_line or None,
        userId=by.id,
        user_name=by.name,
        inserteddate=now,
    )
    trace = events.of_file(original.s3_key, original.s3version)
    lineage = events.lineage(_run_of_document(run), "INGESTED", by=by, trace=trace)
    told = record_activity(site, document_id, ActivityType.CREATE, by=by, name=original.name)

    def write(place: Place | None) -> None:
        new = new_document(run, project, original, parent_id=parent_id, place=place)
        more = More(classification_id=new.classification_id)
        counts = document_rows.write_document(run, None, _UNDER_WAY, now, more=more)
        changes = [Put(row), Put(record), *create_document(site, new, by=by, at=at), *also, *counts]
        transact(changes, lineage, told)

    placing.write_filed(site, folder_id, original.name, write)


def check_can_split(site: str, document_id: str) -> None:
    """Raises: Refused while parts of an earlier split are still being created."""
    try:
        record = DocumentUnpacking.load(key_of(site, document_id))
    except NotFound:
        return
    if record.status == UnpackingStatus.OPEN:
        raise Refused(_STILL_SPLITTING)


def plan_split(run: Run, document: Document, parts: Sequence[PageRange]) -> Put:
    """Order documents for ``parts``, to be created once the run that a reviewer split has ended.

    They inherit the document's owner. The document may have been split in an earlier run, which is finished by then.
    """
    record = DocumentUnpacking(
        *key_of(run.site, run.document_id),
        **DocumentUnpacking.due_keys(due_work.next_look(), document_id=run.document_id),
        documentId=run.document_id,
        project_id=run.project_id,
        status=UnpackingStatus.OPEN,
        root=run.document_id,
        depth=0,
        parts=[asdict(one) for one in parts],
        workflow_id=run.workflow_id,
        userId=document.userId,
        user_name=document.user_name or document.userId,
        inserteddate=clock.iso(clock.now()),
    )
    return Put(record, overwrite=True)


def parts_of(record: DocumentUnpacking) -> list[PageRange]:
    """Return the parts of a split document; empty for an email or an archive."""
    stored = [one.as_dict() if hasattr(one, "as_dict") else dict(one) for one in record.parts or ()]
    return [PageRange(int(one["first"]), int(one["last"]), str(one["document_type"] or "")) for one in stored]


def _run_of_document(run: Run) -> Run:
    """Return the id under which its events are stored, which belong to no run."""
    return Run(run.site, run.project_id, run.document_id, run.document_id)


def claim(record: DocumentUnpacking, *, owner: str) -> None:
    """Claim it until the lease expires. Raises: Conflict as ``due_work.claim``, or if it is done."""
    due_work.claim(record, owner=owner, when=OPEN, also=_postpone(record))


def renew(record: DocumentUnpacking) -> None:
    """Renew the lease. Raises: Conflict if it is done."""
    due_work.renew(record, when=OPEN, also=_postpone(record))


def _postpone(record: DocumentUnpacking) -> list[Action]:
    return due_work.postpone_actions(DocumentUnpacking, due_work.next_look(), document_id=record.documentId)


def count_child(site: str, record: DocumentUnpacking, size: int) -> list[Change]:
    """Count one more file of ``size`` bytes at the root, in the transaction that creates it.

    Fails if there are too many, or if ``record`` was given up meanwhile. It also resets the number of tries, since a
    worker that dies from here on has made progress.
    """
    files, all_bytes = DocumentUnpacking.files, DocumentUnpacking.bytes_
    fits: Condition = (files < settings.UNPACK_MAX_FILES) & (all_bytes <= settings.UNPACK_MAX_BYTES - size)
    more = [files.set(files + 1), all_bytes.set(all_bytes + size)]
    lives = DocumentUnpacking.tries.set(1)
    if record.root == record.documentId:
        return [Update(record.key, [*more, lives], fits & OPEN)]
    return [Update(key_of(site, record.root), more, fits), Update(record.key, [lives], OPEN)]


def finish(
    site: str, record: DocumentUnpacking, *, taken: int, refused: Sequence[tuple[str, str]], message: str
) -> None:
    """Finish it: done if any file was extracted, else failed. Raises: Conflict if another worker was faster."""
    told = [{"name": name, "why": why[:_SHORT]} for name, why in refused[:_TOLD]]
    refusals = DocumentUnpacking.refused.set(told) if told else DocumentUnpacking.refused.remove()
    if not (taken or refused or message):
        message = _NOTHING
    facts: dict[str, int | str] = {"not taken": len(refused)}
    if message:
        facts["reason"] = message[:_SHORT]
    words = ("SPLIT", "SPLIT_FAILED") if record.parts else ("UNPACKED", "UNPACKING_FAILED")
    ending = _Ending(words[0 if taken else 1], facts, failed=not taken)
    kinds = DocumentUnpacking.skipped_kinds
    skipped = [
        DocumentUnpacking.skipped.set(len(refused)),
        kinds.set(kinds_of(name for name, _ in refused)) if refused else kinds.remove(),
    ]
    _end(site, record, [refusals, *skipped], message, when=OPEN, ending=ending)


def kinds_of(names: Iterable[str]) -> set[str]:
    """Return the file extensions of the names; a limited number if there are many.

    >>> sorted(kinds_of(["A.EXE", "b.exe", "notes", "a.b c", ".profile"]))
    ['.exe', 'other']
    """
    found = {ending.lower() if _ENDING.fullmatch(ending := Path(name).suffix) else "other" for name in names}
    return set(sorted(found)[:_KINDS])


def give_up(site: str, record: DocumentUnpacking, *, owner: str) -> None:
    """Give up because it killed every worker; extracted files stay. Raises: Conflict if it was claimed again."""
    tries = int(record.tries)
    ending = _Ending("UNPACKING_GIVEN_UP", {"begun": tries}, failed=not _has_children(site, record.documentId))
    when = OPEN & due_work.not_begun_since(record, owner=owner)
    _end(site, record, [], _DEADLY.fill(tries=tries), when=when, ending=ending)


def _has_children(site: str, document_id: str) -> bool:
    pk = table.CHILD_DOCUMENT.partition_key(site, document_id=document_id)
    first = ChildDocument.SK.startswith(table.CHILD_DOCUMENT.sort_prefix())
    return bool(ChildDocument.page(pk, sk=first, limit=1, consistent=True).rows)


@dataclass(frozen=True)
class _Ending:
    """The word and facts of the event; ``failed``: no file was extracted."""

    word: str
    facts: Mapping[str, int | str]
    failed: bool


def _end(
    site: str, record: DocumentUnpacking, actions: Sequence[Action], message: str, *, when: Condition, ending: _Ending
) -> None:
    done = [
        DocumentUnpacking.status.set(UnpackingStatus.DONE),
        *actions,
        *due_work.release_actions(),
        *due_work.finish_actions(),
        DocumentUnpacking.message.set(message[:_SHORT]) if message else DocumentUnpacking.message.remove(),
    ]
    run = _run(site, record)
    changes: list[Change] = [Update(record.key, done, when)]
    if record.parts:  # the document keeps the state of its own run
        transact(changes, events.lineage(run, ending.word, facts=ending.facts))
        return
    after = DocumentState(DocumentStatus.FAILED if ending.failed else DocumentStatus.UNPACKED)
    changes += document_rows.write_document(run, _UNDER_WAY, after, clock.iso(clock.now()))
    bus_type = events.FAILED if ending.failed else None
    detail = {"outcome": Outcome.FAILED, "reason": message}
    told = events.lineage(run, ending.word, facts=ending.facts, bus_type=bus_type, bus_detail=detail)
    (event, *_) = transact(changes, told)
    if ending.failed:
        events.publish_soon(cast("DocumentEvent", event))


def _run(site: str, record: DocumentUnpacking) -> Run:
    return _run_of_document(Run(site, record.project_id, record.documentId, ""))


def again(site: str, record: DocumentUnpacking, *, by: Actor, batch_line: str = "") -> None:
    """Retry: extracted files stay, skipped ones are tried again.

    Raises:
        Refused: every file was extracted, or it is in progress.
        Conflict: someone was faster, or the document was deleted.

    """
    if not record.can_be_tried_again:
        raise Refused(gettext("All files were unpacked. There is nothing to retry."))
    row = queries.project_document(site, record.project_id, record.documentId)
    run = _run(site, record)
    line = DocumentUnpacking.batch_line
    opened = [
        DocumentUnpacking.status.set(UnpackingStatus.OPEN),
        DocumentUnpacking.tries.set(0),
        *due_work.release_actions(),
        DocumentUnpacking.refused.remove(),
        DocumentUnpacking.skipped.set(0),
        DocumentUnpacking.skipped_kinds.remove(),
        DocumentUnpacking.message.remove(),
        line.set(batch_line) if batch_line else line.remove(),
        *due_work.schedule_actions(DocumentUnpacking, due_work.next_look(), document_id=record.documentId),
    ]
    before, more = document_rows.state_of_row(row), More(project_document_if=document_rows.if_has_status(row))
    changes: list[Change] = [Update(record.key, opened, DocumentUnpacking.status == UnpackingStatus.DONE)]
    if not record.parts:  # a split document keeps the state of its own run
        changes += document_rows.write_document(run, before, _UNDER_WAY, clock.iso(clock.now()), more=more)
    # Without the reason: reasons name files of the archive, and activity outlives the document.
    changed = [ActivityChange("unpacking", "ended", "started again")]
    told = record_activity(site, record.documentId, ActivityType.MODIFY, by=by, changes=changed, name=row.name)
    try:
        transact(changes, events.lineage(run, "UNPACKING_TRIED_AGAIN", by=by), told)
    except Conflict as error:
        raise Conflict(gettext("The document was changed or deleted by another user. Reload the page.")) from error
