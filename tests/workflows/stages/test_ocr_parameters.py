"""What an OCR model's parameters do to the pages of a run: range, resolution, confidence, orientation, languages."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from projects.models.spec import BUILT_IN_OCR, NOT_OF_PP_OCR
from projects.settings.values import LANGUAGES
from tests.read_once import the_engine_itself
from tests.tools import paper
from tests.workflows.stages.memory import context, kept
from workflows.stages import format_parser, paddleocr_processor, segment_prep
from workflows.stages.base import StageContext
from workflows.stages.pages import ocr
from workflows.stages.pages.layout import Line, Word
from workflows.stages.pages.reading import PageReading
from workflows.stages.services import Services
from workflows.stages.usage import Usage


def pinned(copy: str = "pp-ocrv5", **changes: Any) -> dict[str, Any]:
    return replace(BUILT_IN_OCR[copy], id="own", name="Own", **changes).to_json()


def scan(folder: Path, pages: int = 1, *, turned: bool = False, **settings: Any) -> StageContext:
    """A PDF of pictures, which has no text of its own."""
    sheet = paper.Sheet(400, 200)
    sheet.text(40, 60, "Harbour Bakery Ltd", size=16)
    sheet.text(40, 120, "Total 41.70", size=16)
    image = paper.picture(sheet, 300).convert("RGB")
    image = image.rotate(180) if turned else image
    rest = [image] * (pages - 1)
    image.save(folder / "a.pdf", save_all=True, append_images=rest, resolution=300)
    ctx = context(folder / "a.pdf", **settings)
    segment_prep.run(ctx)
    format_parser.run(ctx)
    return ctx


class Reader:
    service, model = "endpoint-gpu", "PaddleX endpoint gpu"

    def __init__(self) -> None:
        self.asked: list[tuple[int, tuple[int, int]]] = []

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        self.asked.append((index, size))
        sure, unsure = Word("Sure", (0.1, 0.1, 0.2, 0.2), 0.9), Word("Unsure", (0.1, 0.3, 0.2, 0.4), 0.5)
        return PageReading(index, (Line(index, (sure,)), Line(index, (unsure,))))


def read_pages(ctx: StageContext) -> list[dict[str, Any]]:
    paddleocr_processor.run(ctx)
    pages: list[dict[str, Any]] = kept(ctx).json("paddleocr/result.json")["pages"]
    return pages


def test_only_pages_of_the_range_are_read(tmp_path: Path) -> None:
    ctx = scan(tmp_path, 3, ocr=pinned(pages="2-"))
    assert [page["page_index"] for page in read_pages(ctx)] == [1, 2]


def test_a_range_without_a_page_to_read_is_said(tmp_path: Path) -> None:
    done = paddleocr_processor.run(scan(tmp_path, ocr=pinned(pages="5-")))
    assert done.status == "skipped"
    assert "page range" in str(done.reason)


@pytest.mark.wide
def test_pages_are_rendered_for_it_and_told_in_the_pixels_that_people_see(tmp_path: Path) -> None:
    (usual,) = read_pages(scan(tmp_path))
    (large,) = read_pages(scan(tmp_path, ocr=pinned(dpi=300)))
    assert large["content"] == usual["content"] == "Harbour Bakery Ltd\nTotal 41.70"
    assert (large["width"], large["height"]) == (usual["width"], usual["height"])
    for one, other in zip(usual["blocks"], large["blocks"], strict=True):
        assert all(abs(a - b) <= 8 for a, b in zip(one["block_bbox"], other["block_bbox"], strict=True))


def test_a_service_is_sent_the_page_in_the_models_resolution(tmp_path: Path) -> None:
    reader = Reader()
    ctx = scan(tmp_path, ocr=pinned("endpoint", dpi=300, least_score=0.6, price_page=2))
    ctx = replace(ctx, services=Services(page_reader=reader))
    done = paddleocr_processor.run(ctx)
    assert done.facts["ocr_model"] == "Own, 300 dpi, Minimum confidence 60 %"
    stored = kept(ctx).json("paddleocr/result.json")
    (page,) = stored["pages"]
    ((index, size),) = reader.asked
    assert (index, round(size[0] / page["width"], 1)) == (0, 2.0)
    assert page["content"] == "Sure"
    assert page["blocks"][0]["block_bbox"][0] == round(0.1 * page["width"])
    assert stored["model_options"]["dpi"] == 300
    (used,) = done.used
    assert used == Usage("endpoint-gpu", "PaddleX endpoint gpu", pages=1, ms=used.ms, micros=2_000_000)


@pytest.mark.wide
def test_unsure_lines_are_left_out(tmp_path: Path) -> None:
    assert read_pages(scan(tmp_path, ocr=pinned(least_score=1.0)))[0]["content"] == ""
    assert "Total" in read_pages(scan(tmp_path, ocr=pinned(least_score=0.0)))[0]["content"]


@pytest.mark.wide
def test_lines_that_stand_on_their_head_are_turned_if_the_model_or_else_the_project_says(tmp_path: Path) -> None:
    switch = {"use_textline_orientation": True}
    for settings, turns in (
        ({"ocr": pinned(orientation="lines")}, True),
        ({"ocr": pinned(orientation="upright"), "ocr_options": switch}, False),
        ({"ocr": pinned(), "ocr_options": switch}, True),
        ({"ocr": pinned()}, False),
    ):
        (page,) = read_pages(scan(tmp_path, turned=True, **settings))
        assert ("Total 41.70" in page["content"]) is turns


def test_languages_of_the_model_come_before_the_projects(tmp_path: Path) -> None:
    ctx = scan(tmp_path, language="ko", ocr=pinned(languages=("de", "ru")))
    assert "Russian" in paddleocr_processor.run(ctx).facts["note"]
    assert "note" not in paddleocr_processor.run(scan(tmp_path, language="ko", ocr=pinned(languages=("de",)))).facts


def test_languages_that_the_engine_does_not_read_are_not_offered_for_it() -> None:
    assert {one for one in LANGUAGES if ocr.unreadable(one)} == NOT_OF_PP_OCR


def test_the_engine_looks_as_closely_at_the_next_page_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "engine", the_engine_itself)
    page = Image.new("RGB", (200, 100), "white")
    ocr.read_page_image(page, 0, scale=2.0)
    assert (ocr.engine().max_side_len, ocr.engine().text_det.limit_side_len) == (4000, 2560)
    ocr.read_page_image(page, 0)
    assert (ocr.engine().max_side_len, ocr.engine().text_det.limit_side_len) == (2000, 1280)


def test_a_run_from_before_the_catalogue_reads_as_it_did(tmp_path: Path) -> None:
    ctx = scan(tmp_path, ocr_model="paddleocr-vl")
    assert ctx.settings.ocr_spec == BUILT_IN_OCR["pp-ocrv5"]
    assert "Total" in read_pages(ctx)[0]["content"]
