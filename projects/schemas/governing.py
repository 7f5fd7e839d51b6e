"""What governs the attributes of documents, as plain values: their definitions, and the schemas that use them."""

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from projects.settings.columns import TABLE

MAX_USES = 60  # attributes in one schema, as many as a project has fields
MAX_ALLOWED = 100  # values of one attribute
MAX_COMPOSITE_KEYS = 10
ATTRIBUTE_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Kind:
    """A type of attribute: seed 002's ``data_type``, and the type of field that the pipeline reads, or none."""

    label: str
    data_type: str
    example: str = ""  # how one of its values is stored


# Ours are finer than the seed's: a date and a currency are STRING there, an amount is NUMBER.
KINDS: Mapping[str, Kind] = {
    "text": Kind("Text", "STRING"),
    "date": Kind("Date", "STRING", "2024-03-31"),
    "currency": Kind("Currency", "STRING", "EUR"),
    "amount": Kind("Amount", "NUMBER", "33.90"),
    "number": Kind("Number", "NUMBER", "1.5"),
    "boolean": Kind("Yes/No", "BOOLEAN", "true"),
    TABLE: Kind("Table", "STRING"),
    "key_only": Kind("Flag (no value)", "KEY_ONLY"),
    "watermark": Kind("Watermark", "WATERMARK"),
}
BARE = frozenset({"KEY_ONLY", "WATERMARK"})  # data types that a document has or has not, without a value
BOOLEANS = ("true", "false")
_YES, _NO = {"true", "yes"}, {"false", "no"}


def kind_of(data_type: str, kind: str | None) -> str:
    """Ours where it is stored; an older writer stored only the seed's data type."""
    if kind:
        return kind
    plain = {"STRING": "text", "NUMBER": "number", "BOOLEAN": "boolean"}
    return plain.get(data_type, data_type.lower())


def to_stored_value(kind: str, text: str) -> str | None:
    """How a value of this kind is stored; None if it is no such value. Strict: an admin types it once, for all.

    Letters are composed as in keys: two values that look the same would be two rows with one key.
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
    """What an attribute of this key is, wherever it is used. ``kind`` is a key of ``KINDS``, or an older writer's.

    ``date_range``: a key of ``DATE_RANGES``, of a date alone; ``columns``: of a table alone, as an admin writes them.
    Rows of an index carry neither.
    """

    key: str
    label: str
    kind: str
    in_use: bool = False
    version: int = 0
    date_range: str = ""
    columns: str = ""
    personal: bool = False  # only for those who may see personal data; rows of an index do not say it
    watermark: str = ""  # what is written across the pages that outsiders see; of a watermark alone

    @property
    def data_type(self) -> str:
        return KINDS[self.kind].data_type if self.kind in KINDS else self.kind.upper()

    @property
    def kind_label(self) -> str:
        return KINDS[self.kind].label if self.kind in KINDS else self.kind.replace("_", " ")

    @property
    def is_read(self) -> bool:
        """Whether the pipeline looks for its value on the pages."""
        return self.kind in KINDS and self.data_type not in BARE

    @property
    def is_value(self) -> bool:
        """Whether documents carry it and are found by it: a table is rows, not one value."""
        return self.is_read and self.kind != TABLE


@dataclass(frozen=True)
class AttributeUse:
    """One attribute in a schema. ``allowed`` empty: every value of its kind; ``default``: if none is found."""

    key: str
    required: bool = False
    allowed: tuple[str, ...] = ()
    default: str = ""


@dataclass(frozen=True)
class Schema:
    """A site's own schema or a classification. ``composite_keys``: attributes that documents are found by together."""

    name: str
    uses: tuple[AttributeUse, ...] = ()
    composite_keys: tuple[tuple[str, ...], ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Every attribute that it names, each once."""
        composite = (key for keys in self.composite_keys for key in keys)
        return tuple(dict.fromkeys([*(one.key for one in self.uses), *composite]))

    def to_json(self) -> str:
        """Seed 002's schema document. It keeps required and optional apart, so ``order`` keeps the order of both."""
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
    """Attributes that documents are found by together; ``owner`` is a classification's id, or empty for the site."""

    keys: tuple[str, ...]
    owner: str


@dataclass(frozen=True)
class Governing:
    """What governs a run that starts now: the site's schema, a classification or none, and their attributes."""

    site: Schema = field(default_factory=lambda: Schema(""))
    site_version: int = 0
    classification: Schema | None = None
    classification_id: str = ""
    classification_version: int = 0
    definitions: Mapping[str, AttributeDefinition] = field(default_factory=dict)


def schema_from_json(text: str | None, name: str = "") -> Schema:
    """What ``to_json`` wrote, or an older writer, who has no ``order`` and perhaps several default values."""
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
