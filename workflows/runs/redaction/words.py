"""Search for personal values in text, in any spacing and notation. Pure functions.

More is masked than the values: each of their words too, wherever it occurs, since a name is a name in any line.
"""

import dataclasses
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from projects.personal.masking import MASK
from workflows.stages import results

_WORD = re.compile(r"[^\W_]+")
_CHUNK = re.compile(r"\S+")
_EDGES = ".,;:()[]{}<>\"'“”„’‘«»*#|"
_LEAST_WORD = 3  # characters of a word that is masked alone; one less in other scripts
_LEAST_INSIDE = 5  # characters of a value that is masked inside of longer words
_TYPED = ("date", "amount", "number")  # types with many notations


@dataclass(frozen=True)
class Secrets:
    """``whole``: values reduced to letters and digits; ``words``: their folded words.

    ``stored``: type → values in stored form.
    """

    whole: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    stored: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each masked place, in order and disjoint."""
        return _merge(text, sorted({*self._words(text), *self._whole(text), *self._find_typed(text)}))

    def mask(self, text: str) -> str:
        """
        >>> read_secrets([{"type": "text", "value": "Ada Byron"}]).mask("To: Ada-Byron, Ms BYRON")
        'To: •••, Ms •••'
        """
        pieces, at = [], 0
        for start, end in self.spans(text):
            pieces += [text[at:start], MASK]
            at = end
        return "".join([*pieces, text[at:]])

    def find_words(self, words: Sequence[str]) -> list[bool]:
        """Return which of a page's words are masked."""
        spans, found, at = self.spans(" ".join(words)), [], 0
        for word in words:
            end = at + len(word)
            found.append(any(start < end and at < last for start, last in spans))
            at = end + 1
        return found

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        for hit in _WORD.finditer(text):
            if fold(hit[0]) in self.words:
                yield hit.span()

    def _whole(self, text: str) -> Iterator[tuple[int, int]]:
        letters: list[str] = []
        # for each folded letter: the index of its character, and of its word's start
        places: list[tuple[int, int]] = []
        starts, ends = set(), set()
        for hit in _WORD.finditer(text):
            starts.add(len(letters))
            for place, sign in enumerate(hit[0], hit.start()):
                for letter in fold(sign):
                    letters.append(letter)
                    places.append((place, place + 1))
            ends.add(len(letters))
        joined = "".join(letters)
        for value in self.whole:
            at = joined.find(value)
            while at >= 0:
                last = at + len(value)
                if _stands_alone(value) or (at in starts and last in ends):
                    yield places[at][0], places[last - 1][1]
                at = joined.find(value, at + 1)

    def _find_typed(self, text: str) -> Iterator[tuple[int, int]]:
        if not self.stored:
            return
        for hit in _CHUNK.finditer(text):
            plain = hit[0].strip(_EDGES)
            if any(results.to_stored_form(kind, plain) in known for kind, known in self.stored.items()):
                yield hit.span()


def read_secrets(fields: Iterable[Mapping[str, Any]]) -> Secrets:
    """Collect all texts of the fields of a result, with people's corrections."""
    whole, words = set(), set()
    stored: dict[str, set[str]] = {}
    for field in fields:
        kind = str(field.get("type") or "text")
        for text in _texts(field):
            if joined := fold("".join(_WORD.findall(text))):
                whole.add(joined)
            words |= {word for one in _WORD.findall(text) if _is_telling(word := fold(one))}
            if kind in _TYPED and (value := results.to_stored_form(kind, text)):
                stored.setdefault(kind, set()).add(value)
    return Secrets(frozenset(whole), frozenset(words), {kind: frozenset(known) for kind, known in stored.items()})


def _texts(field: Mapping[str, Any]) -> Iterator[str]:
    cells = [cell.get("value") for row in field.get("rows") or () for cell in row]
    changed = [change.get(side) for change in field.get("changes") or () for side in ("before", "after")]
    # A table's value consists of its cells: as a whole it appears nowhere.
    alone = [] if cells else [field.get("value"), field.get("raw"), field.get("extracted")]
    yield from (str(one) for one in (*alone, *cells, *changed) if one)


def _is_telling(word: str) -> bool:
    return len(word) >= (_LEAST_WORD if word.isascii() else _LEAST_WORD - 1)


def _stands_alone(value: str) -> bool:
    return len(value) >= _LEAST_INSIDE or not value.isascii()


def fold(text: str) -> str:
    """Remove case and accents.

    >>> fold("Müller"), fold("STRASSE") == fold("Straße")
    ('muller', True)
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in letters if not unicodedata.combining(one))


def _merge(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans with no letter or digit between them, which hides the number of words."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and (start <= merged[-1][1] or not _WORD.search(text, merged[-1][1], start)):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
