"""Parsing of table columns, one a line. Pure functions.

``Amount, amount, required, sums to net_total``: the label, then what else is to be said, in any order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from config.errors import Refused

TABLE = "table"  # the type of a field with rows
COLUMN_TYPES = ("text", "number", "amount", "percent", "date")
MOST_COLUMNS = 12
LONGEST_COLUMNS = 1_000  # characters of all columns: a run freezes those of all its fields
ANY_COLUMNS = "\n".join(
    (
        "Description, required",
        "Quantity, number",
        "Unit price, amount",
        "Amount, amount, required",
    )
)
ITEM_COLUMNS = f"{ANY_COLUMNS}, sums to net_total"
_SUMS = re.compile(r"sums to\s+([a-z][a-z0-9_]{0,39})", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """``type``: of ``COLUMN_TYPES``. ``total``: the name of the field with the column's sum, or empty."""

    name: str
    label: str
    type: str = "text"
    required: bool = False
    total: str = ""


def read_columns(text: str) -> tuple[Column, ...]:
    """Parse the columns; blank lines are ignored.

    >>> read_columns("Amount, amount, required, sums to total")
    (Column(name='amount', label='Amount', type='amount', required=True, total='total'),)

    Raises:
        Refused: a word is unknown, two columns have one name, or there are none, or too many.

    """
    columns = tuple(_column(line, number) for number, line in enumerate(filter(str.strip, text.splitlines()), 1))
    if not columns:
        raise Refused("Enter at least one column, one per line, for example: Amount, amount, required.")
    if len(columns) > MOST_COLUMNS:
        raise Refused(f"A table can have up to {MOST_COLUMNS} columns. Remove some.")
    names = [one.name for one in columns]
    if twice := next((one.label for one in columns if names.count(one.name) > 1), ""):
        raise Refused(f"Two columns are called “{twice}”. Give each its own label.")
    return columns


def write_columns(columns: tuple[Column, ...]) -> str:
    return "\n".join(", ".join(_words(one)) for one in columns)


def _words(one: Column) -> Iterator[str]:
    yield one.label
    if one.type != "text":
        yield one.type
    if one.required:
        yield "required"
    if one.total:
        yield f"sums to {one.total}"


def _column(line: str, number: int) -> Column:
    label, *words = (" ".join(part.split()) for part in line.split(","))
    if not label:
        raise Refused(f"Column {number} has no label. Start the line with it.")
    kind, required, total = "text", False, ""
    for word in filter(None, words):
        plain = word.casefold()
        if plain in COLUMN_TYPES:
            kind = plain
        elif plain == "required":
            required = True
        elif found := _SUMS.fullmatch(word):
            total = found[1].lower()
        else:
            known = ", ".join(COLUMN_TYPES)
            raise Refused(f"{label}: “{word[:40]}” is not known. Use {known}, required, or sums to and a field's name.")
    if total and kind not in {"amount", "number"}:
        raise Refused(f"{label}: only a column of type amount or number can sum to a field.")
    name = re.sub(r"[^a-z0-9]+", "_", label.casefold()).strip("_")[:40]
    return Column(name or f"column_{number}", label, kind, required, total)
