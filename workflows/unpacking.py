"""Taking the files out of a mail or an archive: each becomes a document of its own, once, however often it is begun."""

import logging
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from config import table
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.item import Item
from projects import queries as project_queries
from projects.audit import Actor
from projects.items.documents import Document
from projects.items.unpacking import DocumentUnpacking, UnpackingStatus
from workflows import containers
from workflows.actions import begins, unpacking
from workflows.containers import Member
from workflows.entering import LocalFile, enter
from workflows.inspecting import inspect, limits
from workflows.intake import Inspection
from workflows.storage import DocumentFiles

log = logging.getLogger(__name__)

_CHILDREN = uuid.UUID("0d9b0c4e-4f1e-5c52-9d1a-8e0f3b7c6a55")  # our own name space: a child's id is its place
_ENOUGH = "The mail or archive that was uploaded holds more than is taken at once. Upload the rest by itself."


def unpack(
    site: str, document_id: str, *, owner: str, keep: Callable[[], None], nested: Callable[[str, str], None]
) -> None:
    """Make a document of each file; what is there already stays as it is. ``nested`` orders another to be unpacked.

    What ended one worker after the other, with no file come out of it, is given up. ``keep`` is called while it lasts.

    Raises:
        Unavailable: the table or S3 does not answer; it is gone on with later.

    """
    try:
        record = DocumentUnpacking.load(unpacking.key_of(site, document_id))
        document = project_queries.documents.get_document(site, document_id)
    except NotFound:
        return
    if record.status != UnpackingStatus.OPEN:
        return
    try:
        if begins.were_enough(record):
            unpacking.give_up(site, record, owner=owner)
            return
        unpacking.claim(record, owner=owner)
        _Unpacking(site, record, document, keep=keep, nested=nested).run()
    except Conflict:  # another worker has it, or was as fast
        log.info("unpacked by another", extra={"document": document_id})
    except Unavailable:
        begins.give_back(record, owner=owner)
        raise


class _Unpacking:
    def __init__(
        self, site: str, record: DocumentUnpacking, document: Document, *, keep: Callable[[], None],
        nested: Callable[[str, str], None],
    ) -> None:  # fmt: skip
        self.site, self.record, self.document = site, record, document
        self.project = project_queries.projects.get_project(site, record.project_id)
        self.keep, self.nested = keep, nested
        self.by = Actor(record.userId, record.user_name)
        self.looked = time.monotonic()

    def run(self) -> None:
        refused: list[tuple[str, str]] = []
        message = ""
        store = DocumentFiles(self.site, self.record.project_id, self.record.documentId)
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            original = Path(folder) / "original"
            store.fetch(self.document.s3_key, original, version=self.document.s3version)
            try:
                for number, member in enumerate(containers.members(original, self.document.contentType, limits())):
                    self._beat()
                    if problem := self._take(number, member, Path(folder) / "member"):
                        refused.append((member.name, problem))
            except Refused as error:
                message = str(error)
        unpacking.finish(self.site, self.record, refused=refused, message=message)

    def _beat(self) -> None:
        """Raises: Conflict, where it is done."""
        self.keep()
        if time.monotonic() - self.looked > settings.REPAIR_AFTER_SECONDS / 3:
            self.looked = time.monotonic()
            unpacking.renew(self.record)

    def _take(self, number: int, member: Member, path: Path) -> str:
        """An empty text, or why it was not taken."""
        place = "\n".join([self.site, self.record.documentId, str(number)])
        document_id = str(uuid.uuid5(_CHILDREN, place))
        if self._was_taken(document_id):
            return ""
        path.unlink(missing_ok=True)
        try:
            member.write(path)
            deeper = int(self.record.depth) + 1 < settings.UNPACK_MAX_DEPTH
            found = inspect(path, member.name, containers=deeper)
            return self._make(document_id, member.name, path, found)
        except Refused as error:
            return str(error)

    def _was_taken(self, document_id: str) -> bool:
        """Also where it was deleted since: what came out once does not come out again."""
        child = table.CHILD_DOCUMENT.key(self.site, document_id=self.record.documentId, child_document_id=document_id)
        return bool(Item.load_many([child, table.DOCUMENT_REMOVAL.key(self.site, document_id=document_id)]))

    def _make(self, document_id: str, name: str, path: Path, found: Inspection) -> str:
        also = unpacking.counted(self.site, self.record, path.stat().st_size)
        file = LocalFile(path, name, found)
        try:
            enter(self.site, self.project, document_id, file, by=self.by, parent=self.record, also=also)
        except Conflict:
            return "" if self._was_taken(document_id) else _ENOUGH
        if found.is_container:
            self.nested(self.site, document_id)
        return ""
