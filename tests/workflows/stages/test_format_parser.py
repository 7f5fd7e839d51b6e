from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from config.errors import StageFailed
from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import context, kept
from workflows.stages import format_parser
from workflows.stages.pages import text_layer


def words(ctx, page: int = 0) -> dict[str, list[float]]:
    stored = kept(ctx).json("format-parser/result.json")["pages"][page]["words"]
    return {word["text"]: word["box"] for word in stored}


def sheet_with_text() -> Sheet:
    sheet = Sheet(400, 200)
    sheet.text(40, 50, "Total due", size=10)
    sheet.text(300, 50, "510.24", size=10)
    return sheet


def test_words_carry_boxes_in_fractions_from_the_top_left(tmp_path: Path) -> None:
    ctx = context(save([sheet_with_text()], tmp_path / "a.pdf"))
    assert format_parser.run(ctx).facts == {"pages": 1, "text_layer_pages": 1}
    x0, y0, x1, y1 = words(ctx)["510.24"]
    assert x0 == pytest.approx(300 / 400, abs=0.01)
    assert x1 == pytest.approx(331 / 400, abs=0.02)
    assert y0 < 50 / 200 < y1 + 0.005


def test_words_far_apart_on_a_row_are_lines_of_their_own(tmp_path: Path) -> None:
    ctx = context(save([sheet_with_text()], tmp_path / "a.pdf"))
    format_parser.run(ctx)
    stored = kept(ctx).json("format-parser/result.json")["pages"][0]["words"]
    assert [(word["text"], word["block"]) for word in stored] == [("Total", 0), ("due", 0), ("510.24", 1)]


def test_boxes_follow_a_turned_page(tmp_path: Path) -> None:
    with pikepdf.open(save([sheet_with_text()], tmp_path / "a.pdf")) as document:
        document.pages[0].Rotate = 90
        document.save(tmp_path / "b.pdf")
    ctx = context(tmp_path / "b.pdf")
    format_parser.run(ctx)
    x0, y0, x1, _ = words(ctx)["510.24"]
    # Turned right, what was on the right is below, and what was at the top is on the right.
    assert y0 == pytest.approx(300 / 400, abs=0.01)
    assert x0 < 1 - 50 / 200 < x1


def test_text_over_a_full_page_picture_is_not_believed(tmp_path: Path) -> None:
    sheet = Sheet(400, 200)
    Image.new("L", (40, 20), 240).save(tmp_path / "scan.png")
    sheet.canvas.do.draw_image(tmp_path / "scan.png", 0, 0, 400, 200)
    sheet.text(40, 50, "Tctal due 510.24")
    ctx = context(save([sheet], tmp_path / "a.pdf"))
    assert format_parser.run(ctx).facts["text_layer_pages"] == 0
    page = kept(ctx).json("format-parser/result.json")["pages"][0]
    assert "existing OCR text layer" in page["doubt"]
    assert page["words"] == []
    assert "Tctal" in page["text"]


def test_a_logo_does_not_make_a_page_a_scan(tmp_path: Path) -> None:
    sheet = sheet_with_text()
    Image.new("L", (40, 20), 240).save(tmp_path / "logo.png")
    sheet.canvas.do.draw_image(tmp_path / "logo.png", 10, 150, 100, 40)
    ctx = context(save([sheet], tmp_path / "a.pdf"))
    assert format_parser.run(ctx).facts["text_layer_pages"] == 1


def sheet_with_letter(folder: Path, utf16: str) -> Path:
    """Below the other words, "Party" and a letter for which the font says that it is this one."""
    with pikepdf.open(save([sheet_with_text()], folder / "a.pdf")) as document:
        page = document.pages[0]
        page.Resources.Font.F1.ToUnicode = document.make_stream(
            f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
            f"1 beginbfchar <7E> <{utf16}> endbfchar endcmap".encode()
        )
        page.contents_add(b"BT /F1 10 Tf 40 20 Td (Party~) Tj ET")
        document.save(folder / "b.pdf")
    return folder / "b.pdf"


@pytest.mark.parametrize(
    ("written", "read"), [("D83DDE00", "Party\U0001f600"), ("D83D", "Party"), ("DE00", "Party"), ("DE00D83D", "Party")]
)
def test_a_letter_beyond_the_first_65536_is_one_letter_and_half_of_one_none(
    tmp_path: Path, written: str, read: str
) -> None:
    """pdfium hands them out as two halves, which no file and no table takes."""
    ctx = context(sheet_with_letter(tmp_path, written))
    format_parser.run(ctx)
    assert list(words(ctx)) == ["Total", "due", "510.24", read]


def test_letters_that_turn_text_around_are_left_out_of_the_text_and_of_its_words(tmp_path: Path) -> None:
    ctx = context(sheet_with_letter(tmp_path, "202E"))
    format_parser.run(ctx)
    assert list(words(ctx)) == ["Total", "due", "510.24", "Party"]
    assert kept(ctx).json("format-parser/result.json")["pages"][0]["text"].split() == list(words(ctx))


def test_characters_without_meaning_are_not_believed() -> None:
    assert text_layer.doubt("\ue001\ue002\ue003 abcde", 0.0) is not None
    assert text_layer.doubt("Grüße aus Köln", 0.0) is None
    assert text_layer.doubt(" . ", 0.0) == "The page has no text layer."


def test_images_are_skipped_with_the_reason(tmp_path: Path) -> None:
    result = format_parser.run(context(tmp_path / "a.png", "image/png"))
    assert (result.status, result.reason) == ("skipped", "Only PDFs have a text layer; this is an image.")


def test_a_broken_pdf_fails_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    with pytest.raises(StageFailed, match="could not be repaired"):
        format_parser.run(context(tmp_path / "a.pdf"))
