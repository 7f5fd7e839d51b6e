"""Writes of shares: one conditional transaction each, with its audit event.

Shares are not cached: access is read each time, so that revoking takes effect at once.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.utils.translation import gettext
from pynamodb.expressions.condition import Condition

from config import clock, table
from config.errors import Conflict, NotFound, Refused
from config.item import Item, translate_store_errors
from config.phrase import Figure, Phrase
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

LONGEST_NAME = 80  # characters
LONGEST_PASSWORD = 128
SHORTEST_PASSWORD = 8
MOST_OPENINGS, MOST_DAYS = 1_000_000, 366
_SECRET_BYTES = 32
_KEPT_DAYS = 30  # days that an expired link is kept, so that its openings can still be read
_VIEW = ["READ"]
_GONE = Phrase("This share was already revoked.")
# compared with if the link does not exist, to keep the response time constant; not a hash of anything
_NOBODY = "-" * 64


@dataclass(frozen=True)
class Target:
    """The shared document or folder."""

    kind: EntryType
    id: str
    path: str


@dataclass(frozen=True)
class LinkDraft:
    """The input of a link. ``days`` until it expires; ``max_openings`` and ``password``: zero and empty for none."""

    name: str
    days: int
    max_openings: int = 0
    password: str = ""

    def tidy(self) -> "LinkDraft":
        """Raises: Refused."""
        name = " ".join(self.name.split())
        if not name:
            raise Refused(gettext("Enter a name for the link, for example who it is for."))
        if len(name) > LONGEST_NAME:
            raise Refused(gettext("Use at most %(longest_name)s characters.") % {"longest_name": LONGEST_NAME})
        if not 1 <= self.days <= MOST_DAYS:
            raise Refused(gettext("A link expires after 1 to %(most_days)s days.") % {"most_days": MOST_DAYS})
        if not 0 <= self.max_openings <= MOST_OPENINGS:
            raise Refused(
                gettext("Enter a number of openings from 1 to %(most_openings)s, or leave it empty.")
                % {"most_openings": Figure(f"{MOST_OPENINGS:,}").translated()}
            )
        if self.password and not SHORTEST_PASSWORD <= len(self.password) <= LONGEST_PASSWORD:
            raise Refused(
                gettext("A password has %(shortest_password)s to %(longest_password)s characters.")
                % {"shortest_password": SHORTEST_PASSWORD, "longest_password": LONGEST_PASSWORD}
            )
        return LinkDraft(name, self.days, self.max_openings, self.password)


@dataclass(frozen=True)
class NewLink:
    """``secret`` is only known now."""

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
    """Share with a person or a group; ``name``: its display name.

    Raises:
        NotFound: the target is gone.
        Conflict: it is shared with them already.

    """
    share = _new_share(site, target, principal, name, by=by, share_id=share_id or clock.new_ulid())
    _write(site, target, share, by=by)
    return share


def create_link(site: str, target: Target, draft: LinkDraft, *, by: Actor, share_id: str = "") -> NewLink:
    """Create a link that opens for anyone until it expires, is used up or is revoked.

    Raises:
        Refused: the link's options are invalid.
        NotFound: the target is gone.
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
    """A plain hash suffices for 256 random bits."""
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
        user_name=by.name,
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
            raise NotFound(gettext("What you are sharing was deleted or moved. Nothing was shared.")) from conflict
        if share.is_link:
            raise Conflict(
                gettext("This link has already been created. Reload the page to create another one.")
            ) from conflict
        raise Conflict(gettext("It is already shared with %(name)s.") % {"name": share.name}) from conflict
    finally:
        directory.forget_uses()


def _if_there(site: str, target: Target) -> Check:
    if target.kind == EntryType.FILE:
        return Check(table.DOCUMENT.key(site, document_id=target.id), EXISTS, name="target")
    folder = folder_queries.get_folder(site, target.id)
    return replace(placing.if_open(folder.key, target.id), name="target")


def _payload(share: DocumentShare) -> dict[str, Any]:
    """Ids only: the name of what is shared is only for those who may see it, and the audit outlives a purge.

    So does what people call a link, which may quote the document; the name of a person or a group does not.
    """
    told = {"with": str(share.permissionType), "type": str(share.type), "shared": share.sharedDocumentId}
    if share.is_link:
        return told | {"expires": share.expires_at, "openings": int(share.openings)}
    return told | {"name": share.name}


def link_actor(share: DocumentShare) -> Actor:
    """Return whoever has the link, by the link's id: what it is called goes with a purge, the audit stays."""
    return Actor(f"link-{share.share_id}", f"Link {share.share_id}")


def revoke_share(site: str, share_id: str, *, by: Actor) -> DocumentShare:
    """Revoke a share at once. Raises: NotFound; Conflict if someone else did meanwhile."""
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
    """Return the link of this address, or None, in constant time."""
    try:
        share = queries.get_share(site, share_id)
    except NotFound:
        share = None
    kept = share.secret if share is not None and share.secret else _NOBODY
    same = hmac.compare_digest(_hash(secret), kept)
    return share if same else None


def is_password(share: DocumentShare, typed: str) -> bool:
    """Compare in constant time; a password of excessive length is truncated."""
    return not share.password or check_password(typed[: LONGEST_PASSWORD + 1], share.password)


def open_link(site: str, share: DocumentShare) -> DocumentShare:
    """Count one opening of a link; of two concurrent ones, only one gets the last opening.

    Raises:
        NotFound: it was revoked.
        Refused: it has expired, or has no openings left.

    """
    now = clock.iso(clock.now())
    condition: Condition = EXISTS & (DocumentShare.secret == share.secret) & (DocumentShare.expires_at > now)
    if share.max_openings is not None:
        condition &= DocumentShare.openings < int(share.max_openings)
    actions = [DocumentShare.openings.add(1), DocumentShare.opened_at.set(now)]
    event = entity_event(site, "share", share.share_id, "opened", by=link_actor(share), payload=_payload(share))
    try:
        transact([Update(share.key, actions, condition, of=DocumentShare)], event)
    except Conflict as conflict:
        found = queries.get_share(site, share.share_id)
        raise Refused(OVER.get(queries.is_over(found), OVER["used up"])) from conflict
    return queries.get_share(site, share.share_id)


OVER = {
    "expired": Phrase("This link has expired. Ask the person who sent it for a new one."),
    "used up": Phrase("This link has reached its limit of openings. Ask the person who sent it for a new one."),
}


def forget_shares(site: str, document_id: str) -> None:
    """Delete every share of a purged document or folder. Idempotent."""
    shares = queries.every_share_of(site, document_id)
    with translate_store_errors(), Item.batch_write() as batch:
        for one in shares:
            batch.delete(Item(*_row_key(site, one)))
            batch.delete(Item(*one.key))
