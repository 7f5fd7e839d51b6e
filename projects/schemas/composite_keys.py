"""Composite keys: the attribute rows by which a document is found by several of its attributes at once; pure."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from config.errors import Refused
from config.table import DEFAULT_SITE, DOCUMENT_ATTRIBUTE, Encoded, InvalidKey, encode_part, join_parts, ordered_number

Value = str | Decimal | bool
VALUE_TYPE = "COMPOSITE_STRING"
MAX_ROWS = 100  # of one document: every row is an index row to keep, and a transaction holds no more


@dataclass(frozen=True)
class CompositeRow:
    """A DOCUMENT_ATTRIBUTE to write: ``key`` and ``value`` are fit for its keys as they are.

    ``keys`` and ``values`` are the same as people know them, in the order of the composite key.
    """

    key: Encoded
    value: Encoded
    keys: tuple[str, ...]
    values: tuple[Value, ...]


def composite_rows(
    definitions: Iterable[Sequence[str]], values: Mapping[str, Sequence[Value]]
) -> tuple[CompositeRow, ...]:
    """A row for each composite key of ``definitions`` whose attributes the document has all.

    An attribute with several values makes a row for each. Where the site and a classification define the same key, its
    rows are there once. Numbers are written so that text order is number order.

    Raises:
        InvalidKey: a value is no text.
        Refused: more rows than a document may have, or values that are too long together for one key.

    """
    rows: dict[tuple[str, str], CompositeRow] = {}
    for keys in definitions:
        for combination in itertools.product(*(values.get(key, ()) for key in keys)):
            if not keys:
                break
            row = _row(keys, combination)
            rows[row.key, row.value] = row
            if len(rows) > MAX_ROWS:
                raise Refused(
                    f"Composite keys would create more than {MAX_ROWS} index entries. Use fewer values for the "
                    "combined attributes."
                )
    return tuple(rows.values())


def _row(keys: Sequence[str], values: tuple[Value, ...]) -> CompositeRow:
    row = CompositeRow(composite_key(keys), composite_value(values), tuple(keys), values)
    try:
        DOCUMENT_ATTRIBUTE.key(DEFAULT_SITE, document_id="any", key=row.key, value=row.value)
    except InvalidKey as error:
        raise Refused(f"The combined values of composite key {', '.join(keys)} are too long. Shorten one.") from error
    return row


def composite_key(keys: Sequence[str]) -> Encoded:
    """The ``key`` of all rows of one composite key, for the index that finds them.

    >>> composite_key(["category", "cost centre/#"])
    'category#cost centre%2F%23'
    """
    return join_parts(keys)


def composite_value(values: Sequence[Value]) -> Encoded:
    """The ``value`` of a row, or of its first parts where fewer are given: a filter by ``begins_with``.

    >>> composite_value(["goods", Decimal("12.5"), True])
    'goods#2501125#true'
    """
    return Encoded("#".join(_part(value) for value in values))


def _part(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ordered_number(value) if isinstance(value, Decimal) else encode_part(value)
