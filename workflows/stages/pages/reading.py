"""What a service read on the pages of a document: words and lines, and what it says they mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workflows.stages.pages.layout import Box, Line


@dataclass(frozen=True)
class Spot:
    """A text, where it stands and how sure the service is (0–1). ``page`` is 0-based; ``box`` None: not told."""

    text: str
    page: int
    box: Box | None
    score: float


@dataclass(frozen=True)
class FormField:
    """``kind``: the service's own name of it where it has one (TOTAL, DATE_OF_BIRTH). ``ticked``: of a box to tick."""

    key: str
    value: Spot
    kind: str = ""
    ticked: bool | None = None


@dataclass(frozen=True)
class Cell:
    """``row`` and ``column`` are 0-based; a merged cell spans several."""

    row: int
    column: int
    text: str
    score: float
    rows: int = 1
    columns: int = 1
    heading: bool = False


@dataclass(frozen=True)
class Table:
    page: int
    box: Box | None
    cells: tuple[Cell, ...]
    title: str = ""
    footer: str = ""

    @property
    def grid(self) -> list[list[str]]:
        """Texts by row and column; a merged cell's text stands in its first place only."""
        height = max((cell.row + cell.rows for cell in self.cells), default=0)
        width = max((cell.column + cell.columns for cell in self.cells), default=0)
        grid = [[""] * width for _ in range(height)]
        for cell in self.cells:
            grid[cell.row][cell.column] = cell.text
        return grid

    @property
    def markdown(self) -> str:
        """The first row as its head, since Markdown knows no table without one."""
        lines = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in self.grid]
        if lines:
            lines.insert(1, "|" + " --- |" * len(self.grid[0]))
        return "\n".join(lines)


@dataclass(frozen=True)
class Answer:
    """To a question that was asked; ``alias`` is our name of it."""

    question: str
    alias: str
    value: Spot


@dataclass(frozen=True)
class Region:
    """A part of the page by its role: title, text, footer, figure, …"""

    kind: str
    value: Spot


@dataclass(frozen=True)
class PageReading:
    """``slope``: how much text falls to the right, both as fractions of the page."""

    index: int
    lines: tuple[Line, ...] = ()
    fields: tuple[FormField, ...] = ()
    tables: tuple[Table, ...] = ()
    answers: tuple[Answer, ...] = ()
    regions: tuple[Region, ...] = ()
    signatures: tuple[Spot, ...] = ()
    slope: float = 0.0

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def without_unsure(self, least: float) -> "PageReading":
        """Without the lines whose words are less sure on average; ``least``: 0–1."""
        return replace(self, lines=tuple(line for line in self.lines if line.mean_score >= least)) if least else self


@dataclass(frozen=True)
class DocumentReading:
    """``unread``: 0-based index of pages that the service could not read → why."""

    pages: tuple[PageReading, ...]
    unread: Mapping[int, str] = field(default_factory=dict)
