"""What OCR models read on one page: as an object keeps it, and beside each other with the words that differ; pure."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from projects.models.prices import describe_cost
from workflows.stages.pages import layout
from workflows.stages.pages.layout import Box, Line

# Pairs of equal words that a comparison may look at: a second. Beyond, where a word stands does not count.
_MOST_PAIRS = 400_000


@dataclass(frozen=True)
class Reading:
    """``lines`` in reading order. ``micros`` None: no price is set. ``problem``: why it was not read, or empty."""

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
        """0–1: the mean of its words; 0 if there are none."""
        return fmean(word.score for word in self.words) if self.words else 0.0


def order_lines(lines: Sequence[Line], slope: float) -> tuple[Line, ...]:
    """From top to bottom, and from left to right what stands beside each other: engines have orders of their own."""
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
    """Of one reading with the others; ``lines``: as it read them."""

    reading: Reading
    lines: tuple[ShownLine, ...]

    @property
    def differing(self) -> int:
        return sum(word.differs for line in self.lines for word in line.words)


def compare_readings(readings: Sequence[Reading | None]) -> list[Comparison | None]:
    """Which words differ: of the first reading from any other, of each other from the first.

    None is not there yet; one with a problem is compared with none.
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
    """Which of the words of each, by number, the other does not have there.

    >>> find_differing("Total due 9.00".split(), "Total 9.OO".split())
    ({1, 2}, {1})
    """
    theirs, mine = Counter(after), Counter(before)
    if sum(many * theirs[one] for one, many in mine.items()) > _MOST_PAIRS:
        return (
            {number for number, one in enumerate(before) if one not in theirs},
            {number for number, one in enumerate(after) if one not in mine},
        )
    # autojunk would take frequent words for noise on a page of 200 words and more
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
