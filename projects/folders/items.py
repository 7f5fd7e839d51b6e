"""A folder, and a document's place in one: both are entries of the folder above (seed 002)."""

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
    """What stands in a folder. Access: all of a folder, its folders first; a folder by id (GSI1).

    ``path`` is its own name, and its key the name in small letters, so that no two of a folder are alike. A folder
    with ``groups`` is found among the restricted ones of its site (GSI2); ``closing_at`` while it is being deleted.
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
        """Empty on the first level; an index row has it in its key only."""
        return self.PK.rpartition("#")[2]

    @property
    def folder_id(self) -> str:
        """Of a folder, whichever way it was read."""
        return self.documentId or (self.GSI1PK or "").rpartition("#")[2]

    @property
    def is_folder(self) -> bool:
        return self.type == EntryType.FOLDER


class FolderChange(DueWork):
    """A folder was renamed or moved: the paths of all that is in it follow. Access: by folder; due (GSI2)."""

    due_entity = table.FOLDER_CHANGE
    documentId = UnicodeAttribute()  # noqa: N815
    change_id = UnicodeAttribute()  # a later change begins from the start
    after = UnicodeAttribute(null=True)  # the cursor of the page that is next
