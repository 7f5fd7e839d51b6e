"""The definition of an attribute: which documents may carry under this key, and of which type."""

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from config.table import decode_part
from projects.schemas.governing import AttributeDefinition, kind_of
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
        )
