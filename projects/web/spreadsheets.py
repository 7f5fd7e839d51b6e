"""CSV and Excel for people who open them in a spreadsheet: every export of the desk is written here."""

import csv
import datetime as dt
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

import xlsxwriter

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
_FORMATS = {"amount": "#,##0.00##", "number": "General", "percent": "0.0##%", "date": "yyyy-mm-dd"}


def write_workbook(name: str, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> bytes:
    """An Excel file with one sheet: labels, then a line a row, each cell as its column's type, or as text.

    ``rows``: cells in stored form, in the order of ``columns``. Text is no formula, nor becomes one when it is edited.
    """
    body = io.BytesIO()
    with xlsxwriter.Workbook(body, {"in_memory": True}) as book:
        sheet = book.add_worksheet(_NO_SHEET_NAME.sub(" ", name).strip()[:_LONGEST_SHEET_NAME] or None)
        formats = {kind: book.add_format({"num_format": shown}) for kind, shown in _FORMATS.items()}
        quoted = book.add_format({"quote_prefix": True})
        sheet.freeze_panes(1, 0)
        for at, column in enumerate(columns):
            sheet.write_string(0, at, column.label, book.add_format({"bold": True}))
            sheet.set_column(at, at, 40 if column.type == "text" else 14)
        for number, row in enumerate(rows, start=1):
            for at, (column, text) in enumerate(zip(columns, row, strict=False)):
                value = _type_cell(column.type, text)
                if isinstance(value, dt.date):
                    sheet.write_datetime(number, at, value, formats[column.type])
                elif isinstance(value, Decimal):
                    sheet.write_number(number, at, float(value), formats[column.type])
                elif text:
                    written = _NO_XML.sub("\ufffd", text)[:_LONGEST_CELL]
                    sheet.write_string(number, at, written, quoted if text.startswith(_FORMULA) else None)
    return body.getvalue()


def _type_cell(kind: str, text: str) -> dt.date | Decimal | None:
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
