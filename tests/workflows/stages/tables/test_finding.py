"""Tables of many looks are found row by row, on papers that the rules were written by and on others."""

from pathlib import Path

import pypdfium2

from projects.settings.columns import ITEM_COLUMNS, read_columns
from tests.each import each
from tests.generated import tables
from tests.tools import paper
from tests.tools.paper import Sheet
from workflows.stages.fields.candidates import Document
from workflows.stages.pages import layout, text_layer, text_page
from workflows.stages.tables.finding import find_table

COLUMNS = read_columns(ITEM_COLUMNS)


def document_of(path: Path) -> Document:
    document = pypdfium2.PdfDocument(str(path))
    pages = []
    for index in range(len(document)):
        width, height = (int(2 * edge) for edge in document[index].get_size())
        lines = text_layer.read_text_layer(document[index], index).lines
        pages.append(layout.Page(index, width, height, "text_layer", lines))
    document.close()
    return Document(tuple(pages))


def rows_of(document: Document) -> list[list[str]]:
    found = find_table(document, COLUMNS)
    return found.texts if found else []


@each("family", [*tables.FAMILIES, *tables.UNSEEN])
@each("seed", [41, 42])
def test_every_row_of_a_generated_table_is_found(tmp_path: Path, family: str, seed: int) -> None:
    one = tables.table(seed, family)
    assert rows_of(document_of(tables.draw(one, tmp_path / "invoice.pdf"))) == one.rows


def drawn(tmp_path: Path, *rows: tuple[str, ...], places: tuple[int, ...] = (40, 200, 260, 340)) -> Document:
    """Rows of cells that begin at ``places``, under each other."""
    sheet = Sheet(400, 300)
    for number, row in enumerate(rows):
        for place, text in zip(places, row, strict=False):
            if text:
                sheet.text(place, 40 + 16 * number, text, size=9)
    return document_of(paper.save([sheet], tmp_path / "table.pdf"))


HEAD = ("Item", "Quantity", "Rate", "Amount")


def test_text_below_a_row_belongs_to_it_even_where_it_speaks_of_tax(tmp_path: Path) -> None:
    found = drawn(
        tmp_path, HEAD, ("Service A", "12", "$10.00", "$120.00"), ("Notes: capacitor",), ("Tax: 0.2%",),
        ("Service B", "5", "$1.50", "$7.50"), ("", "", "Subtotal:", "$127.50"), ("", "", "Total:", "$127.50"),
    )  # fmt: skip
    assert rows_of(found) == [
        ["Service A Notes: capacitor Tax: 0.2%", "12", "10.00", "120.00"],
        ["Service B", "5", "1.50", "7.50"],
    ]


def test_of_two_amounts_the_one_that_quantity_and_price_come_to_is_the_rows(tmp_path: Path) -> None:
    found = drawn(
        tmp_path, ("Product", "Qty", "Price", "Net amount", "Gross amount"), ("Pens", "2", "1.50", "3.00", "3.57"),
        ("Ink", "1", "4.00", "4.00", "4.76"), places=(40, 140, 180, 240, 320),
    )  # fmt: skip
    assert rows_of(found) == [["Pens", "2", "1.50", "3.00"], ["Ink", "1", "4.00", "4.00"]]


def test_a_page_without_a_heading_has_no_table(tmp_path: Path) -> None:
    assert (
        rows_of(drawn(tmp_path, ("Milk", "", "", "1.20"), ("Bread", "", "", "3.20"), ("TOTAL", "", "", "4.40"))) == []
    )
    assert rows_of(drawn(tmp_path, ("The amount of each item is", "as agreed.", "", ""))) == []


def test_a_row_that_speaks_of_services_and_pieces_is_no_heading(tmp_path: Path) -> None:
    found = drawn(
        tmp_path, HEAD, ("Pens", "2", "1.50", "3.00"), ("Cleaning service", "12 pcs", "2.00", "24.00"),
        ("Ink", "1", "4.00", "4.00"),
    )  # fmt: skip
    assert rows_of(found)[1:] == [["Cleaning service", "12", "2.00", "24.00"], ["Ink", "1", "4.00", "4.00"]]


def test_a_table_of_a_text_is_read_without_places() -> None:
    head = "| Item | Quantity | Price | Amount |\n| --- | --- | --- | --- |"
    text = f"# Invoice\n\n{head}\n| Pens | 2 | 1.50 | 3.00 |\n\nTotal 3.00"
    assert rows_of(Document((text_page.page(0, text),))) == [["Pens", "2", "1.50", "3.00"]]


@each("above", ["| Invoice date | 2026-05-22 |", "Invoice date: 23 May 2026\nBill to: Beacon Foods Ltd"])
def test_lines_right_above_a_heading_hide_none_of_its_columns(above: str) -> None:
    text = f"{above}\n| Description | Qty | Unit price | Amount |\n| Pens | 2 | 1.50 | 3.00 |\n| Total |  |  | 3.00 |"
    assert rows_of(Document((text_page.page(0, text),))) == [["Pens", "2", "1.50", "3.00"]]


@each("said", ["Subtotal: 3.00", "Total: 3.00 GBP", "Zwischensumme: EUR 3,00", "Net amount 3.00"])
def test_a_sum_said_in_the_line_below_ends_the_table(said: str) -> None:
    text = f"| Description | Qty | Unit price | Amount |\n| Pens | 2 | 1.50 | 3.00 |\n{said}\nVAT 20%: 0.60"
    found = find_table(Document((text_page.page(0, text),)), COLUMNS)
    assert found
    assert (found.texts, found.ended) == ([["Pens", "2", "1.50", "3.00"]], True)


def test_columns_of_a_projects_own_are_found_by_their_labels(tmp_path: Path) -> None:
    found = find_table(
        drawn(
            tmp_path,
            ("Spot", "Aired on", "", "Net"),
            ("News at 10", "03/02/2020", "", "20.00"),
            ("Late", "04/02/2020", "", "5.00"),
        ),
        read_columns("Spot, required\nAired on, date\nNet, amount"),
    )
    assert found
    assert found.texts == [["News at 10", "2020-02-03", "20.00"], ["Late", "2020-02-04", "5.00"]]
