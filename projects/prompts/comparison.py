"""Word-by-word comparison of two texts."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
# Pairs of equal words that one comparison may look at. A text that repeats its words takes a second for as many, and
# minutes for ten times as many; lines that changed are far below it.
_MOST_PAIRS = 200_000


class Piece(NamedTuple):
    """``kind``: same, added or removed."""

    kind: str
    text: str


def compare_words(before: str, after: str) -> list[Piece]:
    """Pieces in reading order; what was removed stands before what was added in its place.

    Lines are compared first, then the words of those that changed; what repeats itself too often is replaced whole.

    >>> compare_words("Read the page.", "Read one page.")[1:3]
    [Piece(kind='removed', text='the'), Piece(kind='added', text='one')]
    """
    pieces: list[Piece] = []
    left = _MOST_PAIRS
    for kind, old, new in _match(before.splitlines(keepends=True), after.splitlines(keepends=True)):
        words = _TOKEN.findall(old), _TOKEN.findall(new)
        cost = _count_pairs(*words)
        if kind == "replace" and cost <= left:
            left -= cost
            for within, removed, added in _match(*words):
                pieces += _make_pieces(within, removed, added)
        else:
            pieces += _make_pieces(kind, old, new)
    return pieces


def _match(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Kind as difflib calls it, the text before, the text after."""
    if before == after:
        yield "equal", "".join(before), "".join(after)
        return
    if _count_pairs(before, after) > _MOST_PAIRS:
        yield "replace", "".join(before), "".join(after)
        return
    # autojunk would take frequent words for noise in texts of 200 words and more
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        yield kind, "".join(before[start:end]), "".join(after[new_start:new_end])


def _count_pairs(before: Sequence[str], after: Sequence[str]) -> int:
    theirs = Counter(after)
    return sum(many * theirs[one] for one, many in Counter(before).items())


def _make_pieces(kind: str, before: str, after: str) -> Iterator[Piece]:
    if kind == "equal":
        yield Piece("same", before)
        return
    if before:
        yield Piece("removed", before)
    if after:
        yield Piece("added", after)
