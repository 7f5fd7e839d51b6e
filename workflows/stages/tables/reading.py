"""Tables in a result: rows of cells, each with its place and confidence, and failed arithmetic checks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from config.phrase import Sentence
from projects.settings.columns import TABLE, Column
from workflows.stages import values
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields import totals
from workflows.stages.fields.candidates import RULES, Document
from workflows.stages.fields.checks import Check
from workflows.stages.formats import einvoice
from workflows.stages.formats.einvoice import EInvoiceItems
from workflows.stages.pages.layout import Box, Line, union
from workflows.stages.tables import arithmetic
from workflows.stages.tables.finding import Cell, FoundTable, find_table
from workflows.stages.tables.headings import concept_of
from workflows.stages.tables.rows import read_rows, to_stored_cell, write_rows

# Confidence of a cell from a text layer; after OCR it is multiplied by the words' confidence.
_TEXT, _FIGURE, _PROVED, _DOUBTED, _INVALID, _EMPTY = 0.95, 0.93, 0.99, 0.5, 0.2, 0.9
_READ = 0.95  # at most, after OCR
_OVERLAP = 0.5  # of a sum's height


@dataclass(frozen=True)
class _Judged:
    """``rows``: for each whether it adds up, None if unknown. ``total``: the same of the column's sum.

    ``filled``: names of columns with any value; ``printed``: pages without OCR.
    """

    rows: tuple[bool | None, ...]
    total: bool | None
    filled: frozenset[str]
    printed: frozenset[int]


def read_table(document: Document, spec: FieldSpec, written: EInvoiceItems) -> dict[str, Any]:
    """Return the table's part of a result field. Rows from an XML invoice take precedence over the page."""
    columns = spec.table_columns
    found = find_table(document, columns)
    if written.items:
        return _written_entry(columns, written, found)
    if found is None:
        return _entry((), RULES)
    judged = _judge(document, columns, found)
    rows = [
        [_cell(column, cell, judged, adds) for column, cell in zip(columns, row, strict=True)]
        for row, adds in zip(found.rows, judged.rows, strict=True)
    ]
    proved = (
        judged.total is True
        and False not in judged.rows
        and all(cell["confidence"] > _DOUBTED for row in rows for cell in row)
        and judged.printed.issuperset(found.pages)
    )
    return _entry(rows, RULES, proved=proved)


def _judge(document: Document, columns: Sequence[Column], found: FoundTable) -> _Judged:
    return _Judged(
        rows=tuple(arithmetic.adds_up(columns, row) for row in found.texts),
        total=_is_sum_printed(document, columns, found),
        filled=frozenset(
            column.name for column, cells in zip(columns, zip(*found.texts, strict=True), strict=True) if any(cells)
        ),
        printed=frozenset(page.index for page in document.pages if page.source != "ocr"),
    )


def list_table_checks(fields: Iterable[Mapping[str, Any]]) -> list[Check]:
    """List what does not add up in the result's tables. For XML invoices, only the sum is checked."""
    held = list(fields)
    found = {str(one["name"]): one.get("value") for one in held}
    return [check for one in held if one["type"] == TABLE and one["value"] for check in _checks(one, found)]


def _checks(field: Mapping[str, Any], found: Mapping[str, Any]) -> Iterable[Check]:
    columns, name, label = FieldSpec.from_stored(field).table_columns, str(field["name"]), field["label"]
    rows = read_rows(field["value"], len(columns))
    if field["source"] == RULES:
        wrong = [number for number, row in enumerate(rows, 1) if arithmetic.adds_up(columns, row) is False]
        if wrong:
            alone = Sentence("%(field)s: row %(row)s does not add up")
            several = Sentence("%(field)s: row %(row)s and %(more)s more do not add up")
            said = several if len(wrong) > 1 else alone
            yield Check(name, said.fill(field=label, row=wrong[0], more=len(wrong) - 1))
    if field.get("printed_otherwise"):
        yield Check(name, Sentence("%(field)s: the file's XML and the page have other rows").fill(field=label))
    for place, column in enumerate(columns):
        total, summed = values.amount(str(found.get(column.total) or "")), arithmetic.sum_of(rows, place)
        if column.total and total and summed is not None and summed != Decimal(total) and not field["proved"]:
            said = Sentence("%(field)s: %(column)s adds up to %(sum)s, not %(total)s")
            yield Check(name, said.fill(field=label, column=column.label, sum=values.plain(summed), total=total))


def _is_sum_printed(document: Document, columns: Sequence[Column], found: FoundTable) -> bool | None:
    """Return whether the column's sum is printed below the table; None if no column has a sum."""
    place = next((place for place, one in enumerate(columns) if one.total), None)
    if place is None:
        return None
    summed = arithmetic.sum_of(found.texts, place)
    inside = [(cell.page, cell.box) for row in found.rows for cell in row if cell.box]
    outside = [one for one in totals.sums_of(document) if not _is_inside(one.line.page, one.line.box, inside)]
    # A figure right under several rows that equals their sum is one, whatever its label: Goods, Warenwert.
    under = next((one for one in outside if len(found.rows) > 1 and _is_under(one.line, inside)), None)
    return summed is not None and any(one.value == summed for one in outside if one.points > 0 or one is under)


def _is_under(line: Line, cells: Sequence[tuple[int, Box]]) -> bool:
    last = max(page for page, _ in cells)
    return line.page == last and line.box[1] > max(box[3] for page, box in cells if page == last)


def _is_inside(page: int, box: Box, cells: Iterable[tuple[int, Box]]) -> bool:
    middle = (box[1] + box[3]) / 2
    return any(page == at and cell[1] <= middle <= cell[3] for at, cell in cells)


def _cell(column: Column, cell: Cell, judged: _Judged, adds: bool | None) -> dict[str, Any]:
    return {
        "column": column.name,
        "value": cell.text or None,
        "confidence": round(_rate_cell(column, cell, judged, adds), 4),
        "page": cell.page if cell.box else None,
        "box": [round(edge, 5) for edge in cell.box] if cell.box else None,
    }


def _rate_cell(column: Column, cell: Cell, judged: _Judged, adds: bool | None) -> float:
    if not cell.text:
        # Missing in some rows only: not read, or empty.
        return 0.0 if column.required else _DOUBTED if column.name in judged.filled else _EMPTY
    if not cell.valid:
        return _INVALID
    read = 1.0 if cell.page in judged.printed else _READ * cell.score
    if column.type == "text":
        return _TEXT * read
    if adds is False and concept_of(column) in {"quantity", "unit_price", "amount"}:
        return _DOUBTED
    proved = adds or (column.total and judged.total)
    return _PROVED * max(read, _READ) if proved else _FIGURE * read


def _entry(rows: Sequence[Sequence[Mapping[str, Any]]], source: str, *, proved: bool = False) -> dict[str, Any]:
    """The table's confidence is that of its least certain cell."""
    cells = [cell for row in rows for cell in row]
    first = next((cell["page"] for cell in cells if cell["page"] is not None), None)
    boxes = [cell["box"] for cell in cells if cell["box"] and cell["page"] == first]
    return {
        "value": write_rows([str(cell["value"] or "") for cell in row] for row in rows) or None,
        "raw": None,
        "confidence": min((cell["confidence"] for cell in cells), default=0.0),
        "page": first,
        "box": list(union(boxes)) if boxes else None,
        "source": source,
        "rows": [list(row) for row in rows],
        "proved": proved,
        "candidates": [],
    }


def _written_entry(columns: Sequence[Column], written: EInvoiceItems, found: FoundTable | None) -> dict[str, Any]:
    """Return the rows of the XML invoice, with places if the printed rows match in number and amount."""
    texts = [[_written_cell(column, item) for column in columns] for item in written.items]
    paid = [place for place, column in enumerate(columns) if concept_of(column) == "amount"]
    same = (
        found is not None
        and len(found.rows) == len(texts)
        and all(row[at].text == text[at] for row, text in zip(found.rows, texts, strict=True) for at in paid)
    )
    rows = []
    for number, row in enumerate(texts):
        placed: Sequence[Cell | None] = found.rows[number] if same and found else [None] * len(columns)
        rows.append(
            [
                {
                    "column": column.name,
                    "value": text or None,
                    "confidence": 1.0 if text or not column.required else 0.0,
                    "page": cell.page if cell and cell.box else None,
                    "box": [round(edge, 5) for edge in cell.box] if cell and cell.box else None,
                }
                for column, text, cell in zip(columns, row, placed, strict=True)
            ]
        )
    summed = [arithmetic.sum_of(texts, at) for at in paid]
    total = values.amount(written.total)
    entry = _entry(rows, einvoice.SOURCE, proved=bool(total) and summed == [Decimal(str(total))])
    otherwise = not same and found is not None and all(arithmetic.adds_up(columns, row) for row in found.texts)
    return entry | {"printed_otherwise": otherwise}


def _written_cell(column: Column, item: Mapping[str, str]) -> str:
    text = item.get(concept_of(column), "")
    return to_stored_cell(column.type, text) or text
