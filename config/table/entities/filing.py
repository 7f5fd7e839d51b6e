"""Entities of seed 002 for folders, cases and suppliers."""

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
    shown_by=("folders:show-folder", "list_folder"),
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
    not_shown="work to be done once after a folder moved: what shows it are the paths of its documents",
)  # fmt: skip

# --- cases -----------------------------------------------------------------
CASE = Entity(
    "document_management", "Case", "case#{case_id}", "case",
    gsi1pk="case#", gsi1sk="case#{case_id}",
    attributes=names(
        "documentId name description status caseNumber documentNumber metadata inserteddate startDate endDate"
    ),
)  # fmt: skip
CASE_TASK = Entity(
    "document_management", "CaseTask", "case#{case_id}", "task#{task_id}",
    attributes=names("documentId caseId name description status metadata inserteddate startDate endDate"),
)  # fmt: skip
CASE_NIGO = Entity(
    "document_management", "CaseNigo", "case#{case_id}", "nigo#{nigo_id}",
    attributes=names("documentId caseId name description status metadata inserteddate startDate endDate"),
    note="NIGO: not in good order",
)  # fmt: skip
CASE_DOCUMENT = Entity(
    "document_management", "CaseDocument", "case#{case_id}", "doc#{type}#{object_id}#{document_id}",
    attributes=names("documentId caseId objectId type inserteddate"),
)  # fmt: skip
# Further ways to rows that left an index free.
CASE_BY_STATUS = Entity(
    "countersign", "CaseByStatus", "case#{case_id}", "case",
    gsi2pk="cases#{status}", gsi2sk="{updated_at}#{case_id}",
    note="GSI2 of Case",
)  # fmt: skip
TASK_OF_OWNER = Entity(
    "countersign", "TaskOfOwner", "case#{case_id}", "task#{task_id}",
    gsi1pk="tasks#{user_id}", gsi1sk="{due_on}#{task_id}",
    note="GSI1 of CaseTask, while it is open and has an owner; due_on is a day, ~ for none",
)  # fmt: skip
CASE_OF_DOCUMENT = Entity(
    "countersign", "CaseOfDocument", "case#{case_id}", "doc#{type}#{object_id}#{document_id}",
    gsi1pk="cases#of#{document_id}", gsi1sk="{case_id}#{type}#{object_id}",
    note="GSI1 of CaseDocument",
)  # fmt: skip
CASE_EVENT = Entity(
    "countersign", "CaseEvent", "case#{case_id}", "EVENT#{datetime_us}#{event_type}",
    gsi1pk="EVENTS#{date}", gsi1sk="{datetime_us}#{event_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#event#{event_id}",
    attributes=names("event_id type occurredAt correlationId bus_type bus_detail"),
    note="what the bus is told of a case; GSI1 as a document's event; GSI2 until it has been",
)  # fmt: skip

# --- suppliers, customers and others that documents name ------------------
ENTITY_TYPE = Entity(
    "document_management", "EntityType", "entityType#{document_id}", "entityType",
    gsi1pk="entityType#", gsi1sk="entityType#{namespace}#{name}#",
    attributes=names("documentId namespace name inserteddate"),
)  # fmt: skip
ENTITY = Entity(
    "document_management", "Entity", "entity#{entity_type_id}#{document_id}", "entity",
    gsi1pk="entity#{entity_type_id}", gsi1sk="entity#{name}#{document_id}",
    attributes=names("documentId entityTypeId name inserteddate"),
    note="metadata attributes are stored as attr#NAME",
)  # fmt: skip
ENTITY_MERGE = Entity(
    "countersign", "EntityMerge", "entity#{entity_type_id}#{document_id}", "merge",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#merge#{entity_type_id}#{document_id}",
    attributes=names("documentId entityTypeId userId user_name inserteddate"),
    note="documents that refer to the duplicate are pointed to what it was merged into; gone when they are",
    not_shown="work to be done once after a merge: the entity's own history tells of the merge",
)  # fmt: skip
ENTITY_NUMBER = Entity(
    "countersign", "EntityNumber", "entitynumbers#{key}#{value}", "number",
    attributes=names("documentId entityTypeId"),
    note="key tax_id|iban; whose number it is: of a site each is one entity's",
    not_shown="a lock, so that no two entities have one number: show_entity gives the number",
)  # fmt: skip
ENTITY_NAME = Entity(
    "countersign", "EntityName", "entitynames#{entity_type_id}#{name}", "entityname#{document_id}",
    gsi1pk="entitynames#{entity_type_id}", gsi1sk="{name}#{document_id}",
    attributes=names("documentId entityTypeId"),
    note="name: one of an entity's names, without case; which entities are called so. GSI1: by the start of a name",
)  # fmt: skip
