"""The content and layout of an export: formats, columns, tables, range; and a document's lines. Pure functions."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from typing import Any

from django.utils.translation import gettext

from config import clock
from config.errors import Refused
from config.phrase import Phrase
from projects.schemas.labels.reading import NO_LABELS, Labels
from projects.settings.columns import TABLE, Column, read_columns
from projects.web import days
from projects.web.spreadsheets import INSTANT
from workflows.stages.base import FieldSpec

CSV, EXCEL, JSON_LINES, PARQUET = "csv", "xlsx", "jsonl", "parquet"
# By file extension.
FORMATS: Mapping[str, str] = {
    CSV: "CSV",
    EXCEL: Phrase("Excel"),
    JSON_LINES: "JSON Lines",
    **({PARQUET: Phrase("Parquet")} if find_spec("pyarrow") else {}),
}
CONTENT_TYPES: Mapping[str, str] = {
    CSV: "text/csv",
    EXCEL: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    JSON_LINES: "application/jsonl",
    PARQUET: "application/vnd.apache.parquet",
}
FLAT, APART, LEFT_OUT = "flat", "apart", "none"
TABLE_WAYS: Mapping[str, str] = {
    FLAT: Phrase("In the same file, one line per table row"),
    APART: Phrase("Apart: a second sheet or file per table"),
    LEFT_OUT: Phrase("Leave out"),
}
# Columns that every document has, whatever the fields of its project.
DOCUMENT_COLUMNS = (
    Column("document", Phrase("Document")),
    Column("document_id", Phrase("Document ID")),
    Column("run_id", Phrase("Run ID")),
    Column("document_type", Phrase("Document type")),
    Column("pages", Phrase("Pages"), "number"),
    Column("published_at", Phrase("Published"), INSTANT),
    Column("decided_by", Phrase("Decided by")),
)
_KEYS = ("document", "document_id")  # that identify the document in a file of table rows
_OF_DOCUMENT = frozenset(one.name for one in DOCUMENT_COLUMNS)


@dataclass(frozen=True)
class Choice:
    """``columns``: names of chosen columns, empty for all. ``since`` and ``until``: stored instants, or empty.

    ``personal``: with personal values, for someone who may see them. ``locale``: the language of the column titles,
    from the person who ordered it; empty for the site's own names, which programs get.
    """

    form: str = CSV
    tables: str = FLAT
    columns: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    personal: bool = False
    locale: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Choice":
        stored = json.loads(text)
        return cls(**{**stored, "columns": tuple(stored["columns"])})


@dataclass(frozen=True)
class Sheet:
    """One file, or one sheet of a workbook. ``field``: the table whose rows it has, empty for the documents."""

    name: str
    label: str
    columns: tuple[Column, ...]
    field: str = ""


@dataclass(frozen=True)
class Layout:
    """``tables``: the chosen table fields, with their columns. ``masked``: fields whose values are hidden."""

    choice: Choice
    own: tuple[Column, ...]
    tables: Mapping[str, tuple[Column, ...]]
    masked: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)  # of the tables

    @property
    def sheets(self) -> list[Sheet]:
        """List the sheets, the documents' first. In JSON, flat tables are lists inside their document."""
        inside = self.choice.tables == FLAT
        more = [_prefixed(one, name, self.titles[name]) for name, columns in self.tables.items() for one in columns]
        more = more if inside else []
        found = [Sheet("documents", Phrase("Documents"), (*self.own, *more))]
        if self.choice.tables == APART:
            keys = tuple(one for one in DOCUMENT_COLUMNS if one.name in _KEYS)
            found += [Sheet(name, self.titles[name], (*keys, *columns), name)
                      for name, columns in self.tables.items()]  # fmt: skip
        return found


def _prefixed(column: Column, field: str, title: str) -> Column:
    return replace(column, name=f"{field}.{column.name}", label=f"{title}: {column.label}")


def offer_columns(fields: Iterable[FieldSpec]) -> list[Column]:
    """List the available columns: those of every document, then each field once; a table is one column."""
    known = {one.name: one for one in DOCUMENT_COLUMNS}
    for one in fields:
        known.setdefault(one.name, Column(one.name, one.label, one.type if one.type in _TYPED else "text"))
    return list(known.values())


_TYPED = ("amount", "number", "date", TABLE)


def lay_out(
    choice: Choice, fields: Sequence[FieldSpec], hidden: frozenset[str] = frozenset(), labels: Labels = NO_LABELS
) -> Layout:
    """``hidden``: names of personal fields, masked unless requested. ``labels``: of the titles.

    Raises:
        Refused: a column does not exist, or none is left.

    """
    offered = {one.name: one for one in offer_columns(fields)}
    if unknown := [name for name in choice.columns if name not in offered]:
        raise Refused(
            gettext("“%(unknown)s” is not a column of this project. Choose from its fields.") % {"unknown": unknown[0]},
            field="columns",
        )
    chosen = [one for name, one in offered.items() if not choice.columns or name in choice.columns]
    masked = frozenset() if choice.personal else hidden
    specs = {one.name: one for one in fields}
    own = tuple(name_column(_as_text(one, masked), labels) for one in chosen if one.type != TABLE)
    tables = {
        one.name: tuple(
            replace(_as_text(each, masked, of=one.name), label=str(labels.name_column(one.name, each.name, each.label)))
            for each in read_columns(specs[one.name].columns)
        )
        for one in chosen
        if one.type == TABLE and specs[one.name].columns and choice.tables != LEFT_OUT
    }
    if not own and not tables:
        raise Refused(gettext("Select at least one column."), field="columns")
    titles = {name: str(labels.name_field(name, name.replace("_", " ").capitalize())) for name in tables}
    return Layout(choice, own, tables, masked, titles)


def name_column(column: Column, labels: Labels) -> Column:
    """Translate the title of a field's column; columns that every document has stay."""
    if column.name in _OF_DOCUMENT:
        return column
    return replace(column, label=str(labels.name_field(column.name, column.label)))


def _as_text(column: Column, masked: frozenset[str], of: str = "") -> Column:
    """Masked columns are text, whatever their type."""
    return replace(column, type="text") if (of or column.name) in masked else column


def lines_of(layout: Layout, sheet: Sheet, document: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[
    list[str]
]:  # fmt: skip
    """Yield a document's lines in a sheet, as texts in column order; empty for missing values.

    ``document``: what every document has; ``fields``: of its result, masked, by name.
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
    """Return a document as JSON, with flat tables as lists of rows inside it."""
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
    """Return the stored instants of a range of days, in the person's time zone and inclusive; empty if unbounded.

    >>> days_to_instants(dt.date(2026, 11, 1), None)
    ('2026-11-01T00:00:00.000000+00:00', '')
    """
    return (
        clock.iso(days.start_of(first)) if first else "",
        clock.iso(days.start_of(last + dt.timedelta(days=1))) if last else "",
    )
