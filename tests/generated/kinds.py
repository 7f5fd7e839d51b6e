"""One small file of every kind that the desk says it reads, each with the same invoice, made by code alone."""

import io
from collections.abc import Callable
from pathlib import Path

import pillow_heif

from tests.generated.messages import outlook
from tests.generated.sounds import silent_flac, silent_ogg
from tests.tools import paper
from tests.workflows.boxes import mailed
from tests.workflows.stages.formats.einvoices import CII
from tests.workflows.stages.formats.office import book, paragraph, shape, slides, word, workbook
from tests.workflows.stages.formats.test_videos import PICTURE, SOUND, film
from tests.workflows.stages.recordings import silent_mp3, tone

LINES = (
    "Alder & Quill Stationers Ltd", "14 Lantern Street", "Northbridge NB2 4QT", "Invoice no. AQ-2024-0042",
    "Invoice date 12 March 2024", "Drawing paper A2, pad of 40 sheets 120.50", "Total due £120.50",
)  # fmt: skip
_PARAGRAPHS = "".join(f"<p>{line.replace('&', '&amp;')}</p>" for line in LINES)
_TEXT = "\n".join(LINES) + "\n"
# An address of this machine: whoever crawls refuses it with a sentence, and no test asks the internet.
WEB_REQUEST = b'{"url": "http://127.0.0.1/", "instruction": "Find the price"}'
_PICTURES = {
    ".png": "PNG", ".jpg": "JPEG", ".tif": "TIFF", ".webp": "WEBP", ".bmp": "BMP", ".gif": "GIF", ".heic": "HEIF",
    ".avif": "AVIF",
}  # fmt: skip


def sheet() -> paper.Sheet:
    """A6, so that reading it costs next to nothing."""
    drawn = paper.Sheet(298, 421)
    for number, line in enumerate(LINES[:5]):
        drawn.text(24, 40 + 16 * number, line, font="F1" if number else "F2", size=11)
    for number, (label, amount) in enumerate((("Drawing paper A2, 40 sheets", "120.50"), ("Total due", "£120.50"))):
        drawn.text(24, 150 + 30 * number, label, font="F2" if number else "F1", size=11)
        drawn.text(270, 150 + 30 * number, amount, font="F2" if number else "F1", size=11, right=True)
    return drawn


def every_kind(folder: Path, prefix: str = "") -> dict[str, Path]:
    """By the extension, as ``content_types.EXTENSIONS`` has them; each file's name begins with ``prefix``."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures_by_kind = {extension: _picture(kind) for extension, kind in _PICTURES.items()}
    found = {}
    for extension in (*_PICTURES, *_MAKERS):
        path = found[extension] = folder / f"{prefix}{extension[1:]}{extension}"
        if extension in _PICTURES:
            path.write_bytes(pictures_by_kind[extension])
        else:
            _MAKERS[extension](path)
    return found


def _picture(kind: str) -> bytes:
    body, image = io.BytesIO(), paper.picture(sheet(), 120).convert("RGB")
    if kind == "HEIF":  # what the product has for them only reads
        pillow_heif.from_pillow(image).save(body)
    else:
        image.save(body, kind)
    return body.getvalue()


def _pdf(path: Path) -> None:
    paper.save([sheet()], path)


def _word(path: Path) -> None:
    word(path, "".join(paragraph(line.replace("&", "&amp;")) for line in LINES))


def _slides(path: Path) -> None:
    slides(path, shape(*(line.replace("&", "&amp;") for line in LINES)))


def _workbook(path: Path) -> None:
    cells = (f'<row><c t="inlineStr"><is><t>{line.replace("&", "&amp;")}</t></is></c></row>' for line in LINES)
    workbook(path, {"Invoice": "".join(cells)})


def _book(path: Path) -> None:
    book(path, {"1.xhtml": f"<html><body>{_PARAGRAPHS}</body></html>"})


def _mail(path: Path) -> None:
    path.write_bytes(mailed({}, subject=path.stem, text=_TEXT))


def _outlook(path: Path) -> None:
    outlook(path, subject=path.stem, text=_TEXT, attached={})


def _holding(body: bytes | str) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(body if isinstance(body, bytes) else body.encode())


_MAKERS: dict[str, Callable[[Path], object]] = {
    ".pdf": _pdf,
    ".docx": _word,
    ".pptx": _slides,
    ".xlsx": _workbook,
    ".epub": _book,
    ".rtf": _holding("{\\rtf1\\ansi " + "\\par ".join(LINES).replace("£", "GBP ") + "}"),
    ".html": _holding(f"<!doctype html><html><head><meta charset=utf-8></head><body>{_PARAGRAPHS}</body></html>"),
    ".xml": _holding(CII),
    ".txt": _holding(_TEXT),
    ".md": _holding(f"# {_TEXT}"),
    ".csv": _holding("Item;Amount\nDrawing paper A2;120.50\nTotal due;120.50\n"),
    ".eml": _mail,
    ".msg": _outlook,
    ".webreq": _holding(WEB_REQUEST),
    ".wav": lambda path: tone(path, 1),
    ".mp3": lambda path: silent_mp3(path, 1),
    ".flac": silent_flac,
    ".ogg": silent_ogg,
    ".mp4": _holding(film(PICTURE, SOUND)),
    ".mov": _holding(film(PICTURE, SOUND, brand="qt  ")),
}
