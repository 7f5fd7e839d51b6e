"""Word documents: paragraphs, tables and notes in reading order."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workflows.stages.formats import packages
from workflows.stages.formats.blocks import Block, format_table_row
from workflows.stages.formats.packages import Package

WHAT = "Word document"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_P, _TR, _TBL, _NOTE = f"{_W}p", f"{_W}tr", f"{_W}tbl", f"{_W}footnote"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # repeats the preceding content
_MAIN = "word/document.xml"
_HEADING = re.compile(r"(?:heading|überschrift|berschrift|titre)\s*(\d)", re.IGNORECASE)


def read_docx(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    with packages.open_package(path, WHAT) as package:
        for name in _parts(package, "header"):
            yield from _blocks(package, name)
        yield from _blocks(package, _MAIN)
        for name in _parts(package, "footer"):
            yield from _blocks(package, name)
        for name in ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"):
            if name in package.names:
                for block in _blocks(package, name):
                    yield Block(f"[Notes] {block.text}")


def _parts(package: Package, kind: str) -> list[str]:
    return sorted(name for name in package.names if re.fullmatch(rf"word/{kind}\d*\.xml", name))


def _blocks(package: Package, name: str) -> Iterator[Block]:
    tables = hidden = 0
    for event, element in package.events(name, _P, _TR, _TBL, _FALLBACK):
        step = 1 if event == "start" else -1
        if element.tag == _TBL:
            tables += step
        elif element.tag == _FALLBACK:
            hidden += step
        elif event == "end" and element.tag == _TR and tables == 1:
            if text := format_table_row(_cell(cell) for cell in element.iter(f"{_W}tc")):
                yield Block(text)
            packages.drop_element(element)
        elif event == "end" and element.tag == _P and not tables:
            text = "" if hidden else _text(element)
            if text.strip():
                yield Block(_format_heading(element, text))
            # A text box is a nested paragraph: only its own content may be freed.
            element.clear() if hidden or _inside(element) else packages.drop_element(element)


def _inside(element: Any) -> bool:
    return next(element.iterancestors(_P), None) is not None


def _cell(cell: Any) -> str:
    return " ".join(text for one in cell.iter(_P) if (text := _text(one).strip()))


def _text(paragraph: Any) -> str:
    parts = []
    for one in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}cr"):
        name = packages.local_name(one)
        parts.append((one.text or "") if name == "t" else "\t" if name == "tab" else "\n")
    return "".join(parts)


def _format_heading(paragraph: Any, text: str) -> str:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    found = _HEADING.match(style.get(f"{_W}val", "")) if style is not None else None
    return f"{'#' * min(int(found[1]) or 1, 6)} {text}" if found else text
