"""Writes of digests that identify duplicate documents; derived data, so without events."""

from collections.abc import Mapping

from config import clock, table
from config.transaction import Change, Delete, Update, transact
from projects.documents.items import DocumentCopy, DocumentDigests
from projects.documents.queries import list_digests


def remember_digests(site: str, document_id: str, digests: Mapping[str, str], *, afresh: bool) -> None:
    """Store kind → digest; idempotent. ``afresh``: the document may have had other digests."""
    stale = list_digests(site, document_id) - set(digests.values()) if afresh else set()
    changes = [*(_forget(site, document_id, one) for one in stale)]
    now = clock.iso(clock.now())
    for kind, digest in digests.items():
        actions = [
            DocumentCopy.documentId.set(document_id),
            DocumentCopy.kind.set(kind),
            DocumentCopy.seen_at.set(DocumentCopy.seen_at | now),
        ]
        changes.append(Update(table.DOCUMENT_COPY.key(site, digest=digest, document_id=document_id), actions))
    if changes:
        key, known = table.DOCUMENT_DIGESTS.key(site, document_id=document_id), DocumentDigests.digests
        transact([*changes, Update(key, [known.set(set(digests.values())) if digests else known.remove()])])


def forget_digests(site: str, document_id: str) -> None:
    """Delete the digests of a purged document; the row listing them is deleted with the document's rows."""
    if found := list_digests(site, document_id):
        transact([_forget(site, document_id, one) for one in found])


def _forget(site: str, document_id: str, digest: str) -> Change:
    return Delete(table.DOCUMENT_COPY.key(site, digest=digest, document_id=document_id))
