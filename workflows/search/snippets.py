"""Snippets of matching text. Pure functions; only the template escapes."""

from collections.abc import Sequence
from dataclasses import dataclass

from workflows.search.words import Term, Word, split_words

LENGTH = 220  # characters
_BEFORE = 60  # of these before the first match


@dataclass(frozen=True)
class Piece:
    """Plain text; ``found`` if it matches."""

    text: str
    found: bool


def cut_snippet(text: str, terms: Sequence[Term]) -> tuple[Piece, ...]:
    """Return the text around the first match on one line, or the start of the text without a match."""
    found = _places(list(split_words(text)), terms)
    start = _whole_word(text, max(0, found[0][0] - _BEFORE)) if found else 0
    end = min(len(text), start + LENGTH)
    pieces, at = [Piece("… ", found=False)] if start else [], start
    for first, last in found:
        if first < at or last > end:
            continue
        pieces += [Piece(_line(text[at:first]), found=False), Piece(_line(text[first:last]), found=True)]
        at = last
    rest = text[at:end] + (" …" if end < len(text) else "")
    return tuple(piece for piece in (*pieces, Piece(_line(rest), found=False)) if piece.text)


def _places(found: Sequence[Word], terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Return start and end of each match in the text, in order."""
    return sorted({place for term in terms for place in _of_term(found, term)})


def _of_term(found: Sequence[Word], term: Term) -> list[tuple[int, int]]:
    *head, last = term.words
    length = len(term.words)
    places = []
    for at in range(len(found) - length + 1):
        here = found[at : at + length]
        tail = here[-1].folded
        if (tail.startswith(last) if term.begins else tail == last) and [one.folded for one in here[:-1]] == head:
            places.append((here[0].start, here[-1].end))
    return places


def _whole_word(text: str, at: int) -> int:
    """Return the next start of a word, if one is near."""
    space = text.find(" ", at, at + 20) if at else -1
    return space + 1 if space >= 0 else at


def _line(text: str) -> str:
    """Replace any white space by single blanks, including at the ends, as pieces are concatenated."""
    squeezed = " ".join(text.split())
    lead = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and squeezed else ""
    return f"{lead}{squeezed}{tail}"
