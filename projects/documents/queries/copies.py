"""Reads of what documents are recognised by."""

import datetime as dt
from collections.abc import Sequence

from config import clock, table
from config.errors import NotFound
from projects.documents.items import Document, DocumentCopy, DocumentDigests

MOST = 3  # that one document is told of
_CLOCKS = dt.timedelta(minutes=1)  # that two workers' clocks may differ by


def list_digests(site: str, document_id: str) -> set[str]:
    """The digests of a document: a strong read."""
    try:
        return set(DocumentDigests.load(table.DOCUMENT_DIGESTS.key(site, document_id=document_id)).digests or ())
    except NotFound:
        return set()


def list_earlier_copies(site: str, document_id: str, digest: str) -> list[str]:
    """The first live documents that had this digest before ``document_id``: one strong Query, and a read if any had.

    Of two at the same time at least one is told of the other: each has written its row before it asks.
    """
    rows = DocumentCopy.page(table.DOCUMENT_COPY.partition_key(site, digest=digest), consistent=True).rows
    mine = next((one.seen_at for one in rows if one.documentId == document_id), clock.iso(clock.now()))
    latest = clock.iso(clock.parse(mine) + _CLOCKS)
    earlier = sorted((one.seen_at, one.documentId) for one in rows if one.documentId != document_id)
    ids = [one for at, one in earlier if at <= latest]
    live = {one.documentId for one in get_documents(site, ids)}
    return [one for one in ids if one in live][:MOST]


def get_documents(site: str, document_ids: Sequence[str]) -> list[Document]:
    """Those of them that are live, in no order: one strong BatchGetItem."""
    return Document.load_many([table.DOCUMENT.key(site, document_id=one) for one in document_ids])
