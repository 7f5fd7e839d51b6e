"""A page that fails is failed with its error, the others are read, and a retry touches that page only."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.tools import paper
from tests.workflows.stages.memory import MemoryStore, context, kept, run_all
from workflows.stages import document_summarizer, graph_builder
from workflows.stages.base import StageContext
from workflows.stages.pages import ocr

INNER = ocr.read_page_image


def scanned(folder: Path, **changes: Any) -> StageContext:
    """Three frames, each a picture of a page."""
    pictures = []
    for number in range(3):
        sheet = paper.Sheet(300, 150)
        sheet.text(30, 60, f"Harbour Bakery {number}", size=16)
        pictures.append(paper.picture(sheet, 150))
    pictures[0].save(folder / "a.tiff", save_all=True, append_images=pictures[1:])
    return context(folder / "a.tiff", "image/tiff", **changes)


def reads(*failing: int) -> Any:
    def read(image: object, index: int, **options: object) -> object:
        if index in failing:
            raise RuntimeError("the engine stumbled")
        return INNER(image, index, **options)  # type: ignore[arg-type]

    return mock.patch.object(ocr, "read_page_image", side_effect=read)


@pytest.fixture
def failed(tmp_path: Path) -> StageContext:
    ctx = scanned(tmp_path)
    with reads(1):
        done = run_all(ctx)
    assert {name: set(result.failed) for name, result in done.items() if result.failed} == {
        "paddleocr_processor": {1},
        "segment_builder": {1},
        "segment_analyzer": {1},
    }
    return ctx


def test_the_failed_page_says_so_and_the_others_are_read(failed: StageContext) -> None:
    store = kept(failed)
    segments = [store.json(f"analysis/segment_{index:04d}.json") for index in range(3)]
    assert [segment["status"] for segment in segments] == ["completed", "failed", "completed"]
    assert "could not be processed" in segments[1]["error"]
    assert [segment["text_content"] for segment in segments] == ["Harbour Bakery 0", "", "Harbour Bakery 2"]
    head = store.json("paddleocr/result.json")
    assert (head["success"], head["failed"]) == (False, [[1, 2]])
    result = store.json("runs/run1/result.json")
    assert (len(result["pages"]), result["notes"]) == (3, ["Failed pages are missing: 2"])


def test_a_retry_reads_that_page_only_and_completes_the_whole(failed: StageContext, tmp_path: Path) -> None:
    store = kept(failed)
    again = StageContext(**{**vars(failed), "only": frozenset({1})})
    before = dict(store.kept)
    with reads() as read:
        done = run_all(again)
    assert [call.args[1] for call in read.call_args_list] == [1]
    assert not any(result.failed for result in done.values())
    segments = [store.json(f"analysis/segment_{index:04d}.json") for index in range(3)]
    assert [segment["text_content"] for segment in segments] == [f"Harbour Bakery {index}" for index in range(3)]
    assert "error" not in segments[1]
    for name in ("analysis/segment_0000.json", "paddleocr/chunks/chunk_0002.json", "preprocessed/page_0000.png"):
        assert store.kept[name] is before[name]
    result = store.json("runs/run1/result.json")
    assert ([page["words"] for page in result["pages"]], result["notes"]) == ([3, 3, 3], [])
    assert store.json("paddleocr/result.json")["success"]


def test_a_slice_begun_before_reads_only_what_is_left(tmp_path: Path) -> None:
    ctx = scanned(tmp_path)
    run_all(ctx)
    assert isinstance(ctx.artifacts, MemoryStore)
    del ctx.artifacts.kept["paddleocr/chunks/chunk_0002.json"]
    with reads() as read:
        run_all(ctx)
    assert [call.args[1] for call in read.call_args_list] == [2]


def test_a_late_builder_does_not_undo_what_was_analysed(failed: StageContext) -> None:
    before = kept(failed).kept["analysis/segment_0000.json"]
    run_all(failed)
    assert kept(failed).kept["analysis/segment_0000.json"] is before


@pytest.mark.parametrize("stage", [graph_builder, document_summarizer])
def test_behind_the_assessment_a_page_that_fails_is_left_out_and_named(tmp_path: Path, stage: Any) -> None:
    ctx = scanned(tmp_path)
    with reads():
        run_all(ctx)
    assert stage.run(ctx).reason is None
    ctx.artifacts.write("analysis/segment_0002.json", b"{broken", "application/json")
    done = stage.run(ctx)
    assert (done.status, done.failed) == ("completed", frozenset())  # a result that was decided does not become partial
    assert done.reason == "1 page could not be looked at and is left out: 3."
