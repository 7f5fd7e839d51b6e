"""A table's value as text: a line a row, tabs between cells, as spreadsheets copy and paste it. Pure functions."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from itertools import zip_longest

from config.phrase import Sentence
from projects.settings.columns import Column
from workflows.stages import values

MOST_ROWS = 300
LONGEST = 60_000  # characters
Rows = tuple[tuple[str, ...], ...]
_LINE = re.compile(r"\r\n|\r|\n")
# Shown beside the table if a cell is invalid.
WRITE = {
    "number": Sentence("Row %(row)s: %(column)s “%(cell)s” is not a number, for example 12 or 1.5."),
    "amount": Sentence("Row %(row)s: %(column)s “%(cell)s” is not an amount, for example 33.90."),
    "percent": Sentence("Row %(row)s: %(column)s “%(cell)s” is not a percentage, for example 19."),
    "date": Sentence("Row %(row)s: %(column)s “%(cell)s” is not a date, for example 2024-03-31."),
}


def read_rows(text: str | None, width: int = 0) -> Rows:
    """Return the rows, without empty ones, each at least ``width`` cells wide."""
    rows = [tuple(" ".join(cell.split()) for cell in line.split("\t")) for line in _LINE.split(text or "")]
    return tuple(row + ("",) * (width - len(row)) for row in rows if any(row))


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows if any(map(str.strip, row)))


def to_stored_cell(kind: str, text: str) -> str | None:
    """Return the stored form of a cell; None if it is invalid. An empty cell has no type."""
    match kind:
        case "amount":
            return values.amount(text)
        case "number" | "percent":
            return values.number(text)
        case "date":
            return values.date(text)
    return text.strip() or None


def to_stored_table(columns: Sequence[Column], text: str) -> str:
    """Convert every cell to its stored form; invalid cells stay as typed."""
    return write_rows(
        [(to_stored_cell(column.type, cell) or cell) for column, cell in zip(columns, row, strict=False)]
        for row in read_rows(text, len(columns))
    )


def localise_dates(columns: Sequence[Column], text: str, *, day_first: bool) -> str:
    """Convert the dates of its date columns by the document's order of day and month; other cells stay."""
    if all(one.type != "date" for one in columns):
        return text
    kinds = [one.type for one in columns]
    return write_rows(
        [
            (values.date(cell, day_first=day_first) or cell) if kind == "date" else cell
            for kind, cell in zip_longest(kinds, row, fillvalue="")
        ]
        for row in read_rows(text, len(columns))
    )


def list_stored_cells(columns: Sequence[Column], text: str) -> list[tuple[int, str, str]]:
    """Return row, type and stored form of each cell that is not stored as it stands. Rows are counted from 1."""
    return [
        (number, column.type, stored)
        for number, row in enumerate(read_rows(text, len(columns)), 1)
        for column, cell in zip(columns, row, strict=False)
        if cell and (stored := to_stored_cell(column.type, cell)) and stored != cell
    ]


def normalise_table(text: str) -> str:
    """Normalize for comparison: ignore case, spaces and punctuation, and compare numbers by value."""
    return "\n".join("\t".join(map(_plain_cell, row)).rstrip("\t") for row in read_rows(text))


def _plain_cell(cell: str) -> str:
    try:
        return f"{Decimal(cell).normalize():f}"
    except InvalidOperation:
        return values.words(cell)


def table_problem(columns: Sequence[Column], label: str, text: str) -> str | None:
    """Return the first error that prevents storing the table."""
    rows = read_rows(text, len(columns))
    if len(rows) > MOST_ROWS or len(text) > LONGEST:
        return Sentence("%(field)s is too long. Use at most %(rows)s rows and %(characters)s characters.").fill(
            field=label, rows=MOST_ROWS, characters=f"{LONGEST:,}"
        )
    for number, row in enumerate(rows, 1):
        if len(row) > len(columns):
            return Sentence("Row %(row)s has %(cells)s cells; %(field)s has %(columns)s columns.").fill(
                row=number, cells=len(row), field=label, columns=len(columns)
            )
        for column, cell in zip(columns, row, strict=True):
            if not cell and column.required:
                return Sentence("Row %(row)s: enter %(column)s, or delete the row.").fill(
                    row=number, column=column.label
                )
            if cell and to_stored_cell(column.type, cell) is None:
                return WRITE[column.type].fill(row=number, column=column.label, cell=cell[:40])
    return None


def match_rows(before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]) -> list[int | None]:
    """Map each row after a change to its earlier index, None for a new one; order is preserved."""
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
    """Match changed rows if their number differs: each with the next old one that shares half of its cells."""
    since = old.start
    for place in new:
        alike = (at for at in range(since, old.stop) if 2 * _count_same(first[at], second[place]) >= len(first[at]))
        if (at := next(alike, None)) is not None:
            found[place], since = at, at + 1


def _count_same(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(bool(here) and here == there for here, there in zip(one, other, strict=False))
