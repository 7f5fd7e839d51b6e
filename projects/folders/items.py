"""Items of folders and filed documents: both are entries of the parent folder (seed 002)."""

from enum import StrEnum

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import Item


class EntryType(StrEnum):
    """Stored as written."""

    FOLDER = "Directory"
    FILE = "File"


class FolderEntry(Item):
    """An entry of a folder. Access: all entries, folders first; a folder by id (GSI1).

    ``path``: its own name; the key has it in lower case, so names are unique in a folder. Folders with ``groups`` are
    listed as restricted (GSI2); ``closing_at``: set while it is being deleted.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    path = UnicodeAttribute(null=True)
    type = UnicodeAttribute(null=True)
    parentDocumentId = UnicodeAttribute(null=True)  # noqa: N815 - absent on the first level
    inserteddate = UnicodeAttribute(null=True)
    lastModifiedDate = UnicodeAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    name = UnicodeAttribute(null=True)
    groups: ListAttribute[str] = ListAttribute(null=True)
    version = NumberAttribute(default=0)  # bumped by each change of ``groups``
    updated_by = UnicodeAttribute(null=True)
    closing_at = UnicodeAttribute(null=True)

    @property
    def parent_id(self) -> str:
        """The parent's id, empty on the top level; index rows have it in the key only."""
        return self.PK.rpartition("#")[2]

    @property
    def folder_id(self) -> str:
        """The folder's id, however the row was read."""
        return self.documentId or (self.GSI1PK or "").rpartition("#")[2]

    @property
    def is_folder(self) -> bool:
        return self.type == EntryType.FOLDER


class FolderChange(DueWork):
    """A pending update of paths after a folder was renamed or moved. Access: by folder; due (GSI2)."""

    due_entity = table.FOLDER_CHANGE
    documentId = UnicodeAttribute()  # noqa: N815
    change_id = UnicodeAttribute()  # a later change begins from the start
    after = UnicodeAttribute(null=True)  # the cursor of the page that is next
