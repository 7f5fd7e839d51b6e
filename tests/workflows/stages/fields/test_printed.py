"""An invoice whose XML says one thing and whose page another."""

import json
from pathlib import Path

import pytest

from tests.workflows.stages.formats.einvoices import CII, pdf_with
from tests.workflows.stages.memory import context, kept, run_all

ROWS = ("Stift & Co. KG", "Rechnung Nr. R-2024-7", "Rechnungsdatum: 31.03.2024", "Summe netto 100,00 EUR")
TOTAL = "Gesamtbetrag 119,00 EUR"


def told(folder: Path, *rows: str) -> tuple[list[str], list[str]]:
    """What the checks say, and all reasons to look."""
    ctx = context(pdf_with(folder / "a.pdf", CII.encode(), rows=rows))
    run_all(ctx)
    stored = kept(ctx)
    found = [one["text"] for one in stored.json("runs/run1/result.json")["checks"]]
    return found, [one["text"] for one in json.loads(stored.kept["runs/run1/assessment.json"])["reasons"]]


def test_a_page_that_says_the_same_is_no_reason_to_look(tmp_path: Path) -> None:
    assert told(tmp_path, *ROWS, TOTAL)[0] == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((*ROWS, "Gesamtbetrag 191,00 EUR"), "Total: the file's XML says 119.00, the page prints 191.00"),
        (
            (ROWS[0], ROWS[1], "Rechnungsdatum: 30.04.2024", ROWS[3], TOTAL),
            "Date: the file's XML says 2024-03-31, the page prints 2024-04-30",
        ),
        (
            (ROWS[0], "Rechnung Nr. R-2024-8", *ROWS[2:], TOTAL),
            "Invoice number: the file's XML says R-2024-7, the page prints R-2024-8",
        ),
    ],
)
def test_what_the_page_prints_otherwise_is_one_with_both_values(
    tmp_path: Path, rows: tuple[str, ...], words: str
) -> None:
    checks, reasons = told(tmp_path, *rows)
    assert checks == [words]
    assert words in reasons


def test_what_the_page_does_not_say_at_all_is_not_held_against_it(tmp_path: Path) -> None:
    assert told(tmp_path, "Rechnung", "Details in der XML-Datei")[0] == []


def test_a_value_that_stands_elsewhere_on_the_page_is_there(tmp_path: Path) -> None:
    rows = (*ROWS, "Zu zahlen 50,00 EUR", "davon angezahlt: von 119,00 EUR bereits 69,00 EUR")
    assert told(tmp_path, *rows)[0] == []
