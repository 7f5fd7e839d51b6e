"""Ingress: a file that another system put into the bucket becomes a document, once, or waits in quarantine."""

import hashlib
import logging
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.item import Page
from config.table import DEFAULT_SITE, InvalidKey
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import directory
from workflows.intake.actions import bucket
from workflows.intake.inspect import inspect
from workflows.intake.inspection import Inspection
from workflows.intake.items import OPEN, WAITING, ArrivalBegin, IncomingFile, IncomingTenant
from workflows.intake.store import LocalFile, enter
from workflows.storage import files
from workflows.storage.objects import fetch_object, version_of

log = logging.getLogger(__name__)

_DOCUMENTS = uuid.UUID("2b6c7c1e-0f7d-4e6e-9a3d-6f1f3c0a9d51")  # our own name space: a document's id is its object
_NAME = 200  # letters; S3 allows 1,024 bytes
UNEXPECTED = (
    "An unexpected error stopped this file. It is still in the bucket. Retry; if it fails again, check the worker logs."
)
NO_FOLDER = (
    "The key has no folder, so the file cannot be processed. Discard it and upload it as "
    "raw/YYYY/MM/DD/<folder>/<name>."
)
NOBODY = "Folder “{}” is not assigned. Assign it to a project, then retry."


@dataclass(frozen=True)
class Arrival:
    """What S3 tells of one object version; ``size`` in bytes."""

    key: str
    version: str
    size: int

    @property
    def digest(self) -> str:
        """The same for the same version of the same object, in however many events."""
        return hashlib.sha256("\n".join((settings.BUCKET_NAME, self.key, self.version)).encode()).hexdigest()

    @property
    def document_id(self) -> str:
        return str(uuid.uuid5(_DOCUMENTS, self.digest))


def record_arrival(key: str, version: str, size: int) -> Arrival:
    """S3 names the version in its event; the embedded AWS does not, and then it is the newest.

    Raises:
        NotFound: the event names no version and the object is gone.

    """
    return Arrival(key, version or version_of(key), size)


def take(arrival: Arrival, *, unpack: Callable[[str, str], None], owner: str, keep: Callable[[], None]) -> None:
    """Make its document, or put it into quarantine with the reason; told of again, nothing happens.

    ``unpack`` orders a mail or an archive to be taken apart; ``keep`` is called while it lasts.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    file = find_file(arrival)
    if file.status not in OPEN:
        return
    try:
        with begin_file(file, owner=owner, keep=keep) as beat:
            enter_object(arrival, file, _project(file), unpack, beat=beat)
    except Refused as error:
        _quarantine(file, str(error))
    except Conflict:  # another delivery of the event was as fast, or is at it
        log.info("incoming file was taken by another", extra={"digest": arrival.digest})


def give_up(arrival: Arrival) -> None:
    """It raised an unexpected error again and again: into quarantine with it. Raises: Unavailable."""
    file = find_file(arrival)
    if file.status in OPEN:
        _quarantine(file, UNEXPECTED)


def is_settled(begin: ArrivalBegin) -> bool:
    """Nothing is left to do for the file that was begun."""
    try:
        return IncomingFile.load(bucket.key_of(begin.digest)).status not in OPEN
    except NotFound:
        return False


@contextmanager
def begin_file(
    file: IncomingFile, *, owner: str, keep: Callable[[], None], line: str = ""
) -> Iterator[Callable[[], None]]:  # fmt: skip
    """Begin it, counted; the block gets the heartbeat to call between its parts, which calls ``keep``.

    ``line``: of the batch that names it.

    Raises:
        Refused: it ended worker after worker.
        Conflict: another worker is at it.
        Unavailable: the table does not answer, or something in the block did not, which then does not count.

    """
    row, looked = bucket.begin(file, line=line, owner=owner), time.monotonic()

    def beat() -> None:
        nonlocal looked
        keep()
        if time.monotonic() - looked > settings.REPAIR_AFTER_SECONDS / 3:
            looked = time.monotonic()
            bucket.renew(row)

    try:
        yield beat
    except Unavailable:
        due_work.release(row, owner=owner)
        raise


def find_file(arrival: Arrival) -> IncomingFile:
    """The row as it is stored, or as it would be, with no status."""
    key = bucket.key_of(arrival.digest)
    try:
        return IncomingFile.load(key)
    except NotFound:
        name = arrival.key.rpartition("/")[2][-_NAME:]
        return IncomingFile(
            *key,
            s3_key=arrival.key,
            s3version=arrival.version or None,
            name="".join(one for one in name if one.isprintable()) or "file",
            status="",
            siteId=DEFAULT_SITE,
            file_size=arrival.size,
            created_at=clock.iso(clock.now()),
        )


def _project(file: IncomingFile) -> Project:
    """Whose it is, as the key and the table of tenants say now; ``file.siteId`` is where its admins look.

    Raises:
        Refused: no project reads it; then it waits for the admins of the main site.
        Unavailable: the table does not answer.

    """
    file.siteId = DEFAULT_SITE
    try:
        file.tenant, _ = files.parse_incoming_key(str(file.s3_key))
    except ValueError as error:
        raise Refused(NO_FOLDER) from error
    try:
        tenant = IncomingTenant.load(table.INCOMING_TENANT.key(DEFAULT_SITE, name=file.tenant))
    except (NotFound, InvalidKey) as error:
        raise Refused(NOBODY.format(file.tenant[:100])) from error
    if not directory.is_open(tenant.siteId):
        raise Refused(f"Site {tenant.siteId} is closed. Reopen it or assign the folder to another site.")
    try:
        project = project_queries.get_project(tenant.siteId, tenant.project_id)
    except NotFound as error:
        raise Refused(f"The project assigned to folder “{file.tenant}” no longer exists. Assign another.") from error
    file.siteId = tenant.siteId
    return project


def enter_object(
    arrival: Arrival, file: IncomingFile, project: Project, unpack: Callable[[str, str], None],
    *, beat: Callable[[], None], by: Actor = bucket.MACHINE, batch_line: str = "",
) -> Inspection:  # fmt: skip
    """Make the document of one object version on the file's site, and take the version, in one transaction.

    ``beat``: as ``begin_file`` gives it.

    Raises:
        Refused: nothing can be made of it, with the sentence that says why.
        Conflict: another delivery was faster.
        Unavailable: S3 or the table does not answer.

    """
    site, most = str(file.siteId), settings.UPLOAD_MAX_BYTES
    if arrival.size > most:
        raise Refused(f"The file is larger than {filesizeformat(most)}. Split it and upload the parts to the bucket.")
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        path = Path(folder) / "file"
        try:
            fetch_object(arrival.key, path, version=arrival.version)
        except NotFound as error:
            raise Refused("The object is no longer in the bucket. Upload it again.") from error
        beat()
        found = inspect(path, file.name, containers=True)
        beat()
        local = LocalFile(path, file.name, found)
        also = bucket.take_file(file, project=project, document_id=arrival.document_id, line=batch_line)
        enter(site, project, arrival.document_id, local, by=by, also=also, batch_line=batch_line)
    if found.is_container:
        unpack(site, arrival.document_id)
    return found


def _quarantine(file: IncomingFile, message: str) -> None:
    """Raises: Unavailable."""
    try:
        _project(file)
    except Unavailable:
        raise
    except Exception:  # noqa: BLE001 - what was raised at it may be raised here again, and it goes into quarantine
        log.info("folder of a quarantined file leads nowhere", extra={"digest": file.digest})
    try:
        bucket.quarantine(file, message)
    except Conflict:
        log.info("incoming file is in other hands", extra={"digest": file.digest})


def list_quarantine(site: str, *, cursor: str | None = None) -> Page[IncomingFile]:
    """What waits for this site's admins, the latest first: one Query, and one call for what no index carries."""
    pk = table.INCOMING_FILE.gsi1_partition(DEFAULT_SITE, site_id=site)
    page = IncomingFile.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    found = {row.key: row for row in IncomingFile.load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def names_folder(file: IncomingFile) -> bool:
    """False if its key is of no folder: then nothing can come of it, however often it is tried."""
    try:
        files.parse_incoming_key(str(file.s3_key))
    except ValueError:
        return False
    return True


def get_waiting_file(site: str, digest: str) -> IncomingFile:
    """Raises: NotFound, also if it waits for another site's admins, or waits no more."""
    try:
        file = IncomingFile.load(bucket.key_of(digest))
    except InvalidKey as error:
        raise NotFound("File not found.") from error
    if file.siteId != site or file.status not in WAITING:
        raise NotFound("File not found in quarantine.")
    return file


def tenants(*, cursor: str | None = None) -> Page[IncomingTenant]:
    """All folders with an owner, by name."""
    pk = table.INCOMING_TENANT.partition_key(DEFAULT_SITE)
    prefix = IncomingTenant.SK.startswith(table.INCOMING_TENANT.sort_prefix())
    return IncomingTenant.page(pk, sk=prefix, cursor=cursor, limit=100)
