"""Office files and e-books: ZIP packages of XML, opened within limits and read as a stream."""

import io
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
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
MOST_WHOLE = 16 * 1024**2  # of a part that is read as a tree
_BROKEN = (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def damaged(what: str) -> Refused:
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
        return etree.fromstring(self.bytes(name), parser())

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

        Entities stay unresolved and nothing is fetched. Raises: Refused.
        """
        with self._open(name) as file:
            yield from etree.iterparse(
                file, events=("start", "end"), tag=tags, resolve_entities=False, no_network=True, load_dtd=False
            )

    def related(self, name: str) -> dict[str, str]:
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
        return Refused(f"This {self.what} becomes larger than documents are when it is read. Export it as PDF.")

    def _open(self, name: str) -> io.BufferedReader:
        try:
            info = self.archive.getinfo(name)
        except KeyError as error:
            raise damaged(self.what) from error
        if info.flag_bits & 1:
            raise Refused(f"This {self.what} is locked with a password. Save a copy without it and upload that.")
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
def opened(path: Path, what: str) -> Iterator[Package]:
    """Raises: Refused, also while it is read."""
    with zips.opened(path, str(damaged(what))) as archive:
        try:
            yield Package(archive, what, MOST_BYTES)
        except _BROKEN as error:
            raise damaged(what) from error


def parser() -> Any:
    """No entities, no DTD, nothing from the network, no trees that only an attack needs."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def dropped(element: Any) -> None:
    """Free an element that has been read, and the empty ones before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Any) -> str:
    """The element's name without its name space."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""
