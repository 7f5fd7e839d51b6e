"""What is exported and how: formats, columns, tables, range; and the lines that a document becomes. Pure."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import Any

from config import clock
from config.errors import Refused
from projects.settings.columns import TABLE, Column, read_columns
from projects.web import days
from workflows.stages.base import FieldSpec

CSV, EXCEL, JSON_LINES, PARQUET = "csv", "xlsx", "jsonl", "parquet"
# By the ending of its files.
FORMATS: Mapping[str, str] = {
    CSV: "CSV",
    EXCEL: "Excel",
    JSON_LINES: "JSON Lines",
    **({PARQUET: "Parquet"} if find_spec("pyarrow") else {}),
}
CONTENT_TYPES: Mapping[str, str] = {
    CSV: "text/csv",
    EXCEL: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    JSON_LINES: "application/jsonl",
    PARQUET: "application/vnd.apache.parquet",
}
FLAT, APART, LEFT_OUT = "flat", "apart", "none"
TABLE_WAYS: Mapping[str, str] = {
    FLAT: "In the same file, one line per table row",
    APART: "Apart: a second sheet or file per table",
    LEFT_OUT: "Leave out",
}
# What every document has, whatever its project reads.
DOCUMENT_COLUMNS = (
    Column("document", "Document"),
    Column("document_id", "Document ID"),
    Column("run_id", "Run ID"),
    Column("document_type", "Document type"),
    Column("pages", "Pages", "number"),
    Column("published_at", "Published"),
    Column("decided_by", "Decided by"),
)
_KEYS = ("document", "document_id")  # that name the document in a file of table rows
_OF_DOCUMENT = frozenset(one.name for one in DOCUMENT_COLUMNS)


@dataclass(frozen=True)
class Choice:
    """``columns``: names of chosen columns, empty for all. ``since`` and ``until``: stored instants, or empty.

    ``personal``: with personal values, by someone who may see them.
    """

    form: str = CSV
    tables: str = FLAT
    columns: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    personal: bool = False

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Choice":
        stored = json.loads(text)
        return cls(**{**stored, "columns": tuple(stored["columns"])})


@dataclass(frozen=True)
class Sheet:
    """One file, or one sheet of a workbook. ``field``: the table whose rows it has, empty for the documents'."""

    name: str
    label: str
    columns: tuple[Column, ...]
    field: str = ""


@dataclass(frozen=True)
class Layout:
    """``tables``: the chosen fields that are tables, with their columns. ``masked``: fields whose values are hidden."""

    choice: Choice
    own: tuple[Column, ...]
    tables: Mapping[str, tuple[Column, ...]]
    masked: frozenset[str] = frozenset()

    @property
    def sheets(self) -> list[Sheet]:
        """The documents' first. JSON holds tables as they are: there, flat ones are lists inside their document."""
        inside = self.choice.tables == FLAT
        more = [_prefixed(one, name) for name, columns in self.tables.items() for one in columns] if inside else []
        found = [Sheet("documents", "Documents", (*self.own, *more))]
        if self.choice.tables == APART:
            keys = tuple(one for one in DOCUMENT_COLUMNS if one.name in _KEYS)
            found += [Sheet(name, name.replace("_", " ").capitalize(), (*keys, *columns), name)
                      for name, columns in self.tables.items()]  # fmt: skip
        return found


def _prefixed(column: Column, field: str) -> Column:
    label = f"{field.replace('_', ' ').capitalize()}: {column.label}"
    return replace(column, name=f"{field}.{column.name}", label=label)


def offer_columns(fields: Iterable[FieldSpec]) -> list[Column]:
    """All that can be chosen: of every document, then each field once; a table is one column."""
    known = {one.name: one for one in DOCUMENT_COLUMNS}
    for one in fields:
        known.setdefault(one.name, Column(one.name, one.label, one.type if one.type in _TYPED else "text"))
    return list(known.values())


_TYPED = ("amount", "number", "date", TABLE)


def lay_out(choice: Choice, fields: Sequence[FieldSpec], hidden: frozenset[str] = frozenset()) -> Layout:
    """``hidden``: names of personal fields, which are masked unless they are asked for.

    Raises:
        Refused: a column that is not there, or none is left.

    """
    offered = {one.name: one for one in offer_columns(fields)}
    if unknown := [name for name in choice.columns if name not in offered]:
        raise Refused(f"“{unknown[0]}” is no column of this project. Choose from its fields.", field="columns")
    chosen = [one for name, one in offered.items() if not choice.columns or name in choice.columns]
    masked = frozenset() if choice.personal else hidden
    specs = {one.name: one for one in fields}
    own = tuple(_as_text(one, masked) for one in chosen if one.type != TABLE)
    tables = {
        one.name: tuple(_as_text(each, masked, of=one.name) for each in read_columns(specs[one.name].columns))
        for one in chosen
        if one.type == TABLE and specs[one.name].columns and choice.tables != LEFT_OUT
    }
    if not own and not tables:
        raise Refused("Select at least one column.", field="columns")
    return Layout(choice, own, tables, masked)


def _as_text(column: Column, masked: frozenset[str], of: str = "") -> Column:
    """What is masked is a text, whatever it was."""
    return replace(column, type="text") if (of or column.name) in masked else column


def lines_of(layout: Layout, sheet: Sheet, document: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[
    list[str]
]:  # fmt: skip
    """The lines of one document in a sheet, as texts in the order of its columns; an empty text for nothing.

    ``document``: what every document has; ``fields``: of its result, masked, by their names.
    """
    if sheet.field:
        keys = [str(document.get(name) or "") for name in _KEYS]
        names = [one.name for one in sheet.columns[len(keys) :]]
        for row in (fields.get(sheet.field) or {}).get("rows") or ():
            yield [*keys, *_cells(row, names)]
        return
    own = [str((document if one.name in _OF_DOCUMENT else _values(fields)).get(one.name) or "") for one in layout.own]
    if layout.choice.tables != FLAT or not layout.tables:
        yield own
        return
    widths = {name: len(columns) for name, columns in layout.tables.items()}
    any_row = False
    for name, columns in layout.tables.items():
        for row in (fields.get(name) or {}).get("rows") or ():
            any_row = True
            cells = {name: _cells(row, [one.name for one in columns])}
            yield [*own, *(text for each, width in widths.items() for text in cells.get(each, [""] * width))]
    if not any_row:
        yield [*own, *[""] * sum(widths.values())]


def record_of(layout: Layout, document: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """A document as JSON holds it, flat tables as lists of rows inside it."""
    values = _values(fields)
    found = {one.name: (document if one.name in _OF_DOCUMENT else values).get(one.name) or None for one in layout.own}
    if layout.choice.tables == FLAT:
        for name, columns in layout.tables.items():
            names = [one.name for one in columns]
            rows = (fields.get(name) or {}).get("rows") or ()
            found[name] = [dict(zip(names, [text or None for text in _cells(row, names)], strict=True)) for row in rows]
    return found


def _values(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one.get("value") for name, one in fields.items()}


def _cells(row: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    known = {str(cell["column"]): str(cell.get("value") or "") for cell in row}
    return [known.get(name, "") for name in names]


def days_to_instants(first: dt.date | None, last: dt.date | None) -> tuple[str, str]:
    """The stored instants between which these days of who asks lie, both days in; empty where there is no limit.

    >>> days_to_instants(dt.date(2026, 11, 1), None)
    ('2026-11-01T00:00:00.000000+00:00', '')
    """
    return (
        clock.iso(days.start_of(first)) if first else "",
        clock.iso(days.start_of(last + dt.timedelta(days=1))) if last else "",
    )
