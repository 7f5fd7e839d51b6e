"""Items of attribute definitions and schemas, with a row for each access pattern."""

from pynamodb.attributes import BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from config.table import decode_part
from projects.schemas.governing import AttributeDefinition, Schema, kind_of, schema_from_json
from projects.settings.values import date_range

IN_USE, UNUSED = "in_use", "unused"


class Attribute(Item):
    """Seed 002, Attributes. By key: GetItem. All by key: GSI1; all by data type: GSI2.

    Denormalized for the indexes: ``name`` is its label, ``file_type`` its kind (finer than ``dataType``), ``status``
    whether it is in use, since neither index projects the seed's own names.
    """

    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored; this one repeats the key
    type = UnicodeAttribute(default="STANDARD")
    dataType = UnicodeAttribute(null=True)  # noqa: N815 - absent only in index rows, as all the others below
    key_ = UnicodeAttribute(attr_name="key", null=True)  # ``key`` is where the item lives
    isInUse = BooleanAttribute(null=True)  # noqa: N815
    watermarkText = UnicodeAttribute(null=True)  # noqa: N815
    entityTypeId = UnicodeAttribute(null=True)  # noqa: N815
    name = UnicodeAttribute(null=True)
    file_type = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    date_range = UnicodeAttribute(null=True)  # for dates; missing in older rows
    columns = UnicodeAttribute(null=True)  # for tables
    personal = BooleanAttribute(null=True)
    version = NumberAttribute(null=True)
    created_at = UnicodeAttribute(null=True)
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def definition(self) -> AttributeDefinition:
        """Also for index rows, and for older rows without our own attributes."""
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
            entity_type=self.entityTypeId or "",
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
        """Also for older rows without flat attributes, where it is the end of the partition key."""
        return self.document_id or self.documentId or self.PK.rpartition("#")[2]

    @property
    def number(self) -> int:
        """The version; 0 for schemas from before versions."""
        return int(self.version or 0)

    @property
    def archived(self) -> bool:
        return self.status == ARCHIVED

    @property
    def schema(self) -> Schema:
        return schema_from_json(self.schema_, self.name or self.id)


class SchemaAttributeKey(Item):
    """Seed 002, Attribute Key. Schemas that use a key: GSI1, with the classification's name and id in it."""

    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)


class SchemaAllowedValue(Item):
    """Seed 002, Attribute Allowed Values. The values of a key in every schema: GSI1, in text order."""

    document_id = UnicodeAttribute(null=True)


class SchemaCompositeKey(Item):
    """Seed 002, Composite Key. All of the site, including those of classifications: GSI1."""

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's name, as stored
    keys: ListAttribute[str] = ListAttribute(null=True)
    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
