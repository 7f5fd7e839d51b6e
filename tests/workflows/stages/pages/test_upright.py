"""A page that does not lie upright is turned where the engine then reads it better, once."""

import io
from pathlib import Path

import pytest
from PIL import Image

from tests.tools import paper
from tests.workflows.stages.memory import context, kept
from workflows.stages import paddleocr_processor, segment_builder, segment_prep
from workflows.stages.pages.upright import turn
from workflows.storage import files

LINES = ("Harbour Bakery Ltd", "12 Quayside", "Date 2024-03-31", "Total 41.70")


def picture() -> Image.Image:
    page = paper.Sheet(300, 400)
    for number, line in enumerate(LINES):
        page.text(40, 60 + 60 * number, line, size=16)
    return paper.picture(page, 150)


def lying(quarters: int) -> Image.Image:
    return turn(picture(), quarters)


@pytest.mark.wide
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_page_is_read_upright_however_it_lies(tmp_path: Path, quarters: int) -> None:
    lying(quarters).save(tmp_path / "a.png")
    ctx = context(tmp_path / "a.png", "image/png")
    segment_prep.run(ctx)
    paddleocr_processor.run(ctx)
    kept(ctx).kept.pop("paddleocr/result.json")  # a worker that died before it had told: the page is turned already
    paddleocr_processor.run(ctx)
    segment_builder.run(ctx)
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert segment["text_content"] == "\n".join(LINES)
    with Image.open(io.BytesIO(kept(ctx).kept[files.page_image(0)])) as stored:
        assert (segment["width"], segment["height"]) == stored.size == picture().size
    tops = [word["box"][1] for word in segment["words"]]
    assert tops == sorted(tops)


def test_what_cannot_be_read_either_way_stays_as_it_is(tmp_path: Path) -> None:
    Image.effect_noise((600, 400), 80).convert("RGB").save(tmp_path / "a.png")
    ctx = context(tmp_path / "a.png", "image/png")
    segment_prep.run(ctx)
    before = kept(ctx).kept[files.page_image(0)]
    paddleocr_processor.run(ctx)
    assert kept(ctx).kept[files.page_image(0)] == before
