"""CSV and Excel for people who open them in a spreadsheet: every export of the desk is written here."""

import csv
import datetime as dt
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

import xlsxwriter

from config.errors import Refused
from projects.settings.columns import Column

# A spreadsheet runs what begins so, the full-width signs included; names, keys and messages come from people.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_line(*values: object) -> str:
    """One line, in which nothing is a formula: such a value gets an apostrophe before it."""
    line = io.StringIO()
    csv.writer(line).writerow([_inert(str(value)) for value in values])
    return line.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_NO_SHEET_NAME, _LONGEST_SHEET_NAME = re.compile(r"[\[\]:*?/\\']"), 31
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")
_LONGEST_CELL = 32_767  # characters
_MOST_DIGITS = 15  # that a number keeps there: what is longer stays text
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_FIRST_YEAR = 1900
MOST_LINES = 1_048_576  # of a sheet, its labels among them
_FORMATS = {"amount": "#,##0.00##", "number": "General", "percent": "0.0##%", "date": "yyyy-mm-dd"}


class TypedSheet:
    """A sheet that lines are added to: labels first, then each cell as its column's type, or as text.

    Text is no formula, nor becomes one when it is edited.
    """

    def __init__(self, book: xlsxwriter.Workbook, name: str, columns: Sequence[Column]) -> None:
        self._columns, self._lines = columns, 0
        self._sheet = book.add_worksheet(_NO_SHEET_NAME.sub(" ", name).strip()[:_LONGEST_SHEET_NAME] or None)
        self._formats = {kind: book.add_format({"num_format": shown}) for kind, shown in _FORMATS.items()}
        self._quoted = book.add_format({"quote_prefix": True})
        bold = book.add_format({"bold": True})
        self._sheet.freeze_panes(1, 0)
        for at, column in enumerate(columns):
            self._sheet.set_column(at, at, 40 if column.type == "text" else 14)
        for at, column in enumerate(columns):
            self._sheet.write_string(0, at, column.label, bold)

    def add(self, row: Sequence[str]) -> None:
        """``row``: cells in stored form, in the order of the columns. Raises: Refused, below the last line."""
        self._lines += 1
        if self._lines >= MOST_LINES:
            raise Refused(f"Excel holds {MOST_LINES:,} lines. Choose CSV or Parquet, or a shorter range.")
        for at, (column, text) in enumerate(zip(self._columns, row, strict=False)):
            value = type_cell(column.type, text)
            if isinstance(value, dt.date):
                self._sheet.write_datetime(self._lines, at, value, self._formats[column.type])
            elif isinstance(value, Decimal):
                self._sheet.write_number(self._lines, at, float(value), self._formats[column.type])
            elif text:
                written = _NO_XML.sub("\ufffd", text)[:_LONGEST_CELL]
                self._sheet.write_string(self._lines, at, written, self._quoted if text.startswith(_FORMULA) else None)


def write_workbook(name: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> bytes:
    """An Excel file with one sheet. ``rows``: as ``TypedSheet`` takes them."""
    body = io.BytesIO()
    with xlsxwriter.Workbook(body, {"in_memory": True}) as book:
        sheet = TypedSheet(book, name, columns)
        for row in rows:
            sheet.add(row)
    return body.getvalue()


def type_cell(kind: str, text: str) -> dt.date | Decimal | None:
    """None if it stays text: it is, or it is no value of its type, or it would lose digits."""
    if kind == "date":
        return _read_day(text)
    if kind not in _FORMATS or not _PLAIN.fullmatch(text) or sum(map(str.isdigit, text)) > _MOST_DIGITS:
        return None
    return Decimal(text) / 100 if kind == "percent" else Decimal(text)


def _read_day(text: str) -> dt.date | None:
    """None also of what is before the first day that a spreadsheet knows."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year >= _FIRST_YEAR else None
