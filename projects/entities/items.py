"""Items of entity types, entities and their unique numbers."""

from collections.abc import Mapping
from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config import table
from config.due.items import DueWork
from config.item import Item, map_attribute

PREFIX = "attr#"  # seed 002: what marks an attribute
MERGED = "MERGED"


class EntityType(Item):
    """Access: by id; all of a site by name (GSI1).

    ``uses``: how many entries and attributes it has, counted by their own writes, since indexes lag behind. Too low in
    rows of before and of other writers, which do not count.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    namespace = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)
    user_name = UnicodeAttribute(null=True)
    uses = NumberAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def type_id(self) -> str:
        return self.PK.rpartition("#")[2]


class EntityRow(Item):
    """Access: by type and id; all of a type by name (GSI1), but for those that were merged into others.

    ``aliases``: other names of it. ``metadata``: further attributes, whose names start with attr#.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815
    entityTypeId = UnicodeAttribute(null=True)  # noqa: N815
    name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)
    tax_id = UnicodeAttribute(null=True)
    ibans: ListAttribute[str] = ListAttribute(null=True)
    aliases: ListAttribute[str] = ListAttribute(null=True)
    metadata = map_attribute(null=True)
    status = UnicodeAttribute(null=True)
    merged_into = UnicodeAttribute(null=True)
    version = NumberAttribute(default=0)
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def entity_id(self) -> str:
        return self.PK.rpartition("#")[2]

    @property
    def type_id(self) -> str:
        return self.PK.split("#")[-2]

    @property
    def attributes(self) -> Mapping[str, str]:
        stored: Mapping[str, Any] = self.metadata.as_dict() if self.metadata is not None else {}
        return {key.removeprefix(PREFIX): str(value) for key, value in sorted(stored.items())}


class EntityMerge(DueWork):
    """Documents that refer to a duplicate, yet to be pointed to what it was merged into. Access: by it; due (GSI2).

    ``userId``, ``user_name``: who merged them, and so changes the documents.
    """

    due_entity = table.ENTITY_MERGE
    documentId = UnicodeAttribute()  # noqa: N815
    entityTypeId = UnicodeAttribute()  # noqa: N815
    userId = UnicodeAttribute()  # noqa: N815
    user_name = UnicodeAttribute()
    inserteddate = UnicodeAttribute()


class EntityName(Item):
    """Which entity is called so. Access: all of a name, whatever its case; a type's by the start of a name (GSI1)."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - absent only in index rows
    entityTypeId = UnicodeAttribute(null=True)  # noqa: N815

    @property
    def entity_id(self) -> str:
        return self.SK.rpartition("#")[2]


class EntityNumber(Item):
    """Whose tax ID or IBAN it is. Access: by the number."""

    documentId = UnicodeAttribute()  # noqa: N815
    entityTypeId = UnicodeAttribute()  # noqa: N815
