"""Office files and e-books: ZIP packages of XML, opened within limits and parsed as a stream."""

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

MOST_BYTES = 256 * 1024**2  # bytes extracted from one file
_PIECE = 64 * 1024
_LOOK = 64  # chunks between two checks of held nodes
MOST_WHOLE = 16 * 1024**2  # bytes of a part that is parsed as a tree
MOST_ELEMENTS = 3_000_000  # nodes of a part in memory, attributes included: some 400 MB
_BROKEN = (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
# No entities, DTDs, network or huge trees, which only attacks need; comments are dropped.
_SAFE: Any = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def damaged_file(what: str) -> Refused:
    return Refused(f"This {what} is damaged or incomplete. Save it again, or export it as PDF, and upload that.")


def too_deep(what: str) -> Refused:
    return Refused(
        f"This {what} is nested too deeply to be read, such as tables inside tables. Export it as PDF and upload that."
    )


@dataclass
class Package:
    """``what``: its name in messages. Nothing is extracted to disk, and extracted bytes are counted."""

    archive: zipfile.ZipFile
    what: str
    left: int
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = frozenset(self.archive.namelist())

    def tree(self, name: str) -> Any:
        """Parse a small part as a tree. Raises: Refused."""
        return etree.fromstring(self.bytes(name), make_xml_parser())

    def bytes(self, name: str) -> bytes:
        """Raises: Refused."""
        body = bytearray()
        with self._open(name) as file:
            while piece := file.read(_PIECE):  # in pieces: read() preallocates its argument
                body += piece
                if len(body) > MOST_WHOLE:
                    raise self.too_large()
        return bytes(body)

    def events(self, name: str, *tags: str) -> Iterator[tuple[str, Any]]:
        """Yield ``start`` and ``end`` of these elements while parsing; the consumer clears elements.

        Other nodes are freed now and then, with a limit: four bytes of XML take a hundred in memory. Entities are not
        resolved and nothing is fetched. Raises: Refused.
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
        """Map relation ids to target parts, of a part's own relations."""
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
    """Raises: Refused, also while reading."""
    with zips.open_zip(path, str(damaged_file(what))) as archive:
        package = Package(archive, what, MOST_BYTES)
        try:
            yield package
        except _BROKEN as error:
            raise _explain(package, error) from error


def _explain(package: Package, error: Exception) -> Refused:
    if package.left < 0:  # the underlying reader only reports the end of its source
        return package.too_large()
    return too_deep(package.what) if "depth" in str(error) else damaged_file(package.what)


def make_xml_parser() -> Any:
    return etree.XMLParser(**_SAFE)


def stream_elements(file: Any) -> Iterator[Any]:
    """Yield every element at its end. Raises: XMLSyntaxError."""
    for _, element in etree.iterparse(file, events=("end",), **_SAFE):
        yield element


def _count_held_nodes(top: Any, tags: Collection[str]) -> int:
    """Count elements and attributes left after freeing ended elements outside of these tags."""
    element = top
    while element.tag not in tags and len(element):
        del element[:-1]
        element = element[-1]
    return int(top.xpath("count(//*) + count(//@*)"))


def drop_element(element: Any) -> None:
    """Free a parsed element, and empty preceding ones."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local_name(element: Any) -> str:
    """Return the element's name without its namespace."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""
