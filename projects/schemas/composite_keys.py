"""Composite keys: rows that find documents by several attributes at once. Pure functions."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext

from config.errors import Refused
from config.table import DEFAULT_SITE, DOCUMENT_ATTRIBUTE, Encoded, InvalidKey, encode_part, join_parts, ordered_number

Value = str | Decimal | bool
VALUE_TYPE = "COMPOSITE_STRING"
MAX_ROWS = 100  # rows of a document: each is in an index, and a transaction holds no more


@dataclass(frozen=True)
class CompositeRow:
    """A DOCUMENT_ATTRIBUTE to write: ``key`` and ``value`` are already encoded.

    ``keys`` and ``values`` are their readable forms, in the order of the composite key.
    """

    key: Encoded
    value: Encoded
    keys: tuple[str, ...]
    values: tuple[Value, ...]


def composite_rows(
    definitions: Iterable[Sequence[str]], values: Mapping[str, Sequence[Value]]
) -> tuple[CompositeRow, ...]:
    """Return a row for each composite key of ``definitions`` whose attributes the document all has.

    An attribute with several values makes a row for each. If the site and a classification define the same key, its
    rows exist once. Numbers are encoded so that text order is number order.

    Raises:
        InvalidKey: a value is not valid text.
        Refused: too many rows, or values that are too long for one key.

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
                    gettext(
                        "Composite keys would create more than %(max_rows)s index entries. Use fewer values "
                        "for the combined attributes."
                    )
                    % {"max_rows": MAX_ROWS}
                )
    return tuple(rows.values())


def _row(keys: Sequence[str], values: tuple[Value, ...]) -> CompositeRow:
    row = CompositeRow(composite_key(keys), composite_value(values), tuple(keys), values)
    try:
        DOCUMENT_ATTRIBUTE.key(DEFAULT_SITE, document_id="any", key=row.key, value=row.value)
    except InvalidKey as error:
        raise Refused(
            gettext("The combined values of composite key %(keys)s are too long. Shorten one.")
            % {"keys": ", ".join(keys)}
        ) from error
    return row


def composite_key(keys: Sequence[str]) -> Encoded:
    """Return the ``key`` of all rows of one composite key, for index queries.

    >>> composite_key(["category", "cost centre/#"])
    'category#cost centre%2F%23'
    """
    return join_parts(keys)


def composite_value(values: Sequence[Value]) -> Encoded:
    """Return the ``value`` of a row, or its prefix if fewer values are given, for ``begins_with``.

    >>> composite_value(["goods", Decimal("12.5"), True])
    'goods#2501125#true'
    """
    return Encoded("#".join(_part(value) for value in values))


def _part(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ordered_number(value) if isinstance(value, Decimal) else encode_part(value)
