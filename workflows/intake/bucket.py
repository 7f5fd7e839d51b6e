"""Bucket ingress: a file that another system puts into the bucket becomes a document once, or goes to quarantine.

A manifest becomes a batch instead (``workflows/batches/from_bucket.py``).
"""

import hashlib
import logging
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, NotFound, Refused, Unavailable
from config.item import Page
from config.phrase import Phrase, Sentence
from config.table import DEFAULT_SITE, InvalidKey, Key
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.sites import directory
from workflows.intake.inspection import Inspection
from workflows.intake.inspection_pool import inspect
from workflows.intake.items import (
    OPEN,
    WAITING,
    ArrivalBegin,
    IncomingFile,
    IncomingOrigin,
    IncomingStatus,
    IncomingTenant,
)
from workflows.intake.store import LocalFile, enter
from workflows.storage import files
from workflows.storage.objects import fetch_object, version_of

log = logging.getLogger(__name__)

MACHINE = Actor("ingress", "Bucket")
TAKE_MANIFEST = "workflows.batches.tasks.take_manifest"
_MANIFEST = re.compile(r"\A.*\.manifest\.(json|csv|txt)", re.IGNORECASE | re.DOTALL)
_SHORT = 300  # characters of a sentence
_BUCKET = "bucket"  # who begins a file that no batch lists
_BEGUN_KEPT = 86_400  # seconds that a batch line's row is kept after the last begin
_LOOKS = 4  # delays of the due time: inspecting a file has no heartbeat and may exceed a lease
_DEADLY = Sentence("Processing crashed %(tries)s times on this file. Check it and upload it in another format.")


def key_of(digest: str) -> Key:
    return table.INCOMING_FILE.key(DEFAULT_SITE, digest=digest)


def begin(file: IncomingFile, *, line: str, owner: str) -> ArrivalBegin:
    """Claim a file, counting the tries, since it may kill the worker. ``line``: of the batch that lists it.

    It is due until it becomes a document or is quarantined; lines of a batch are checked by their batch.

    Raises:
        Refused: it killed every worker that began it.
        Conflict: another worker has it.

    """
    key = _begin_key(file.digest, line)
    kept_until = int(clock.in_seconds(_BEGUN_KEPT).timestamp())
    also = [ArrivalBegin.TimeToLive.set(kept_until)] if line else _order_actions(file)
    try:
        return due_work.claim(ArrivalBegin(*key), owner=owner, also=also, until=_inspection_due())
    except Conflict as error:
        found = ArrivalBegin.load(key)
        if due_work.is_abandoned(found) or (due_work.attempts_exhausted(found) and found.lease_owner == owner):
            raise Refused(_DEADLY.fill(tries=int(found.tries))) from error
        raise


def renew(begun: ArrivalBegin) -> None:
    """Renew the lease. Raises: Conflict if it was ended meanwhile."""
    until = _inspection_due()
    later = due_work.postpone_actions(ArrivalBegin, until, digest=begun.digest) if begun.is_scheduled else []
    due_work.renew(begun, when=EXISTS, also=later, until=until)


def rest(begun: ArrivalBegin) -> None:
    """Nothing is left to do for the file. Raises: Conflict if a person retries it meanwhile."""
    transact([Delete(begun.key, due_work.if_not_moved(begun))])


def _inspection_due() -> str:
    return clock.iso(clock.in_seconds(_LOOKS * settings.REPAIR_AFTER_SECONDS))


def _order_actions(file: IncomingFile) -> list[Action]:
    """Store the content of its message, so that it can be sent again."""
    version = ArrivalBegin.s3version
    return [
        ArrivalBegin.s3_key.set(str(file.s3_key)),
        version.set(file.s3version) if file.s3version else version.remove(),
        ArrivalBegin.file_size.set(int(file.file_size)),
        *due_work.schedule_actions(ArrivalBegin, _inspection_due(), digest=file.digest),
    ]


def _anew(file: IncomingFile) -> Put:
    """Reset the tries and make it due, in case its message is lost."""
    return Put(
        ArrivalBegin(
            *_begin_key(file.digest, ""),
            **ArrivalBegin.due_keys(due_work.next_look(), digest=file.digest),
            s3_key=file.s3_key,
            s3version=file.s3version,
            file_size=file.file_size,
        ),
        overwrite=True,
    )


def _begin_key(digest: str, line: str) -> Key:
    return table.ARRIVAL_BEGIN.key(DEFAULT_SITE, digest=digest, by=line or _BUCKET)


def take_file(file: IncomingFile, *, project: Project, document_id: str, line: str = "") -> list[Change]:
    """Changes for the transaction that creates the document: one version of an object makes one document.

    ``line``: as for ``begin``.
    """
    key = table.INCOMING_ORIGIN.key(str(file.siteId), document_id=document_id)
    begun = Delete(_begin_key(file.digest, line))
    return [_take_file_changes(file, project, document_id), Put(IncomingOrigin(*key, digest=file.digest)), begun]


def take_manifest_changes(file: IncomingFile, project: Project) -> list[Change]:
    """Changes for the transaction that creates the batch: one version of an object makes one batch."""
    return [_take_file_changes(file, project, None), Delete(_begin_key(file.digest, ""))]


def _take_file_changes(file: IncomingFile, project: Project, document_id: str | None) -> Change:
    if file.status == IncomingStatus.AGAIN:
        actions = [
            IncomingFile.status.set(IncomingStatus.TAKEN),
            IncomingFile.siteId.set(file.siteId),
            IncomingFile.project_id.set(project.id),
            *([IncomingFile.document_id.set(document_id)] if document_id else ()),
            IncomingFile.GSI1PK.remove(),
            IncomingFile.GSI1SK.remove(),
        ]
        return Update(file.key, actions, IncomingFile.status == IncomingStatus.AGAIN)
    row = IncomingFile.from_raw_data(file.to_dynamodb_dict())
    row.status, row.project_id, row.document_id = IncomingStatus.TAKEN, project.id, document_id
    return Put(row)


def quarantine(file: IncomingFile, message: str) -> None:
    """Quarantine it. ``file.siteId``: the site whose admins see it; ``message`` says what to do.

    Raises:
        Conflict: it was taken, discarded or quarantined meanwhile.

    """
    site = str(file.siteId)
    index = table.INCOMING_FILE.gsi1(DEFAULT_SITE, site_id=site, at=file.created_at, digest=file.digest)
    change: Change
    if file.status == IncomingStatus.AGAIN:
        actions = [
            IncomingFile.status.set(IncomingStatus.QUARANTINED),
            IncomingFile.message.set(message[:_SHORT]),
            IncomingFile.siteId.set(site),
            IncomingFile.GSI1PK.set(index["GSI1PK"]),
        ]
        change = Update(file.key, actions, IncomingFile.status == IncomingStatus.AGAIN)
    else:
        row = IncomingFile.from_raw_data(file.to_dynamodb_dict())
        row.status, row.message = IncomingStatus.QUARANTINED, message[:_SHORT]
        row.GSI1PK, row.GSI1SK = index["GSI1PK"], index["GSI1SK"]
        change = Put(row)
    payload = {"name": file.name, "tenant": file.tenant or ""}
    event = entity_event(site, "incoming", file.digest, "quarantined", by=MACHINE, payload=payload)
    transact([change, Delete(_begin_key(file.digest, ""))], event)


def forget(file: IncomingFile) -> None:
    """Its document is purged: keep only that this version was taken, without name and location."""
    gone = [IncomingFile.name.set(""), IncomingFile.s3_key.remove(), IncomingFile.tenant.remove()]
    IncomingFile.change(file.key, gone, EXISTS)


def again(file: IncomingFile, *, by: Actor) -> None:
    """Retry a quarantined file. Raises: Conflict if someone was faster."""
    _settle(file, IncomingStatus.AGAIN, "tried again", by, begun=_anew(file))


def discard(file: IncomingFile, *, by: Actor) -> None:
    """Discard a quarantined file; a lifecycle rule removes the object later. Raises: Conflict."""
    _settle(file, IncomingStatus.DISCARDED, "discarded", by, begun=Delete(_begin_key(file.digest, "")))


def _settle(file: IncomingFile, status: IncomingStatus, word: str, by: Actor, *, begun: Change) -> None:
    actions = [IncomingFile.status.set(status)]
    if status not in WAITING:
        actions += [IncomingFile.GSI1PK.remove(), IncomingFile.GSI1SK.remove()]
    payload = {"name": file.name, "tenant": file.tenant or ""}
    event = entity_event(str(file.siteId), "incoming", file.digest, word, by=by, payload=payload)
    try:
        transact([Update(file.key, actions, IncomingFile.status.is_in(*WAITING)), begun], event)
    except Conflict as error:
        raise Conflict(
            gettext("%(name)s is no longer in quarantine. Another user has already handled it.") % {"name": file.name}
        ) from error


def add_tenant(name: str, site: str, project: Project, *, by: Actor) -> None:
    """Raises: Conflict if the name is assigned already."""
    key = table.INCOMING_TENANT.key(DEFAULT_SITE, name=name)
    row = IncomingTenant(
        *key,
        siteId=site,
        project_id=project.id,
        project_name=project.settings.name,
        updated_by=by.name,
        updated_at=clock.iso(clock.now()),
    )
    payload = {"site": site, "project": project.id}
    try:
        transact([Put(row)], entity_event(DEFAULT_SITE, "tenant", name, "created", by=by, payload=payload))
    except Conflict as error:
        raise Conflict(
            gettext("Folder %(name)s is already assigned. Remove that assignment first.") % {"name": name}
        ) from error


def remove_tenant(name: str, *, by: Actor) -> None:
    """Remove the assignment; new files go to quarantine. Raises: Refused if there is none."""
    key = table.INCOMING_TENANT.key(DEFAULT_SITE, name=name)
    event = entity_event(DEFAULT_SITE, "tenant", name, "deleted", by=by, payload={})
    try:
        transact([Delete(key, EXISTS)], event)
    except Conflict as error:
        raise Refused(gettext("This assignment was already removed.")) from error


_DOCUMENTS = uuid.UUID("2b6c7c1e-0f7d-4e6e-9a3d-6f1f3c0a9d51")  # namespace of document ids derived from objects
_NAME = 200  # characters; S3 allows 1,024 bytes
UNEXPECTED = Phrase(
    "An unexpected error stopped this file. It is still in the bucket. Retry; if it fails again, check the worker logs."
)
NO_FOLDER = Phrase(
    "The key has no folder, so the file cannot be processed. Discard it and upload it as "
    "raw/YYYY/MM/DD/<folder>/<name>."
)
NOBODY = Sentence("Folder “%(folder)s” is not assigned. Assign it to a project, then retry.")


@dataclass(frozen=True)
class Arrival:
    """An object version as S3's event describes it; ``size`` in bytes."""

    key: str
    version: str
    size: int

    @property
    def digest(self) -> str:
        """Equal for the same version of the same object, in however many events."""
        return hashlib.sha256("\n".join((settings.BUCKET_NAME, self.key, self.version)).encode()).hexdigest()

    @property
    def document_id(self) -> str:
        return str(uuid.uuid5(_DOCUMENTS, self.digest))


def record_arrival(key: str, version: str, size: int) -> Arrival:
    """S3 names the version in its event. The embedded AWS does not: then it is the latest version.

    Raises:
        NotFound: the event names no version and the object is gone.

    """
    return Arrival(key, version or version_of(key), size)


def names_manifest(arrival: Arrival) -> bool:
    """Return True if it is a manifest of a batch.

    >>> [names_manifest(Arrival(f"raw/2026/11/25/acme/{name}", "", 9)) for name in ("may.manifest.CSV", "manifest.csv")]
    [True, False]
    """
    return _MANIFEST.fullmatch(arrival.key.rpartition("/")[2]) is not None


def take(arrival: Arrival, *, unpack: Callable[[str, str], None], owner: str, keep: Callable[[], None]) -> None:
    """Create its document, as ``settle``; ``unpack`` orders the extraction of an email or archive."""

    def make(file: IncomingFile, project: Project, beat: Callable[[], None]) -> None:
        enter_object(arrival, file, project, unpack, beat=beat)

    settle(arrival, make, owner=owner, keep=keep)


Make = Callable[[IncomingFile, Project, Callable[[], None]], None]


def settle(arrival: Arrival, make: Make, *, owner: str, keep: Callable[[], None]) -> None:
    """Process a file with ``make``, or quarantine it with the reason. Idempotent.

    ``make`` gets the heartbeat to call between its parts, and takes the file in its transaction; ``keep`` is called
    while it works.

    Raises:
        Unavailable: S3 or the table does not answer.

    """
    file = find_file(arrival)
    if file.status not in OPEN:
        return
    try:
        with begin_file(file, owner=owner, keep=keep) as beat:
            make(file, _project(file), beat)
    except Refused as error:
        _quarantine(file, str(error))
    except Conflict:  # another delivery of the event was faster, or is in progress
        log.info("incoming file was taken by another", extra={"digest": arrival.digest})


def give_up(arrival: Arrival) -> None:
    """Quarantine a file that kept raising an unexpected error. Raises: Unavailable."""
    file = find_file(arrival)
    if file.status in OPEN:
        _quarantine(file, UNEXPECTED)


def is_settled(begin: ArrivalBegin) -> bool:
    """Return True if nothing is left to do for the file."""
    try:
        return IncomingFile.load(key_of(begin.digest)).status not in OPEN
    except NotFound:
        return False


@contextmanager
def begin_file(
    file: IncomingFile, *, owner: str, keep: Callable[[], None], line: str = ""
) -> Iterator[Callable[[], None]]:  # fmt: skip
    """Claim the file, counting the tries; yield the heartbeat to call between its parts, which calls ``keep``.

    ``line``: of the batch that lists it.

    Raises:
        Refused: it killed several workers.
        Conflict: another worker has it.
        Unavailable: the table does not answer, or something in the block did not, which does not count as a try.

    """
    row, looked = begin(file, line=line, owner=owner), time.monotonic()

    def beat() -> None:
        nonlocal looked
        keep()
        if time.monotonic() - looked > settings.REPAIR_AFTER_SECONDS / 3:
            looked = time.monotonic()
            renew(row)

    try:
        yield beat
    except Unavailable:
        due_work.release(row, owner=owner)
        raise


def find_file(arrival: Arrival) -> IncomingFile:
    """Return the stored row, or a new one without a status."""
    key = key_of(arrival.digest)
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
    """Find its project by the key and the current assignments; ``file.siteId`` is set for its admins.

    Raises:
        Refused: no project takes it; then the admins of the main site see it.
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
        raise Refused(NOBODY.fill(folder=file.tenant[:100])) from error
    if not directory.is_open(tenant.siteId):
        raise Refused(
            gettext("Site %(siteid)s is closed. Reopen it or assign the folder to another site.")
            % {"siteid": tenant.siteId}
        )
    try:
        project = project_queries.get_project(tenant.siteId, tenant.project_id)
    except NotFound as error:
        raise Refused(
            gettext("The project assigned to folder “%(tenant)s” no longer exists. Assign another.")
            % {"tenant": file.tenant}
        ) from error
    file.siteId = tenant.siteId
    return project


def enter_object(
    arrival: Arrival, file: IncomingFile, project: Project, unpack: Callable[[str, str], None],
    *, beat: Callable[[], None], by: Actor = MACHINE, batch_line: str = "",
) -> Inspection:  # fmt: skip
    """Create the document of an object version on the file's site, and take the version, in one transaction.

    ``beat``: from ``begin_file``.

    Raises:
        Refused: with the reason, if it cannot be processed.
        Conflict: another delivery was faster.
        Unavailable: S3 or the table does not answer.

    """
    site, most = str(file.siteId), settings.UPLOAD_MAX_BYTES
    if arrival.size > most:
        raise Refused(
            gettext("The file is larger than %(most)s. Split it and upload the parts to the bucket.")
            % {"most": filesizeformat(most)}
        )
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        path = Path(folder) / "file"
        try:
            fetch_object(arrival.key, path, version=arrival.version)
        except NotFound as error:
            raise Refused(gettext("The object is no longer in the bucket. Upload it again.")) from error
        beat()
        found = inspect(path, file.name, containers=True)
        beat()
        local = LocalFile(path, file.name, found)
        also = take_file(file, project=project, document_id=arrival.document_id, line=batch_line)
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
        quarantine(file, message)
    except Conflict:
        log.info("incoming file is in other hands", extra={"digest": file.digest})


def list_quarantine(site: str, *, cursor: str | None = None) -> Page[IncomingFile]:
    """List what this site's admins see, latest first: one Query, and one BatchGetItem for what the index lacks."""
    pk = table.INCOMING_FILE.gsi1_partition(DEFAULT_SITE, site_id=site)
    page = IncomingFile.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    found = {row.key: row for row in IncomingFile.load_many([row.key for row in page.rows])}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def names_folder(file: IncomingFile) -> bool:
    """Return False if its key names no folder: a retry cannot help."""
    try:
        files.parse_incoming_key(str(file.s3_key))
    except ValueError:
        return False
    return True


def get_waiting_file(site: str, digest: str) -> IncomingFile:
    """Raises: NotFound, also if it belongs to another site, or is no longer quarantined."""
    try:
        file = IncomingFile.load(key_of(digest))
    except InvalidKey as error:
        raise NotFound(gettext("File not found.")) from error
    if file.siteId != site or file.status not in WAITING:
        raise NotFound(gettext("File not found in quarantine."))
    return file


def tenants(*, cursor: str | None = None) -> Page[IncomingTenant]:
    """List all assigned folders by name."""
    pk = table.INCOMING_TENANT.partition_key(DEFAULT_SITE)
    prefix = IncomingTenant.SK.startswith(table.INCOMING_TENANT.sort_prefix())
    return IncomingTenant.page(pk, sk=prefix, cursor=cursor, limit=100)
