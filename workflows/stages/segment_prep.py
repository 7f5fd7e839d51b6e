"""Stage segment_prep: renders upright page images at 150 dpi, one segment a page; a placeholder for text files."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from PIL import Image

from config.errors import Refused, StageFailed
from config.phrase import Sentence
from workflows.stages import file_kinds, slices
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.pages import image_files, paged, pdf
from workflows.stages.text import text_segments
from workflows.storage import files

MAX_PAGES = 30_000
PDF = "application/pdf"
_BLANK = (1240, 1754)  # A4 at 150 dpi, in place of a page that cannot be rendered
_DAMAGED = Sentence("This image is damaged. Save or scan it again and upload the new file.")

PageAt = Callable[[int], Image.Image]


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int] | StageResult:
    if not file_kinds.is_read(context.file_type):
        raise StageFailed(f"File type {context.file_type} is not supported. Upload a PDF or image.")
    if not file_kinds.has_pages(context.file_type):
        return text_segments.write_placeholder(context)
    with _open_page_source(context) as (count, _):
        if not count:
            raise StageFailed("This file has no pages. Export or scan it again and upload the new file.")
        if count > MAX_PAGES:
            raise StageFailed(f"This file has more than {MAX_PAGES:,} pages. Split it and upload the parts.")
        return slices.select_requested(context, range(count))


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    """Page by page, so that memory does not grow with the document; idempotent."""
    sizes: dict[int, tuple[int, int]] = {}
    with _open_page_source(context) as (_, page_at):

        def page(index: int) -> None:
            image = page_at(index)
            _keep(context, index, image)
            sizes[index] = image.size

        failed = slices.do_each_page(context, indices, page)
    for index in failed:
        _keep(context, index, Image.new("RGB", _BLANK, "white"))
    entries = [_entry(index, sizes.get(index, _BLANK), failed.get(index)) for index in indices]
    paged.PREPARED.write(context.artifacts, entries, into=context.only is not None)
    return SliceResult(failed)


def _entry(index: int, size: tuple[int, int], error: str | None) -> dict[str, Any]:
    entry = {
        "segment_index": index,
        "segment_type": "PAGE",
        "image": files.page_image(index),
        "width": size[0],
        "height": size[1],
    }
    return entry | ({"error": error} if error else {})


def _finish(context: StageContext, done: Tally) -> StageResult:
    count = done.planned
    if context.only is not None:
        count = int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"])
    head = {"file_type": context.file_type, "segment_count": count, "failed": slices.pack_ranges(sorted(done.failed))}
    paged.PREPARED.finish(context.artifacts, range(count), head)
    return StageResult("completed", facts={"segment_count": count}, failed=done.failed)


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish, aligned=True)


@contextmanager
def _open_page_source(context: StageContext) -> Iterator[tuple[int, PageAt]]:
    """Yield the number of pages, and a function that renders one. Raises: StageFailed."""
    if context.file_type == PDF:
        try:
            with pdf.open_pdf(context.original) as document:
                yield document.page_count, lambda index: _pdf_page(document, index)
        except Refused as error:
            raise StageFailed(str(error)) from error
    else:
        yield _frame_count(context), lambda index: _image_page(context, index)


def _pdf_page(document: pdf.OpenPdf, index: int) -> Image.Image:
    return document.render(index)


def _frame_count(context: StageContext) -> int:
    try:
        return image_files.frame_count(context.original, context.file_type)
    except (OSError, SyntaxError, ValueError, *image_files.TOO_LARGE) as error:
        raise StageFailed(_DAMAGED) from error


def _image_page(context: StageContext, index: int) -> Image.Image:
    try:
        return image_files.frame(context.original, index)
    except (OSError, SyntaxError, ValueError, *image_files.TOO_LARGE) as error:
        raise StageFailed(_DAMAGED) from error


def _keep(context: StageContext, index: int, image: Image.Image) -> None:
    body = io.BytesIO()
    image.save(body, "PNG", compress_level=3)  # level 6 costs three times as long for a tenth of the size
    context.artifacts.write(files.page_image(index), body.getvalue(), "image/png")
