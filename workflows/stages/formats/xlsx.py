"""Workbooks: a Markdown table a sheet, with values as displayed."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.errors import Refused
from workflows.stages.formats import packages
from workflows.stages.formats.blocks import Block, format_table_row, table_blocks
from workflows.stages.formats.packages import Package

WHAT = "workbook"
_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAIN, _STRINGS, _STYLES = "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml"
_MOST_TEXT = 64 * 1024**2  # characters of shared strings, which are in memory while the sheets are read
_WIDEST = 1_000  # cells of a row
_WIDEST_GAP = 50  # empty cells, of which more are left out: a cell at the far end stands beside the others
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}  # built-in formats (ECMA-376, 18.8.30)
_BUILT_IN = {2: "0.00", 4: "#,##0.00", 9: "0%", 10: "0.00%", 39: "#,##0.00", 40: "#,##0.00", 44: "0.00"}


@dataclass(frozen=True)
class Style:
    """The number format. ``decimals`` None: as stored."""

    date: bool = False
    decimals: int | None = None
    percent: bool = False


@dataclass(frozen=True)
class _Book:
    strings: list[str]
    styles: list[Style]
    epoch: dt.datetime


def read_xlsx(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    with packages.open_package(path, WHAT) as package:
        workbook, parts = package.tree(_MAIN), package.list_relations(_MAIN)
        settings = workbook.find(f"{_S}workbookPr")
        mac = settings is not None and settings.get("date1904") in {"1", "true"}
        # Day 60 of the 1900 system is a nonexistent 29 February 1900: from March on this epoch is right.
        epoch = dt.datetime(1904, 1, 1) if mac else dt.datetime(1899, 12, 30)  # noqa: DTZ001 - as written in the cell
        book = _Book(_strings(package), _styles(package), epoch)
        for sheet in workbook.iter(f"{_S}sheet"):
            part = parts.get(sheet.get(f"{_R}id"), "")
            if "/worksheets/" in part:
                hidden = " (hidden)" if sheet.get("state", "visible") != "visible" else ""
                yield from table_blocks(_rows(package, part, book), title=f"{sheet.get('name', 'Sheet')}{hidden}")


def _strings(package: Package) -> list[str]:
    found: list[str] = []
    size = 0
    if _STRINGS not in package.names:
        return found
    for event, element in package.events(_STRINGS, f"{_S}si"):
        if event == "end":
            found.append(_plain(element))
            size += len(found[-1]) + 8
            if size > _MOST_TEXT:
                raise Refused("This workbook contains too much text. Split it or export it as CSV, and upload that.")
            packages.drop_element(element)
    return found


def _plain(element: Any) -> str:
    """Drop the phonetic guides of Japanese workbooks."""
    return "".join(one.text or "" for one in element.iter(f"{_S}t") if packages.local_name(one.getparent()) != "rPh")


def _styles(package: Package) -> list[Style]:
    if _STYLES not in package.names:
        return []
    tree = package.tree(_STYLES)
    codes = {int(one.get("numFmtId", 0)): one.get("formatCode", "") for one in tree.iter(f"{_S}numFmt")}
    formats = tree.find(f"{_S}cellXfs")
    return [style_of(int(one.get("numFmtId", 0)), codes) for one in formats] if formats is not None else []


def style_of(number: int, codes: dict[int, str]) -> Style:
    code = codes.get(number, _BUILT_IN.get(number, ""))
    shown = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.', "", code.split(";", 1)[0])
    if number in _DATES or (number in codes and re.search(r"[dmyhs]", shown, re.IGNORECASE)):
        return Style(date=True)
    decimals = re.search(r"[0#]\.(0+)", shown)
    places = len(decimals[1]) if decimals else 0 if re.search(r"0", shown) else None
    return Style(decimals=places, percent="%" in shown)


def _rows(package: Package, name: str, book: _Book) -> Iterator[str]:
    for event, element in package.events(name, f"{_S}row"):
        if event == "end":
            cells: list[str] = []
            following = filled = 0  # columns, after the last cell and the last with a value
            for cell in element.iter(f"{_S}c"):
                column = _column(cell.get("r", ""), following)
                if text := _format_cell(cell, book):
                    gap, filled = column - filled, column + 1
                    cells += [""] * (gap if gap <= _WIDEST_GAP else 1)
                    if len(cells) >= _WIDEST:
                        break
                    cells.append(text)
                following = column + 1
            packages.drop_element(element)
            yield format_table_row(cells)


def _column(reference: str, following: int) -> int:
    """0-based; references are optional.

    >>> _column("AB7", 0)
    27
    """
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = number * 26 + ord(letter.upper()) - 64
    return max(number - 1, following) if number > 0 else following


def _format_cell(cell: Any, book: _Book) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _plain(cell)
    value = (cell.findtext(f"{_S}v") or "").strip()
    if kind == "s":
        number = int(value) if value.isdigit() else -1
        return book.strings[number] if 0 <= number < len(book.strings) else ""
    if kind == "b":
        return "yes" if value == "1" else "no"
    if kind != "n" or not value:
        return value
    style = int(cell.get("s", 0))
    return number_shown(value, book.styles[style] if style < len(book.styles) else Style(), book.epoch)


def number_shown(value: str, style: Style, epoch: dt.datetime) -> str:
    try:
        number = float(value)
        if style.date:
            return _moment(number, epoch)
    except (ValueError, OverflowError):
        return value
    if style.percent:
        return f"{number * 100:.{style.decimals or 0}f} %"
    if style.decimals is not None:
        return f"{number:.{style.decimals}f}"
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.12g}"


def _moment(number: float, epoch: dt.datetime) -> str:
    moment = epoch + dt.timedelta(seconds=round(number * 86_400))
    if number < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d" if not (moment.hour or moment.minute or moment.second) else "%Y-%m-%d %H:%M:%S")
