"""Layout of plain text as a page, as the input of extraction for files without page images.

Rows and columns are those of the text; boxes of such a page must not be displayed.
"""

import re
import textwrap
from collections.abc import Iterator

from workflows.stages.pages.layout import Line, Page, Word

SOURCE = "text"
WIDTH, HEIGHT = 1000, 1414
_FEWEST_ROWS = 50  # rows of a page, so that three lines are its head and not its whole height
_LONGEST = 110  # characters of a row
_CELLS = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"\t+| {3,}")
_RULE = re.compile(r"\|?[\s:|-]+\|?")


def page(index: int, text: str) -> Page:
    """``text`` as the readers write it: markdown tables and headings, a row a line."""
    rows = [cells for line in text.split("\n") for cells in _rows(line)]
    pitch = 1 / max(len(rows), _FEWEST_ROWS)
    lines = [line for number, cells in enumerate(rows) for line in _lines(index, cells, (number * pitch, 0.7 * pitch))]
    return Page(index, WIDTH, HEIGHT, SOURCE, tuple(lines))


def _rows(line: str) -> Iterator[list[str]]:
    if line.startswith("|"):
        yield from filter(None, [cells_of(line)])
        return
    cells = [cell.strip() for cell in _GAP.split(line.lstrip("#").strip())]
    if len(cells) > 1:
        yield cells
    else:
        yield from ([part] for part in textwrap.wrap(cells[0], _LONGEST, break_long_words=False) or [""])


def cells_of(line: str) -> list[str]:
    """Return the cells of a markdown table row; none for the separator line.

    >>> cells_of("| Pens |  | 4 |")
    ['Pens', '', '4']
    """
    if _RULE.fullmatch(line):
        return []
    return [cell.replace("\\|", "|").strip() for cell in _CELLS.split(line.strip().removeprefix("|").removesuffix("|"))]


def _lines(index: int, cells: list[str], place: tuple[float, float]) -> Iterator[Line]:
    """Yield a line a cell, side by side; ``place``: top and height as fractions."""
    top, height = place
    share = 0.96 / len(cells)
    for column, cell in enumerate(cells):
        words, left, letter = [], 0.02 + column * share, 0.9 * share / max(len(cell), 60 // len(cells), 1)
        for word in cell.split():
            right = left + letter * len(word)
            words.append(Word(word, (left, top, right, top + height)))
            left = right + letter
        if words:
            yield Line(index, tuple(words))
