"""Reads of deleted documents."""

from config import table
from config.errors import NotFound
from config.item import Page
from config.table import InvalidKey
from projects.documents.items import DocumentRemoval, RemovalState, SoftDeletedDocument

DELETED, PURGED = "deleted", "purged"  # the two lists


def get_removal(site: str, document_id: str) -> DocumentRemoval:
    """A strong read of a deleted or purged document's record.

    Raises:
        NotFound: there is no such document, or it is live.

    """
    try:
        return DocumentRemoval.load(table.DOCUMENT_REMOVAL.key(site, document_id=document_id))
    except (NotFound, InvalidKey) as error:
        raise NotFound("Document not found.") from error


def is_purged(site: str, document_id: str) -> bool:
    """Whether it was purged, or is about to be: one strong read."""
    try:
        return get_removal(site, document_id).status in {RemovalState.PURGING, RemovalState.PURGED}
    except NotFound:
        return False


def is_gone(site: str, document_id: str) -> bool:
    """Whether it was deleted or purged, and is not on its way back: one strong read."""
    try:
        return get_removal(site, document_id).status != RemovalState.RESTORING
    except NotFound:
        return False


def soft_deleted(site: str, document_id: str) -> SoftDeletedDocument:
    """Raises: NotFound."""
    return SoftDeletedDocument.load(table.SOFT_DELETED_DOCUMENT.key(site, document_id=document_id))


def list_removals(site: str, which: str, *, cursor: str | None = None) -> Page[DocumentRemoval]:
    """The ``DELETED`` or the ``PURGED`` documents, the latest first."""
    pk = table.DOCUMENT_REMOVAL.gsi1_partition(site, state=which)
    return DocumentRemoval.page(pk, index="GSI1", newest_first=True, cursor=cursor)
