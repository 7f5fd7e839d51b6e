import datetime as dt
import tracemalloc
import zipfile
from collections import deque
from pathlib import Path

import pytest

from config.errors import Refused
from tests.each import each
from tests.workflows.stages.formats.office import book, packed, paragraph, shape, slides, word, workbook
from workflows.stages import formats
from workflows.stages.formats import packages
from workflows.stages.formats.blocks import Chunk
from workflows.stages.formats.xlsx import Style, number_shown, style_of
from workflows.stages.pages import text_page

EPOCH = dt.datetime(1899, 12, 30)  # noqa: DTZ001


def texts(path: Path, kind: str) -> list[str]:
    return [one.text for one in formats.read_chunks(path, kind)]


def titles(found: list[Chunk]) -> list[str]:
    return [one.title for one in found]


def test_a_word_document_is_read_in_order_with_tables_and_notes(tmp_path: Path) -> None:
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Net", "1|2"))
    body = (
        paragraph("Contract", "Heading1") + paragraph("Between us") + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>"
    )
    path = word(tmp_path / "a", body, footnotes=paragraph("As agreed"), header1=paragraph("ACME Ltd"))
    assert texts(path, formats.DOCX) == [
        "ACME Ltd\n# Contract\nBetween us\n| Net | 1\\|2 |\na\tb\nc\n[Notes] As agreed"
    ]


def test_a_text_box_is_read_once_though_it_is_stored_twice(tmp_path: Path) -> None:
    box = paragraph("In the box")
    body = (
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>" + box + "</w:txbxContent></mc:Choice>"
        "<mc:Fallback><w:txbxContent>" + box + "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
        "<w:r><w:t>around it</w:t></w:r></w:p>"
    )
    assert texts(word(tmp_path / "a", body), formats.DOCX) == ["In the box\naround it"]


def test_each_slide_is_a_segment_with_its_notes(tmp_path: Path) -> None:
    first = shape("Plan", kind="title") + shape("One", "Two", kind="body") + shape("7", kind="sldNum")
    path = slides(tmp_path / "a", first, shape("No title here"), notes="Say hello")
    found = list(formats.read_chunks(path, formats.PPTX))
    assert titles(found) == ["Slide 1: Plan", "Slide 2"]
    assert [one.text for one in found] == ["# Plan\nOne\nTwo\n[Notes] Say hello", "Slide 2\nNo title here"]


def test_each_sheet_is_a_table_of_what_a_person_sees(tmp_path: Path) -> None:
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Paid</t></is></c></row><row></row>'
        '<row><c r="A3" s="1"><v>45000</v></c><c r="B3" s="2"><v>12.5</v></c><c r="C3" t="b"><v>1</v></c></row>'
    )
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="4"/></cellXfs>'
    )
    path = workbook(tmp_path / "a", {"March": rows, "Empty": ""}, strings="<si><t>Day</t></si>", styles=styles)
    found = list(formats.read_chunks(path, formats.XLSX))
    assert titles(found) == ["March"]
    assert found[0].text == "| Day |  | Paid |\n| --- | --- | --- |\n| 2023-03-15 | 12.50 | yes |"


def test_cells_far_away_are_read(tmp_path: Path) -> None:
    rows = (
        '<row><c r="A1"><v>1</v></c><c r="B1" s="9"/><c r="XFD1"><v>2</v></c></row>'
        '<row><c r="XFD1048576" t="inlineStr"><is><t>Aldgate</t></is></c></row>'
        '<row><c r="A3"><v>3</v></c><c r="AX3"><v>4</v></c></row>'
    )
    found = list(formats.read_chunks(workbook(tmp_path / "a", {"S": rows}), formats.XLSX))
    head, _, far, last = found[0].text.split("\n")
    assert (head, far) == ("| 1 |  | 2 |", "|  | Aldgate |")
    assert text_page.cells_of(last) == ["3", *[""] * 48, "4"]


def test_hidden_sheets_are_named_so(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a", {"S": "<row><c><v>1</v></c></row>"}, state=' state="hidden"')
    assert titles(list(formats.read_chunks(path, formats.XLSX))) == ["S (hidden)"]


@each(
    ("value", "code", "shown"),
    [
        ("0.19", "0.0%", "19.0 %"),
        ("3", "General", "3"),
        ("1234.5", '#,##0.00 "€"', "1234.50"),
        ("0.5", "hh:mm", "12:00:00"),
        ("45000.25", "yyyy-mm-dd hh:mm", "2023-03-15 06:00:00"),
        ("1E+300", "dd.mm.yyyy", "1E+300"),
        ("0.1", '"Day" 0.000', "0.100"),
        ("12", "[Red]0", "12"),
    ],
)
def test_numbers_are_shown_by_their_format(value: str, code: str, shown: str) -> None:
    assert number_shown(value, style_of(164, {164: code}), EPOCH) == shown


def test_a_number_without_a_format_keeps_its_digits() -> None:
    assert number_shown("0.1", Style(), EPOCH) == "0.1"


def test_a_book_is_read_by_its_chapters(tmp_path: Path) -> None:
    page = "<html><head><title>{}</title></head><body><p>{}</p></body></html>"
    path = book(tmp_path / "a", {"1.xhtml": page.format("One", "It began."), "2.xhtml": page.format("", "It ended.")})
    found = list(formats.read_chunks(path, formats.EPUB))
    assert [(one.title, one.text) for one in found] == [("One", "It began."), ("Chapter 2", "It ended.")]


def refusal(path: Path, kind: str) -> str:
    with pytest.raises(Refused) as caught:
        deque(formats.read_chunks(path, kind), maxlen=0)
    return str(caught.value)


@pytest.mark.parametrize("kind", [formats.DOCX, formats.PPTX, formats.XLSX, formats.EPUB])
def test_a_damaged_package_is_refused_with_what_to_do(tmp_path: Path, kind: str) -> None:
    assert "Save it again" in refusal(packed(tmp_path / "a", {"other.xml": "<a/>"}), kind)
    cut = tmp_path / "cut"
    cut.write_bytes((tmp_path / "a").read_bytes()[:40])
    assert "damaged" in refusal(cut, kind)


def test_xml_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a", {"word/document.xml": "<w:document xmlns:w='x'><w:body>"})
    assert "damaged" in refusal(path, formats.DOCX)


def test_nothing_outside_the_file_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    head = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "inside">]>'
    body = head + "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>"
    body += paragraph("before &x; after") + "</w:body></w:document>"
    path = packed(tmp_path / "a", {"word/document.xml": body})
    assert "secret" not in "".join(texts(path, formats.DOCX))


def test_entities_that_multiply_do_not(tmp_path: Path) -> None:
    entities = '<!ENTITY a0 "xxxxxxxxxx">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    body = (
        f"<!DOCTYPE w [{entities}]><w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
    )
    body += "<w:body>" + paragraph("&a8;") + "</w:body></w:document>"
    path = packed(tmp_path / "a", {"word/document.xml": body})
    assert "damaged" in refusal(path, formats.DOCX)


def test_a_package_that_is_made_to_fill_a_memory_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "MOST_BYTES", 3_000_000)
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        part.write(b"<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body>")
        line = paragraph("x" * 900).encode() * 1000
        for _ in range(packages.MOST_BYTES // len(line) + 2):
            part.write(line)
        part.write(b"</w:body></w:document>")
    assert "too large when expanded" in refusal(path, formats.DOCX)


@pytest.mark.slow
def test_a_large_sheet_is_never_held_as_a_whole(tmp_path: Path) -> None:
    rows = "".join(f'<row><c><v>{n}</v></c><c t="inlineStr"><is><t>item {n}</t></is></c></row>' for n in range(30_000))
    path = workbook(tmp_path / "a", {"S": rows})
    del rows
    tracemalloc.start()
    count = sum(1 for _ in formats.read_chunks(path, formats.XLSX))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 30
    assert peak < 3_000_000
