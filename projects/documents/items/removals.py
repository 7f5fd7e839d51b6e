"""A document that was deleted: its row, its removal's record, and rows of it that no list finds meanwhile."""

from enum import StrEnum

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute
from projects.documents.items.documents import Document


class RemovalState(StrEnum):
    """Stored as written. The ones in -ING are on their way: a worker finishes them, whoever began."""

    DELETING = "deleting"
    DELETED = "deleted"
    RESTORING = "restoring"
    PURGING = "purging"
    PURGED = "purged"


class SoftDeletedDocument(Document):
    """The document's row, out of reach of everything that looks for live ones (seed 002). Access: by id; by day."""


class DocumentRemoval(DueWork):
    """Where a document's removal stands; of a purged one, the tombstone.

    Access: by document; deleted or purged ones, the latest first (GSI1); due (GSI2, while rows have yet to follow).
    """

    due_entity = table.DOCUMENT_REMOVAL
    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    status = UnicodeAttribute(null=True)
    userId = UnicodeAttribute(null=True)  # noqa: N815 - who deleted it
    user_name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)  # when
    reason = UnicodeAttribute(null=True)
    belongsToDocumentId = UnicodeAttribute(null=True)  # noqa: N815
    purgedDate = UnicodeAttribute(null=True)  # noqa: N815
    purged_by = UnicodeAttribute(null=True)
    purged_by_name = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    queue = UnicodeAttribute(null=True)  # as the document's
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)  # the latest run
    file_type = UnicodeAttribute(null=True)
    file_size = NumberAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)
    holder_name = UnicodeAttribute(null=True)  # who deleted or purged it, by a name that the index carries


class HideableRow(Item):
    """Any row of a document. ``hidden`` keeps the index keys that were taken from it, and marks it as hidden."""

    hidden = map_attribute(null=True)
    status = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    queue = UnicodeAttribute(null=True)  # of a review
