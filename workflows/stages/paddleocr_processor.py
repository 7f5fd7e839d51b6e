"""Stage paddleocr_processor: OCR of pages without a trusted text layer, by any engine."""

import functools
import io
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from PIL import Image

from config.errors import NotFound, Refused, StageFailed
from config.phrase import Sentence
from projects.models.ocr_words import describe_ocr
from projects.models.spec import BUILT_IN_OCR, LINES, PAGES_DPI, OcrSpec
from workflows.stages import file_kinds, format_parser, slices, usage
from workflows.stages.base import Job, RunSettings, SliceResult, Slicing, StageContext, StageResult, StartedJob, Tally
from workflows.stages.pages import layout, ocr, page_entries, paged, pdf, upright
from workflows.stages.pages.reading import PageReading
from workflows.stages.services import questions
from workflows.stages.usage import Usage
from workflows.storage import files

PAGES = 20  # pages of a slice: less than a minute at two or three seconds a page
_NOT_READ = Sentence("The OCR service did not process this page. Retry the page or select another OCR model.")
_MISSING = Sentence("The page image cannot be read. Retry the page.")


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int] | StageResult:
    if not file_kinds.has_pages(context.file_type):
        return StageResult("skipped", Sentence("OCR needs pages; this file has none."))
    wanted = slices.select_requested(context, _pages_to_read(context))
    if wanted:
        return wanted
    read = paged.OCR.open_pages(context.artifacts)
    if read.head:  # a retry of pages that this stage does not read
        return StageResult("completed", facts=_facts(context, len(read.indices)))
    if _doubted_pages(context):
        return StageResult(
            "skipped", Sentence("No page without a reliable text layer is in the OCR model’s page range.")
        )
    return StageResult("skipped", Sentence("Every page has a reliable text layer."))


def _pages_to_read(context: StageContext) -> list[int]:
    spec = context.settings.ocr_spec
    return [index for index in _doubted_pages(context) if spec.reads(index)]


def _doubted_pages(context: StageContext) -> list[int]:
    """List the pages without a trusted text layer."""
    prepared = paged.PREPARED.open_pages(context.artifacts)
    layer = paged.TEXT_LAYER.open_pages(context.artifacts)
    pages = set(range(int(prepared.head["segment_count"])))
    believed = set(layer.indices) - set(format_parser.find_doubted_pages(layer))
    return sorted(pages - believed - set(prepared.ranges("failed")))  # pages that could not be rendered cannot be read


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    """Skip pages that an earlier attempt at the slice has read."""
    if context.services.document_reader:
        return SliceResult(slices.do_each_page(context, indices, functools.partial(_check_collected, context)))
    left = [index for index in indices if context.only is not None or not _is_read(context, index)]
    began = time.monotonic()
    prepared = paged.PREPARED.open_pages(context.artifacts).entries(left)
    sizes = {int(one["segment_index"]): (int(one["width"]), int(one["height"])) for one in prepared}
    with _pictures(context, left) as picture_of:

        def page(index: int) -> None:
            paged.OCR.write(context.artifacts, [_page(context, index, picture_of(index), sizes[index])])

        failed = slices.do_each_page(context, left, page)
    paged.OCR.write(context.artifacts, [_failed_page(index, sentence) for index, sentence in failed.items()])
    service, model = _engine(context)
    ms = round((time.monotonic() - began) * 1000)
    pages = len(left) - len(failed)
    used = Usage(service, model, pages=pages, ms=ms, micros=context.settings.ocr_spec.price(pages))
    return SliceResult(failed, usage.usage_counts([used]) if left else {})


def _check_collected(context: StageContext, index: int) -> None:
    """Check that the job has read the page. Raises: StageFailed."""
    sentence = paged.OCR.page(context.artifacts, index).get("error")
    if sentence or not _is_read(context, index):
        raise StageFailed(sentence or _NOT_READ)


def _begin(context: StageContext) -> StartedJob | None:
    reader = context.services.document_reader
    if reader is None or isinstance(_plan(context), StageResult):
        return None
    return StartedJob(reader.service, reader.begin(questions(context.settings.fields)))


def _collect(context: StageContext, job: str) -> bool:
    reader = context.services.document_reader
    if reader is None:
        return True
    reading = reader.look(job)
    if reading is None:
        return False
    wanted = set(slices.select_requested(context, _pages_to_read(context)))
    found = {page.index: page for page in reading.pages}
    for prepared in paged.PREPARED.open_pages(context.artifacts).entries(sorted(wanted)):
        index = int(prepared["segment_index"])
        size = (int(prepared["width"]), int(prepared["height"]))
        page = found.get(index, PageReading(index))
        page = page.without_unsure(context.settings.ocr_spec.least_score)
        read = page_entries.entry(page, size, reader.service, context.settings.fields)
        if index in reading.unread or index not in found:
            read = _failed_page(index, _NOT_READ)
        paged.OCR.write(context.artifacts, [read])
        context.heartbeat()
    return True


JOB = Job(_begin, _collect)


def _is_read(context: StageContext, index: int) -> bool:
    return context.artifacts.exists(paged.OCR.chunk(index))


def _finish(context: StageContext, done: Tally) -> StageResult:
    pages = _pages_to_read(context)
    facts = _facts(context, len(pages) - len(done.failed))
    used = usage.of_counts(done.counts)
    if reader := context.services.document_reader:
        # the whole document was sent, whichever pages were requested
        count = int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"])
        micros = context.settings.ocr_spec.price(count)
        used = (Usage(reader.service, reader.model, pages=count, calls=1, micros=micros),)
    head = {
        "success": not done.failed,
        "format": "words",
        "model": facts["model"],
        "model_asked_for": context.settings.ocr_model,
        "model_options": {**context.settings.ocr_options, **_parameters(context.settings.ocr_spec)},
        "note": facts.get("note"),
        "page_count": len(pages),
        "failed": slices.pack_ranges(sorted(done.failed)),
    }
    paged.OCR.finish(context.artifacts, pages, head)
    return StageResult("completed", facts=facts, failed=done.failed, used=used)


SLICING = Slicing(PAGES, _plan, _work, _finish)


def _facts(context: StageContext, pages: int) -> dict[str, Any]:
    note, spec = _language_note(context), context.settings.ocr_spec
    named = {} if spec.id in BUILT_IN_OCR else {"ocr_model": ", ".join([spec.name, *describe_ocr(spec)])}
    return {"pages": pages, "model": _engine(context)[1], **named} | ({"note": note} if note else {})


def _engine(context: StageContext) -> tuple[str, str]:
    """Return the service and model that actually read."""
    reader = context.services.document_reader or context.services.page_reader
    return (reader.service, reader.model) if reader else (usage.LOCAL, ocr.MODEL)


def _parameters(spec: OcrSpec) -> dict[str, Any]:
    return {name: value for name, value in spec.to_json().items() if name not in {"id", "name", "provider"}}


def _language_note(context: StageContext) -> str | None:
    if _engine(context)[1] != ocr.MODEL:
        return None
    settings = context.settings
    languages = settings.ocr_spec.languages or (str(settings.ocr_options.get("lang") or settings.language),)
    name = next(filter(None, map(ocr.unreadable, languages)), None)
    said = Sentence(
        "The built-in OCR model does not support %(script)s script. Check every value or select another model."
    )
    return said.fill(script=name) if name else None


@contextmanager
def _pictures(context: StageContext, indices: Sequence[int]) -> Iterator[Callable[[int], Image.Image]]:
    """Yield a function that returns a page's image and prefetches the next, so that the engine never waits for S3."""
    if context.settings.ocr_spec.dpi != PAGES_DPI and context.file_type == file_kinds.PDF:
        with _rendered(context) as rendered:
            yield rendered
        return
    following = dict(itertools.pairwise(indices))
    ahead: dict[int, Future[Image.Image]] = {}
    with ThreadPoolExecutor(1) as lane:

        def picture(index: int) -> Image.Image:
            this = ahead.pop(index, None) or lane.submit(_picture, context, index)
            if index in following:
                ahead[following[index]] = lane.submit(_picture, context, following[index])
            return this.result()

        yield picture


@contextmanager
def _rendered(context: StageContext) -> Iterator[Callable[[int], Image.Image]]:
    """Yield images in the model's own resolution, rendered from the file. Raises: StageFailed."""
    try:
        with pdf.open_pdf(context.original) as document:
            yield lambda index: document.render(index, context.settings.ocr_spec.dpi)
    except Refused as error:
        raise StageFailed(str(error)) from error


def _picture(context: StageContext, index: int) -> Image.Image:
    try:
        with Image.open(io.BytesIO(context.artifacts.read(files.page_image(index)))) as image:
            return image.convert("RGB")
    except (NotFound, OSError, SyntaxError, ValueError) as error:
        raise StageFailed(_MISSING) from error


def _page(context: StageContext, index: int, image: Image.Image, size: tuple[int, int]) -> dict[str, Any]:
    """``size``: of the page's own image, in whose pixels blocks are stored; ``image`` may be larger or smaller."""
    spec = context.settings.ocr_spec
    if reader := context.services.page_reader:
        picture = context.artifacts.read(files.page_image(index)) if image.size == size else encode_png(image)
        read = reader.read(picture, index, image.size).without_unsure(spec.least_score)
        return page_entries.entry(read, size, reader.service)
    if sorted(image.size) == sorted(size):
        # The displayed image may already be turned, by a worker that died before it stored the result.
        size = image.size
        reading, quarters = upright.read_upright(lambda one: read_locally(context.settings, one, index), image)
        if quarters:
            image = upright.turn(image, quarters)
            size = image.size
            context.artifacts.write(files.page_image(index), encode_png(image), "image/png")
    else:
        reading = read_locally(context.settings, image, index, scale=image.width / size[0])
    across, down = size[0] / image.width, size[1] / image.height
    return {
        "page_index": index,
        "content": "\n".join(line.text for line in reading.lines),
        "blocks": [
            {
                "block_id": number,
                "block_label": "text",
                "block_content": line.text,
                "block_bbox": [round(edge * (down if i % 2 else across)) for i, edge in enumerate(box)],
                "block_order": number + 1,
                "group_id": number,
            }
            for number, (line, box) in enumerate(zip(reading.lines, reading.boxes, strict=True))
        ],
        "width": size[0],
        "height": size[1],
        "slope": round(reading.slope, 5),
        "scores": [round(line.score, 4) for line in reading.lines],
        "words": layout.words_to_store(reading.lines),
    }


def read_locally(settings: RunSettings, image: Image.Image, index: int, *, scale: float = 1.0) -> ocr.OcrReading:
    """Read with the built-in engine. ``scale``: of ``image`` relative to the displayed page."""
    spec = settings.ocr_spec
    turn = spec.orientation == LINES or (
        not spec.orientation and bool(settings.ocr_options.get("use_textline_orientation"))
    )
    return ocr.read_page_image(
        image,
        index,
        turn_lines=turn,
        accents=any(one not in ocr.WITHOUT_ACCENTS for one in settings.ocr_languages),
        least_score=spec.least_score,
        scale=scale,
    )


def encode_png(image: Image.Image) -> bytes:
    body = io.BytesIO()
    image.save(body, "PNG", compress_level=1)
    return body.getvalue()


def _failed_page(index: int, sentence: str) -> dict[str, Any]:
    return {"page_index": index, "content": "", "blocks": [], "words": [], "error": sentence}
