"""Stage format_parser: the text layer of a PDF, with word boxes, and which pages of it may be believed."""

from typing import Any

import pypdfium2

from config.errors import Refused, StageFailed
from workflows import files
from workflows.stages import artifacts, layout, pdf, text_layer
from workflows.stages.base import StageContext, StageResult

PDF = "application/pdf"


def run(context: StageContext) -> StageResult:
    if context.file_type != PDF:
        return StageResult("skipped", "Only PDFs carry text of their own; this is an image.")
    pages = []
    try:
        with pdf.opened(context.original) as document:
            for index in range(document.page_count):
                pages.append(_page(document.document, index))
                context.heartbeat()
    except Refused as error:
        raise StageFailed(str(error)) from error
    artifacts.write_json(context.artifacts, files.TEXT_LAYER, {"pages": pages})
    believed = sum(page["doubt"] is None for page in pages)
    return StageResult("completed", facts={"pages": len(pages), "text_layer_pages": believed})


def _page(document: pypdfium2.PdfDocument, index: int) -> dict[str, Any]:
    try:
        page = document[index]
        try:
            layer = text_layer.read(page, index)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return {"page_index": index, "text": "", "doubt": "The page cannot be read.", "words": []}
    return {
        "page_index": index,
        "text": layer.text,
        "doubt": layer.doubt,
        # An unbelieved layer's words are not kept: nothing may read them by mistake.
        "words": layout.stored(layer.lines) if layer.doubt is None else [],
    }
