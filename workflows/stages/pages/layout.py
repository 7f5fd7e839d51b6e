"""Words, lines and rows of a page: the common form of OCR results and text layers, and the input of extraction."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from statistics import fmean, median
from typing import Any

from workflows.stages.pages import right_to_left

# Bidirectional control characters (UAX 9): they can display 00.12 as 21.00.
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Box = tuple[float, float, float, float]  # x0, y0, x1, y1 as fractions of the page, origin top left


def union(boxes: Iterable[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


@dataclass(frozen=True)
class Word:
    """``score``: the engine's confidence in the characters, 0–1; 1 from a text layer."""

    text: str
    box: Box
    score: float = 1.0


@dataclass(frozen=True)
class Line:
    """Adjacent words: an OCR block, or a run of a text layer without a wide gap."""

    page: int
    words: tuple[Word, ...]

    @cached_property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @cached_property
    def box(self) -> Box:
        return union(word.box for word in self.words)

    @property
    def score(self) -> float:
        return min(word.score for word in self.words)

    @cached_property
    def mean_score(self) -> float:
        return fmean(word.score for word in self.words)

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]

    @cached_property
    def _starts(self) -> Sequence[int]:
        return list(accumulate((len(word.text) + 1 for word in self.words), initial=0))

    def part(self, start: int, end: int) -> tuple[Box, float]:
        """Return box and score of the characters ``start`` to ``end`` of ``text``, rounded to words."""
        found = []
        for index in range(max(0, bisect_right(self._starts, start) - 1), len(self.words)):
            word, position = self.words[index], self._starts[index]
            if position >= end:
                break
            if position + len(word.text) > start:
                found.append(word)
        found = found or list(self.words)
        return union(word.box for word in found), min(word.score for word in found)


@dataclass(frozen=True)
class Row:
    """Lines side by side, in reading order."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def box(self) -> Box:
        return union(line.box for line in self.lines)


@dataclass(frozen=True)
class Page:
    """``source``: text_layer or ocr. ``slope``: the skew of text, in pixels down per pixel to the right."""

    index: int
    width: int
    height: int
    source: str
    lines: tuple[Line, ...]
    slope: float = 0.0

    @cached_property
    def line_height(self) -> float:
        """The median line height."""
        return median(line.height for line in self.lines)

    @property
    def rows(self) -> tuple[Row, ...]:
        return rows(self.lines, self.slope * self.width / max(self.height, 1), from_right=self.from_right)

    @cached_property
    def from_right(self) -> bool:
        """Whether rows are read from the right. Text without page images has its cells in reading order already."""
        return self.source != "text" and right_to_left.is_mostly_turned(
            word.text for line in self.lines for word in line.words
        )


def rows(lines: Sequence[Line], slope: float = 0.0, *, from_right: bool = False) -> tuple[Row, ...]:
    """Group lines by the height of their middle, following the skew; ``slope`` in page fractions."""

    def middle(line: Line) -> float:
        x0, y0, x1, y1 = line.box
        return (y0 + y1) / 2 - slope * (x0 + x1) / 2

    groups: list[list[Line]] = []
    middles: list[float] = []  # of the last group, ascending; kept since a row may have thousands of lines
    heights: list[float] = []
    for line in sorted(lines, key=middle):
        if groups and middle(line) - _median(middles) < 0.5 * min(line.height, _median(heights)):
            groups[-1].append(line)
        else:
            groups.append([line])
            middles, heights = [], []
        middles.append(middle(line))
        insort(heights, line.height)
    if from_right:
        return tuple(Row(tuple(sorted(group, key=lambda line: -line.box[2]))) for group in groups)
    return tuple(Row(tuple(sorted(group, key=lambda line: line.box[0]))) for group in groups)


def _median(ascending: Sequence[float]) -> float:
    half = len(ascending) // 2
    return ascending[half] if len(ascending) % 2 else (ascending[half - 1] + ascending[half]) / 2


def words_to_store(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the ``words`` of an artifact; ``block`` is the index of the word's line."""
    return [
        {
            "text": word.text,
            "box": [round(value, 5) for value in word.box],
            "score": round(word.score, 4),
            "block": number,
        }
        for number, line in enumerate(lines)
        for word in line.words
    ]


def lines_of(words: Iterable[Mapping[str, Any]], page: int) -> tuple[Line, ...]:
    blocks: dict[int, list[Word]] = {}
    for word in words:
        x0, y0, x1, y1 = word["box"]
        blocks.setdefault(word["block"], []).append(Word(word["text"], (x0, y0, x1, y1), word["score"]))
    return tuple(Line(page, tuple(block)) for block in blocks.values())
