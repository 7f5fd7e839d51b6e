"""What an uploaded file is, by its content, and whether the desk can take it; refuses with what to do next."""

from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from PIL import Image

from config.errors import CountersignError, Refused, StageFailed
from workflows.intake import containers as containers_of
from workflows.intake.containers import Limits
from workflows.intake.content_types import EXTENSIONS, content_type, refusal, suffix_of
from workflows.stages import formats, kinds, webcrawler
from workflows.stages.audio import speech
from workflows.stages.pages import pdf, pictures
from workflows.stages.segment_prep import MAX_PAGES

_CHECKED_PAGES = 20  # pages looked into for oversized pictures; a document of thousands must stay cheap
_DAMAGED = "This image is truncated or damaged. Save or scan it again and upload the new file."


@dataclass(frozen=True)
class Inspection:
    """``extension`` is the content's own, with its dot; ``notes`` are sentences to keep beside the document."""

    file_type: str
    extension: str
    page_count: int | None
    notes: tuple[str, ...] = ()
    is_container: bool = False  # a mail or an archive, of which other documents come


def inspect(path: Path, name: str, *, max_pages: int = MAX_PAGES, containers: Limits | None = None) -> Inspection:
    """Look at the file's ends and first pages; memory and time do not grow with its size.

    ``containers``: what mails and archives may hold, which are taken too, for what is in them; None if not.

    Raises:
        Refused: with the sentence that says why and what to do.

    """
    if path.stat().st_size == 0:
        raise Refused("This file is empty. Check that it was saved completely and upload it again.")
    if containers and (found := _container(path, name, containers)):
        return found
    file_type = content_type(path, name)
    if file_type is None:
        raise Refused(refusal(path, name))
    if not kinds.has_pages(file_type):
        _check_text(path, file_type)
        return Inspection(file_type, EXTENSIONS[file_type], None, _disguise(name, file_type))
    count, notes = _pdf(path) if file_type == kinds.PDF else _image(path, file_type)
    if count > max_pages:
        raise Refused(f"This file has {count:,} pages; the limit is {max_pages:,}. Split it and upload the parts.")
    return Inspection(file_type, EXTENSIONS[file_type], count, (*_disguise(name, file_type), *notes))


def _container(path: Path, name: str, limits: Limits) -> Inspection | None:
    file_type = containers_of.container_type(path, name)
    if file_type is None:
        return None
    count = containers_of.check(path, file_type, limits)
    several = f"Each of its {count} readable files becomes its own document."
    note = several if count > 1 else "The contained file becomes its own document if readable."
    return Inspection(file_type, containers_of.EXTENSIONS[file_type], None, (note,), is_container=True)


def _check_text(path: Path, file_type: str) -> None:
    """The first segment is read: what is damaged or locked shows there, and what holds no text has none."""
    if kinds.has_sound(file_type):
        speech.measure_recording(path)
    elif file_type == formats.WEB_REQUEST:
        _check_request(path)
    elif next(formats.read_chunks(path, file_type), None) is None:
        raise Refused("This file contains no text. If it contains images, export it as PDF and upload that.")


def _check_request(path: Path) -> None:
    try:
        webcrawler.read_crawl_request(path.read_bytes()[: webcrawler.MOST_BYTES])
    except StageFailed as error:
        raise Refused(str(error)) from error


def _disguise(name: str, file_type: str) -> tuple[str, ...]:
    suffix = suffix_of(name)
    known = suffix in EXTENSIONS.values()
    # A text may be named anything; a picture that is named after another kind was mistaken for it.
    if not suffix or suffix == EXTENSIONS[file_type] or not (known or kinds.has_pages(file_type)):
        return ()
    return (f"The extension is {suffix} but the content is {EXTENSIONS[file_type][1:].upper()}; processed as such.",)


def _pdf(path: Path) -> tuple[int, tuple[str, ...]]:
    with pdf.open_pdf(path) as opened:
        if opened.page_count == 0:
            raise Refused("This PDF has no pages. Export it again and upload the new file.")
        rendered = [_readable(opened, index) for index in range(min(opened.page_count, _CHECKED_PAGES))]
        if not any(rendered):
            raise Refused(pdf.BROKEN)
        whole = not opened.repaired and all(rendered) and _has_end(path)
        note = "This PDF was damaged and has been repaired. Compare it with the original; a page may be missing."
        return opened.page_count, () if whole else (note,)


def _readable(opened: pdf.OpenPdf, index: int) -> bool:
    try:
        page = opened.document[index]
    except pypdfium2.PdfiumError:
        return False
    try:
        if pdf.largest_picture(page) > pictures.MAX_SOURCE_PIXELS:
            raise Refused(_too_large(f"The image on page {index + 1}"))
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
    million = pictures.MAX_SOURCE_PIXELS // 1_000_000
    return f"{what} has more than {million} million pixels. Save it at a lower resolution and upload that."


def _image(path: Path, file_type: str) -> tuple[int, tuple[str, ...]]:
    try:
        with Image.open(path) as image:
            return _check_image(image, file_type)
    except pictures.TOO_LARGE as error:
        raise Refused(_too_large("This image")) from error
    except CountersignError:
        raise
    except Exception as error:
        raise Refused(_DAMAGED) from error


def _check_image(image: Image.Image, file_type: str) -> tuple[int, tuple[str, ...]]:
    pictures.check_size(image)
    frames = int(getattr(image, "n_frames", 1))
    # A JPEG is decoded at an eighth of its size: a cut file fails as surely, and a photo costs milliseconds.
    image.draft("RGB", (max(1, image.width // 8), max(1, image.height // 8)))
    image.load()
    if file_type in pictures.MANY_PAGES:
        return frames, ()
    note = "Only the first frame of this animation is processed."
    return 1, (note,) if frames > 1 else ()
