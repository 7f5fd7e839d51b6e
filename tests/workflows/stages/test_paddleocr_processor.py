from pathlib import Path

import pytest
from PIL import Image

from tests.tools import paper
from tests.workflows.stages.memory import context, kept
from workflows.stages import format_parser, paddleocr_processor, segment_builder, segment_prep
from workflows.stages.base import StageContext
from workflows.stages.pages import ocr


def sheet() -> paper.Sheet:
    page = paper.Sheet(400, 200)
    page.text(40, 60, "Harbour Bakery Ltd", size=16)
    page.text(40, 120, "Total 41.70", size=16)
    return page


def scan(folder: Path, **changes: object) -> StageContext:
    paper.picture(sheet(), 150).save(folder / "a.png")
    return context(folder / "a.png", "image/png", **changes)


def test_a_picture_is_read_with_boxes_scores_and_the_model_that_ran(tmp_path: Path) -> None:
    ctx = scan(tmp_path)
    segment_prep.run(ctx)
    result = paddleocr_processor.run(ctx)
    assert result.facts == {"pages": 1, "model": ocr.MODEL}
    stored = kept(ctx).json("paddleocr/result.json")
    assert (stored["success"], stored["model"], stored["model_asked_for"]) == (True, ocr.MODEL, "pp-ocrv5")
    page = stored["pages"][0]
    assert page["content"] == "Harbour Bakery Ltd\nTotal 41.70"
    assert [block["block_content"] for block in page["blocks"]] == page["content"].split("\n")
    assert all(0.8 < score <= 1 for score in page["scores"])
    amount = next(word for word in page["words"] if word["text"] == "41.70")
    assert amount["box"][0] > 0.15
    assert 0.5 < (amount["box"][1] + amount["box"][3]) / 2 < 0.62
    assert amount["block"] == 1


def test_builder_merges_the_read_page_into_its_segment(tmp_path: Path) -> None:
    ctx = scan(tmp_path)
    segment_prep.run(ctx)
    paddleocr_processor.run(ctx)
    assert segment_builder.run(ctx).facts == {"segments": 1, "segment_count": 1}
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert segment["source"] == "ocr"
    assert segment["paddleocr"] == segment["text_content"] == "Harbour Bakery Ltd\nTotal 41.70"
    assert len(segment["paddleocr_blocks"]["blocks"]) == 2
    assert len(segment["words"]) == 5


def test_pages_with_a_believed_text_layer_are_not_read(tmp_path: Path) -> None:
    ctx = context(paper.save([sheet()], tmp_path / "a.pdf"))
    segment_prep.run(ctx)
    format_parser.run(ctx)
    result = paddleocr_processor.run(ctx)
    assert (result.status, result.reason) == ("skipped", "Every page has a reliable text layer.")
    segment_builder.run(ctx)
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert (segment["source"], segment["paddleocr"]) == ("text_layer", "")
    assert [word["text"] for word in segment["words"]][:3] == ["Harbour", "Bakery", "Ltd"]


def test_an_empty_page_is_no_error(tmp_path: Path) -> None:
    paper.picture(paper.Sheet(200, 200), 100).save(tmp_path / "a.png")
    ctx = context(tmp_path / "a.png", "image/png")
    segment_prep.run(ctx)
    paddleocr_processor.run(ctx)
    assert kept(ctx).json("paddleocr/result.json")["pages"][0]["content"] == ""


@pytest.mark.parametrize("size", [(20_000, 3), (3, 20_000), (4_000, 32), (2_001, 16)])
def test_a_strip_that_the_engine_cannot_take_holds_nothing_to_read(size: tuple[int, int]) -> None:
    assert ocr.read_page_image(Image.new("L", size), 0).lines == ()


def test_a_script_the_model_does_not_know_is_said(tmp_path: Path) -> None:
    ctx = scan(tmp_path, language="ko")
    segment_prep.run(ctx)
    assert "Korean" in paddleocr_processor.run(ctx).facts["note"]


@pytest.mark.parametrize(("language", "name"), [("ru", "Russian"), ("zh-tw", None), ("AR", "Arabic"), ("en", None)])
def test_languages_outside_the_model(language: str, name: str | None) -> None:
    assert ocr.unreadable(language) == name


def test_wide_printing_is_joined() -> None:
    quad = [(0.0, 0.0), (100.0, 0.0), (100.0, 10.0), (0.0, 10.0)]
    parts = [(char, 0.9, quad) for char in "14/01/2018"]
    words = ocr._words("1 4 / 0 1 / 2 0 1 8", 0.9, quad, parts, (100, 10))
    assert [word.text for word in words] == ["14/01/2018"]


def test_words_without_boxes_are_spread_along_their_line() -> None:
    quad = [(0.0, 0.0), (100.0, 0.0), (100.0, 10.0), (0.0, 10.0)]
    words = ocr._words("ab cd", 0.9, quad, (), (100, 10))
    assert [word.box for word in words] == [(0, 0, 0.4, 1), (0.6000000000000001, 0, 1, 1)]
