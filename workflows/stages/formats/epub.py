"""E-books: chapters in reading order."""

import posixpath
from collections.abc import Iterator
from pathlib import Path

from workflows.stages.formats import packages, web
from workflows.stages.formats.blocks import Block

WHAT = "e-book"
_CONTAINER = "META-INF/container.xml"
_FILE = "{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"
_PAGES = {"application/xhtml+xml", "text/html"}


def read_epub(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    with packages.open_package(path, WHAT) as package:
        root = next(package.tree(_CONTAINER).iter(_FILE), None)
        if root is None:
            raise packages.damaged_file(WHAT)
        name = root.get("full-path", "")
        book, folder = package.tree(name), posixpath.dirname(name)
        chapters = {
            one.get("id"): package.place(folder, one.get("href", ""))
            for one in book.iter(f"{_OPF}item")
            if one.get("media-type") in _PAGES
        }
        for number, one in enumerate(book.iter(f"{_OPF}itemref"), start=1):
            place = chapters.get(one.get("idref"))
            if place is None or place not in package.names:
                continue
            page = web.parse_web_page(package.bytes(place), whole=True)
            title = page.title or next((line.lstrip("# ") for line in page.lines if line.startswith("#")), "")
            for line_number, line in enumerate(page.lines):
                yield Block(line, title=title or f"Chapter {number}", starts=line_number == 0)
