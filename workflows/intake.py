"""What an uploaded file is, by its content, and whether the desk can take it; refuses with what to do next."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from django.conf import settings
from PIL import Image

from config.errors import CountersignError, Refused
from workflows import containers as containers_of
from workflows.containers import Limits
from workflows.stages import pdf, pictures
from workflows.stages.segment_prep import MAX_PAGES

SUPPORTED = "PDF, PNG, JPEG, TIFF, WebP, BMP or GIF"
EXTENSIONS = {
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
}
_ALSO = {".jpeg": ".jpg", ".jpe": ".jpg", ".jfif": ".jpg", ".tiff": ".tif", ".dib": ".bmp"}
_HEAD = 4096
_CHECKED_PAGES = 20  # pages looked into for oversized pictures; a document of thousands must stay cheap
_DAMAGED = "This image ends too early or is damaged. Save or scan it again and upload the new file."
# What people also upload, by its first bytes: what it is, and whether a later version takes it.
_LATER = "{} cannot be processed yet; a later version will. Save it as PDF and upload that."
_NEVER = "{} cannot be processed. Upload a document as " + SUPPORTED + "."


@dataclass(frozen=True)
class Inspection:
    """``extension`` is the content's own, with its dot; ``notes`` are sentences to keep beside the document."""

    file_type: str
    extension: str
    page_count: int | None
    notes: tuple[str, ...] = ()

    @property
    def is_container(self) -> bool:
        """A mail or an archive, of which other documents come."""
        return self.file_type in containers_of.TYPES


def inspect(path: Path, name: str, *, max_pages: int = MAX_PAGES, containers: bool = False) -> Inspection:
    """Look at the file's ends and first pages; memory and time do not grow with its size.

    ``containers``: whether mails and archives are taken too, for what is in them.

    Raises:
        Refused: with the sentence that says why and what to do.

    """
    if path.stat().st_size == 0:
        raise Refused("This file is empty. Check that it was saved completely and upload it again.")
    file_type = content_type(path)
    if file_type is None and containers and (found := _container(path)):
        return found
    if file_type is None:
        raise Refused(_refusal(path, name))
    count, notes = _pdf(path) if file_type == "application/pdf" else _image(path, file_type)
    if count > max_pages:
        raise Refused(f"This file has {count:,} pages; {max_pages:,} are taken at once. Split it and upload the parts.")
    return Inspection(file_type, EXTENSIONS[file_type], count, (*_disguise(name, file_type), *notes))


def _container(path: Path) -> Inspection | None:
    file_type = containers_of.container_type(path)
    if file_type is None:
        return None
    limits = Limits(settings.UNPACK_MAX_FILES, settings.UNPACK_MAX_BYTES)
    count = containers_of.check(path, file_type, limits)
    note = f"{count} file{'s come' if count > 1 else ' comes'} out of it, each a document of its own."
    return Inspection(file_type, containers_of.EXTENSIONS[file_type], None, (note,))


def content_type(path: Path) -> str | None:
    """The MIME type of a supported file by its content; None for every other."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head[:4] == b"RIFF":
        return "image/webp" if head[8:12] == b"WEBP" else None
    for start, file_type in (
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"II*\x00", "image/tiff"),
        (b"MM\x00*", "image/tiff"),
        (b"II+\x00", "image/tiff"),
        (b"MM\x00+", "image/tiff"),
        (b"GIF8", "image/gif"),
    ):
        if head.startswith(start):
            return file_type
    if head[:2] == b"BM" and head[6:10] == bytes(4):
        return "image/bmp"
    # Readers accept a header that does not begin the file, as mail gateways and old scanners write it.
    return "application/pdf" if b"%PDF-" in head[:1024] else None


def _refusal(path: Path, name: str) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    for fits, sentence in _KNOWN:
        if fits(head):
            return sentence(path) if callable(sentence) else sentence
    suffix = Path(name).suffix.casefold()
    if suffix in EXTENSIONS.values() or suffix in _ALSO:
        return f"This file is named {suffix} but is not one: its content is damaged or something else. Export it again."
    if suffix in {".eml", ".txt", ".csv", ".md"}:
        return _LATER.format("Mail and text files")
    return f"This type of file is not supported. Upload {SUPPORTED}."


def _zipped(path: Path) -> str:
    """Office files are ZIP archives; only the list of names is read, nothing is unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:2000])
    except (zipfile.BadZipFile, OSError, ValueError):
        return _NEVER.format("Archives")
    if "[Content_Types].xml" in names or "mimetype" in names:
        return _LATER.format("Office documents")
    return "This is an archive. Unpack it and upload the documents in it."


def _begins(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(starts)


def _is_html(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return text.startswith((b"<!doctype html", b"<html", b"<head")) or b"<html" in text[:1024]


def _is_mail(head: bytes) -> bool:
    first = head[:2000].lower()
    return first.startswith(
        (b"from:", b"received:", b"return-path:", b"mime-version:", b"delivered-to:", b"message-id:")
    )


def _is_sound(head: bytes) -> bool:
    wave = head[:4] == b"RIFF" and head[8:12] in {b"WAVE", b"AVI "}
    return wave or head[4:8] == b"ftyp" or head.startswith((b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\x1aE\xdf\xa3"))


_KNOWN: tuple[tuple[Callable[[bytes], bool], str | Callable[[Path], str]], ...] = (
    (_begins(b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"#!"), _NEVER.format("This is a program. Programs")),
    (_begins(b"PK\x03\x04", b"PK\x05\x06"), _zipped),
    (_begins(b"\xd0\xcf\x11\xe0"), _LATER.format("Older Office documents and Outlook messages")),
    (_begins(b"{\\rtf"), _LATER.format("Office documents")),
    (
        _begins(b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh"),
        "This is an archive. Unpack it and upload the documents in it.",
    ),
    (
        lambda head: head[4:12] in {b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"},
        _LATER.format("HEIC and AVIF photos"),
    ),
    (
        _is_sound,
        "Sound and video cannot be processed yet; a later version will. Upload a document as " + SUPPORTED + ".",
    ),
    (_is_html, _LATER.format("Web pages")),
    (_is_mail, _LATER.format("Mail and text files")),
)


def _disguise(name: str, file_type: str) -> tuple[str, ...]:
    suffix = Path(name).suffix.casefold()
    suffix = _ALSO.get(suffix, suffix)
    if not suffix or suffix == EXTENSIONS[file_type]:
        return ()
    return (f"The name ends in {suffix}, the content is {EXTENSIONS[file_type][1:].upper()}; it is processed as that.",)


def _pdf(path: Path) -> tuple[int, tuple[str, ...]]:
    with pdf.opened(path) as opened:
        if opened.page_count == 0:
            raise Refused("This PDF has no pages. Export it again and upload the new file.")
        rendered = [_readable(opened, index) for index in range(min(opened.page_count, _CHECKED_PAGES))]
        if not any(rendered):
            raise Refused(pdf.BROKEN)
        whole = not opened.repaired and all(rendered) and _has_end(path)
        note = "This PDF was damaged and has been repaired; compare it with the original, a page may be missing."
        return opened.page_count, () if whole else (note,)


def _readable(opened: pdf.OpenPdf, index: int) -> bool:
    try:
        page = opened.document[index]
    except pypdfium2.PdfiumError:
        return False
    try:
        if pdf.largest_picture(page) > pictures.MAX_SOURCE_PIXELS:
            raise Refused(_too_large(f"The picture on page {index + 1}"))
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
            return _checked(image, file_type)
    except pictures.TOO_LARGE as error:
        raise Refused(_too_large("This image")) from error
    except CountersignError:
        raise
    except Exception as error:
        raise Refused(_DAMAGED) from error


def _checked(image: Image.Image, file_type: str) -> tuple[int, tuple[str, ...]]:
    pictures.check_size(image)
    frames = int(getattr(image, "n_frames", 1))
    # A JPEG is decoded at an eighth of its size: a cut file fails as surely, and a photo costs milliseconds.
    image.draft("RGB", (max(1, image.width // 8), max(1, image.height // 8)))
    image.load()
    if file_type in pictures.MANY_PAGES:
        return frames, ()
    note = "Only the first picture of this animation is processed."
    return 1, (note,) if frames > 1 else ()
