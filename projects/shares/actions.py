"""Writes of shares: one conditional transaction each, with its audit event.

Nothing remembers a share: whether someone is let in is read each time, so that a share that is revoked holds no more.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.item import Item, translate_store_errors
from config.table import Key
from config.transaction import EXISTS, Check, Delete, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.documents.queries import get_document
from projects.folders import placing
from projects.folders import queries as folder_queries
from projects.folders.items import EntryType
from projects.shares import queries
from projects.shares.items import DocumentShare, PrincipalType, Share
from projects.shares.queries import Principal, principal_key, share_key
from projects.sites import directory

LONGEST_NAME = 80  # letters
LONGEST_PASSWORD = 128
SHORTEST_PASSWORD = 8
MOST_OPENINGS, MOST_DAYS = 1_000_000, 366
_SECRET_BYTES = 32
_KEPT_DAYS = 30  # after a link has expired, so that its openings can still be read
_VIEW = ["READ"]
_GONE = "This share was already revoked."
_NOBODY = "-" * 64  # compared with if there is no such link, so that the answer takes as long; no hash is this


@dataclass(frozen=True)
class Target:
    """What is shared."""

    kind: EntryType
    id: str
    path: str


@dataclass(frozen=True)
class LinkDraft:
    """``days`` until it expires; ``max_openings`` and ``password``: zero and empty for none."""

    name: str
    days: int
    max_openings: int = 0
    password: str = ""

    def tidy(self) -> "LinkDraft":
        """Raises: Refused."""
        name = " ".join(self.name.split())
        if not name:
            raise Refused("Enter a name for the link, for example who it is for.")
        if len(name) > LONGEST_NAME:
            raise Refused(f"Use at most {LONGEST_NAME} characters.")
        if not 1 <= self.days <= MOST_DAYS:
            raise Refused(f"A link expires after 1 to {MOST_DAYS} days.")
        if not 0 <= self.max_openings <= MOST_OPENINGS:
            raise Refused(f"Enter a number of openings from 1 to {MOST_OPENINGS:,}, or leave it empty.")
        if self.password and not SHORTEST_PASSWORD <= len(self.password) <= LONGEST_PASSWORD:
            raise Refused(f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")
        return LinkDraft(name, self.days, self.max_openings, self.password)


@dataclass(frozen=True)
class NewLink:
    """``secret`` is known now and never again."""

    share: DocumentShare
    secret: str


def find_target(site: str, kind: EntryType, target_id: str) -> Target:
    """Raises: NotFound."""
    if kind == EntryType.FILE:
        return Target(kind, target_id, get_document(site, target_id).path)
    folder_queries.get_folder(site, target_id)
    return Target(kind, target_id, folder_queries.path_of(folder_queries.list_crumbs(site, target_id)))


def share_with(
    site: str, target: Target, principal: Principal, name: str, *, by: Actor, share_id: str = ""
) -> DocumentShare:
    """Let a person or a group in; ``name``: what people call them.

    Raises:
        NotFound: what is to be shared is gone.
        Conflict: it is shared with them already.

    """
    share = _new_share(site, target, principal, name, by=by, share_id=share_id or clock.new_ulid())
    _write(site, target, share, by=by)
    return share


def create_link(site: str, target: Target, draft: LinkDraft, *, by: Actor, share_id: str = "") -> NewLink:
    """Make a link that opens to whoever has it, until it expires, is used up or is revoked.

    Raises:
        Refused: no link can be like this.
        NotFound: what is to be shared is gone.
        Conflict: this form was sent already.

    """
    draft, share_id, secret = draft.tidy(), share_id or clock.new_ulid(), secrets.token_urlsafe(_SECRET_BYTES)
    principal = Principal(PrincipalType.LINK, share_id)
    share = _new_share(site, target, principal, draft.name, by=by, share_id=share_id)
    expires = clock.in_seconds(draft.days * 86_400)
    share.secret = _hash(secret)
    share.password = make_password(draft.password) if draft.password else None
    share.expires_at = clock.iso(expires)
    share.openings = 0
    share.max_openings = draft.max_openings or None
    share.TimeToLive = int(expires.timestamp()) + _KEPT_DAYS * 86_400
    _write(site, target, share, by=by)
    return NewLink(share, secret)


def _hash(secret: str) -> str:
    """Of 256 random bits: nothing slower is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _new_share(
    site: str, target: Target, principal: Principal, name: str, *, by: Actor, share_id: str
) -> DocumentShare:
    now = clock.iso(clock.now())
    index = queries.gsi1_of(site, share_id, name=name, path=target.path)
    index |= table.SHARE_OF_DOCUMENT.gsi2(site, shared_document_id=target.id, datetime=now, document_id=share_id)
    return DocumentShare(
        *share_key(site, share_id),
        **index,
        documentId=share_id,
        sharedDocumentId=target.id,
        type=target.kind,
        inserteddate=now,
        userId=by.id,
        user_name=by.name,
        path=target.path,
        name=name,
        siteId=site,
        permissionType=principal.type,
        permissions=_VIEW,
        principal=principal.name,
    )


def _write(site: str, target: Target, share: DocumentShare, *, by: Actor) -> None:
    """Raises: NotFound, Conflict."""
    principal = Principal(PrincipalType(str(share.permissionType)), str(share.principal))
    row = Share(
        *principal_key(site, principal, target.id),
        **table.SHARE_BY_DATE.gsi1(site, datetime=str(share.inserteddate), share_id=share.share_id),
        documentId=target.id,
        type=share.type,
        inserteddate=share.inserteddate,
        userId=by.id,
        path=target.path,
        name=share.name,
        siteId=site,
        permissionType=share.permissionType,
        permissions=_VIEW,
        share_id=share.share_id,
        TimeToLive=share.TimeToLive,
    )
    event = entity_event(site, "share", share.share_id, "shared", by=by, payload=_payload(share))
    try:
        transact([_if_there(site, target), Put(share, name="share"), Put(row, name="share")], event)
    except Conflict as conflict:
        if "target" in conflict.failed:
            raise NotFound("What you are sharing was deleted or moved. Nothing was shared.") from conflict
        if share.is_link:
            raise Conflict("This link has already been created. Reload the page to create another one.") from conflict
        raise Conflict(f"It is already shared with {share.name}.") from conflict
    finally:
        directory.forget_uses()


def _if_there(site: str, target: Target) -> Check:
    if target.kind == EntryType.FILE:
        return Check(table.DOCUMENT.key(site, document_id=target.id), EXISTS, name="target")
    folder = folder_queries.get_folder(site, target.id)
    return replace(placing.if_open(folder.key, target.id), name="target")


def _payload(share: DocumentShare) -> dict[str, Any]:
    """Ids alone of what was shared: its name is for those who may see it."""
    told = {"with": str(share.permissionType), "name": share.name}
    told |= {"type": str(share.type), "shared": share.sharedDocumentId}
    return told | ({"expires": share.expires_at, "openings": int(share.openings)} if share.is_link else {})


def revoke_share(site: str, share_id: str, *, by: Actor) -> DocumentShare:
    """Take a share away, at once and everywhere. Raises: NotFound; Conflict, if another did meanwhile."""
    share = queries.get_share(site, share_id)
    event = entity_event(site, "share", share_id, "revoked", by=by, payload=_payload(share))
    try:
        transact([Delete(share.key, EXISTS), Delete(_row_key(site, share), Share.share_id == share_id)], event)
    except Conflict as conflict:
        raise Conflict(_GONE) from conflict
    return share


def _row_key(site: str, share: DocumentShare) -> Key:
    principal = Principal(PrincipalType(str(share.permissionType)), str(share.principal))
    return principal_key(site, principal, str(share.sharedDocumentId))


def find_link(site: str, share_id: str, secret: str) -> DocumentShare | None:
    """The link of this address; None if there is none such: neither answer is quicker than the other."""
    try:
        share = queries.get_share(site, share_id)
    except NotFound:
        share = None
    kept = share.secret if share is not None and share.secret else _NOBODY
    same = hmac.compare_digest(_hash(secret), kept)
    return share if same else None


def is_password(share: DocumentShare, typed: str) -> bool:
    """Compared in constant time; a password that is too long to be one is compared as well, cut."""
    return not share.password or check_password(typed[: LONGEST_PASSWORD + 1], share.password)


def open_link(site: str, share: DocumentShare) -> DocumentShare:
    """Count one opening of a link, which is one more than those before: of two at once, the last place is one's.

    Raises:
        NotFound: it was revoked.
        Refused: it has expired, or was opened as often as it may be.

    """
    now = clock.iso(clock.now())
    condition: Condition = EXISTS & (DocumentShare.secret == share.secret) & (DocumentShare.expires_at > now)
    if share.max_openings is not None:
        condition &= DocumentShare.openings < int(share.max_openings)
    actions = [DocumentShare.openings.add(1), DocumentShare.opened_at.set(now)]
    by = Actor(f"link-{share.share_id}", f"Link {share.name}")
    event = entity_event(site, "share", share.share_id, "opened", by=by, payload=_payload(share))
    try:
        transact([Update(share.key, actions, condition, of=DocumentShare)], event)
    except Conflict as conflict:
        found = queries.get_share(site, share.share_id)
        raise Refused(OVER.get(queries.is_over(found), OVER["used up"])) from conflict
    return queries.get_share(site, share.share_id)


OVER = {
    "expired": "This link has expired. Ask the person who sent it for a new one.",
    "used up": "This link has reached its limit of openings. Ask the person who sent it for a new one.",
}


def forget_shares(site: str, document_id: str) -> None:
    """Take away every share of a document or folder that is gone for good; again is harmless."""
    shares = queries.every_share_of(site, document_id)
    with translate_store_errors(), Item.batch_write() as batch:
        for one in shares:
            batch.delete(Item(*_row_key(site, one)))
            batch.delete(Item(*one.key))
