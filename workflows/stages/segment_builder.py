"""Stage segment_builder: one JSON a page, merged from what the stages before found (CONTRACTS 2.4)."""

from collections.abc import Mapping
from typing import Any

from workflows import files
from workflows.stages import artifacts
from workflows.stages.base import StageContext, StageResult


def run(context: StageContext) -> StageResult:
    prepared = artifacts.read_json(context.artifacts, files.PREPARED)
    layer, ocr = _pages(context, files.TEXT_LAYER), _pages(context, files.OCR)
    count = len(prepared["segments"])
    for page in prepared["segments"]:
        index = page["segment_index"]
        merged = _segment(page, layer.get(index, {}), ocr.get(index, {}))
        artifacts.write_json(context.artifacts, files.segment(index), merged)
        context.heartbeat()
    return StageResult("completed", facts={"segments": count, "segment_count": count})


def _pages(context: StageContext, name: str) -> dict[int, Mapping[str, Any]]:
    if not context.artifacts.exists(name):
        return {}
    return {page["page_index"]: page for page in artifacts.read_json(context.artifacts, name)["pages"]}


def _segment(page: Mapping[str, Any], layer: Mapping[str, Any], ocr: Mapping[str, Any]) -> dict[str, Any]:
    """Where a page was read by OCR its words count, since only a page without a believed layer is read."""
    text = ocr["content"] if ocr else layer.get("text", "")
    return {
        "segment_index": page["segment_index"],
        "segment_type": page["segment_type"],
        "status": "parsing",
        "image_uri": page["image"],
        "width": page["width"],
        "height": page["height"],
        "format_parser": layer.get("text", ""),
        "text_content": text,
        "paddleocr": ocr.get("content", ""),
        "paddleocr_blocks": {
            "blocks": ocr.get("blocks", []),
            "width": ocr.get("width", page["width"]),
            "height": ocr.get("height", page["height"]),
        },
        "ai_analysis": [],
        # our own, beside the contract's
        "source": "ocr" if ocr else "text_layer",
        "words": ocr.get("words") or layer.get("words", []),
        "slope": ocr.get("slope", 0.0),
    }
