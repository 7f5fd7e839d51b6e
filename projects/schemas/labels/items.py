"""Rows of a site's languages and labels."""

from enum import StrEnum

from pynamodb.attributes import UnicodeAttribute

from config.item import Item
from config.table import decode_part
from projects.schemas.labels.keys import ItemType, LabelKey


class LocaleStatus(StrEnum):
    """Stored as written; a row of an older writer has none and is active."""

    ACTIVE = "ACTIVE"
    REMOVING = "REMOVING"  # shown to no one; its labels are still being deleted


class Locale(Item):
    """Seed 002, Locale List. All of a site by their tags: the partition."""

    locale = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    user_name = UnicodeAttribute(null=True)
    inserteddate = UnicodeAttribute(null=True)

    @property
    def tag(self) -> str:
        return self.locale or self.SK.rpartition("#")[2]

    @property
    def is_active(self) -> bool:
        return self.status != LocaleStatus.REMOVING


class LocaleLabel(Item):
    """Seed 002, Locale Type. All of a language: the partition, ``<tag>#``; one: GetItem."""

    itemType = UnicodeAttribute(null=True)  # noqa: N815 - the seed's names, as stored
    interfaceKey = UnicodeAttribute(null=True)  # noqa: N815
    attributeKey = UnicodeAttribute(null=True)  # noqa: N815
    allowedValue = UnicodeAttribute(null=True)  # noqa: N815
    classificationId = UnicodeAttribute(null=True)  # noqa: N815
    locale = UnicodeAttribute(null=True)
    localizedValue = UnicodeAttribute(null=True)  # noqa: N815
    updated_at = UnicodeAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)

    @property
    def label_key(self) -> LabelKey:
        """Return the key from the sort key, which every writer's row has."""
        _, kind, *parts = (decode_part(part) for part in self.SK.split("#"))
        return LabelKey.of(ItemType(kind), parts)

    @property
    def text(self) -> str:
        return self.localizedValue or ""
