"""Writers of export files, which stream line by line to disk: memory holds one page of documents."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import xlsxwriter

from config import clock
from projects.settings.columns import Column
from projects.web.spreadsheets import INSTANT, TypedSheet, csv_line, type_cell
from workflows.exports.choice import CSV, EXCEL, JSON_LINES, PARQUET, Layout, Sheet, lines_of, record_of

_ROW_GROUP = 5_000  # lines of Parquet that are buffered


@dataclass(frozen=True)
class WrittenFile:
    name: str
    path: Path
    rows: int


class ExportWriter:
    """Writes one document after the other; the files are complete when the block has ended."""

    def __init__(self, layout: Layout, folder: Path) -> None:
        self._layout, self._folder = layout, folder
        self._stack = ExitStack()
        self._rows: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._stack.__enter__()
        open_lines = {CSV: self._open_csv, JSON_LINES: self._open_text, PARQUET: self._open_parquet}
        sheets = self._layout.sheets
        if self._layout.choice.form == EXCEL:
            path, options = self._path("documents"), {"constant_memory": True, "tmpdir": str(self._folder)}
            book = self._stack.enter_context(xlsxwriter.Workbook(path, options))
            self._sheets = [(sheet, TypedSheet(book, sheet.label, sheet.columns).add) for sheet in sheets]
        else:
            opened: Callable[[Sheet], Any] = open_lines[self._layout.choice.form]
            self._sheets = [(sheet, opened(sheet)) for sheet in sheets]
        self._rows = {sheet.name: 0 for sheet in sheets}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, document: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
        """``document``, ``fields``: as for ``lines_of``. Raises: Refused if the format's limit is reached."""
        for sheet, write in self._sheets:
            if self._layout.choice.form == JSON_LINES and not sheet.field:
                write(json.dumps(record_of(self._layout, document, fields), ensure_ascii=False) + "\n")
                self._rows[sheet.name] += 1
                continue
            for line in lines_of(self._layout, sheet, document, fields):
                if self._layout.choice.form == JSON_LINES:
                    names = [one.name for one in sheet.columns]
                    record = dict(zip(names, [text or None for text in line], strict=True))
                    write(json.dumps(record, ensure_ascii=False) + "\n")
                else:
                    write(line)
                self._rows[sheet.name] += 1

    @property
    def files(self) -> list[WrittenFile]:
        """List the written files; for a workbook, its sheets."""
        if self._layout.choice.form == EXCEL:
            return [WrittenFile("documents.xlsx", self._path("documents"), self._rows["documents"])]
        return [WrittenFile(self._path(name).name, self._path(name), number) for name, number in self._rows.items()]

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.{self._layout.choice.form}"

    def _open_text(self, sheet: Sheet) -> Callable[[str], object]:
        file: TextIO = self._stack.enter_context(self._path(sheet.name).open("w", encoding="utf-8", newline=""))
        return file.write

    def _open_csv(self, sheet: Sheet) -> Callable[[Sequence[str]], None]:
        write = self._open_text(sheet)
        write(csv_line(*(one.label for one in sheet.columns)))

        def write_line(line: Sequence[str]) -> None:
            write(csv_line(*line))

        return write_line

    def _open_parquet(self, sheet: Sheet) -> Callable[[Sequence[str]], None]:
        lines = _ParquetLines(self._path(sheet.name), sheet.columns)
        self._stack.callback(lines.close)
        return lines.add


class _ParquetLines:
    """Amounts and numbers are decimals, dates and instants their own types, all else text; invalid values are null."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        # Imported here, since it is an optional extra: without it there is no such format.
        pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")

        types = {"amount": pa.decimal128(38, 8), "number": pa.decimal128(38, 8), "date": pa.date32()}
        types[INSTANT] = pa.timestamp("us", tz="UTC")
        self._arrow, self._columns = pa, columns
        self._schema = pa.schema([pa.field(one.name, types.get(one.type, pa.string())) for one in columns])
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._held: list[list[Any]] = [[] for _ in columns]

    def add(self, line: Sequence[str]) -> None:
        for held, column, text in zip(self._held, self._columns, line, strict=True):
            typed = column.type in {"amount", "number", "date"}
            if column.type == INSTANT:
                held.append(clock.parse(text) if text else None)
            else:
                held.append(type_cell(column.type, text) if typed else text or None)
        if len(self._held[0]) >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        arrays = [self._arrow.array(held, one.type) for held, one in zip(self._held, self._schema, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._held = [[] for _ in self._columns]

    def close(self) -> None:
        if self._held[0]:
            self._flush()
        self._writer.close()
