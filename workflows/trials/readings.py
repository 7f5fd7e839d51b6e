"""Readings of a page by OCR models: the stored form, and their comparison word by word. Pure functions."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from projects.models.cost_words import describe_cost
from workflows.stages.pages import layout
from workflows.stages.pages.layout import Box, Line

# Pairs of equal words in a comparison, which take a second. Beyond that, the position of words is ignored.
_MOST_PAIRS = 400_000


@dataclass(frozen=True)
class Reading:
    """``lines`` in reading order. ``micros`` None: no price is set. ``problem``: why it failed, or empty."""

    lines: tuple[Line, ...]
    seconds: float
    micros: int | None
    problem: str = ""

    @property
    def money(self) -> str:
        return describe_cost(self.micros)

    @property
    def words(self) -> list[layout.Word]:
        return [word for line in self.lines for word in line.words]

    @property
    def confidence(self) -> float:
        """0–1: the mean of its words; 0 without words."""
        return fmean(word.score for word in self.words) if self.words else 0.0


def order_lines(lines: Sequence[Line], slope: float) -> tuple[Line, ...]:
    """Sort lines from top to bottom, and left to right within a row, as engines use different orders."""
    return tuple(line for row in layout.rows([one for one in lines if one.words], slope) for line in row.lines)


def reading_to_json(found: Reading) -> dict[str, Any]:
    rest = {name: value for name, value in vars(found).items() if name != "lines"}
    return {"words": layout.words_to_store(found.lines), **rest}


def reading_from(stored: Mapping[str, Any]) -> Reading:
    """The inverse of ``reading_to_json``."""
    rest = {name: value for name, value in stored.items() if name != "words"}
    return Reading(layout.lines_of(stored["words"], 0), **rest)


@dataclass(frozen=True)
class ShownWord:
    text: str
    box: Box
    differs: bool


@dataclass(frozen=True)
class ShownLine:
    words: tuple[ShownWord, ...]
    confidence: float


@dataclass(frozen=True)
class Comparison:
    """One reading compared with the others; ``lines``: as it read them."""

    reading: Reading
    lines: tuple[ShownLine, ...]

    @property
    def differing(self) -> int:
        return sum(word.differs for line in self.lines for word in line.words)


def compare_readings(readings: Sequence[Reading | None]) -> list[Comparison | None]:
    """Find differing words: of the first reading from any other, of each other from the first.

    None is pending; a reading with a problem is not compared.
    """
    there = [number for number, one in enumerate(readings) if one and not one.problem]
    words = [[word.text for word in one.words] if one else [] for one in readings]
    differing: dict[int, set[int]] = {number: set() for number in there}
    for other in there[1:]:
        mine, theirs = find_differing(words[there[0]], words[other])
        differing[there[0]] |= mine
        differing[other] |= theirs
    return [_show(one, differing.get(number, set())) if one else None for number, one in enumerate(readings)]


def find_differing(before: Sequence[str], after: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the indexes of words that the other does not have at that place, for each.

    >>> find_differing("Total due 9.00".split(), "Total 9.OO".split())
    ({1, 2}, {1})
    """
    theirs, mine = Counter(after), Counter(before)
    if sum(many * theirs[one] for one, many in mine.items()) > _MOST_PAIRS:
        return (
            {number for number, one in enumerate(before) if one not in theirs},
            {number for number, one in enumerate(after) if one not in mine},
        )
    # autojunk would treat frequent words as noise on pages of 200 words and more
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    return (
        {number for _, start, end, _, _ in changed for number in range(start, end)},
        {number for _, _, _, start, end in changed for number in range(start, end)},
    )


def _show(reading: Reading, differing: set[int]) -> Comparison:
    lines, number = [], 0
    for line in reading.lines:
        words = [ShownWord(word.text, word.box, number + i in differing) for i, word in enumerate(line.words)]
        lines.append(ShownLine(tuple(words), line.mean_score))
        number += len(line.words)
    return Comparison(reading, tuple(lines))
