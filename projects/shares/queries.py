"""Reads of shares: one Query or GetItem each; lists need one BatchGetItem more for what the index lacks."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from config import clock, table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import InvalidKey, Key, encode_part
from projects.shares.items import DocumentShare, PrincipalType, Share

MISSING = Phrase("Share not found.")
NO_LINK = Phrase("This link does not lead to a document. It may have been revoked; ask the person who sent it.")
MOST_SHARES = 100  # shares of one document or folder
_A_BATCH = 100


class Principal(NamedTuple):
    """``name``: a person's id, a group's name, or for links the share's own id."""

    type: PrincipalType
    name: str


def share_key(site: str, share_id: str) -> Key:
    return table.DOCUMENT_SHARE.key(site, document_id=share_id)


def principal_key(site: str, principal: Principal, document_id: str) -> Key:
    """Return the key of the row that grants the principal access to this document or folder."""
    parts = {"principal_type": principal.type, "name": principal.name}
    return table.SHARE.key(site, **parts, site_id=site, document_id=document_id)


def get_share(site: str, share_id: str) -> DocumentShare:
    """Strongly consistent. Raises: NotFound."""
    try:
        return DocumentShare.load(share_key(site, share_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error


def find_granted(site: str, principals: Sequence[Principal], ids: Iterable[str]) -> frozenset[str]:
    """Return the documents and folders to which a share admits one of the principals, strongly consistent."""
    keys = [principal_key(site, principal, one) for one in dict.fromkeys(ids) for principal in principals]
    found: set[str] = set()
    for start in range(0, len(keys), _A_BATCH):
        rows = Item.together(keys[start : start + _A_BATCH], only=["documentId"])
        found |= {row["documentId"]["S"] for row in rows.values()}
    return frozenset(found)


def list_shares(site: str, *, cursor: str | None = None) -> Page[DocumentShare]:
    """List all shares of a site, newest first."""
    pk = table.SHARE_BY_DATE.gsi1_partition(site)
    page = Share.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    ids = [str(row.GSI1SK).rpartition("#")[2] for row in page.rows]
    return Page(_load(site, ids), page.next)


def list_shares_named(site: str, name: str, *, cursor: str | None = None) -> Page[DocumentShare]:
    """List the shares with a person, a group or a link of this name, by path."""
    pk = table.DOCUMENT_SHARE.gsi1_partition(site, name=name)
    page = DocumentShare.page(pk, index="GSI1", cursor=cursor)
    return Page(_load(site, [row.share_id for row in page.rows]), page.next)


def list_shares_of(site: str, document_id: str) -> list[DocumentShare]:
    """List the shares of a document or a folder, oldest first."""
    pk = table.SHARE_OF_DOCUMENT.gsi2_partition(site, shared_document_id=document_id)
    page = DocumentShare.page(pk, index="GSI2", limit=MOST_SHARES)
    return _load(site, [row.share_id for row in page.rows])


def every_share_of(site: str, document_id: str) -> list[DocumentShare]:
    pk = table.SHARE_OF_DOCUMENT.gsi2_partition(site, shared_document_id=document_id)
    return _load(site, [row.share_id for row in DocumentShare.every(pk, index="GSI2")])


def list_shares_with(site: str, principal: Principal, *, cursor: str | None = None) -> Page[Share]:
    """List what is shared with a person or group, strongly consistent."""
    pk = table.SHARE.partition_key(site, principal_type=principal.type, name=principal.name)
    return Share.page(pk, cursor=cursor, consistent=True)


def _load(site: str, ids: Sequence[str]) -> list[DocumentShare]:
    """Load the current rows in this order; shares revoked meanwhile are omitted."""
    found = {one.share_id: one for one in DocumentShare.load_many([share_key(site, one) for one in ids])}
    return [found[one] for one in ids if one in found]


def is_over(share: DocumentShare) -> str:
    """Return why a link no longer opens, or an empty text."""
    if share.expires_at and share.expires_at <= clock.iso(clock.now()):
        return "expired"
    if share.max_openings is not None and int(share.openings) >= int(share.max_openings):
        return Phrase("used up")
    return ""


def gsi1_of(site: str, share_id: str, *, name: str, path: str) -> dict[str, Any]:
    """Return the index keys by name. Long paths are truncated."""
    return table.DOCUMENT_SHARE.gsi1(site, name=name, path=_shorten_path(path), document_id=share_id)


def _shorten_path(path: str) -> str:
    """Truncate the path so that the encoded key stays below DynamoDB's 1,024 bytes."""
    while len(encode_part(path).encode()) > 900:
        path = path[:-20]
    return path
