"""Arabic and Hebrew pages are read in their own order, whatever the order of letters in the file."""

from collections.abc import Iterable
from pathlib import Path

import pikepdf
import pypdfium2
from pikepdf import Dictionary, Name

from tests.each import each
from tests.workflows.stages.memory import FIELDS
from workflows.stages import fields
from workflows.stages.fields.candidates import Document
from workflows.stages.pages import right_to_left
from workflows.stages.pages.layout import Page
from workflows.stages.pages.text_layer import TextLayer, read_text_layer

# Lines as they are read; and as they are seen, from the left.
ARABIC = {
    "شركة النور للتجارة": "شركة النور للتجارة"[::-1],
    "رقم الفاتورة: 44110": "44110 " + "رقم الفاتورة:"[::-1],
    "الإجمالي: SAR 125.00": "SAR 125.00 " + "الإجمالي:"[::-1],
}
HEBREW = {
    "חברת האור למסחר": "חברת האור למסחר"[::-1],
    "רחוב הרצל 12, תל אביב": "תל אביב"[::-1] + " ,12 " + "רחוב הרצל"[::-1],
    "לתשלום: 125.00": "125.00 " + "לתשלום:"[::-1],
}
SIZE = 12


def draw(path: Path, lines: Iterable[str], *, flush_right: bool = True) -> Path:
    """Draw each letter alone, from the left, as most writers of PDFs do."""
    lines = list(lines)
    codes = {char: number for number, char in enumerate(sorted(set("".join(lines))), 33)}
    mapped = "\n".join(f"<{code:02x}> <{ord(char):04x}>" for char, code in codes.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        f"{len(codes)} beginbfchar\n{mapped}\nendbfchar endcmap end"
    )
    shown = []
    for row, line in enumerate(lines):
        letters = list(enumerate(line))
        left = 560 - SIZE * 0.6 * len(letters) if flush_right else 40
        shown += [
            f"BT /F1 {SIZE} Tf {left + 0.6 * SIZE * place:.1f} {700 - 40 * row} Td <{codes[char]:02x}> Tj ET"
            for place, char in letters
        ]
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(600, 800))
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type1,
            BaseFont=Name.Courier,
            ToUnicode=document.make_stream(cmap.encode()),
        )
        page.Resources = Dictionary(Font=Dictionary(F1=document.make_indirect(font)))
        page.Contents = document.make_stream("\n".join(shown).encode())
        document.save(path)
    return path


def read(path: Path) -> tuple[TextLayer, Page]:
    document = pypdfium2.PdfDocument(path)
    layer = read_text_layer(document[0], 0)
    return layer, Page(0, 600, 800, "text_layer", layer.lines)


@each("lines", [ARABIC, HEBREW])
def test_a_page_is_read_from_the_right(tmp_path: Path, lines: dict[str, str]) -> None:
    layer, page = read(draw(tmp_path / "a.pdf", lines.values()))
    assert [row.text for row in page.rows] == list(lines)
    assert layer.text == "\n".join(lines)
    assert page.from_right


@each(("lines", "company"), [(ARABIC, "شركة النور للتجارة"), (HEBREW, "חברת האור למסחר")])
def test_the_whole_heading_is_the_company_and_the_total_is_found(
    tmp_path: Path, lines: dict[str, str], company: str
) -> None:
    _, page = read(draw(tmp_path / "a.pdf", lines.values()))
    found = {spec.name: fields.find_candidates(Document((page,)), spec) for spec in FIELDS}
    assert (found["company"][0].value, found["total"][0].value) == (company, "125.00")


def test_an_arabic_name_on_an_english_page_has_its_own_order(tmp_path: Path) -> None:
    name = "شركة النور"
    seen = ("Invoice for goods delivered in March", f"Sold to {name[::-1]} in Dubai", "Total due 125.00")
    _, page = read(draw(tmp_path / "a.pdf", seen, flush_right=False))
    assert [row.text for row in page.rows] == [seen[0], f"Sold to {name} in Dubai", seen[2]]
    assert not page.from_right


@each(
    ("visual", "read_as"),
    [
        ("-4411", "-4411"),
        (",12", "12,"),
        ("4411-ל", "ל-4411"),
        (":םולשת", "תשלום:"),
        ("12/03/2024", "12/03/2024"),
        ("$5.00", "$5.00"),
    ],
)
def test_numbers_keep_their_order_within_turned_text(visual: str, read_as: str) -> None:
    placed = list(enumerate(visual))
    ordered = right_to_left.order_letters(placed, lambda one: one[1], lambda one: float(one[0]))
    assert "".join(char for _, char in ordered) == read_as


def test_letters_by_their_place_become_plain_ones() -> None:
    assert right_to_left.plain_letters("\ufeb7\ufeae\ufedb\ufe94") == "شركة"
