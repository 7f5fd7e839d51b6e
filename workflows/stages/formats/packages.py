"""Office files and e-books: ZIP packages of XML, opened within limits and read as a stream."""

import io
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from config.errors import Refused
from workflows.stages.formats import zips

MOST_BYTES = 256 * 1024**2  # of all that is unpacked of one file
_PIECE = 64 * 1024
_LOOK = 64  # pieces from one look at what is held to the next
MOST_WHOLE = 16 * 1024**2  # of a part that is read as a tree
MOST_ELEMENTS = 3_000_000  # of a part that are held at once, attributes among them: some 400 MB
_BROKEN = (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
# No entities, no DTD, nothing from the network, no trees that only an attack needs; comments would be held for no one.
_SAFE: Any = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def damaged_file(what: str) -> Refused:
    return Refused(f"This {what} is damaged or incomplete. Save it again, or export it as PDF, and upload that.")


@dataclass
class Package:
    """``what``: its name in sentences. Nothing is unpacked to the disk, and what comes out of it is counted."""

    archive: zipfile.ZipFile
    what: str
    left: int
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = frozenset(self.archive.namelist())

    def tree(self, name: str) -> Any:
        """A small part as a whole. Raises: Refused."""
        return etree.fromstring(self.bytes(name), make_xml_parser())

    def bytes(self, name: str) -> bytes:
        """Raises: Refused."""
        body = bytearray()
        with self._open(name) as file:
            while piece := file.read(_PIECE):  # not all at once: read() sets aside what it is allowed to give
                body += piece
                if len(body) > MOST_WHOLE:
                    raise self.too_large()
        return bytes(body)

    def events(self, name: str, *tags: str) -> Iterator[tuple[str, Any]]:
        """``start`` and ``end`` of these elements as the part is read; who takes an element clears it.

        What stands between them goes now and then, and so much is held at most: four bytes of XML become a hundred of
        memory. Entities stay unresolved and nothing is fetched. Raises: Refused.
        """
        with self._open(name) as file:
            root = next(element.tag for _, element in etree.iterparse(file, events=("start",), **_SAFE))
        with self._open(name) as file:
            pull = etree.XMLPullParser(("start", "end"), tag=(root, *tags), **_SAFE)
            top: Any = None
            for number, piece in enumerate(iter(lambda: file.read(_PIECE), b"")):
                pull.feed(piece)
                for event, element in pull.read_events():
                    top = element if top is None else top
                    if element.tag in tags:
                        yield event, element
                if number % _LOOK == _LOOK - 1 and top is not None and _count_held_nodes(top, tags) > MOST_ELEMENTS:
                    raise self.too_large()
            pull.close()
            yield from ((event, element) for event, element in pull.read_events() if element.tag in tags)

    def list_relations(self, name: str) -> dict[str, str]:
        """Relation id → the part it leads to, of a part's own relations."""
        folder, leaf = posixpath.split(name)
        rels = f"{folder}/_rels/{leaf}.rels"
        if rels not in self.names:
            return {}
        found = {}
        for one in self.tree(rels).iter(_RELATION):
            if one.get("TargetMode") != "External":
                found[one.get("Id", "")] = self.place(folder, one.get("Target", ""))
        return found

    def place(self, folder: str, target: str) -> str:
        target = unquote(target.split("#", 1)[0])
        return posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))

    def too_large(self) -> Refused:
        return Refused(f"This {self.what} is too large when expanded. Export it as PDF.")

    def _open(self, name: str) -> io.BufferedReader:
        try:
            info = self.archive.getinfo(name)
        except KeyError as error:
            raise damaged_file(self.what) from error
        if info.flag_bits & 1:
            raise Refused(f"This {self.what} is password-protected. Save a copy without the password and upload that.")
        return io.BufferedReader(_Counted(self, self.archive.open(info)), _PIECE)


class _Counted(io.RawIOBase):
    def __init__(self, package: Package, source: Any) -> None:
        self.package, self.source = package, source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        body = self.source.read(len(buffer))
        self.package.left -= len(body)
        if self.package.left < 0:
            raise self.package.too_large()
        buffer[: len(body)] = body
        return len(body)

    def close(self) -> None:
        self.source.close()
        super().close()


@contextmanager
def open_package(path: Path, what: str) -> Iterator[Package]:
    """Raises: Refused, also while it is read."""
    with zips.open_zip(path, str(damaged_file(what))) as archive:
        package = Package(archive, what, MOST_BYTES)
        try:
            yield package
        except _BROKEN as error:
            # The reader underneath says only that its source ended.
            raise (package.too_large() if package.left < 0 else damaged_file(what)) from error


def make_xml_parser() -> Any:
    return etree.XMLParser(**_SAFE)


def stream_elements(file: Any) -> Iterator[Any]:
    """Every element as it ends. Raises: XMLSyntaxError."""
    for _, element in etree.iterparse(file, events=("end",), **_SAFE):
        yield element


def _count_held_nodes(top: Any, tags: Collection[str]) -> int:
    """How many elements and attributes are, once all that has ended outside of these elements is gone."""
    element = top
    while element.tag not in tags and len(element):
        del element[:-1]
        element = element[-1]
    return int(top.xpath("count(//*) + count(//@*)"))


def drop_element(element: Any) -> None:
    """Free an element that has been read, and the empty ones before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local_name(element: Any) -> str:
    """The element's name without its name space."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""
