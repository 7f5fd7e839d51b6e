"""The columns of a table as an admin writes them."""

import pytest

from config.errors import Refused
from projects.settings.columns import ITEM_COLUMNS, Column, read_columns, write_columns
from tests.each import each


def test_columns_are_written_as_they_were_read() -> None:
    columns = read_columns(ITEM_COLUMNS)
    assert [one.name for one in columns] == ["description", "quantity", "unit_price", "amount"]
    assert columns[3] == Column("amount", "Amount", "amount", required=True, total="net_total")
    assert write_columns(columns) == ITEM_COLUMNS
    assert read_columns(write_columns(columns)) == columns


def test_words_come_in_any_order_and_blank_lines_count_for_nothing() -> None:
    columns = read_columns("  Unit price , Required,AMOUNT\n\n 数量, number\n")
    assert columns == (
        Column("unit_price", "Unit price", "amount", required=True),
        Column("column_2", "数量", "number"),
    )


@each(
    ("text", "message"),
    [
        ("", "Enter at least one column"),
        ("Amount, money", "“money” is not known"),
        (", amount", "Column 1 has no label"),
        ("Amount\nAMOUNT, number", "Two columns are called “Amount”"),
        ("Name, sums to total", "only a column of type amount or number"),
        ("\n".join(f"C{number}" for number in range(13)), "up to 12 columns"),
    ],
)
def test_what_is_no_column_is_refused_with_what_to_change(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        read_columns(text)
