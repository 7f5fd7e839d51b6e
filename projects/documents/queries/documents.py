"""Reads of documents: one Query or one GetItem each."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.table import InvalidKey, Key
from projects.documents.items import (
    ChildDocument,
    Document,
    DocumentActivity,
    DocumentAttribute,
    DocumentTag,
    DocumentUnpacking,
    DocumentVersion,
)

R = TypeVar("R", bound=Item)
# Rows that one document may have, of one kind and together, with room above the limits of the actions.
_ALL, _PARTITION = 400, 900
_A_BATCH = 100  # the most that one BatchGetItem reads


def get_document(site: str, document_id: str) -> Document:
    """A strong read of one live document.

    Raises:
        NotFound: no such document on this site, or it was deleted.

    """
    try:
        return Document.load(table.DOCUMENT.key(site, document_id=document_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound("Document not found.") from error


def is_earlier(site: str, document_id: str) -> bool:
    """Whether the seed-000 system read it: then there are runs of it, and no document as seed 002 has it."""
    entity = table.DOCUMENT_WORKFLOW
    runs = Item.SK.startswith(entity.sort_prefix() + table.EARLIER_RUN)
    try:
        heads = [one.partition_key(site, document_id=document_id) for one in (entity, table.WEB_WORKFLOW)]
    except InvalidKey:
        return False
    return any(Item.page(pk, sk=runs, limit=1).rows for pk in heads)


@dataclass(frozen=True)
class Belonging:
    """The queue and the folder that a document belongs to, and who uploaded it; of a deleted one, no one."""

    document_id: str
    queue: str
    folder_id: str
    user_id: str


def list_belongings(site: str, document_ids: Iterable[str]) -> list[Belonging]:
    """Of those that are in a queue or a folder, deleted and purged ones too: one strong BatchGetItem for each fifty.

    Raises:
        Unavailable: throttled in part; nothing is answered.

    """
    keys: dict[Key, str] = {}
    for one in dict.fromkeys(document_ids):
        with suppress(InvalidKey):
            keys[table.DOCUMENT.key(site, document_id=one)] = one
            keys[table.DOCUMENT_REMOVAL.key(site, document_id=one)] = one
    found: list[Belonging] = []
    wanted = list(keys)
    for start in range(0, len(wanted), _A_BATCH):
        rows = Item.together(wanted[start : start + _A_BATCH], only=["queue", "folder_id", "userId"])
        for key, row in rows.items():
            queue, folder_id = (row.get(name, {}).get("S", "") for name in ("queue", "folder_id"))
            if queue or folder_id:
                live = key == table.DOCUMENT.key(site, document_id=keys[key])
                found.append(Belonging(keys[key], queue, folder_id, row["userId"]["S"] if live else ""))
    return found


@dataclass(frozen=True)
class DocumentRows:
    """A document with everything that hangs on it."""

    document: Document
    tags: Sequence[DocumentTag]
    attributes: Sequence[DocumentAttribute]
    children: Sequence[ChildDocument]
    unpacking: DocumentUnpacking | None


def document_rows(site: str, document_id: str) -> DocumentRows:
    """All of them in one strongly consistent Query.

    Raises:
        NotFound: no such document on this site, or it was deleted.

    """
    try:
        key = table.DOCUMENT.key(site, document_id=document_id)
    except InvalidKey as error:
        raise NotFound("Document not found.") from error
    found = Item.partition(key.pk, limit=_PARTITION)

    def rows_of_kind(kind: type[R], prefix: str) -> list[R]:
        return [kind.from_raw_data(row) for row in found if row["SK"]["S"].startswith(prefix)]

    document = [row for row in found if row["SK"]["S"] == key.sk]
    if not document:
        raise NotFound("Document not found.")
    return DocumentRows(
        Document.from_raw_data(document[0]),
        rows_of_kind(DocumentTag, table.DOCUMENT_TAG.sort_prefix()),
        rows_of_kind(DocumentAttribute, table.DOCUMENT_ATTRIBUTE.sort_prefix()),
        rows_of_kind(ChildDocument, table.CHILD_DOCUMENT.sort_prefix()),
        next(iter(rows_of_kind(DocumentUnpacking, table.DOCUMENT_UNPACKING.sk)), None),
    )


def list_versions(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentVersion]:
    """The contents of a document, the newest first."""
    pk = table.DOCUMENT_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentVersion.SK.startswith(table.DOCUMENT_VERSION.sort_prefix())
    return DocumentVersion.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def first_version(site: str, document_id: str) -> DocumentVersion:
    """The content that the document came with. Raises: NotFound."""
    pk = table.DOCUMENT_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentVersion.SK.startswith(table.DOCUMENT_VERSION.sort_prefix())
    found = DocumentVersion.page(pk, sk=prefix, limit=1, consistent=True).rows
    if not found:
        raise NotFound("Document not found.")
    return found[0]


def get_version(site: str, document_id: str, at: str) -> DocumentVersion:
    """The content that is stored under the second ``at``, as its key writes it.

    Raises:
        NotFound: no such content.

    """
    try:
        return DocumentVersion.load(table.DOCUMENT_VERSION.key(site, document_id=document_id, datetime_s=at))
    except (NotFound, InvalidKey) as error:
        raise NotFound("File version not found.") from error


def list_activities(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentActivity]:
    """What was done with a document, the latest first."""
    pk = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    prefix = DocumentActivity.SK.startswith(table.DOCUMENT_ACTIVITY.sort_prefix())
    return DocumentActivity.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def list_tags(site: str, document_id: str) -> Sequence[DocumentTag]:
    """A strong read of the document's tags, by name; a document has no more than one page of them."""
    return _of_document(DocumentTag, table.DOCUMENT_TAG.sort_prefix(), site, document_id)


def in_order(rows: Iterable[DocumentAttribute]) -> list[DocumentAttribute]:
    """The values of one attribute as they were given; the table has them in the order of their texts."""
    return sorted(rows, key=lambda row: int(row.index or 0))


def list_attributes(site: str, document_id: str) -> Sequence[DocumentAttribute]:
    """A strong read of the document's attribute values and of the rows of its composite keys."""
    return _of_document(DocumentAttribute, table.DOCUMENT_ATTRIBUTE.sort_prefix(), site, document_id)


def _of_document(kind: type[R], prefix: str, site: str, document_id: str) -> Sequence[R]:
    pk = table.DOCUMENT.partition_key(site, document_id=document_id)
    return kind.page(pk, sk=kind.SK.startswith(prefix), limit=_ALL, consistent=True).rows
