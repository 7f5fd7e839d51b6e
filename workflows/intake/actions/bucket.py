"""Writes about files that other systems put into the bucket: into quarantine and out of it; whose they are."""

from django.conf import settings
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.errors import Conflict, Refused
from config.table import DEFAULT_SITE, Key
from config.transaction import EXISTS, Change, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.settings.items import Project
from workflows.intake.items import WAITING, ArrivalBegin, IncomingFile, IncomingOrigin, IncomingStatus, IncomingTenant

MACHINE = Actor("ingress", "Bucket")
_SHORT = 300  # letters of a sentence
_BUCKET = "bucket"  # by whom a file is begun that no batch names
_BEGUN_KEPT = 86_400  # seconds after the last begin, of a batch's line
_LOOKS = 4  # times that what is due waits: looking at one file has no heartbeat, and may last longer than once
_DEADLY = "Processing crashed {} times on this file. Check it and upload it in another format."


def key_of(digest: str) -> Key:
    return table.INCOMING_FILE.key(DEFAULT_SITE, digest=digest)


def begin(file: IncomingFile, *, line: str, owner: str) -> ArrivalBegin:
    """Begin to look at a file, which may end the worker; ``line``: of the batch that names it, if one does.

    From here on it is due until it is a document or in quarantine; a batch's line is looked after by its batch.

    Raises:
        Refused: it ended every worker that began it.
        Conflict: another worker is at it.

    """
    key = _begin_key(file.digest, line)
    kept_until = int(clock.in_seconds(_BEGUN_KEPT).timestamp())
    also = [ArrivalBegin.TimeToLive.set(kept_until)] if line else _order_actions(file)
    try:
        return due_work.claim(ArrivalBegin(*key), owner=owner, also=also, until=_inspection_due())
    except Conflict as error:
        found = ArrivalBegin.load(key)
        if due_work.is_abandoned(found) or (due_work.attempts_exhausted(found) and found.lease_owner == owner):
            raise Refused(_DEADLY.format(int(found.tries))) from error
        raise


def renew(begun: ArrivalBegin) -> None:
    """A worker's heartbeat. Raises: Conflict if it was ended meanwhile."""
    until = _inspection_due()
    later = due_work.postpone_actions(ArrivalBegin, until, digest=begun.digest) if begun.is_scheduled else []
    due_work.renew(begun, when=EXISTS, also=later, until=until)


def rest(begun: ArrivalBegin) -> None:
    """Nothing is to be made of the file any more. Raises: Conflict if a person has it tried again meanwhile."""
    transact([Delete(begun.key, due_work.if_not_moved(begun))])


def _inspection_due() -> str:
    return clock.iso(clock.in_seconds(_LOOKS * settings.REPAIR_AFTER_SECONDS))


def _order_actions(file: IncomingFile) -> list[Action]:
    """What its message says, for whoever sends it again."""
    version = ArrivalBegin.s3version
    return [
        ArrivalBegin.s3_key.set(str(file.s3_key)),
        version.set(file.s3version) if file.s3version else version.remove(),
        ArrivalBegin.file_size.set(int(file.file_size)),
        *due_work.schedule_actions(ArrivalBegin, _inspection_due(), digest=file.digest),
    ]


def _anew(file: IncomingFile) -> Put:
    """None of its begins counts any more, and it is due: its message may be lost before anybody begins it."""
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
    """Part of the transaction that makes the document: one version of an object is one document, whoever asks.

    ``line``: as ``begin`` was told.
    """
    key = table.INCOMING_ORIGIN.key(str(file.siteId), document_id=document_id)
    begun = Delete(_begin_key(file.digest, line))
    return [_take_file_changes(file, project, document_id), Put(IncomingOrigin(*key, digest=file.digest)), begun]


def _take_file_changes(file: IncomingFile, project: Project, document_id: str) -> Change:
    if file.status == IncomingStatus.AGAIN:
        actions = [
            IncomingFile.status.set(IncomingStatus.TAKEN),
            IncomingFile.siteId.set(file.siteId),
            IncomingFile.project_id.set(project.id),
            IncomingFile.document_id.set(document_id),
            IncomingFile.GSI1PK.remove(),
            IncomingFile.GSI1SK.remove(),
        ]
        return Update(file.key, actions, IncomingFile.status == IncomingStatus.AGAIN)
    row = IncomingFile.from_raw_data(file.to_dynamodb_dict())
    row.status, row.project_id, row.document_id = IncomingStatus.TAKEN, project.id, document_id
    return Put(row)


def quarantine(file: IncomingFile, message: str) -> None:
    """Nothing is made of it; ``file.siteId`` is where its admins look, and ``message`` tells them what to do.

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
    """Its document is purged: what stays says that this version was taken once, and neither its name nor its place."""
    gone = [IncomingFile.name.set(""), IncomingFile.s3_key.remove(), IncomingFile.tenant.remove()]
    IncomingFile.change(file.key, gone, EXISTS)


def again(file: IncomingFile, *, by: Actor) -> None:
    """Have it tried again. Raises: Conflict if someone was faster."""
    _settle(file, IncomingStatus.AGAIN, "tried again", by, begun=_anew(file))


def discard(file: IncomingFile, *, by: Actor) -> None:
    """Nothing is to be made of it; the object stays in the bucket for as long as its rule says. Raises: Conflict."""
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
        raise Conflict(f"{file.name} is no longer in quarantine. Another user has already handled it.") from error


def add_tenant(name: str, site: str, project: Project, *, by: Actor) -> None:
    """Raises: Conflict if the name is someone's already."""
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
        raise Conflict(f"Folder {name} is already assigned. Remove that assignment first.") from error


def remove_tenant(name: str, *, by: Actor) -> None:
    """Its files go to quarantine from now on. Raises: Refused if there is no such line."""
    key = table.INCOMING_TENANT.key(DEFAULT_SITE, name=name)
    event = entity_event(DEFAULT_SITE, "tenant", name, "deleted", by=by, payload={})
    try:
        transact([Delete(key, EXISTS)], event)
    except Conflict as error:
        raise Refused("This assignment was already removed.") from error
