"""What leaves as CSV is inert in a spreadsheet, and one function sees to it."""

import csv
import io
from pathlib import Path

from django.conf import settings

from projects.web.spreadsheets import csv_line
from tests.each import each


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
