"""Sellers that people confirmed in earlier reviews: who is on the paper is then known, not only read."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from workflows.stages import values
from workflows.stages.calibration import Vendor
from workflows.stages.fields import address
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.confidence import VENDOR

ALIKE = 88.0  # of 100; on 179 hits 99.4 % of the confirmed names and addresses were the paper's
KNOWN = 8.0  # points: before every rule's own
_SHORTEST = 5  # letters and digits; shorter names stand in other words
_MOST_LINES = {"company": 2, "address": 6}


def likeness(one: str, other: str) -> float:
    """0–100: twice the longest common subsequence over both lengths, as ``rapidfuzz.fuzz.ratio`` counts it."""
    if not one or not other:
        return 0.0
    return 200.0 * _common_length(one, other) / (len(one) + len(other))


def _common_length(one: str, other: str) -> int:
    """Length of the longest common subsequence, a whole row of the table at a time in the bits of one integer."""
    places: dict[str, int] = {}
    for place, char in enumerate(one):
        places[char] = places.get(char, 0) | 1 << place
    everywhere = (1 << len(one)) - 1
    row = everywhere
    for char in other:
        found = row & places.get(char, 0)
        row = ((row + found) | (row - found)) & everywhere
    return len(one) - row.bit_count()


class Memory:
    """What people confirmed of one field, ready to be compared with what is read."""

    def __init__(self, confirmed: Iterable[str]) -> None:
        # Another number is another branch, or another firm: of two alike ones the letters do not tell.
        self._by_digits: dict[str, list[tuple[str, str]]] = {}
        for value in dict.fromkeys(confirmed):
            words = values.words(value)
            if len(words) >= _SHORTEST:
                self._by_digits.setdefault(_digits(words), []).append((words, value))

    def __bool__(self) -> bool:
        return bool(self._by_digits)

    def closest(self, value: str, *, unless: Callable[[str], bool] = lambda _: False) -> tuple[str, float] | None:
        """The confirmed value that ``value`` is a reading of, and how alike they are; the closest one."""
        read = values.words(value)
        if len(read) < _SHORTEST:
            return None
        best: tuple[str, float] | None = None
        for words, confirmed in self._by_digits.get(_digits(read), ()):
            if 2 * min(len(read), len(words)) * 100 < ALIKE * (len(read) + len(words)) or unless(confirmed):
                continue
            alike = likeness(read, words)
            if alike >= ALIKE and (best is None or alike > best[1]):
                best = (confirmed, alike)
        return best


def _digits(words: str) -> str:
    return re.sub(r"\D", "", words)


def vendor_memory(name: str, vendors: Iterable[Vendor]) -> Memory:
    """Of a company or an address; of another field there is none."""
    if name == "company":
        return Memory(vendor.company for vendor in vendors)
    if name == "address":
        return Memory(address for vendor in vendors for address in vendor.addresses)
    return Memory(())


def apply_vendor_memory(
    name: str, document: Document, found: Sequence[Candidate], vendors: Sequence[Vendor]
) -> list[Candidate]:
    """``found`` with what is known laid over it: the confirmed spelling is the value, ``raw`` stays as read."""
    confirmed = vendor_memory(name, vendors)
    if not confirmed:
        return list(found)
    return best_first([*_match_confirmed(found, confirmed), *_on_paper(document, confirmed, _MOST_LINES[name])])


def _match_confirmed(found: Sequence[Candidate], confirmed: Memory) -> Iterator[Candidate]:
    for candidate in found:
        hit = confirmed.closest(candidate.value)
        yield _confirm_candidate(candidate, *hit) if hit else candidate


def _confirm_candidate(candidate: Candidate, value: str, alike: float) -> Candidate:
    return replace(candidate, value=value).stronger(KNOWN + alike / 100, **{VENDOR: 1.0})


def _on_paper(document: Document, confirmed: Memory, longest: int) -> Iterator[Candidate]:
    """Runs of up to ``longest`` lines that no rule took for the field; a seller who buys is no seller there."""
    lines = [line for row in address.drop_buyer(document.head, keep_heads=True) for line in row.lines]
    for start in range(len(lines)):
        for end in range(start + 1, min(start + longest, len(lines)) + 1):
            part = lines[start:end]
            text = " ".join(line.text for line in part)
            hit = confirmed.closest(text)
            if hit:
                yield _confirm_candidate(of_lines(part, text, 0.0, early=1 / (1 + start / 4)), *hit)
