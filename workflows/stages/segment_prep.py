"""Stage segment_prep: the file as upright page images at 150 dpi, one segment a page."""

import io
from collections.abc import Iterator

import pypdfium2
from PIL import Image

from config.errors import Refused, StageFailed
from workflows import files
from workflows.stages import artifacts, pdf, pictures
from workflows.stages.base import StageContext, StageResult

MAX_PAGES = 30_000
PDF = "application/pdf"


def run(context: StageContext) -> StageResult:
    """Page by page: memory does not grow with the document, and a second run writes the same bytes."""
    segments = []
    for index, image in enumerate(_pages(context)):
        if index >= MAX_PAGES:
            raise StageFailed(f"This file has more than {MAX_PAGES:,} pages. Split it and upload the parts.")
        context.artifacts.write(files.page_image(index), _png(image), "image/png")
        segments.append(
            {
                "segment_index": index,
                "segment_type": "PAGE",
                "image": files.page_image(index),
                "width": image.width,
                "height": image.height,
            }
        )
        context.heartbeat()
    if not segments:
        raise StageFailed("This file has no pages. Export or scan it again and upload the new file.")
    metadata = {"file_type": context.file_type, "segment_count": len(segments), "segments": segments}
    artifacts.write_json(context.artifacts, files.PREPARED, metadata)
    return StageResult("completed", facts={"segment_count": len(segments)})


def _pages(context: StageContext) -> Iterator[Image.Image]:
    if context.file_type == PDF:
        return _pdf_pages(context)
    if context.file_type.startswith("image/"):
        return _image_pages(context)
    raise StageFailed(f"Files of type {context.file_type} cannot be turned into pages yet. Upload a PDF or an image.")


def _pdf_pages(context: StageContext) -> Iterator[Image.Image]:
    try:
        with pdf.opened(context.original) as document:
            for index in range(document.page_count):
                yield _pdf_page(document, index)
    except Refused as error:
        raise StageFailed(str(error)) from error


def _pdf_page(document: pdf.OpenPdf, index: int) -> Image.Image:
    try:
        page = document.document[index]
        try:
            return pdf.render(page)
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        # One unreadable page must not cost the others: it stays as an empty page, and its missing fields go to review.
        return Image.new("RGB", (1240, 1754), "white")


def _image_pages(context: StageContext) -> Iterator[Image.Image]:
    try:
        yield from pictures.frames(context.original, context.file_type)
    except (OSError, SyntaxError, ValueError, *pictures.TOO_LARGE) as error:
        raise StageFailed(
            "This image is damaged and cannot be read to its end. Save or scan it again and upload the new file."
        ) from error


def _png(image: Image.Image) -> bytes:
    body = io.BytesIO()
    image.save(body, "PNG", compress_level=3)  # level 6 costs three times as long for a tenth of the size
    return body.getvalue()
