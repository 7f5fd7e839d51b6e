"""Inspection of uploaded files: the type by content, and whether they can be processed; refusals say what to do."""

from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from PIL import Image

from config.errors import CountersignError, Refused, StageFailed
from config.phrase import Phrase, Sentence
from workflows.intake import containers as containers_of
from workflows.intake.containers import Limits
from workflows.intake.content_types import EXTENSIONS, content_type, refusal, suffix_of
from workflows.stages import file_kinds, formats, webcrawler
from workflows.stages.audio import speech
from workflows.stages.pages import image_files, pdf
from workflows.stages.segment_prep import MAX_PAGES

_CHECKED_PAGES = 20  # pages checked for oversized images; thousands of pages must stay cheap
_DAMAGED = Phrase("This image is truncated or damaged. Save or scan it again and upload the new file.")


@dataclass(frozen=True)
class Inspection:
    """``extension`` follows from the content and includes the dot; ``notes`` are sentences shown with the document."""

    file_type: str
    extension: str
    page_count: int | None
    notes: tuple[str, ...] = ()
    is_container: bool = False  # an email or archive, from which documents are extracted


def inspect(path: Path, name: str, *, max_pages: int = MAX_PAGES, containers: Limits | None = None) -> Inspection:
    """Inspect the ends and first pages of a file; memory and time do not grow with its size.

    ``containers``: limits of emails and archives, if these are accepted.

    Raises:
        Refused: with the reason and what to do.

    """
    if path.stat().st_size == 0:
        raise Refused(Phrase("This file is empty. Check that it was saved completely and upload it again."))
    if containers and (found := _container(path, name, containers)):
        return found
    file_type = content_type(path, name)
    if file_type is None:
        raise Refused(refusal(path, name))
    if not file_kinds.has_pages(file_type):
        _check_text(path, file_type)
        return Inspection(file_type, EXTENSIONS[file_type], None, _disguise(name, file_type))
    count, notes = _pdf(path) if file_type == file_kinds.PDF else _image(path, file_type)
    if count > max_pages:
        raise Refused(
            Phrase("This file has %(count)s pages; the limit is %(max_pages)s. Split it and upload the parts.")
            % {"count": f"{count:,}", "max_pages": f"{max_pages:,}"}
        )
    return Inspection(file_type, EXTENSIONS[file_type], count, (*_disguise(name, file_type), *notes))


def _container(path: Path, name: str, limits: Limits) -> Inspection | None:
    file_type = containers_of.container_type(path, name)
    if file_type is None:
        return None
    count = containers_of.check(path, file_type, limits)
    several = Sentence("Each of its %(count)s readable files becomes its own document.").fill(count=count)
    note = several if count > 1 else Phrase("The contained file becomes its own document if readable.")
    return Inspection(file_type, containers_of.EXTENSIONS[file_type], None, (note,), is_container=True)


def _check_text(path: Path, file_type: str) -> None:
    """Read the first segment: that fails for damaged and encrypted files, and files without text have none."""
    if file_kinds.has_sound(file_type):
        speech.measure_recording(path)
    elif file_type == formats.WEB_REQUEST:
        _check_request(path)
    elif next(formats.read_chunks(path, file_type), None) is None:
        raise Refused(Phrase("This file contains no text. If it contains images, export it as PDF and upload that."))


def _check_request(path: Path) -> None:
    try:
        webcrawler.read_crawl_request(path.read_bytes()[: webcrawler.MOST_BYTES])
    except StageFailed as error:
        raise Refused(str(error)) from error


def _disguise(name: str, file_type: str) -> tuple[str, ...]:
    suffix = suffix_of(name)
    known = suffix in EXTENSIONS.values()
    # Text may have any extension; an image with that of another type was probably mistaken for it.
    if not suffix or suffix == EXTENSIONS[file_type] or not (known or file_kinds.has_pages(file_type)):
        return ()
    return (
        Sentence("The extension is %(suffix)s but the content is %(upper)s; processed as such.").fill(
            suffix=suffix, upper=EXTENSIONS[file_type][1:].upper()
        ),
    )


def _pdf(path: Path) -> tuple[int, tuple[str, ...]]:
    with pdf.open_pdf(path) as opened:
        if opened.page_count == 0:
            raise Refused(Phrase("This PDF has no pages. Export it again and upload the new file."))
        rendered = [_readable(opened, index) for index in range(min(opened.page_count, _CHECKED_PAGES))]
        if not any(rendered):
            raise Refused(pdf.BROKEN)
        whole = not opened.repaired and all(rendered) and _has_end(path)
        note = Phrase(
            "This PDF was damaged and has been repaired. Compare it with the original; a page may be missing."
        )
        return opened.page_count, () if whole else (note,)


def _readable(opened: pdf.OpenPdf, index: int) -> bool:
    try:
        page = opened.document[index]
    except pypdfium2.PdfiumError:
        return False
    try:
        if pdf.largest_picture(page) > image_files.MAX_SOURCE_PIXELS:
            raise Refused(_too_large(Sentence("The image on page %(index)s").fill(index=index + 1)))
        if index == 0:
            pdf.render(page, dpi=20)
        return True
    except pypdfium2.PdfiumError:
        return False
    finally:
        page.close()


def _has_end(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2048))
        return b"%%EOF" in file.read()


def _too_large(what: str) -> str:
    million = image_files.MAX_SOURCE_PIXELS // 1_000_000
    return Sentence(
        "%(what)s has more than %(million)s million pixels. Save it at a lower resolution and upload that."
    ).fill(what=what, million=million)


def _image(path: Path, file_type: str) -> tuple[int, tuple[str, ...]]:
    try:
        with Image.open(path) as image:
            return _check_image(image, file_type)
    except image_files.TOO_LARGE as error:
        raise Refused(_too_large(Phrase("This image"))) from error
    except CountersignError:
        raise
    except Exception as error:
        raise Refused(_DAMAGED) from error


def _check_image(image: Image.Image, file_type: str) -> tuple[int, tuple[str, ...]]:
    image_files.check_size(image)
    frames = int(getattr(image, "n_frames", 1))
    # A JPEG is decoded at an eighth of its size: enough to find a truncated file, and takes milliseconds.
    image.draft("RGB", (max(1, image.width // 8), max(1, image.height // 8)))
    image.load()
    if file_type in image_files.MANY_PAGES:
        return frames, ()
    note = Phrase("Only the first frame of this animation is processed.")
    return 1, (note,) if frames > 1 else ()
