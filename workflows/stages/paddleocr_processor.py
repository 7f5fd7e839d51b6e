"""Stage paddleocr_processor: reads the pages that have no text layer to believe."""

import io
from typing import Any

from PIL import Image

from workflows import files
from workflows.stages import artifacts, layout, ocr
from workflows.stages.base import StageContext, StageResult


def run(context: StageContext) -> StageResult:
    wanted = _pages_to_read(context)
    if not wanted:
        return StageResult("skipped", "Every page has a text layer that can be believed.")
    pages = []
    for index in wanted:
        pages.append(_page(context, index))
        context.heartbeat()
    note = _language_note(context)
    artifacts.write_json(
        context.artifacts,
        files.OCR,
        {
            "success": True,
            "format": "words",
            "model": ocr.MODEL,
            "model_asked_for": context.settings.ocr_model,
            "model_options": dict(context.settings.ocr_options),
            "note": note,
            "pages": pages,
            "page_count": len(pages),
            "content": "\n\n".join(page["content"] for page in pages),
        },
    )
    facts = {"pages": len(pages), "model": ocr.MODEL} | ({"note": note} if note else {})
    return StageResult("completed", facts=facts)


def _pages_to_read(context: StageContext) -> list[int]:
    count = artifacts.read_json(context.artifacts, files.PREPARED)["segment_count"]
    believed: set[int] = set()
    if context.artifacts.exists(files.TEXT_LAYER):
        layer = artifacts.read_json(context.artifacts, files.TEXT_LAYER)
        believed = {page["page_index"] for page in layer["pages"] if page["doubt"] is None}
    return [index for index in range(count) if index not in believed]


def _language_note(context: StageContext) -> str | None:
    name = ocr.unreadable(str(context.settings.ocr_options.get("lang") or context.settings.language))
    return name and f"The local OCR model does not know the {name} script. Check every value, or choose another model."


def _page(context: StageContext, index: int) -> dict[str, Any]:
    with Image.open(io.BytesIO(context.artifacts.read(files.page_image(index)))) as image:
        width, height = image.size
        turn = bool(context.settings.ocr_options.get("use_textline_orientation"))
        accents = context.settings.language not in ocr.WITHOUT_ACCENTS
        reading = ocr.read(image, index, turn_lines=turn, accents=accents)
    return {
        "page_index": index,
        "content": "\n".join(line.text for line in reading.lines),
        "blocks": [
            {
                "block_id": number,
                "block_label": "text",
                "block_content": line.text,
                "block_bbox": list(box),
                "block_order": number + 1,
                "group_id": number,
            }
            for number, (line, box) in enumerate(zip(reading.lines, reading.boxes, strict=True))
        ],
        "width": width,
        "height": height,
        "slope": round(reading.slope, 5),
        "scores": [round(line.score, 4) for line in reading.lines],
        "words": layout.stored(reading.lines),
    }
