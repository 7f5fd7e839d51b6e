"""A document's words in reading order, with their context as hashed features.

Words are stored as hashes only, without case and digit values, and features of few documents are dropped in fitting:
what is stored reveals labels, not values.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Box, Line

MOST_WORDS = 8_000  # words of a document; later ones are ignored
_MOST_OF_PAGE = 3_000
_LONGEST = 40  # characters of a word that are hashed
BUCKETS = 2**18
NOTHING = 0  # the bucket of a missing feature; weighs nothing
_STUCK = re.compile(r"(?<=[^\W\d_][:#=])(?=\w)|(?<=[^\W\d_][.)][:#=])(?=\w)")  # No:12345
_DIGITS = re.compile(r"\d")
_NOT_WORD = re.compile(r"[\W_]+")
_FACTOR, _ALL_BITS = 0x9E3779B97F4A7C15, 2**64 - 1
_ABOVE = 4  # rows above that are searched

Hashes = NDArray[np.int64]


@dataclass(frozen=True)
class Token:
    """``start``, ``end``: characters of the line's text. ``line``: index in the document."""

    text: str
    line: int
    start: int
    end: int
    box: Box


def hash_text(text: str) -> int:
    """Never 0; ignores case and digit values."""
    return crc32(_DIGITS.sub("0", text[:_LONGEST].casefold()).encode()) or 1


def hash_word(text: str) -> int:
    """Ignore punctuation, unless the word consists of it."""
    return hash_text(_NOT_WORD.sub("", text) or text)


def hash_stem(text: str) -> int:
    """Hash four letters: "Advertiser:" and "advertising" are equal."""
    return hash_text(_NOT_WORD.sub("", text)[:4] or text)


def shape_of(text: str) -> str:
    """Return the kinds of characters, at most two in a row: "Total:" is Xxx:, "$1,007.50" is $0,00.00."""
    found: list[str] = []
    for char in text[:_LONGEST]:
        kind = "0" if char.isdigit() else "X" if char.isupper() else "x" if char.isalpha() else char
        if found[-2:] != [kind, kind]:
            found.append(kind)
    return "".join(found)


def mix(template: str, *parts: Hashes) -> Hashes:
    """Return a bucket for each row's combination; ``template`` names the parts."""
    mixed = np.full(parts[0].shape, _seed(template), dtype=np.uint64)
    for part in parts:
        mixed = (mixed ^ part.astype(np.uint64)) * np.uint64(_FACTOR)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(BUCKETS - 1)).astype(np.int64) + 1


def mix_one(template: str, *parts: int) -> int:
    """Do the same for single values."""
    mixed = _seed(template)
    for part in parts:
        mixed = ((mixed ^ part) * _FACTOR) & _ALL_BITS
        mixed ^= mixed >> 29
    return mixed % (BUCKETS - 1) + 1


@lru_cache(maxsize=256)
def _seed(template: str) -> int:
    return crc32(template.encode())


class Words:
    """The tokens of a document with their features; computed once and shared by all fields."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines: list[Line] = []
        self.row_of: list[int] = []  # of each line
        self.page_rows: list[int] = []  # row of each line from the top of its page
        self.tokens: list[Token] = []
        self.first: list[int] = []  # first token of each line; one more at the end
        self._read()

    def _read(self) -> None:
        of_page: dict[int, int] = {}
        rows_of_page: dict[int, int] = {}
        for number, row in enumerate(self.document.rows):
            for line in row.lines:
                room = min(MOST_WORDS - len(self.tokens), _MOST_OF_PAGE - of_page.get(line.page, 0))
                if room <= 0 or not line.words:
                    continue
                self.first.append(len(self.tokens))
                self.tokens.extend(_split_line(line, len(self.lines), room))
                of_page[line.page] = of_page.get(line.page, 0) + len(self.tokens) - self.first[-1]
                self.lines.append(line)
                self.row_of.append(number)
                self.page_rows.append(rows_of_page.get(line.page, 0))
            rows_of_page[row.page] = rows_of_page.get(row.page, 0) + 1
        self.first.append(len(self.tokens))

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def boxes(self) -> list[Box]:
        return [line.box for line in self.lines]

    @cached_property
    def line_index(self) -> Hashes:
        return np.array([one.line for one in self.tokens], dtype=np.int64)

    @cached_property
    def rows(self) -> Hashes:
        return np.array(self.row_of, dtype=np.int64)[self.line_index]

    @cached_property
    def pages(self) -> Hashes:
        return np.array([line.page for line in self.lines], dtype=np.int64)[self.line_index]

    @cached_property
    def hashes(self) -> Hashes:
        return self._of_each(hash_word)

    @cached_property
    def stems(self) -> Hashes:
        return self._of_each(hash_stem)

    @cached_property
    def shapes(self) -> Hashes:
        return self._of_each(lambda text: hash_text(shape_of(text)))

    def _of_each(self, make: Callable[[str], int]) -> Hashes:
        known: dict[str, int] = {}
        for one in self.tokens:
            if one.text not in known:
                known[one.text] = make(one.text)
        return np.array([known[one.text] for one in self.tokens], dtype=np.int64)

    def shift(self, values: Hashes, by: int) -> Hashes:
        """Return the value ``by`` words before (after, if negative) on the same page; 0 if none."""
        moved = np.zeros_like(values)
        if by > 0:
            moved[by:] = np.where(self.pages[by:] == self.pages[:-by], values[:-by], 0)
        elif by < 0:
            moved[:by] = np.where(self.pages[:by] == self.pages[-by:], values[-by:], 0)
        return moved

    @cached_property
    def below(self) -> list[int | None]:
        """For each line, the line that continues it below, in the same column."""
        found: list[int | None] = [None] * len(self.lines)
        for index, box in enumerate(self.boxes):
            height = box[3] - box[1]
            for other in range(index + 1, min(index + 1 + 12, len(self.lines))):
                if self.lines[other].page != self.lines[index].page or self.row_of[other] > self.row_of[index] + 2:
                    break
                under = self.boxes[other]
                near = under[1] - box[3] < 1.2 * height and self.row_of[other] > self.row_of[index]
                if near and under[0] < box[2] and under[2] > box[0] and abs(under[0] - box[0]) < 0.25:
                    found[index] = other
                    break
        return found

    @cached_property
    def above(self) -> tuple[Hashes, Hashes, Hashes, Hashes]:
        """For each token: the hash of the line above, of the word above, of the line above that; and stems.

        The stems are those of the nearest line's first four words, a row each.
        """
        size = len(self.tokens)
        joined, word, second = (np.zeros(size, dtype=np.int64) for _ in range(3))
        stems = np.zeros((size, 4), dtype=np.int64)
        for index in range(len(self.lines)):
            candidates = self._lines_above(index)
            for number in range(self.first[index], self.first[index + 1]):
                box = self.tokens[number].box
                over = [one for one in candidates if self.boxes[one][0] < box[2] and self.boxes[one][2] > box[0]][:2]
                if not over:
                    continue
                joined[number] = self.joined[over[0]]
                word[number] = self._word_over(over[0], box)
                held = self.stems[self.first[over[0]] : self.first[over[0] + 1]][:4]
                stems[number, : len(held)] = held
                second[number] = self.joined[over[1]] if len(over) > 1 else 0
        return joined, word, second, stems

    def _lines_above(self, index: int) -> list[int]:
        """Nearest first."""
        found = []
        for other in range(index - 1, max(-1, index - 40), -1):
            if self.lines[other].page != self.lines[index].page or self.row_of[other] < self.row_of[index] - _ABOVE:
                break
            if self.row_of[other] < self.row_of[index]:
                found.append(other)
        return found

    def _word_over(self, line: int, box: Box) -> int:
        for left, right, word in self.edges[line]:
            if left < box[2] and right > box[0]:
                return word
        return 0

    @cached_property
    def edges(self) -> list[list[tuple[float, float, int]]]:
        """For each line: start, end and hash of each word."""
        each = zip(self.tokens, self.hashes.tolist(), strict=True)
        flat = [(one.box[0], one.box[2], word) for one, word in each]
        return [flat[begin:end] for begin, end in itertools.pairwise(self.first)]

    @cached_property
    def joined(self) -> Hashes:
        """For each line: its first five words together."""
        return np.array(
            [hash_text(_NOT_WORD.sub("", "".join(word.text for word in line.words[:5]))) for line in self.lines],
            dtype=np.int64,
        )

    @cached_property
    def beside(self) -> tuple[Hashes, Hashes, Hashes]:
        """For each token: the line to the left in the row, that line's last word, the row's first line."""
        left, last, head = (np.zeros(len(self.lines), dtype=np.int64) for _ in range(3))
        begin = 0
        for index in range(len(self.lines)):
            if index and self.row_of[index] != self.row_of[index - 1]:
                begin = index
            if index > begin:
                left[index], head[index] = self.joined[index - 1], self.joined[begin]
                last[index] = self.hashes[self.first[index] - 1]
        return left[self.line_index], last[self.line_index], head[self.line_index]

    @cached_property
    def start_features(self) -> Hashes:
        """A row a token: features of the start of a value."""
        w, s = self.hashes, self.shapes
        before = [self.shift(w, by) for by in range(1, 6)]
        shape_before, shape_after = self.shift(s, 1), self.shift(s, -1)
        joined, word, second, stems = self.above
        left, last, head = self.beside
        new_line = (self.line_index != self.shift(self.line_index + 1, 1) - 1).astype(np.int64)
        new_row = (self.rows != self.shift(self.rows + 1, 1) - 1).astype(np.int64)
        columns = [
            mix("w", w), mix("s", s), mix("1", before[0]), mix("2", before[1]), mix("3", before[2]),
            mix("12", before[0], before[1]), mix("123", before[0], before[1], before[2]),
            *(mix("bag", one) for one in before),
            mix("1l", before[0], new_line), mix("1r", before[0], new_row), mix("1s", before[0], s),
            mix("p", shape_before), mix("ps", shape_before, s), mix("sn", s, shape_after),
            mix("n", self.shift(w, -1)), mix("an", joined, new_line), mix("aw", word), mix("a2", second),
            mix("as", joined, s), *(mix("as1", stems[:, number]) for number in range(4)),
            mix("lc", left), mix("ll", last), mix("rh", head), mix("ls", left, s),
            *self._places(new_line),
        ]  # fmt: skip
        return np.stack(columns, axis=1)

    def _places(self, new_line: Hashes) -> Iterator[Hashes]:
        boxes = np.array([one.box for one in self.tokens], dtype=np.float64).reshape(-1, 4)
        line_boxes = np.array(self.boxes, dtype=np.float64).reshape(-1, 4)
        line_heights = line_boxes[:, 3] - line_boxes[:, 1]
        usual = float(np.median(line_heights)) if len(line_heights) else 1.0
        height = np.clip(line_heights / max(usual, 1e-6) * 4, 0, 12).astype(np.int64)[self.line_index]
        counts = np.minimum(np.diff(np.array(self.first)), 9)[self.line_index].astype(np.int64)
        last_page = self.document.pages[-1].index
        page = np.where(self.pages == last_page, 3, np.minimum(self.pages, 2)) + np.where(self.pages == 0, 10, 0)
        x = np.clip(boxes[:, 0] * 8, 0, 7).astype(np.int64)
        y = np.clip(boxes[:, 1] * 10, 0, 9).astype(np.int64)
        top = np.minimum(np.array(self.page_rows, dtype=np.int64)[self.line_index], 15)
        of_row = np.bincount(self.rows)[self.rows]
        alone = (of_row == np.diff(np.array(self.first))[self.line_index]).astype(np.int64)
        shouted = np.array([sum(map(str.isupper, line.text)) * 3 // max(len(line.text), 1) for line in self.lines])
        yield mix("py", page, y)
        yield mix("px", x)
        yield mix("pxy", page, x // 2, y // 2)
        yield mix("top", page, top)
        yield mix("first", new_line, alone)
        yield mix("h", height)
        yield mix("up", shouted.astype(np.int64)[self.line_index], new_line)
        yield mix("lw", counts, new_line)

    @cached_property
    def end_features(self) -> Hashes:
        """A row a token: features of the end of a value."""
        w, s = self.hashes, self.shapes
        after, shape_after = self.shift(w, -1), self.shift(s, -1)
        ends_line = (self.line_index != self.shift(self.line_index + 1, -1) - 1).astype(np.int64)
        ends_row = (self.rows != self.shift(self.rows + 1, -1) - 1).astype(np.int64)
        columns = [
            mix("ew", w), mix("es", s), mix("en", after), mix("ens", shape_after), mix("ess", s, shape_after),
            mix("el", ends_line, ends_row), mix("enl", after, ends_line), mix("enn", after, self.shift(w, -2)),
            mix("esl", s, ends_line),
        ]  # fmt: skip
        return np.stack(columns, axis=1)

    def likeness(self, labels: Sequence[str]) -> Hashes:
        """A row a token: how much of a field's label is before it, left of its line, and above it."""
        wanted = {hash_stem(word) for label in labels for word in re.findall(r"[^\W_]+", label)}
        before = np.stack([self.shift(self.stems, by) for by in range(1, 5)], axis=1)
        over = self.above[3]
        near, above = (sum(np.any(held == one, axis=1).astype(np.int64) for one in wanted) for held in (before, over))
        size = max(1, min(len(wanted), 2))
        at_once = np.isin(before[:, 0], list(wanted)).astype(np.int64)
        near, above = np.minimum(near * 2 // size, 4), np.minimum(above * 2 // size, 4)
        zero = np.zeros(len(self.tokens), dtype=np.int64)
        return np.stack(
            [mix("fb", zero + near), mix("fa", zero + above), mix("f1", at_once), mix("fx", zero + near, self.shapes)],
            axis=1,
        )


def _split_line(line: Line, number: int, room: int) -> Iterator[Token]:
    position = 0
    for word in line.words:
        begin = position
        for piece in _STUCK.split(word.text):
            if piece and room > 0:
                room -= 1
                yield Token(piece, number, begin, begin + len(piece), word.box)
            begin += len(piece)
        position += len(word.text) + 1
