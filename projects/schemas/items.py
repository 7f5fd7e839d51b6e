"""Rows of what governs attributes: definitions, and schemas with a row for each way to look into one."""

from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from config.table import decode_part
from projects.schemas.governing import AttributeDefinition, Schema, kind_of, schema_from_json
from projects.settings.values import date_range

IN_USE, UNUSED = "in_use", "unused"


class Attribute(Item):
    """Seed 002, Attributes. By key: GetItem. All by key: GSI1; all by data type: GSI2.

    Flat for the indexes: ``name`` its label, ``file_type`` its kind (finer than ``dataType``), ``status`` whether it
    is in use, since neither index carries the seed's own names.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored; this one repeats the key
    type = UnicodeAttribute(default="STANDARD")
    dataType = UnicodeAttribute(null=True)  # noqa: N815 - absent only in index rows, as all the others below
    key_ = UnicodeAttribute(attr_name="key", null=True)  # ``key`` is where the item lives
    isInUse = BooleanAttribute(null=True)  # noqa: N815
    watermarkText = UnicodeAttribute(null=True)  # noqa: N815
    name = UnicodeAttribute(null=True)
    file_type = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    date_range = UnicodeAttribute(null=True)  # of a date, and of none that an older writer made
    columns = UnicodeAttribute(null=True)  # of a table
    personal = BooleanAttribute(null=True)
    version = NumberAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def definition(self) -> AttributeDefinition:
        """Also of an index row, and of a row without our own attributes, as an older writer left it."""
        key = decode_part(self.PK.rpartition("#")[2])
        data_type = self.dataType or (self.GSI2SK or "").rpartition("#")[2]
        kind = kind_of(data_type, self.file_type)
        return AttributeDefinition(
            key=key,
            label=self.name or key.replace("_", " ").capitalize(),
            kind=kind,
            in_use=self.status == IN_USE or bool(self.isInUse),
            version=int(self.version or 0),
            date_range=date_range(key, kind, self.date_range),
            columns=self.columns or "",
            personal=bool(self.personal),
            watermark=self.watermarkText or "",
        )


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
