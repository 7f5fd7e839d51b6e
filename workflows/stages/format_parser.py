"""Stage format_parser: the text of text files, the text layer of PDFs with word boxes, and embedded invoices."""

from collections.abc import Sequence
from typing import Any

import pypdfium2

from config.errors import Refused, StageFailed
from config.phrase import Sentence
from workflows.stages import artifacts, file_kinds, slices
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.formats import einvoice
from workflows.stages.pages import layout, paged, pdf, text_layer
from workflows.stages.pages.paged import Pages
from workflows.stages.text import text_segments
from workflows.storage import files

PDF = "application/pdf"


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def find_doubted_pages(layer: Pages) -> list[int]:
    """Return the pages with an untrusted text layer; in older artifacts, from the entries."""
    if "doubted" in layer.head:
        return layer.ranges("doubted")
    return [int(page["page_index"]) for page in layer.head.get("pages", ()) if page["doubt"] is not None]


def _plan(context: StageContext) -> Sequence[int] | StageResult:
    if file_kinds.has_text(context.file_type):
        # Sequential: no part can be read before those that precede it.
        return text_segments.write_text_segments(context)
    if context.file_type != PDF:
        return StageResult("skipped", Sentence("Only PDFs have a text layer; this is an image."))
    try:
        with pdf.open_pdf(context.original) as document:
            if invoice := einvoice.read_embedded_invoice(context.original):
                artifacts.write_json(context.artifacts, files.EINVOICE, invoice.to_stored())
            return slices.select_requested(context, range(document.page_count))
    except Refused as error:
        raise StageFailed(str(error)) from error


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    pages: list[dict[str, Any]] = []
    try:
        with pdf.open_pdf(context.original) as document:
            for index in indices:
                pages.append(_page(document.document, index))
                context.heartbeat()
    except Refused as error:
        raise StageFailed(str(error)) from error
    paged.TEXT_LAYER.write(context.artifacts, pages, into=context.only is not None)
    return SliceResult(output=[page["page_index"] for page in pages if page["doubt"] is not None])


def _finish(context: StageContext, done: Tally) -> StageResult:
    doubts, count = {index for output in done.outputs for index in output}, done.planned
    if context.only is not None:
        before = paged.TEXT_LAYER.open_pages(context.artifacts)
        doubts |= set(find_doubted_pages(before)) - context.only
        count = len(before.indices)
    paged.TEXT_LAYER.finish(
        context.artifacts, range(count), {"page_count": count, "doubted": slices.pack_ranges(sorted(doubts))}
    )
    return StageResult("completed", facts={"pages": count, "text_layer_pages": count - len(doubts)})


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish, aligned=True)


def _page(document: pypdfium2.PdfDocument, index: int) -> dict[str, Any]:
    try:
        page = document[index]
        try:
            layer = text_layer.read_text_layer(page, index)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return {"page_index": index, "text": "", "doubt": Sentence("The page cannot be read."), "words": []}
    return {
        "page_index": index,
        "text": layer.text,
        "doubt": layer.doubt,
        # The words of an untrusted layer are not stored, so that nothing uses them by mistake.
        "words": layout.words_to_store(layer.lines) if layer.doubt is None else [],
    }
