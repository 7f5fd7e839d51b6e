"""Schemas as the table keeps them: the head that says everything, and a row for each way to look into it."""

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from projects.schemas.governing import Schema, schema_from_json

ACTIVE, ARCHIVED = "active", "archived"


class SchemaHead(Item):
    """Seed 002, Site Entity Schema and Classification. Each: GetItem. Classifications by name: GSI1.

    ``version`` guards every change: head and rows are written together or not at all. ``document_id``, ``name`` and
    ``status`` are flat for the index.
    """

    name = UnicodeAttribute(null=True)
    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's name, as stored; a site's own schema has none
    schema_ = UnicodeAttribute(attr_name="schema", null=True)
    status = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    version = NumberAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    created_by = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def id(self) -> str:
        """Also of a row without flat copies, as an older writer left it: there it is the tail of the partition."""
        return self.document_id or self.documentId or self.PK.rpartition("#")[2]

    @property
    def number(self) -> int:
        """The version; 0 for a schema of an older writer, who knew no versions."""
        return int(self.version or 0)

    @property
    def archived(self) -> bool:
        return self.status == ARCHIVED

    @property
    def schema(self) -> Schema:
        return schema_from_json(self.schema_, self.name or self.id)


class SchemaAttributeKey(Item):
    """Seed 002, Attribute Key. Which schemas use a key: GSI1, with the classification's name and id in it."""

    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)


class SchemaAllowedValue(Item):
    """Seed 002, Attribute Allowed Values. The values of a key in every schema: GSI1, in the order of the text."""

    document_id = UnicodeAttribute(null=True)


class SchemaCompositeKey(Item):
    """Seed 002, Composite Key. Every one of the site, also those of classifications: GSI1."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's name, as stored
    keys: ListAttribute[str] = ListAttribute(null=True)
    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
