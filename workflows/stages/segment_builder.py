"""Stage segment_builder: one JSON a page, merged from the output of earlier stages (CONTRACTS 2.4)."""

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.stages import artifacts, file_kinds, formats, slices
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.pages import paged, text_page
from workflows.stages.pages.paged import PagedArtifact
from workflows.storage import files

# The contract's keys for texts that are not from the file itself.
_FOUND_AS = {"AUDIO": "transcribe", "WEB": "webcrawler_content"}


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int]:
    return slices.select_requested(context, range(_count(context)))


def _count(context: StageContext) -> int:
    return int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"])


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    texts = _texts_of(context.file_type).open_pages(context.artifacts).by_index(indices)
    ocr = paged.OCR.open_pages(context.artifacts).by_index(indices)
    automated = paged.BDA.open_pages(context.artifacts).by_index(indices)
    failed: dict[int, str] = {}
    for page in paged.PREPARED.open_pages(context.artifacts).entries(indices):
        index = int(page["segment_index"])
        merged = _segment(page, texts.get(index, {}), ocr.get(index, {}))
        if page["image"]:
            merged["image_uri"] = context.artifacts.uri(page["image"])
        if index in automated:
            merged["bda_indexer"] = automated[index]["markdown"]
        if "error" in merged:
            failed[index] = merged["error"]
        if context.only is None:
            # A worker believed dead may come back: it must not undo a later analysis.
            artifacts.write_new_json(context.artifacts, files.segment(index), merged)
        else:
            artifacts.write_json(context.artifacts, files.segment(index), merged)
        context.heartbeat()
    return SliceResult(failed)


def _texts_of(file_type: str) -> PagedArtifact:
    """Return the artifact with the text of such a file."""
    if file_kinds.has_pages(file_type):
        return paged.TEXT_LAYER
    if file_kinds.has_sound(file_type):
        return paged.TRANSCRIPT
    return paged.CRAWL if file_type == formats.WEB_REQUEST else paged.CHUNKS


def _finish(context: StageContext, done: Tally) -> StageResult:
    count = _count(context)
    return StageResult("completed", facts={"segments": count, "segment_count": count}, failed=done.failed)


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish, aligned=True)


def _segment(page: Mapping[str, Any], layer: Mapping[str, Any], ocr: Mapping[str, Any]) -> dict[str, Any]:
    """OCR takes precedence, since only pages without a trusted text layer are read."""
    found = _FOUND_AS.get(page["segment_type"], "format_parser") if "source_url" in layer or "spoken" in layer else ""
    text = ocr["content"] if ocr else layer.get("text", "")
    error = page.get("error") or ocr.get("error")
    return {
        "segment_index": page["segment_index"],
        "segment_type": page["segment_type"],
        "status": "failed" if error else "parsing",
        "image_uri": page["image"],
        "width": ocr.get("width", page["width"]),  # of a page that was turned for OCR
        "height": ocr.get("height", page["height"]),
        found or "format_parser": layer.get("text", ""),
        "text_content": text,
        "paddleocr": ocr.get("content", ""),
        "paddleocr_blocks": {
            "blocks": ocr.get("blocks", []),
            "width": ocr.get("width", page["width"]),
            "height": ocr.get("height", page["height"]),
        },
        "ai_analysis": [],
        # our additions to the contract
        "source": "ocr" if ocr else "text_layer" if page["image"] else text_page.SOURCE,
        "words": ocr.get("words") or layer.get("words", []),
        "slope": ocr.get("slope", 0.0),
        **{name: ocr[name] for name in ("forms", "tables", "signatures", "given") if name in ocr},
    } | _optional(
        page_title=page.get("title"),
        transcribe_segments=layer.get("spoken"),
        source_url=layer.get("source_url"),
        instruction=layer.get("instruction"),
        error=error,
    )


def _optional(**entries: Any) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if entry}
