"""The editable grid of a table field, with each cell's place on the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.phrase import Phrase
from projects.settings.columns import Column
from workflows.stages.base import FieldSpec
from workflows.stages.tables.rows import match_rows, read_rows, to_stored_cell, write_rows

CELL = "cell-"  # prefix of the inputs of a form without scripts: cell-items-0-2
_BLANK = 3  # blank rows at the end of such a form


@dataclass(frozen=True)
class GridCell:
    """``key``: of its input and box. ``box``: page fractions, None if not located. ``page``: 0-based.

    ``doubt``: low confidence and unchanged. ``wrong``: not a valid value.
    """

    key: str
    column: Column
    value: str
    doubt: bool
    wrong: bool
    page: int | None
    box: Sequence[float] | None

    @property
    def name(self) -> str:
        return f"{CELL}{self.key}"

    @property
    def words(self) -> str:
        return Phrase("%(column)s, row %(row)s").fill(column=self.column.label, row=int(self.key.split("-")[1]) + 1)

    @property
    def keyboard(self) -> str:
        return "text" if self.column.type in {"text", "date"} else "decimal"


@dataclass(frozen=True)
class Grid:
    """``rows``: the last ones are blank, for use without scripts."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    count: int  # filled rows

    @property
    def cells(self) -> list[GridCell]:
        return [cell for row in self.rows for cell in row]


def grid_of(
    spec: FieldSpec, found: Mapping[str, Any], text: str, *, checked: bool, columns: Sequence[Column] = ()
) -> Grid:
    """``text``: the current rows; ``checked``: whether a decision with them was refused.

    ``columns``: the field's columns with translated labels, if any.
    """
    columns = tuple(columns) or spec.table_columns
    before: Sequence[Sequence[Mapping[str, Any]]] = found.get("rows") or ()
    rows = read_rows(text, len(columns))
    was = match_rows([[str(cell["value"] or "") for cell in row] for row in before], rows)
    filled = [
        tuple(
            _cell(spec, column, (number, at), row[at], None if place is None else before[place][at], checked=checked)
            for at, column in enumerate(columns)
        )
        for number, (row, place) in enumerate(zip(rows, was, strict=True))
    ]
    blank = [
        tuple(_cell(spec, column, (number, at), "", None, checked=False) for at, column in enumerate(columns))
        for number in range(len(rows), len(rows) + _BLANK)
    ]
    return Grid(columns, (*filled, *blank), len(filled))


def _cell(
    spec: FieldSpec, column: Column, place: tuple[int, int], text: str, was: Mapping[str, Any] | None, *, checked: bool
) -> GridCell:
    same = was is not None and text == str(was["value"] or "")
    unfit = to_stored_cell(column.type, text) is None if text else column.required
    return GridCell(
        key=f"{spec.name}-{place[0]}-{place[1]}",
        column=column,
        value=text,
        doubt=was is not None and same and float(was["confidence"]) < spec.threshold,
        wrong=checked and unfit,
        page=was["page"] if was else None,
        box=was["box"] if was else None,
    )


def read_cells(posted: Mapping[str, str]) -> dict[str, str]:
    """Return field → rows as text, from a form with plain inputs as cells."""
    tables: dict[str, dict[int, dict[int, str]]] = {}
    for name, text in posted.items():
        field, _, place = name.removeprefix(CELL).partition("-")
        row, _, column = place.partition("-")
        if name.startswith(CELL) and row.isdecimal() and column.isdecimal():
            tables.setdefault(field, {}).setdefault(int(row), {})[int(column)] = text
    return {
        field: write_rows([cells[at] for at in sorted(cells)] for _, cells in sorted(rows.items()))
        for field, rows in tables.items()
    }
