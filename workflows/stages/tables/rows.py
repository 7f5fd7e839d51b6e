"""The value of a table: text with a line a row and a tab between cells, as spreadsheets copy and paste it; pure."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher

from projects.settings.columns import Column
from workflows.stages import values

MOST_ROWS = 300
LONGEST = 60_000  # characters
Rows = tuple[tuple[str, ...], ...]
_LINE = re.compile(r"\r\n|\r|\n")
# Shown beside the table where a cell is not accepted.
WRITE = {
    "number": "a number, for example 12 or 1.5",
    "amount": "an amount, for example 33.90",
    "percent": "a percentage, for example 19",
    "date": "a date, for example 2024-03-31",
}


def read_rows(text: str | None, width: int = 0) -> Rows:
    """Rows without empty ones, each at least ``width`` cells wide."""
    rows = [tuple(" ".join(cell.split()) for cell in line.split("\t")) for line in _LINE.split(text or "")]
    return tuple(row + ("",) * (width - len(row)) for row in rows if any(row))


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows if any(map(str.strip, row)))


def to_stored_cell(kind: str, text: str) -> str | None:
    """How a cell of this type is stored; None if it is no such value. An empty one is none of any type."""
    match kind:
        case "amount":
            return values.amount(text)
        case "number" | "percent":
            return values.number(text)
        case "date":
            return values.date(text)
    return text.strip() or None


def to_stored_table(columns: Sequence[Column], text: str) -> str:
    """Every cell as it is stored, and as it was typed where it is no value of its column."""
    return write_rows(
        [(to_stored_cell(column.type, cell) or cell) for column, cell in zip(columns, row, strict=False)]
        for row in read_rows(text, len(columns))
    )


def normalise_table(text: str) -> str:
    """Two tables are the same answer where this is the same: no case, spaces or punctuation, numbers by their value."""
    return "\n".join("\t".join(map(_plain_cell, row)).rstrip("\t") for row in read_rows(text))


def _plain_cell(cell: str) -> str:
    try:
        return f"{Decimal(cell).normalize():f}"
    except InvalidOperation:
        return values.words(cell)


def table_problem(columns: Sequence[Column], label: str, text: str) -> str | None:
    """The first thing to change before the table can be stored, in words."""
    rows = read_rows(text, len(columns))
    if len(rows) > MOST_ROWS or len(text) > LONGEST:
        return f"{label} is too long. Use at most {MOST_ROWS} rows and {LONGEST:,} characters."
    for number, row in enumerate(rows, 1):
        if len(row) > len(columns):
            return f"Row {number} has {len(row)} cells; {label} has {len(columns)} columns."
        for column, cell in zip(columns, row, strict=True):
            if not cell and column.required:
                return f"Row {number}: enter {column.label}, or delete the row."
            if cell and to_stored_cell(column.type, cell) is None:
                return f"Row {number}: {column.label} “{cell[:40]}” is not {WRITE[column.type]}."
    return None


def match_rows(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> list[int | None]:
    """For each row after a change the place of the row that it was, None for a new one; in the same order."""
    first, second = ([tuple(row) for row in rows] for rows in (before, after))
    found: list[int | None] = [None] * len(second)
    for kind, low, high, start, end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal" or (kind == "replace" and high - low == end - start):
            found[start:end] = range(low, high)
        elif kind == "replace":
            _match_alike(first, second, range(low, high), range(start, end), found)
    return found


def _match_alike(
    first: Sequence[Sequence[str]], second: Sequence[Sequence[str]], old: range, new: range, found: list[int | None]
) -> None:
    """Of more or fewer rows than there were: each with the next old one that half of its cells are of."""
    since = old.start
    for place in new:
        alike = (at for at in range(since, old.stop) if 2 * _count_same(first[at], second[place]) >= len(first[at]))
        if (at := next(alike, None)) is not None:
            found[place], since = at, at + 1


def _count_same(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(bool(here) and here == there for here, there in zip(one, other, strict=False))
