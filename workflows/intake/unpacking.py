"""Extraction of emails and archives, and of the parts of a split document.

Each file becomes a document of its own, once, however often extraction is begun.
"""

import logging
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from config import logs, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.item import Item
from config.phrase import Phrase
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents.items import Document, DocumentUnpacking, UnpackingStatus
from projects.documents.queries import DocumentRows
from projects.settings import queries as project_queries
from workflows.intake import containers
from workflows.intake.actions import unpack as unpack_actions
from workflows.intake.containers import Member, page_ranges
from workflows.intake.inspection import Inspection
from workflows.intake.inspection_pool import inspect, limits
from workflows.intake.store import LocalFile, enter
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

_CHILDREN = uuid.UUID("0d9b0c4e-4f1e-5c52-9d1a-8e0f3b7c6a55")  # namespace of ids derived from a child's position
_NO_PROJECT = Phrase("The project no longer exists. Upload the file to another project.")
_NO_FILE = Phrase("The stored file is missing. Upload it again.")
_UNEXPECTED = Phrase(
    "Unpacking failed with an unexpected error. Retry; if it fails again, ask an administrator to check the log."
)
_ENOUGH = Phrase("The email or archive exceeds the limit. Upload the remaining files individually.")


def unpack(
    site: str, document_id: str, *, owner: str, keep: Callable[[], None], nested: Callable[[str, str], None],
    last: bool = False,
) -> DocumentUnpacking | None:  # fmt: skip
    """Create a document for each file; existing ones stay. ``nested`` orders the extraction of another container.

    It gives up on a container that kills several workers without progress. ``keep`` is called while it works. ``last``:
    on the last try, a file with an unexpected error is skipped with a message. Returns the record if this call has
    ended it.

    Raises:
        Unavailable: the table or S3 does not answer; a later call continues.

    """
    try:
        record = DocumentUnpacking.load(unpack_actions.key_of(site, document_id))
        document = document_queries.get_document(site, document_id)
    except NotFound:
        return None
    if record.status != UnpackingStatus.OPEN:
        return None
    try:
        if due_work.attempts_exhausted(record):
            unpack_actions.give_up(site, record, owner=owner)
        else:
            unpack_actions.claim(record, owner=owner)
            _Unpacking(site, record, document, keep=keep, nested=nested, last=last).run()
    except Conflict:  # another worker has it, or was faster
        log.info("unpacked by another", extra={"document": document_id})
        return None
    except Unavailable:
        due_work.release(record, owner=owner)
        raise
    return record


def record_of(rows: DocumentRows) -> DocumentUnpacking:
    """Raises: NotFound if the document is not a container."""
    if rows.unpacking is None:
        raise NotFound(gettext("This document is not an email or archive."))
    return rows.unpacking


class _Unpacking:
    def __init__(
        self, site: str, record: DocumentUnpacking, document: Document, *, keep: Callable[[], None],
        nested: Callable[[str, str], None], last: bool,
    ) -> None:  # fmt: skip
        self.site, self.record, self.document = site, record, document
        self.keep, self.nested, self.last = keep, nested, last
        self.by = Actor(record.userId, record.user_name)
        self.chosen: dict[str, str] = record.chosen.as_dict() if record.chosen is not None else {}
        self.looked = time.monotonic()
        self.taken = 0
        self.refused: list[tuple[str, str]] = []
        self.parts = unpack_actions.parts_of(record)

    def run(self) -> None:
        message = ""
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            try:
                self._take_all(Path(folder))
            except Exception as error:  # noqa: BLE001 - told or raised again
                message = self._why(error)
        unpack_actions.finish(self.site, self.record, taken=self.taken, refused=self.refused, message=message)

    def _take_all(self, folder: Path) -> None:
        """Raises: Refused with the reason if it ends early."""
        try:
            self.project = project_queries.get_project(self.site, self.record.project_id)
        except NotFound as error:
            raise Refused(_NO_PROJECT) from error
        store = DocumentFiles(self.site, self.record.project_id, self.record.documentId)
        original = folder / "original"
        try:
            store.fetch(self.document.s3_key, original, version=self.document.s3version)
        except NotFound as error:
            raise Refused(_NO_FILE) from error
        for number, member in enumerate(self._members(original)):
            self._beat()
            try:
                problem = self._take(number, member, folder / "member")
            except Exception as error:  # noqa: BLE001 - told or raised again
                problem = self._why(error)
            if problem:
                self.refused.append((member.name, problem))
            else:
                self.taken += 1

    def _members(self, original: Path) -> Iterator[Member]:
        if self.parts:
            return page_ranges.members(original, self.document.name, self.document.contentType, self.parts)
        return containers.members(original, self.document.contentType, limits())

    def _why(self, error: Exception) -> str:
        """Return the message for people. Raises: the error itself, if it should be retried."""
        if isinstance(error, Refused):
            return str(error)
        if not self.last or isinstance(error, (Unavailable, Conflict)):
            raise error
        told = {"document": self.record.documentId, "error": logs.place_of(error)}
        log.error("file of a mail or an archive left out", extra=told)
        return _UNEXPECTED

    def _beat(self) -> None:
        """Raises: Conflict if it is done."""
        self.keep()
        if time.monotonic() - self.looked > settings.REPAIR_AFTER_SECONDS / 3:
            self.looked = time.monotonic()
            unpack_actions.renew(self.record)

    def _take(self, number: int, member: Member, path: Path) -> str:
        """Return an empty text, or why the file was skipped. Raises: Refused with a reason for skipping it."""
        of_run = [self.record.workflow_id] if self.record.workflow_id else []  # a second split has other parts
        place = "\n".join([self.site, self.record.documentId, *of_run, str(number)])
        document_id = str(uuid.uuid5(_CHILDREN, place))
        if self._was_taken(document_id):
            return ""
        path.unlink(missing_ok=True)
        member.write(path)
        deeper = int(self.record.depth) + 1 < settings.UNPACK_MAX_DEPTH
        found = inspect(path, member.name, containers=deeper)
        document_type = self.parts[number].document_type if self.parts else ""
        return self._make(document_id, member.name, path, found, document_type)

    def _was_taken(self, document_id: str) -> bool:
        """Return True if it exists, or was deleted since: a file is not extracted twice."""
        child = table.CHILD_DOCUMENT.key(self.site, document_id=self.record.documentId, child_document_id=document_id)
        return bool(Item.load_many([child, table.DOCUMENT_REMOVAL.key(self.site, document_id=document_id)]))

    def _make(self, document_id: str, name: str, path: Path, found: Inspection, document_type: str) -> str:
        also = unpack_actions.count_child(self.site, self.record, path.stat().st_size)
        file = LocalFile(path, name, found)
        try:
            enter(
                self.site, self.project, document_id, file, by=self.by, parent=self.record, also=also,
                document_type=document_type,
            )  # fmt: skip
        except Conflict:
            return "" if self._was_taken(document_id) else _ENOUGH
        if found.is_container:
            self.nested(self.site, document_id)
        return ""
