"""What people hang on a document to find it again: tags and typed attributes, and the values that were (seed 002).

Each row repeats flat what lists show of its document.
"""

from decimal import Decimal
from typing import Any

from pynamodb.attributes import Attribute, BooleanAttribute, ListAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.constants import NUMBER

from config.item import Item, VersionItem
from config.table import decode_part

Value = str | Decimal | bool


class DecimalAttribute(Attribute[Decimal]):
    """A number with all its digits (≤ 38): PynamoDB's own goes through a float."""

    attr_type = NUMBER

    def serialize(self, value: Decimal) -> str:
        return f"{value:f}"

    def deserialize(self, value: str) -> Decimal:
        return Decimal(value)


class _Listed:
    """What lists show of the row's document, kept flat; absent in rows of older writers."""

    name = UnicodeAttribute(null=True)
    document_id = UnicodeAttribute(null=True)
    project_id = UnicodeAttribute(null=True)
    project_name = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute(null=True)


class _Valued:
    """One value, under the attribute of its type."""

    key_ = UnicodeAttribute(attr_name="key", null=True)  # ``key`` is where the item lives
    index = NumberAttribute(null=True)
    valueType = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored
    stringValue = UnicodeAttribute(null=True)  # noqa: N815
    numberValue = DecimalAttribute(null=True)  # noqa: N815
    booleanValue = BooleanAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815


class DocumentTag(_Listed, Item):
    """One value of a tag. Access: by document; by tag and value, newest first (GSI1); by tag in order of value (GSI2).

    A tag with one value is one row; with several it is a row each, which all know ``tagValues``.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    type = UnicodeAttribute(null=True)
    tagValue = UnicodeAttribute(null=True)  # noqa: N815
    tagValues: ListAttribute[str] = ListAttribute(null=True)  # noqa: N815
    userId = UnicodeAttribute(null=True)  # noqa: N815
    inserteddate = UnicodeAttribute(null=True)

    @property
    def tag_key(self) -> str:
        return decode_part(self.SK.split("#")[1])


class DocumentAttribute(_Listed, _Valued, Item):
    """One value of an attribute. Access: by document; by attribute in order of value (GSI1), numbers as numbers.

    ``valueType``: STRING, NUMBER, BOOLEAN, KEY_ONLY, or COMPOSITE_STRING for the rows of composite keys.
    """

    documentId = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored; absent only in index rows
    inserteddate = UnicodeAttribute(null=True)

    @property
    def value(self) -> Value:
        """KEY_ONLY has an empty one."""
        if self.valueType == "NUMBER":
            return self.numberValue or Decimal()
        return bool(self.booleanValue) if self.valueType == "BOOLEAN" else self.stringValue or ""


class DocumentAttributeVersion(_Valued, VersionItem):
    """A value that was: written when it is replaced or taken away. Access: by document and attribute, in time."""

    archive_sk = UnicodeAttribute(attr_name="archive#SK")
    documentId = UnicodeAttribute()  # noqa: N815 - the seed's names, as stored
    inserteddate = UnicodeAttribute()


def flat_copies(document: Any) -> dict[str, Any]:
    """What lists show of the document, for each of its rows that a list may find: nothing that ever changes."""
    names = ("name", "document_id", "project_id", "project_name", "created_at")
    return {name: getattr(document, name) for name in names}
