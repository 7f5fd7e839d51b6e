"""Entities of seed 002 that documents are filed under: folders."""

from config.table.keys import Entity, names

# --- folders ---------------------------------------------------------------
FOLDER_ENTRY = Entity(
    "document_management", "FolderEntry", "global#folders#{parent_document_id}", "ff#{path}",
    gsi1pk="folder#{document_id}", gsi1sk="folder",
    attributes=names("documentId path type parentDocumentId inserteddate lastModifiedDate userId"),
    note="a file instead of a folder: SK fi#{path}, no GSI1",
)  # fmt: skip
FILE_ENTRY = Entity(
    "countersign", "FileEntry", "global#folders#{parent_document_id}", "fi#{path}",
    attributes=names("documentId path type parentDocumentId inserteddate lastModifiedDate userId"),
    note="the seed's FolderEntry of a document; {path} is the name in small letters, as for folders",
)  # fmt: skip
RESTRICTED_FOLDER = Entity(
    "countersign", "RestrictedFolder", "global#folders#{parent_document_id}", "ff#{path}",
    gsi2pk="folders#restricted", gsi2sk="{document_id}",
    note="GSI2 of FolderEntry, where it lets only some groups in",
)  # fmt: skip
FOLDER_CHANGE = Entity(
    "countersign", "FolderChange", "folder#{document_id}", "change",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#folder#{document_id}",
    attributes=names("documentId change_id after"),
    note="the paths of what is in the folder are written anew; gone when they are",
)  # fmt: skip
