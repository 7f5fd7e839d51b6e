"""A table on the page of a run's result, as a file for spreadsheets, and in the API."""

import pytest
from django.urls import reverse

from projects.web.spreadsheets import WORKBOOK
from tests.html import one_line
from tests.people import bob, signed_in
from tests.projects.web.test_spreadsheets import read_workbook
from tests.review.desk.test_tables import INK, PENS, table
from tests.review.reviews import open_review, result

pytestmark = pytest.mark.usefixtures("machines", "table", "db")


@pytest.fixture
def run():
    found = result()
    made, _ = open_review(
        found={**found, "fields": [*found["fields"], table(("=2+2", "2", "1.50", "3.00"), PENS, INK)]}
    )
    return made


def get(name, run, *more):
    return signed_in(bob()).get(reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id, *more]))


def test_the_rows_are_shown_under_their_headings(run):
    text = one_line(get("show-result", run).content)
    assert '<th scope="col">Unit price</th>' in text
    row = "".join(f'<td dir="auto">{value}</td>' for value in ("Pens", "2", "1.50", "3.00"))
    assert row in text
    for name in ("export-table", "export-workbook"):
        assert reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id, "items"]) in text


def test_a_table_is_a_file_in_which_nothing_is_a_formula(run):
    answer = get("export-table", run, "items")
    assert answer["Content-Type"] == "text/csv"
    assert answer.content.decode().splitlines() == [
        "description,quantity,unit_price,amount", "'=2+2,2,1.50,3.00", "Pens,2,1.50,3.00", "Ink,1,4.00,4.40",
    ]  # fmt: skip


def test_a_table_is_a_workbook_with_numbers(run):
    answer = get("export-workbook", run, "items")
    assert answer["Content-Type"] == WORKBOOK
    assert answer["Content-Disposition"] == f'attachment; filename="items-{run.workflow_id}.xlsx"'
    name, rows = read_workbook(answer.content)
    assert name == "Line items"
    assert [[text for _, text in row] for row in rows] == [
        ["Description", "Quantity", "Unit price", "Amount"],
        ["=2+2", "2", "1.5", "3"], ["Pens", "2", "1.5", "3"], ["Ink", "1", "4", "4.4"],
    ]  # fmt: skip
    assert [kind == "text" for kind, _ in rows[1]] == [True, False, False, False]


def test_a_field_that_is_no_table_is_no_file(run):
    for name in ("export-table", "export-workbook"):
        assert get(name, run, "total").status_code == 404
        assert get(name, run, "nothing").status_code == 404
