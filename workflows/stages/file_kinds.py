"""Kinds of files by MIME type: those with pages, those with text, and the segment type of each."""

from workflows.stages import formats

PDF = "application/pdf"


def has_pages(file_type: str) -> bool:
    """True for PDFs and images: their segments have an image each."""
    return file_type == PDF or file_type.startswith("image/")


def has_text(file_type: str) -> bool:
    """True if a reader of ``formats`` makes segments of it."""
    return file_type in formats.READERS


def has_sound(file_type: str) -> bool:
    return file_type.startswith("audio/")


def is_video(file_type: str) -> bool:
    """True for videos, of which only metadata is read."""
    return file_type.startswith("video/")


def is_read(file_type: str) -> bool:
    """Return True if any stage supports it."""
    return has_pages(file_type) or has_text(file_type) or has_sound(file_type) or file_type == formats.WEB_REQUEST


def segment_type(file_type: str) -> str:
    """CONTRACTS 2.4."""
    if has_pages(file_type):
        return "PAGE"
    if has_sound(file_type):
        return "AUDIO"
    if is_video(file_type):
        return "VIDEO"
    return "WEB" if file_type in {formats.HTML, formats.WEB_REQUEST} else "TEXT"
