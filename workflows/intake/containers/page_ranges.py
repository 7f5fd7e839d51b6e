"""Splitting of a document: each page range becomes a file of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pikepdf
from PIL import Image

from config.errors import Refused
from config.phrase import Sentence
from workflows.intake.containers.members import Member
from workflows.stages.file_kinds import PDF
from workflows.stages.pages.image_files import MANY_PAGES, check_size

_BROKEN = Sentence("These pages could not be extracted. Upload them as a separate file.")
_NEEDS_TWO = Sentence("Mark at least one page where a new document starts.")
_NOT_ALL = Sentence("The parts must contain every page once, in order, from page 1 to page %(pages)s.")


@dataclass(frozen=True)
class PageRange:
    """``first`` to ``last``, counted from 1; ``document_type``: a classification's id, empty if none was chosen."""

    first: int
    last: int
    document_type: str = ""

    @property
    def words(self) -> str:
        return (
            Sentence("page %(first)s").fill(first=self.first)
            if self.first == self.last
            else Sentence("pages %(first)s–%(last)s").fill(first=self.first, last=self.last)
        )


def can_be_cut(file_type: str, pages: int) -> bool:
    return pages > 1 and (file_type == PDF or file_type in MANY_PAGES)


def check_ranges(ranges: Sequence[PageRange], pages: int) -> None:
    """Check that two or more ranges cover the ``pages``, each once and in order. Raises: Refused."""
    if len(ranges) < 2:
        raise Refused(_NEEDS_TWO)
    firsts = [1, *(one.last + 1 for one in ranges[:-1])]
    in_order = all(one.first == first <= one.last for one, first in zip(ranges, firsts, strict=True))
    if not in_order or ranges[-1].last != pages:
        raise Refused(_NOT_ALL.fill(pages=pages))


def members(path: Path, name: str, file_type: str, ranges: Sequence[PageRange]) -> Iterator[Member]:
    write = _write_pdf if file_type == PDF else _write_frames
    for one in ranges:
        yield Member(_name_part(name, one), partial(write, path, one))


def _name_part(name: str, part: PageRange) -> str:
    """Name a part; long names are shortened, so that the parts' names differ.

    >>> _name_part("scan.pdf", PageRange(1, 3))
    'scan (pages 1–3).pdf'
    """
    known = Path(name)
    return f"{known.stem[:200]} ({part.words}){known.suffix}"


def _write_pdf(path: Path, part: PageRange, target: Path) -> None:
    try:
        with pikepdf.open(path) as whole, pikepdf.new() as cut:
            whole.remove_unreferenced_resources()  # otherwise each part contains the images of all
            cut.pages.extend(whole.pages[part.first - 1 : part.last])
            cut.save(target)
    except (pikepdf.PdfError, ValueError, RecursionError, IndexError) as error:
        raise Refused(_BROKEN) from error


def _write_frames(path: Path, part: PageRange, target: Path) -> None:
    frames = []
    try:
        with Image.open(path) as whole:
            for index in range(part.first - 1, part.last):
                whole.seek(index)
                check_size(whole)
                frames.append(whole.copy())
        frames[0].save(target, format="TIFF", save_all=True, append_images=frames[1:], compression="tiff_deflate")
    except (OSError, EOFError, ValueError, Image.DecompressionBombError) as error:
        raise Refused(_BROKEN) from error
