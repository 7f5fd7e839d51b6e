"""The text of a segment formatted for reading: headings, paragraphs, lists and tables."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workflows.stages.pages import text_page

_HEADING = re.compile(r"(#{1,6}) (.+)")


@dataclass(frozen=True)
class Passage:
    """``kind``: heading, table, list or lines. ``rows``: of a table its cells, otherwise one text a row."""

    kind: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        return "\n".join(row[0] for row in self.rows)


def passages(text: str) -> list[Passage]:
    return [
        Passage(kind, tuple(rows))
        for kind, lines in itertools.groupby(text.split("\n"), _kind)
        if (rows := list(_rows(kind, lines)))
    ]


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "table"
    if line.startswith("- "):
        return "list"
    return "heading" if _HEADING.fullmatch(line) else "lines"


def _rows(kind: str, lines: Iterator[str]) -> Iterator[tuple[str, ...]]:
    for line in lines:
        if kind == "table":
            if cells := text_page.cells_of(line):
                yield tuple(cells)
        elif line.strip() or kind == "lines":
            yield (line.lstrip("#- ").strip() if kind in {"heading", "list"} else line,)
