"""The columns of a table as an admin writes them."""

import pytest

from config.errors import Refused
from projects.schemas.forms import AttributeForm, DefinitionForm
from projects.settings.columns import ITEM_COLUMNS, Column, read_columns, write_columns
from projects.settings.field_rows import parse_posted_rows
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


def posted(**more: str) -> dict[str, str]:
    form = {"fields-TOTAL_FORMS": "1", "fields-INITIAL_FORMS": "0"}
    return form | {f"fields-0-{name}": text for name, text in {"label": "Line items", "type": "table", **more}.items()}


def test_a_projects_field_of_type_table_has_columns_and_another_has_none() -> None:
    rows = parse_posted_rows(posted(columns="Name\r\nSum , AMOUNT"))
    assert rows.is_valid()
    assert rows.settings()[0].columns == "Name\nSum, amount"
    other = parse_posted_rows(posted(type="text", columns="Name"))
    assert other.is_valid()
    assert other.settings()[0].columns == ""


def test_a_new_table_names_no_field_that_may_not_exist() -> None:
    assert [one.total for one in read_columns(AttributeForm()["columns"].initial)] == [""] * 4


@each(("columns", "message"), [("", "Enter the table's columns"), ("Sum, money", "“money” is not known")])
def test_a_table_without_columns_is_not_saved(columns: str, message: str) -> None:
    rows = parse_posted_rows(posted(columns=columns))
    assert not rows.is_valid()
    assert message in rows.forms[0].errors["columns"][0]
    form = AttributeForm({"label": "Items", "key": "items", "kind": "table", "columns": columns})
    assert message in form.errors["columns"][0]


def test_an_attribute_of_type_table_has_columns_for_good_and_as_they_are_changed() -> None:
    form = AttributeForm({"label": "Items", "key": "items", "kind": "table", "columns": ITEM_COLUMNS})
    assert form.is_valid()
    assert form.definition().columns == ITEM_COLUMNS
    assert set(DefinitionForm(kind="table").fields) == {"label", "columns", "personal"}
    assert set(DefinitionForm(kind="date").fields) == {"label", "date_range", "personal"}
