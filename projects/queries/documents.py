"""Reads of documents: one Query or one GetItem each."""

import datetime as dt
from collections.abc import Sequence
from typing import TypeVar

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.table import InvalidKey
from projects.items.activity import DocumentActivity
from projects.items.documents import Document, DocumentVersion
from projects.items.properties import DocumentAttribute, DocumentTag

R = TypeVar("R", bound=Item)
_ALL = 400  # rows of one kind that one document may have, with room above the limits of the actions


def get_document(site: str, document_id: str) -> Document:
    """A strong read of one live document.

    Raises:
        NotFound: no such document on this site, or it was deleted.

    """
    try:
        return Document.load(table.DOCUMENT.key(site, document_id=document_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound("There is no such document here.") from error


def documents_of_day(site: str, day: dt.date, *, cursor: str | None = None) -> Page[Document]:
    """The documents that came on this day (UTC), the newest first."""
    pk = table.DOCUMENT.gsi1_partition(site, date=day.isoformat())
    return Document.page(pk, index="GSI1", newest_first=True, cursor=cursor)


def versions(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentVersion]:
    """The contents of a document, the newest first."""
    pk = table.DOCUMENT_VERSION.partition_key(site, document_id=document_id)
    prefix = DocumentVersion.SK.startswith(table.DOCUMENT_VERSION.sort_prefix())
    return DocumentVersion.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def activities(site: str, document_id: str, *, cursor: str | None = None) -> Page[DocumentActivity]:
    """What was done with a document, the latest first."""
    pk = table.DOCUMENT_ACTIVITY.partition_key(site, document_id=document_id)
    prefix = DocumentActivity.SK.startswith(table.DOCUMENT_ACTIVITY.sort_prefix())
    return DocumentActivity.page(pk, sk=prefix, newest_first=True, cursor=cursor)


def tags(site: str, document_id: str) -> Sequence[DocumentTag]:
    """A strong read of the document's tags, by name; a document has no more than one page of them."""
    return _of_document(DocumentTag, table.DOCUMENT_TAG.sort_prefix(), site, document_id)


def attributes(site: str, document_id: str) -> Sequence[DocumentAttribute]:
    """A strong read of the document's attribute values and of the rows of its composite keys."""
    return _of_document(DocumentAttribute, table.DOCUMENT_ATTRIBUTE.sort_prefix(), site, document_id)


def _of_document(kind: type[R], prefix: str, site: str, document_id: str) -> Sequence[R]:
    pk = table.DOCUMENT.partition_key(site, document_id=document_id)
    return kind.page(pk, sk=kind.SK.startswith(prefix), limit=_ALL, consistent=True).rows
