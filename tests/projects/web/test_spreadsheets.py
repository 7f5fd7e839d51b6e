"""What leaves as CSV or Excel is inert in a spreadsheet, and one module sees to it."""

import csv
import io
import zipfile
from decimal import Decimal
from pathlib import Path

from django.conf import settings
from lxml import etree

from projects.settings.columns import read_columns
from projects.web.spreadsheets import csv_line, write_workbook
from tests.each import each

COLUMNS = read_columns("Article\nQuantity, number\nAmount, amount\nTax, percent\nDelivered, date")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read(line: str) -> list[str]:
    return next(csv.reader(io.StringIO(line)))


@each("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_value_is_a_formula(sign: str) -> None:
    assert read(csv_line("a", f"{sign}cmd|' /C calc'!A0", 3)) == ["a", f"'{sign}cmd|' /C calc'!A0", "3"]


def test_everything_else_is_as_it_was() -> None:
    assert read(csv_line("", "a=b", 0, "x,\ny")) == ["", "a=b", "0", "x,\ny"]


def test_no_view_writes_csv_of_its_own() -> None:
    packages = [Path(settings.BASE_DIR) / name for name in ("config", "projects", "workflows", "review")]
    writers = [path.name for package in packages for path in package.rglob("*.py") if "csv.writer" in path.read_text()]
    assert writers == ["spreadsheets.py"]


def read_workbook(body: bytes) -> tuple[str, list[list[tuple[str, str]]]]:
    """The sheet's name, and its rows: what each cell shows as, ``text`` or the format of a number, and its content."""
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        parts = {name: etree.fromstring(file.read(f"xl/{name}.xml")) for name in ("workbook", "styles")}
        sheet = etree.fromstring(file.read("xl/worksheets/sheet1.xml"))
        strings = etree.fromstring(file.read("xl/sharedStrings.xml"))
    texts = ["".join(one.itertext()) for one in strings]
    custom = {one.get("numFmtId"): one.get("formatCode") for one in parts["styles"].iter(f"{SHEET}numFmt")}
    styles = [custom.get(one.get("numFmtId"), "") for one in parts["styles"].find(f"{SHEET}cellXfs")]
    assert sheet.findall(f".//{SHEET}f") == []  # not one formula
    rows = [
        [
            ("text", texts[int(cell[0].text)])
            if cell.get("t") == "s"
            else (styles[int(cell.get("s") or 0)], cell[0].text)
            for cell in row
        ]
        for row in sheet.iter(f"{SHEET}row")
    ]
    return parts["workbook"].find(f".//{SHEET}sheet").get("name"), rows


def test_amounts_numbers_rates_and_dates_are_such_in_excel() -> None:
    name, (headings, first) = read_workbook(
        write_workbook("Line items", COLUMNS, [["Pens", "2.5", "1007.50", "19", "2025-04-03"]])
    )
    assert name == "Line items"
    assert headings == [("text", label) for label in ("Article", "Quantity", "Amount", "Tax", "Delivered")]
    assert first == [
        ("text", "Pens"), ("", "2.5"), ("#,##0.00##", "1007.5"), ("0.0##%", "0.19"), ("yyyy-mm-dd", "45750"),
    ]  # fmt: skip


@each("sign", ["=", "+", "-", "@", "＝"])
def test_no_text_of_a_workbook_is_a_formula(sign: str) -> None:
    text = f"{sign}cmd|' /C calc'!A0"
    _, (_, *rows) = read_workbook(write_workbook("a", COLUMNS, [[text] * 5]))
    assert rows == [[("text", text)] * 5]


@each("text", ["1_000", "NaN", "1e999", "12.3O", "1234567890123456", "0001-01-01", "2025-02-30", "a\ud800b", " "])
def test_what_is_no_number_or_day_there_stays_text(text: str) -> None:
    _, (_, *rows) = read_workbook(write_workbook("a", COLUMNS, [[text] * 5]))
    assert rows == [[("text", text.replace("\ud800", "\ufffd"))] * 5]


@each("name", ["", "[a]:*?/\\'", "x" * 90, "Items '24/'25"])
def test_any_label_names_a_sheet(name: str) -> None:
    assert 0 < len(read_workbook(write_workbook(name, COLUMNS, []))[0]) <= 31


def test_empty_cells_stay_empty_and_the_longest_is_cut() -> None:
    _, (_, only) = read_workbook(write_workbook("a", COLUMNS, [["", "", "", "", ""], ["x" * 40_000, ""]]))
    assert [len(text) for _, text in only] == [32_767]


@each("amount", ["998.43", "-4.35", "0.1", "10", "35455.2", "0.00000001", "1234567890123.45"])
def test_an_amount_in_a_workbook_has_the_digits_that_were_stored(amount: str) -> None:
    _, (_, (_, quantity, stored, *_)) = read_workbook(
        write_workbook("a", COLUMNS, [["Pens", amount, amount, "7.7", ""]])
    )
    assert Decimal(quantity[1]) == Decimal(stored[1]) == Decimal(amount)
