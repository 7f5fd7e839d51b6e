"""A table's value as text, and what may be stored in its cells."""

from projects.settings.columns import ITEM_COLUMNS, read_columns
from tests.each import each
from workflows.stages import results
from workflows.stages.field_spec import FieldSpec
from workflows.stages.tables.rows import (
    MOST_ROWS,
    match_rows,
    normalise_table,
    read_rows,
    table_problem,
    to_stored_table,
    write_rows,
)

COLUMNS = read_columns(ITEM_COLUMNS)
SPEC = FieldSpec("items", "Line items", "table", required=True, threshold=0.8, columns=ITEM_COLUMNS)


def test_rows_are_read_from_what_a_spreadsheet_or_a_form_sends() -> None:
    text = "Pens\t2\t1.50\t3.00\r\n\r\n\t\t\t\r\n  Ink  blue \t1"
    assert read_rows(text, 4) == (("Pens", "2", "1.50", "3.00"), ("Ink blue", "1", "", ""))
    assert write_rows(read_rows(text, 4)) == "Pens\t2\t1.50\t3.00\nInk blue\t1\t\t"
    assert read_rows(None, 4) == ()


def test_an_empty_first_cell_keeps_its_place() -> None:
    assert read_rows("\t2\t1.50\t3.00", 4) == (("", "2", "1.50", "3.00"),)


def test_cells_are_stored_by_their_columns_and_kept_as_typed_where_they_are_no_value() -> None:
    assert (
        to_stored_table(COLUMNS, "Pens\t2\t1,50\t1.003,00 €\nInk\tfew\t\tx") == "Pens\t2\t1.50\t1003.00\nInk\tfew\t\tx"
    )


@each(
    ("text", "message"),
    [
        ("Pens\t2\t1.50\t3.00", None),
        ("Pens\t\t\t3.00", None),
        ("Pens\t2\t1.50", "Row 1: enter Amount, or delete the row."),
        ("Pens\t2\t1.50\t3.00\nInk\tfew\t\t2.00", "Row 2: Quantity “few” is not a number, for example 12 or 1.5."),
        ("Pens\t2\t1.50\t3.00\tmore", "Row 1 has 5 cells; Line items has 4 columns."),
        ("Pens\t\t\t3.00\n" * (MOST_ROWS + 1), "Line items is too long. Use at most 300 rows and 60,000 characters."),
    ],
)
def test_what_to_change_before_a_table_is_stored(text: str, message: str | None) -> None:
    assert table_problem(COLUMNS, "Line items", text) == message
    assert results.validate_corrections([SPEC], {"items": text}) == ({"items": message} if message else {})


def test_two_tables_are_the_same_by_their_values_and_not_by_their_spelling() -> None:
    first, second = "Pens, blue\t2\t1.50\t3.00", "PENS blue\t2.0\t1.5\t3"
    assert normalise_table(first) == normalise_table(second) == results.normalise_value("table", first)
    assert normalise_table(first) != normalise_table("Pens, blue\t\t1.50\t3.00")


def test_a_row_is_found_again_after_others_were_added_deleted_and_changed() -> None:
    before = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    assert match_rows(before, [["a", "1"], ["c", "3"], ["d", "4"]]) == [0, 2, 3]
    assert match_rows(before, [["a", "1"], ["new", ""], ["b", "2"], ["c", "9"], ["d", "4"]]) == [0, None, 1, 2, 3]
    assert match_rows(before, [["a", "1"], ["b", ""], ["x", "2"], ["c", "3"], ["d", "4"]]) == [0, 1, None, 2, 3]
    assert match_rows([], [["a", "1"]]) == [None]
