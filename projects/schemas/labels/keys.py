"""Keys of labels: what a label names and where it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.table import InvalidKey, Key


class ItemType(StrEnum):
    """FormKiQ's words, stored as written."""

    INTERFACE = "INTERFACE"
    SCHEMA = "SCHEMA"
    CLASSIFICATION = "CLASSIFICATION"


@dataclass(frozen=True)
class LabelKey:
    """The key of one labelled thing.

    INTERFACE: ``interface_key`` is an attribute's or a field's key, ``key.column`` of a table's column, or any text.
    SCHEMA: a value that the site's schema allows for an attribute. CLASSIFICATION: the document type's name (both
    empty), what it calls an attribute (no value), or a value that it allows.
    """

    type: ItemType
    interface_key: str = ""
    classification_id: str = ""
    attribute_key: str = ""
    allowed_value: str = ""

    @classmethod
    def of(cls, kind: ItemType, parts: Sequence[str]) -> "LabelKey":
        """Build it from the parts of its sort key. Raises: NotFound if there are too many or too few."""
        match kind, list(parts):
            case ItemType.INTERFACE, [key]:
                return cls(kind, interface_key=key)
            case ItemType.SCHEMA, [key, value]:
                return cls(kind, attribute_key=key, allowed_value=value)
            case ItemType.CLASSIFICATION, [classification_id, key, value]:
                return cls(kind, classification_id=classification_id, attribute_key=key, allowed_value=value)
        raise NotFound(gettext("Label not found."))


def locale_key(site: str, tag: str) -> Key:
    """Raises: InvalidKey."""
    return table.LOCALE.key(site, locale=tag)


def stored_key(site: str, tag: str, key: LabelKey) -> Key:
    """Raises: InvalidKey, if it is too long, or empty where it must not be."""
    parts = {"locale": tag, "type": key.type.value}
    if key.type == ItemType.INTERFACE:
        return table.LOCALE_INTERFACE.key(site, **parts, interface_key=key.interface_key)
    parts |= {"attribute_key": key.attribute_key, "allowed_value": key.allowed_value}
    if key.type == ItemType.SCHEMA:
        return table.LOCALE_SCHEMA_VALUE.key(site, **parts)
    return table.LOCALE_CLASSIFICATION_VALUE.key(site, **parts, classification_id=key.classification_id)


def item_key(key: LabelKey) -> str:
    """How addresses and files name it: its sort key without the language.

    >>> item_key(LabelKey(ItemType.SCHEMA, attribute_key="priority", allowed_value="HI"))
    'SCHEMA#priority#HI'

    Raises: InvalidKey.
    """
    return stored_key(table.DEFAULT_SITE, "-", key).sk.partition("#")[2]


def read_item_key(text: str) -> LabelKey:
    """The inverse of ``item_key``. Raises: NotFound."""
    kind, *parts = text.split("#")
    if kind not in set(ItemType):
        raise NotFound(gettext("Label not found."))
    key = LabelKey.of(ItemType(kind), [table.decode_part(part) for part in parts])
    try:
        if item_key(key) == text:
            return key
    except InvalidKey as error:
        raise NotFound(gettext("Label not found.")) from error
    raise NotFound(gettext("Label not found."))
