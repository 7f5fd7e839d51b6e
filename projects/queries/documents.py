"""Reads of documents: one Query or one GetItem each."""

import datetime as dt

from config import table
from config.errors import NotFound
from config.item import Page
from config.table import InvalidKey
from projects.items.activity import DocumentActivity
from projects.items.documents import Document, DocumentVersion


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
