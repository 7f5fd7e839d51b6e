"""What differs between two texts, word by word."""

import difflib
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """``kind``: same, added or removed."""

    kind: str
    text: str


def compare_words(before: str, after: str) -> list[Piece]:
    """Pieces in reading order; what was removed stands before what was added in its place.

    >>> compare_words("Read the page.", "Read one page.")[1:3]
    [Piece(kind='removed', text='the'), Piece(kind='added', text='one')]
    """
    return list(_pieces(_TOKEN.findall(before), _TOKEN.findall(after)))


def _pieces(before: list[str], after: list[str]) -> Iterator[Piece]:
    # autojunk would take frequent words for noise in texts of 200 words and more
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            yield Piece("same", "".join(before[start:end]))
            continue
        if end > start:
            yield Piece("removed", "".join(before[start:end]))
        if new_end > new_start:
            yield Piece("added", "".join(after[new_start:new_end]))
