"""Attribute definitions and schemas as plain values."""

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from config.phrase import Phrase
from projects.settings.columns import TABLE

MAX_USES = 60  # attributes in one schema, as many as a project has fields
MAX_ALLOWED = 100  # values of one attribute
MAX_COMPOSITE_KEYS = 10
ATTRIBUTE_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
ENTITY = "entity"  # the kind of attribute whose values refer to suppliers, customers and the like
_REFERENCE = re.compile(r"[\w-]{1,64}#[\w-]{1,64}")  # the type's id and the entity's


@dataclass(frozen=True)
class Kind:
    """A type of attribute: seed 002's ``data_type``, and the field type of the pipeline, if any."""

    label: str
    data_type: str
    example: str = ""  # an example of a stored value


# Finer than the seed's types, where a date and a currency are STRING and an amount is NUMBER.
KINDS: Mapping[str, Kind] = {
    "text": Kind(Phrase("Text"), "STRING"),
    "date": Kind(Phrase("Date"), "STRING", "2024-03-31"),
    "currency": Kind(Phrase("Currency"), "STRING", "EUR"),
    "amount": Kind(Phrase("Amount"), "NUMBER", "33.90"),
    "number": Kind(Phrase("Number"), "NUMBER", "1.5"),
    "boolean": Kind("Yes/No", "BOOLEAN", "true"),
    TABLE: Kind(Phrase("Table"), "STRING"),
    ENTITY: Kind(Phrase("Supplier, customer or other entry"), "ENTITY"),
    "key_only": Kind(Phrase("Flag (no value)"), "KEY_ONLY"),
    "watermark": Kind(Phrase("Watermark"), "WATERMARK"),
    "publication": Kind(Phrase("Publication"), "PUBLICATION"),
}
PUBLICATION = "publication"  # the kind of attribute that marks published documents: not set by hand
BARE = frozenset({"KEY_ONLY", "WATERMARK", "PUBLICATION"})  # data types without a value
BOOLEANS = ("true", "false")
_YES, _NO = {"true", "yes"}, {"false", "no"}


def kind_of(data_type: str, kind: str | None) -> str:
    """Return the stored kind; older rows have only the seed's data type."""
    if kind:
        return kind
    plain = {"STRING": "text", "NUMBER": "number", "BOOLEAN": "boolean"}
    return plain.get(data_type, data_type.lower())


def to_stored_value(kind: str, text: str) -> str | None:  # noqa: PLR0911 - one for each kind
    """Convert a value to its stored form; None if invalid. Strict, since an admin types it once for all.

    Text is normalized to NFC as in keys: values that look alike would otherwise be two rows with one key.
    """
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    match kind:
        case "number" | "amount":
            return _decimal(kind, text)
        case "date":
            return _date(text)
        case "currency":
            return text.upper() if re.fullmatch(r"[A-Za-z]{3}", text) else None
        case "boolean":
            word = text.lower()
            return "true" if word in _YES else "false" if word in _NO else None
        case "text":
            return text or None
        case "entity":
            return text if _REFERENCE.fullmatch(text) else None
    return None


def _decimal(kind: str, text: str) -> str | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    if not value.is_finite() or abs(value.adjusted()) > 30:
        return None
    exponent = value.normalize().as_tuple().exponent
    places = max(-exponent if isinstance(exponent, int) else 0, 2 if kind == "amount" else 0)
    return f"{value:.{places}f}"


def _date(text: str) -> str | None:
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        return None


@dataclass(frozen=True)
class AttributeDefinition:
    """The definition of an attribute key, wherever it is used. ``kind``: a key of ``KINDS``, or of an older version.

    ``date_range``: a key of ``DATE_RANGES``, for dates; ``columns``: for tables, as an admin writes them. Index rows
    have neither. ``entity_type``: id of the type whose entities the values refer to.
    """

    key: str
    label: str
    kind: str
    in_use: bool = False
    version: int = 0
    date_range: str = ""
    columns: str = ""
    personal: bool = False  # restricted to people who may see personal data; missing in index rows
    watermark: str = ""  # for watermarks: the text across pages that outsiders see
    entity_type: str = ""

    @property
    def data_type(self) -> str:
        return KINDS[self.kind].data_type if self.kind in KINDS else self.kind.upper()

    @property
    def kind_label(self) -> str:
        return KINDS[self.kind].label if self.kind in KINDS else self.kind.replace("_", " ")

    @property
    def is_read(self) -> bool:
        """Return True if the pipeline extracts its value."""
        return self.kind in KINDS and self.data_type not in BARE and self.kind != ENTITY

    @property
    def is_value(self) -> bool:
        """Return True if documents have it as a searchable value; a table has rows instead."""
        return self.kind == ENTITY or (self.is_read and self.kind != TABLE)


@dataclass(frozen=True)
class AttributeUse:
    """An attribute in a schema. ``allowed`` empty: every value of its kind; ``default``: if none is found."""

    key: str
    required: bool = False
    allowed: tuple[str, ...] = ()
    default: str = ""


@dataclass(frozen=True)
class Schema:
    """A site's own schema or a classification. ``composite_keys``: attributes that are searched together."""

    name: str
    uses: tuple[AttributeUse, ...] = ()
    composite_keys: tuple[tuple[str, ...], ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All attributes in it, unique."""
        composite = (key for keys in self.composite_keys for key in keys)
        return tuple(dict.fromkeys([*(one.key for one in self.uses), *composite]))

    def to_json(self) -> str:
        """Return seed 002's schema document, which separates required and optional; ``order`` keeps their order."""
        attributes = {
            "compositeKeys": [{"attributeKeys": list(keys)} for keys in self.composite_keys],
            "required": [_use(one) for one in self.uses if one.required],
            "optional": [_use(one) for one in self.uses if not one.required],
            "allowAdditionalAttributes": True,
            "order": [one.key for one in self.uses],
        }
        document = {"name": self.name, "attributes": attributes}
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _use(one: AttributeUse) -> dict[str, Any]:
    found: dict[str, Any] = {"attributeKey": one.key}
    if one.allowed:
        found["allowedValues"] = list(one.allowed)
    if one.default:
        found["defaultValue"] = one.default
    return found


@dataclass(frozen=True)
class CompositeKey:
    """Attributes that are searched together; ``owner``: a classification's id, or empty for the site."""

    keys: tuple[str, ...]
    owner: str


@dataclass(frozen=True)
class Governing:
    """The schemas of a run: the site's, a classification's or none, and their attributes."""

    site: Schema = field(default_factory=lambda: Schema(""))
    site_version: int = 0
    classification: Schema | None = None
    classification_id: str = ""
    classification_version: int = 0
    definitions: Mapping[str, AttributeDefinition] = field(default_factory=dict)


def schema_from_json(text: str | None, name: str = "") -> Schema:
    """Parse the output of ``to_json``; older documents lack ``order`` and may have several default values."""
    document = json.loads(text) if text else {}
    attributes = document.get("attributes") or {}
    uses = [
        _read_use(one, required=required)
        for part, required in (("required", True), ("optional", False))
        for one in attributes.get(part) or ()
    ]
    place = {key: i for i, key in enumerate(attributes.get("order") or ())}
    uses.sort(key=lambda one: place.get(one.key, len(place)))
    composite = tuple(tuple(one["attributeKeys"]) for one in attributes.get("compositeKeys") or ())
    return Schema(str(document.get("name") or name), tuple(uses), composite)


def _read_use(one: Mapping[str, Any], *, required: bool) -> AttributeUse:
    defaults: Sequence[str] = one.get("defaultValues") or ()
    default = one.get("defaultValue") or (defaults[0] if defaults else "")
    return AttributeUse(
        key=str(one["attributeKey"]),
        required=required,
        allowed=tuple(map(str, one.get("allowedValues") or ())),
        default=str(default),
    )
