"""Building keys: templates, the tenant rule and the encoding of values.

Parts that people name (tags, attributes, values) may contain anything; reserved characters are percent-encoded, which
nearly keeps the text order. All other parts are our own ids and refused where they would break a key.
"""

import re
import string
import unicodedata
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from config.errors import CountersignError

DEFAULT_SITE = "default"
_SITE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

# An index cannot project inside ``data``, so what lists show is kept flat as well. Never a token, a field value or a
# state. DynamoDB allows 20 an index.
INDEX_ATTRIBUTES = (
    "name",
    "status",
    "outcome",
    "project_id",
    "project_name",
    "document_id",
    "workflow_id",
    "file_type",
    "file_size",
    "page_count",
    "current_step",
    "currentStep",
    "reasons",
    "triage",
    "deadline",
    "holder",
    "holder_name",
    "lease_until",
    "created_at",
    "updated_at",
)
# The seed-000 system's own code lists projects and documents in GSI1 and reads ``data`` of them (ADR 0059).
FIRST_INDEX_ATTRIBUTES = tuple("data" if name == "currentStep" else name for name in INDEX_ATTRIBUTES)
# The second table's indexes answer "who did what", with what changed.
VERSIONS_INDEX_ATTRIBUTES = (
    "documentId",
    "type",
    "userId",
    "user_name",
    "name",
    "inserteddate",
    "changes",
    "versionPk",
    "versionSk",
)


class Key(NamedTuple):
    """An item's partition key, including the site's prefix, and sort key."""

    pk: str
    sk: str


class InvalidKey(CountersignError):
    """A value would break the key it is put into."""


def site_partition(site: str, text: str) -> str:
    """Prefix ``text`` with the site; the default site has no prefix (seed 002).

    >>> site_partition("default", "PROJ#p1"), site_partition("acme", "PROJ#p1")
    ('PROJ#p1', 'acme/PROJ#p1')
    """
    if not _SITE.fullmatch(site):
        raise InvalidKey("A site ID has up to 40 lowercase letters, digits and hyphens.")
    return text if site == DEFAULT_SITE else f"{site}/{text}"


def site_of(pk: str) -> str:
    """Return the site of a stored partition key, for rows found system-wide; the inverse of ``site_partition``.

    >>> site_of("PROJ#p1"), site_of("acme/PROJ#p1")
    ('default', 'acme')
    """
    head, slash, _ = pk.partition("/")
    return head if slash and _SITE.fullmatch(head) else DEFAULT_SITE


# Parts that people name. Everything else in a key is an id, an instant or a word of ours.
_TEXT = frozenset(
    [
        "tag_key", "tag_value", "key", "value", "name", "entity", "username", "group_name", "keys", "path",
        "interface_key", "attribute_key", "allowed_value",
    ]
)  # fmt: skip
# The folder of a site's first level has no id (seed 002); a document type's own name is of no attribute and no value.
_MAY_BE_EMPTY = frozenset({"tag_value", "value", "parent_document_id", "attribute_key", "allowed_value"})
_LONGEST_PARTITION, _LONGEST_SORT = 2048, 1024  # bytes, DynamoDB's own limits


class Encoded(str):
    """Text already encoded for a key, as ``join_parts`` returns it."""


def encode_part(text: str) -> Encoded:
    """Composed unicode with ``%``, ``#``, ``/`` and what cannot be printed as ``%XX``; ``decode_part`` is its inverse.

    >>> encode_part("A/B #1"), decode_part(encode_part("100 %"))
    ('A%2FB %231', '100 %')

    Raises:
        InvalidKey: the text is not valid Unicode.

    """
    try:
        composed = unicodedata.normalize("NFC", text).encode().decode()
    except UnicodeEncodeError as error:
        raise InvalidKey("The text contains an invalid character. Enter it again.") from error
    return Encoded(
        "".join(urllib.parse.quote(one, safe="") if one in "%#/" or not one.isprintable() else one for one in composed)
    )


def decode_part(text: str) -> str:
    return urllib.parse.unquote(text)


def join_parts(parts: Sequence[str]) -> Encoded:
    """Join several texts into one key part, for composite keys: ``a#b``."""
    return Encoded("#".join(encode_part(part) for part in parts))


def ordered_number(number: Decimal) -> str:
    """Encode a number as text that sorts like it: sign, exponent, digits; the last two complemented for negatives.

    >>> sorted([Decimal("10"), Decimal("-2"), Decimal("9.5"), Decimal("-10")], key=ordered_number)
    [Decimal('-10'), Decimal('-2'), Decimal('9.5'), Decimal('10')]
    """
    if not number.is_finite():
        raise InvalidKey("A number in a key must be finite.")
    if not number:
        return "1"
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    text = f"{number.adjusted() + 500:03d}{digits}"
    if number > 0:
        return f"2{text}"
    return "0" + text.translate(str.maketrans("0123456789", "9876543210")) + "~"


def number_of(text: str) -> Decimal:
    """Decode the text of ``ordered_number``.

    >>> number_of(ordered_number(Decimal("-12.5")))
    Decimal('-12.5')

    Raises:
        InvalidKey: the text is not of that form.

    """
    if not re.fullmatch(r"1|2\d{4,}|0\d{4,}~", text):
        raise InvalidKey("This key holds no number.")
    if text == "1":
        return Decimal()
    below = text.startswith("0")
    body = text[1:-1].translate(str.maketrans("9876543210", "0123456789")) if below else text[1:]
    digits = tuple(map(int, body[3:]))
    return Decimal((int(below), digits, int(body[:3]) - 500 - len(digits) + 1))


def _safe(name: str, value: str | int) -> str | int:
    if isinstance(value, int):
        if value < 0:
            raise InvalidKey(f"{name} is below zero and would not sort.")
        return value
    if name in _TEXT and (value or name in _MAY_BE_EMPTY):
        return value if isinstance(value, Encoded) else encode_part(value)
    if not value and name in _MAY_BE_EMPTY:
        return value
    if not value or "#" in value or "/" in value or not value.isprintable():
        raise InvalidKey(f"{name} is empty or holds a character that keys are built with.")
    return value


def fill_template(template: str, parts: dict[str, str | int]) -> str:
    """Raises: InvalidKey if a part is missing or would break the key."""
    wanted = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    if missing := wanted - parts.keys():
        raise InvalidKey(f"{', '.join(sorted(missing))} is missing for {template}.")
    return template.format(**{name: _safe(name, parts[name]) for name in wanted})


def _sort(template: str, parts: dict[str, str | int]) -> str:
    return _short(fill_template(template, parts), _LONGEST_SORT)


def _prefix(template: str, parts: dict[str, str | int]) -> str:
    head = ""
    for text, name, spec, _ in string.Formatter().parse(template):
        head += text
        if name is None or name not in parts:
            break
        head += format(_safe(name, parts[name]), spec or "")
    return head


def _short(text: str, longest: int) -> str:
    if not text:
        raise InvalidKey("What is listed by its value has to have one: a key is never empty.")
    if len(text.encode()) > longest:
        raise InvalidKey(f"This value is too long to be indexed. Including its name it can have up to {longest} bytes.")
    return text


@dataclass(frozen=True)
class Entity:
    """One kind of row: key templates, the seed it comes from, and its stored attributes."""

    design: str
    name: str
    pk: str
    sk: str
    gsi1pk: str | None = None
    gsi1sk: str | None = None
    gsi2pk: str | None = None
    gsi2sk: str | None = None
    attributes: tuple[str, ...] = ()
    note: str = ""
    table: str = "main"  # or "versions": the same keys in a second table
    system: bool = False  # found before any site is known, so never after a site's prefix
    deviation: str = ""  # why it is not the seed's, if it is not
    internal: str = ""  # why no person and no program asks for it, if it lacks a page, an operation or a reader
    not_shown: str = ""  # why pages or operations use it without showing it
    shown_by: tuple[str, ...] = ()  # page and operation that show it through code for rows of several kinds

    def _partition(self, site: str, template: str | None, parts: dict[str, str | int]) -> str:
        text = fill_template(template or "", parts)
        return _short(text if self.system else site_partition(site, text), _LONGEST_PARTITION)

    def partition_key(self, site: str, **parts: str | int) -> str:
        return self._partition(site, self.pk, parts)

    def key(self, site: str, **parts: str | int) -> Key:
        """Return the keys of one item.

        >>> PROJECT.key("acme", project_id="p1")
        Key(pk='acme/PROJ#p1', sk='META')

        Raises:
            InvalidKey: a part is missing or would break the key.

        """
        return Key(self.partition_key(site, **parts), _sort(self.sk, parts))

    def sort_prefix(self, **parts: str | int) -> str:
        """Return the sort key's prefix, filled as far as ``parts`` go, for ``begins_with``.

        >>> DOCUMENT_EVENT.sort_prefix(), REVIEW_DECISION.sort_prefix(review_id="r1")
        ('EVENT#', 'REVIEW#r1#DECISION#')
        """
        return _prefix(self.sk, parts)

    def gsi1_prefix(self, **parts: str | int) -> str:
        """Return the same prefix of GSI1's sort key.

        >>> SITE.gsi1_prefix(status="ACTIVE")
        'sites#ACTIVE#'
        """
        return _prefix(self.gsi1sk or "", parts)

    def gsi2_prefix(self, **parts: str | int) -> str:
        return _prefix(self.gsi2sk or "", parts)

    def gsi1_partition(self, site: str, **parts: str | int) -> str:
        return self._partition(site, self.gsi1pk, parts)

    def gsi1(self, site: str, **parts: str | int) -> dict[str, Any]:
        """``{"GSI1PK": …, "GSI1SK": …}``; the site's prefix goes on the partition, never on the sort key."""
        return {"GSI1PK": self.gsi1_partition(site, **parts), "GSI1SK": _sort(self.gsi1sk or "", parts)}

    def gsi2_partition(self, site: str, **parts: str | int) -> str:
        return self._partition(site, self.gsi2pk, parts)

    def gsi2(self, site: str, **parts: str | int) -> dict[str, Any]:
        return {"GSI2PK": self.gsi2_partition(site, **parts), "GSI2SK": _sort(self.gsi2sk or "", parts)}


def names(text: str) -> tuple[str, ...]:
    return tuple(text.split())
