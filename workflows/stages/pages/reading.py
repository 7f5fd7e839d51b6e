"""The reading of a document by a service: words, lines, fields and tables of each page."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workflows.stages.pages.layout import Box, Line


@dataclass(frozen=True)
class Spot:
    """A text, its place and confidence (0–1). ``page`` is 0-based; ``box`` None: unknown."""

    text: str
    page: int
    box: Box | None
    score: float


@dataclass(frozen=True)
class FormField:
    """``kind``: the service's name of the field, if any (TOTAL, DATE_OF_BIRTH). ``ticked``: for checkboxes."""

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
        """Return the texts by row and column; a merged cell's text is in its first place only."""
        height = max((cell.row + cell.rows for cell in self.cells), default=0)
        width = max((cell.column + cell.columns for cell in self.cells), default=0)
        grid = [[""] * width for _ in range(height)]
        for cell in self.cells:
            grid[cell.row][cell.column] = cell.text
        return grid

    @property
    def markdown(self) -> str:
        """Use the first row as header, since Markdown requires one."""
        lines = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in self.grid]
        if lines:
            lines.insert(1, "|" + " --- |" * len(self.grid[0]))
        return "\n".join(lines)


@dataclass(frozen=True)
class Answer:
    """The answer to a query; ``alias`` is our name of it."""

    question: str
    alias: str
    value: Spot


@dataclass(frozen=True)
class Region:
    """A region of the page by role: title, text, footer, figure, …"""

    kind: str
    value: Spot


@dataclass(frozen=True)
class PageReading:
    """``slope``: the skew of text, both as fractions of the page."""

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
        """Drop lines whose words' mean confidence is below ``least``: 0–1."""
        return replace(self, lines=tuple(line for line in self.lines if line.mean_score >= least)) if least else self


@dataclass(frozen=True)
class DocumentReading:
    """``unread``: 0-based index of failed pages → why."""

    pages: tuple[PageReading, ...]
    unread: Mapping[int, str] = field(default_factory=dict)
