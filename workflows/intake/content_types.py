"""Detection of a file's MIME type by content, and the message for files that are not supported."""

import re
from collections.abc import Callable
from pathlib import Path

from config.errors import Refused
from config.phrase import Phrase, Sentence
from workflows.intake.containers import mails
from workflows.stages import formats
from workflows.stages.formats import outlook, texts, zips

SOUND, MP3, FLAC, OGG = "audio/wav", "audio/mpeg", "audio/flac", "audio/ogg"
SUPPORTED = Sentence(
    "PDF, PNG, JPEG, TIFF, WebP, HEIC, AVIF, BMP, GIF, Word, PowerPoint, Excel, CSV, text, web page, "
    "XML invoice, mail, EPUB, RTF, WAV, MP3, FLAC, Ogg Vorbis, MP4 or MOV"
)
EXTENSIONS = {
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/heic": ".heic",
    "image/avif": ".avif",
    formats.DOCX: ".docx",
    formats.PPTX: ".pptx",
    formats.XLSX: ".xlsx",
    formats.EPUB: ".epub",
    formats.RTF: ".rtf",
    formats.HTML: ".html",
    formats.XML: ".xml",
    formats.TEXT: ".txt",
    formats.MARKDOWN: ".md",
    formats.CSV: ".csv",
    formats.MAIL: ".eml",
    formats.OUTLOOK: ".msg",
    formats.WEB_REQUEST: ".webreq",
    SOUND: ".wav",
    MP3: ".mp3",
    FLAC: ".flac",
    OGG: ".ogg",
    formats.MP4: ".mp4",
    formats.QUICKTIME: ".mov",
}
ALSO = {
    ".jpeg": ".jpg", ".jpe": ".jpg", ".jfif": ".jpg", ".tiff": ".tif", ".dib": ".bmp", ".heif": ".heic",
    ".htm": ".html", ".xhtml": ".html", ".markdown": ".md", ".tsv": ".csv", ".log": ".txt", ".text": ".txt",
    ".docm": ".docx", ".xlsm": ".xlsx", ".pptm": ".pptx", ".ppsx": ".pptx",
    ".oga": ".ogg", ".m4v": ".mp4", ".wave": ".wav",
}  # fmt: skip
_NAMED = {extension: kind for kind, extension in EXTENSIONS.items()}
_TEXTS = {formats.TEXT, formats.MARKDOWN, formats.CSV, formats.XML, formats.WEB_REQUEST}
_REQUEST = re.compile(r'\{[^{}]{0,4000}"url"\s*:')
_XML = re.compile(r"<(\?xml|[A-Za-z_][\w.-]*[:\s>/])")
_HEAD = 4096
_SAMPLE = 64 * 1024
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"GIF8", "image/gif"),
    (b"{\\rtf", formats.RTF),
    (b"fLaC", FLAC),
)
_SOUND_BRANDS = (b"M4A", b"M4B", b"F4A")  # AAC, which cannot be decoded here
_BRANDS = {b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"}
_PARTS = {
    "word/document.xml": formats.DOCX,
    "ppt/presentation.xml": formats.PPTX,
    "xl/workbook.xml": formats.XLSX,
    "META-INF/container.xml": formats.EPUB,
}
# Unsupported files that people upload: what they are, and what to do instead.
_NEVER = Sentence("%(kind)s cannot be processed. Upload a document as %(supported)s.")
_LOCKED = Phrase("This Office file is password-protected. Save a copy without the password and upload that.")
_OLD = Phrase("Office formats before 2007 are not supported. Save as .docx, .xlsx, .pptx or PDF and upload that.")
_OPEN = Phrase("OpenDocument files are not supported. Save as .docx, .xlsx, .pptx or PDF and upload that.")
_CUT = Phrase("This file is damaged or incomplete. Save it again, or export it as PDF, and upload that.")
_BLANK = Phrase("This file contains only whitespace. Check that it was saved completely and upload it again.")
_ARCHIVE = Phrase("This is an archive. Unpack it and upload the documents in it.")


def content_type(path: Path, name: str = "") -> str | None:
    """Return the MIME type of a supported file by content, else None. ``name`` only distinguishes kinds of text."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    begins = next((file_type for start, file_type in _STARTS if head.startswith(start)), None)
    # Readers accept a header that is not at the start of the file, as mail gateways and old scanners write it.
    if begins or b"%PDF-" in head[:1024]:
        return begins or "application/pdf"
    for fits, kind_of in _BOXES:
        if fits(head):
            return kind_of(path, head)
    return None if _is_program(head) else _text_type(path, head, name)


def _media(_path: Path, head: bytes) -> str | None:
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": SOUND}.get(head[8:12])
    brand = head[8:12]
    if brand in {b"avif", b"avis"} or brand in _BRANDS:
        return "image/heic" if brand in _BRANDS else "image/avif"
    return None if brand.startswith(_SOUND_BRANDS) else formats.QUICKTIME if brand == b"qt  " else formats.MP4


def _ogg(_path: Path, head: bytes) -> str | None:
    return OGG if b"\x01vorbis" in head else None


def _mp3(_path: Path, _head: bytes) -> str:
    return MP3


def _is_mp3(head: bytes) -> bool:
    """Return True for an ID3 tag, or a layer III frame with a valid bit rate and sampling rate (ISO/IEC 11172-3)."""
    if head.startswith(b"ID3"):
        return True
    frame = len(head) > 4 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2 and head[1] & 0x18 != 0x08
    return frame and head[2] >> 4 not in {0, 15} and head[2] >> 2 & 3 != 3


def _package(path: Path, _head: bytes) -> str | None:
    names = _names(path)
    return next((kind for part, kind in _PARTS.items() if part in names), None)


def _message(path: Path, _head: bytes) -> str | None:
    return formats.OUTLOOK if outlook.kind_of(path) == "message" else None


def _bitmap(_path: Path, _head: bytes) -> str:
    return "image/bmp"


def _starts_with(*starts: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(starts)


# Signatures that several kinds of file share, and how to distinguish these.
_BOXES: tuple[tuple[Callable[[bytes], bool], Callable[[Path, bytes], str | None]], ...] = (
    (lambda head: head[:4] == b"RIFF" or head[4:8] == b"ftyp", _media),
    (_starts_with(b"OggS"), _ogg),
    (_is_mp3, _mp3),
    (_starts_with(b"PK\x03\x04", b"PK\x05\x06"), _package),
    (_starts_with(b"\xd0\xcf\x11\xe0"), _message),
    (lambda head: head[:2] == b"BM" and head[6:10] == bytes(4), _bitmap),
)


# Programs export pages without their head: a named page may begin with any element.
_ELEMENT = re.compile(
    r"<(?:body|main|article|section|div|p|h[1-6]|table|ul|ol|dl|pre|span|font|center|meta|title|style|script|form)\b",
    re.IGNORECASE,
)


def suffix_of(name: str) -> str:
    suffix = Path(name).suffix.casefold()
    return ALSO.get(suffix, suffix)


def _text_type(path: Path, head: bytes, name: str) -> str | None:
    """Detect text by its encoding. The name decides between kinds of text only."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    encoding, suffix = texts.detect_encoding(sample), suffix_of(name)
    named = _NAMED.get(suffix, formats.TEXT)
    if mails.is_mail(path, name):
        return formats.MAIL
    if _is_html(head) or (
        suffix == EXTENSIONS[formats.HTML] and encoding and _ELEMENT.search(_decoded(sample, encoding))
    ):
        return formats.HTML
    if encoding is None or not sample.strip() or named not in _TEXTS:
        return None
    return _kind_of_text(_decoded(sample, encoding), suffix, named)


def _decoded(sample: bytes, encoding: str) -> str:
    return sample.decode(encoding, "replace")


def _kind_of_text(text: str, suffix: str, named: str) -> str:
    begin = text.removeprefix("\ufeff").lstrip()
    if _XML.match(begin):
        return formats.XML
    if named == formats.WEB_REQUEST and _REQUEST.match(begin):
        return named
    if suffix in _NAMED and named not in {formats.XML, formats.WEB_REQUEST}:
        return named
    return formats.CSV if texts.detect_delimiter(text) else formats.TEXT


def refusal(path: Path, name: str) -> str:
    """Return the message for a file of an unsupported type."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip():
        return _BLANK
    if _is_cut(path, head, suffix_of(name)):
        return _CUT
    for fits, sentence in _KNOWN:
        if fits(head):
            return sentence(path) if callable(sentence) else sentence
    suffix = Path(name).suffix.casefold()
    if suffix_of(name) in EXTENSIONS.values():
        return Sentence(
            "The content does not match the extension %(suffix)s; it is damaged or another type. Export it again."
        ).fill(suffix=suffix)
    return Sentence("This type of file is not supported. Upload %(supported)s.").fill(supported=SUPPORTED)


def _is_cut(path: Path, head: bytes, suffix: str) -> bool:
    """Return True if a file is truncated: it begins as its name says and ends before its type can be detected."""
    if suffix in {EXTENSIONS[kind] for kind in _PARTS.values()}:
        return head.startswith(b"PK\x03\x04") and not _names(path)
    return suffix == EXTENSIONS[formats.OUTLOOK] and head.startswith(b"\xd0\xcf\x11\xe0")


def _names(path: Path) -> set[str]:
    """List the names in an archive; nothing is extracted."""
    try:
        with zips.open_zip(path, "damaged") as archive:
            return set(archive.namelist())
    except Refused:
        return set()


def _detect_zip_type(path: Path) -> str:
    names = _names(path)
    if "mimetype" in names:
        return _OPEN
    if "[Content_Types].xml" in names:
        return _NEVER.fill(kind=Sentence("Office files of this kind"), supported=SUPPORTED)
    return _ARCHIVE if names else _NEVER.fill(kind=Sentence("Archives"), supported=SUPPORTED)


def _compound(path: Path) -> str:
    return _LOCKED if outlook.kind_of(path) == "locked" else _OLD


def _is_program(head: bytes) -> bool:
    return head.startswith((b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"#!"))


def _is_html(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return text.startswith((b"<!doctype html", b"<html", b"<head")) or b"<html" in text[:1024]


def _is_sound(head: bytes) -> bool:
    return (
        head[:4] == b"RIFF"
        or head[4:8] == b"ftyp"
        or head.startswith((b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\x1aE\xdf\xa3"))
    )


_KNOWN: tuple[tuple[Callable[[bytes], bool], str | Callable[[Path], str]], ...] = (
    (
        _is_program,
        Sentence("This is a program. Upload a document as %(supported)s.").fill(supported=SUPPORTED),
    ),
    (_starts_with(b"PK\x03\x04", b"PK\x05\x06"), _detect_zip_type),
    (_starts_with(b"\xd0\xcf\x11\xe0"), _compound),
    (_starts_with(b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh"), _ARCHIVE),
    (
        _is_sound,
        Phrase("This audio or video cannot be read. Save audio as MP3 or PCM WAV, video as MP4, and upload that."),
    ),
)
