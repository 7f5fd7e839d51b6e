"""Presentations: a section a slide, title first, notes last."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workflows.stages.formats import packages
from workflows.stages.formats.blocks import Block, format_table_row
from workflows.stages.formats.packages import Package

WHAT = "presentation"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MAIN = "ppt/presentation.xml"
_NUMBERS = {"sldNum", "dt", "ftr", "hdr", "sldImg"}  # placeholders that repeat on every slide


def read_pptx(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    with packages.open_package(path, WHAT) as package:
        parts = package.list_relations(_MAIN)
        slides = package.tree(_MAIN).iter(f"{_P}sldId")
        for number, slide in enumerate(slides, start=1):
            yield from _slide(package, parts.get(slide.get(f"{_R}id"), ""), number)


def _slide(package: Package, name: str, number: int) -> Iterator[Block]:
    tree = package.tree(name)
    title, texts = "", []
    for shape in tree.iter(f"{_P}sp", f"{_P}graphicFrame"):
        place = shape.find(f".//{_P}nvPr/{_P}ph")
        kind = place.get("type", "body") if place is not None else ""
        if kind in _NUMBERS:
            continue
        text = _text(shape)
        if kind in {"title", "ctrTitle"} and not title:
            title = " ".join(text.split())
        elif text:
            texts.append(text)
    head = f"Slide {number}: {title}" if title else f"Slide {number}"
    yield Block("\n".join([f"# {title}" if title else head, *texts]), title=head, starts=True)
    for part in package.list_relations(name).values():
        if "/notesSlides/" in part and (notes := _notes(package, part)):
            yield Block(f"[Notes] {notes}")


def _text(shape: Any) -> str:
    lines = [format_table_row(_paragraphs(cell, " ") for cell in one.iter(f"{_A}tc")) for one in shape.iter(f"{_A}tr")]
    return "\n".join(line for line in lines if line) or _paragraphs(shape, "\n")


def _paragraphs(element: Any, between: str) -> str:
    found = []
    for paragraph in element.iter(f"{_A}p"):
        parts = [
            "\n" if packages.local_name(one) == "br" else one.text or "" for one in paragraph.iter(f"{_A}t", f"{_A}br")
        ]
        found.append("".join(parts).strip())
    return between.join(text for text in found if text)


def _notes(package: Package, name: str) -> str:
    for shape in package.tree(name).iter(f"{_P}sp"):
        place = shape.find(f".//{_P}nvPr/{_P}ph")
        if place is not None and place.get("type") == "body":
            return _paragraphs(shape, "\n")
    return ""
