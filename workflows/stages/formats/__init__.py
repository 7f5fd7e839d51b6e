"""Readers of text formats: a file in, blocks out, within limits that are enforced while reading."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from workflows.stages.formats import docx, epub, mails, outlook, pptx, rtf, texts, videos, web, xlsx, xml
from workflows.stages.formats.blocks import Block, Chunk, cut_chunks

Reader = Callable[[Path], Iterator[Block]]

_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX, PPTX, XLSX = (
    f"{_OFFICE}.wordprocessingml.document",
    f"{_OFFICE}.presentationml.presentation",
    f"{_OFFICE}.spreadsheetml.sheet",
)
EPUB, RTF, HTML, XML = "application/epub+zip", "application/rtf", "text/html", "application/xml"
TEXT, MARKDOWN, CSV = "text/plain", "text/markdown", "text/csv"
WEB_REQUEST = "application/x-webreq"  # has no reader: it names the page to fetch
MAIL, OUTLOOK, ARCHIVE = "message/rfc822", "application/vnd.ms-outlook", "application/zip"
CONTAINERS = frozenset({MAIL, OUTLOOK, ARCHIVE})  # files that contain files
MP4, QUICKTIME = "video/mp4", "video/quicktime"

READERS: Mapping[str, Reader] = {
    DOCX: docx.read_docx,
    PPTX: pptx.read_pptx,
    XLSX: xlsx.read_xlsx,
    EPUB: epub.read_epub,
    RTF: rtf.read_rtf,
    HTML: web.read_web_page,
    XML: xml.read_xml,
    TEXT: texts.read_text,
    MARKDOWN: texts.read_text,
    CSV: texts.read_csv,
    MAIL: mails.read_mail,
    OUTLOOK: outlook.read_outlook,
    MP4: videos.read_video,
    QUICKTIME: videos.read_video,
}


def read_chunks(path: Path, file_type: str) -> Iterator[Chunk]:
    """Yield the segments of a file. Raises: Refused, possibly after some; KeyError if the type has no reader."""
    return cut_chunks(READERS[file_type](path))
