from config.phrase import Phrase
from workflows.stages.tables.changes import tell_cells
from workflows.stages.tables.rows import write_rows

ROWS = [["Oak board", "2", "12.00"], ["Screws", "1", "3.50"], ["Glue", "4", "8.00"]]


def tell(before: str | None, after: str | None, *columns: str) -> list[str]:
    found = tell_cells([{"what": "Items", "before": before, "after": after}], columns)
    return [f"{one['what']}: {one['before']} → {one['after']}" for one in found]


def test_a_changed_cell_is_named_by_its_row_and_its_column() -> None:
    after = [ROWS[0], ["Screws", "1", "13.00"], ["Glue", "", "8.00"]]
    assert tell(write_rows(ROWS), write_rows(after)) == [
        "Items, row 2, column 3: 3.50 → 13.00",
        "Items, row 3, column 2: 4 → empty",
    ]
    told = tell(write_rows(ROWS), write_rows(after), "Description", "Quantity", "Amount")
    assert told[0] == "Items, row 2, Amount: 3.50 → 13.00"


def test_rows_that_were_added_or_removed_are_said_as_such() -> None:
    fresh = ["Nails", "5", "2.00"]
    assert tell(write_rows(ROWS), write_rows([*ROWS, fresh])) == ["Items, row 4 added: None → Nails · 5 · 2.00"]
    assert tell(write_rows(ROWS), write_rows([ROWS[0], ROWS[2]])) == [
        "Items, row 2 removed: None → Screws · 1 · 3.50",
    ]
    assert tell(None, write_rows(ROWS[:1])) == ["Items, row 1 added: None → Oak board · 2 · 12.00"]


def test_a_table_that_is_gone_is_counted() -> None:
    assert tell(write_rows(ROWS), "Not in the document") == ["Items: 3 rows → Not in the document"]
    assert tell(write_rows(ROWS), None) == ["Items: 3 rows → None"]


def test_what_is_no_table_masked_or_cut_stays_as_it_is() -> None:
    for before, after in (("12", "13"), ("•••", "•••"), ("a\tb", "a\tc…"), ("one\ntwo", "one"), (None, "x")):
        assert tell(before, after) == [f"Items: {before} → {after}"]
    assert tell("a\tb", "a \t b") == ["Items: a\tb → a \t b"]  # nothing that a cell shows


def test_many_changes_are_counted() -> None:
    before, after = ([[f"Row {i}", str(i + more)] for i in range(40)] for more in (0, 100))
    told = tell(write_rows(before), write_rows(after))
    assert (len(told), told[-1]) == (31, "Items: None → 10 more changes")
    one = next(tell_cells([{"what": Phrase("Items"), "before": "a\tb", "after": "a\tc"}]))
    assert isinstance(one["what"], Phrase)
