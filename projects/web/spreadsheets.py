"""CSV and Excel files for spreadsheets: writing and reading."""

import csv
import datetime as dt
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import cast

import xlsxwriter
from django.utils.translation import gettext

from config import clock
from config.errors import Refused
from config.phrase import Figure
from projects.settings.columns import Column

# A spreadsheet runs what begins so, the full-width signs included; names, keys and messages come from people.
MOST_BYTES = 1_000_000  # of a file that is sent
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_line(*values: object) -> str:
    """Write one line; values that look like formulas get a leading apostrophe."""
    line = io.StringIO()
    csv.writer(line).writerow([_inert(str(value)) for value in values])
    return line.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def read_csv(body: bytes, *, most_lines: int) -> list[list[str]]:
    """Return rows of cells, the header first; the separator is guessed from the first line.

    Raises:
        Refused: it is not UTF-8 CSV, or larger than 1 MB or ``most_lines`` data lines.

    """
    if len(body) > MOST_BYTES:
        raise Refused(gettext("The file exceeds 1 MB. Split it."))
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(gettext("The file is not UTF-8. Save it as CSV UTF-8 and upload it again.")) from error
    head = text.partition("\n")[0]
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=max(",;\t", key=head.count), strict=True))
    except csv.Error as error:
        raise Refused(gettext("The file is not valid CSV: %(error)s.") % {"error": error}) from error
    if len(rows) - 1 > most_lines:
        raise Refused(
            gettext("A file can have up to %(most_lines)s lines. Split it.")
            % {"most_lines": Figure(f"{most_lines:,}").translated()}
        )
    return rows


WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_NO_SHEET_NAME, _LONGEST_SHEET_NAME = re.compile(r"[\[\]:*?/\\']"), 31
_NO_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")
_LONGEST_CELL = 32_767  # characters
_MOST_DIGITS = 15  # that a number keeps there: what is longer stays text
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_FIRST_YEAR = 1900
MOST_LINES = 1_048_576  # of a sheet, its labels among them
INSTANT = "instant"  # the type of a column of stored instants; fields have no such
_WIDTHS = {"text": 40, INSTANT: 25}  # of columns, in characters; 14 for others
_FORMATS = {
    "amount": "#,##0.00##",
    "number": "General",
    "percent": "0.0##%",
    "date": "yyyy-mm-dd",
    INSTANT: 'yyyy-mm-dd hh:mm:ss" UTC"',
}


class TypedSheet:
    """A sheet to append to: header first, then cells of their column's type, or text.

    Text cells are never formulas, even when edited.
    """

    def __init__(self, book: xlsxwriter.Workbook, name: str, columns: Sequence[Column]) -> None:
        self._columns, self._lines = columns, 0
        self._sheet = book.add_worksheet(_NO_SHEET_NAME.sub(" ", name).strip()[:_LONGEST_SHEET_NAME] or None)
        self._formats = {kind: book.add_format({"num_format": shown}) for kind, shown in _FORMATS.items()}
        self._quoted = book.add_format({"quote_prefix": True})
        bold = book.add_format({"bold": True})
        self._sheet.freeze_panes(1, 0)
        for at, column in enumerate(columns):
            self._sheet.set_column(at, at, _WIDTHS.get(column.type, 14))
        for at, column in enumerate(columns):
            self._sheet.write_string(0, at, column.label, bold)

    def add(self, row: Sequence[str]) -> None:
        """``row``: cells in stored form, in the order of the columns. Raises: Refused, below the last line."""
        self._lines += 1
        if self._lines >= MOST_LINES:
            raise Refused(
                gettext("Excel holds %(most_lines)s lines. Choose CSV or Parquet, or a shorter range.")
                % {"most_lines": Figure(f"{MOST_LINES:,}").translated()}
            )
        for at, (column, text) in enumerate(zip(self._columns, row, strict=False)):
            value = type_cell(column.type, text)
            if isinstance(value, dt.date):
                self._sheet.write_datetime(self._lines, at, value, self._formats[column.type])
            elif isinstance(value, Decimal):
                # It is written by its own digits; as a float, 998.43 would be 998.4299999999999.
                self._sheet.write_number(self._lines, at, cast("float", value.normalize()), self._formats[column.type])
            elif text:
                written = _NO_XML.sub("\ufffd", text)[:_LONGEST_CELL]
                self._sheet.write_string(self._lines, at, written, self._quoted if text.startswith(_FORMULA) else None)


def write_workbook(name: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> bytes:
    """Write an Excel file with one sheet. ``rows``: as in ``TypedSheet``."""
    body = io.BytesIO()
    with xlsxwriter.Workbook(body, {"in_memory": True}) as book:
        sheet = TypedSheet(book, name, columns)
        for row in rows:
            sheet.add(row)
    return body.getvalue()


def type_cell(kind: str, text: str) -> dt.date | dt.datetime | Decimal | None:
    """Return the typed cell; None to keep text, for invalid values and numbers that would lose digits."""
    if kind == "date":
        return _read_day(text)
    if kind == INSTANT:
        return clock.parse(text).replace(tzinfo=None) if text else None
    if kind not in _FORMATS or not _PLAIN.fullmatch(text) or sum(map(str.isdigit, text)) > _MOST_DIGITS:
        return None
    return Decimal(text) / 100 if kind == "percent" else Decimal(text)


def _read_day(text: str) -> dt.date | None:
    """Return the day; None also before a spreadsheet's first day."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year >= _FIRST_YEAR else None
