"""Sellers that people confirmed in earlier reviews: who is on the paper is then known, not only read."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from workflows.stages import values
from workflows.stages.calibration import Vendor
from workflows.stages.fields import address, spelling
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.confidence import VENDOR
from workflows.stages.pages.layout import Line

ALIKE = 88.0  # of 100, for a seller whom the paper names otherwise; on 179 hits 99.4 % were then the paper's
KNOWN = 8.0  # points: before every rule's own
NAME, PLACE = "company", "address"
_SHORTEST = 5  # letters and digits; shorter names stand in other words
_SLIP = 10  # letters of which one may be another that looks like it, or be lost
_MOST_LINES = {NAME: 2, PLACE: 6}
REMEMBERED = {NAME: PLACE, PLACE: NAME}  # field → the one that speaks for it

Choice = Callable[[str], bool]


def likeness(one: str, other: str) -> float:
    """0–100: twice the longest common subsequence over both lengths, as ``rapidfuzz.fuzz.ratio`` counts it."""
    if not one or not other:
        return 0.0
    return 200.0 * _common_length(one, other) / (len(one) + len(other))


def count_slips(read: str, meant: str) -> int | None:
    """How many letters OCR took for others that look like them, lost or doubled; None if it is another text."""
    longest = max(len(read), len(meant))
    most = longest // _SLIP
    if abs(len(read) - len(meant)) > most or longest - _common_length(read, meant) > most:
        return None
    row: list[int] = list(range(len(meant) + 1))
    for place, char in enumerate(read, start=1):
        above, row = row, [place]
        for at, other in enumerate(meant, start=1):
            same = above[at - 1] + (char != other) if spelling.look_alike(char, other) else most + 1
            row.append(min(same, above[at] + 1, row[-1] + 1))
    return row[-1] if row[-1] <= most else None


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

    def find_reading(self, value: str, among: Choice) -> str | None:
        """The confirmed value that ``value`` is, but for letters that look alike; None if it may be two of them."""
        read = values.words(value)
        found: list[tuple[int, str]] = []
        for words, confirmed in self._same_digits(read):
            slips = count_slips(read, words) if among(confirmed) else None
            if slips is not None:
                found.append((slips, confirmed))
        found.sort(key=lambda one: one[0])
        unclear = len(found) > 1 and found[0][0] == found[1][0]
        return found[0][1] if found and not unclear else None

    def find_alike(self, value: str, among: Choice) -> str | None:
        """The confirmed value that is most like ``value``, of those that the paper speaks for otherwise."""
        read = values.words(value)
        best: tuple[float, str] | None = None
        for words, confirmed in self._same_digits(read):
            if 2 * min(len(read), len(words)) * 100 >= ALIKE * (len(read) + len(words)) and among(confirmed):
                alike = likeness(read, words)
                if alike >= ALIKE and (best is None or alike > best[0]):
                    best = alike, confirmed
        return best[1] if best else None

    def _same_digits(self, read: str) -> Sequence[tuple[str, str]]:
        return self._by_digits.get(_digits(read), ()) if len(read) >= _SHORTEST else ()


def _digits(words: str) -> str:
    return re.sub(r"\D", "", words)


class Sellers:
    """The confirmed sellers. Names are known by themselves, or by their address beside a name that is much like theirs;

    an address is known where its seller is named: the same one is also another firm's, or the buyer's.
    """

    def __init__(self, vendors: Iterable[Vendor]) -> None:
        held = list(vendors)
        self._known = {
            NAME: Memory(one.company for one in held),
            PLACE: Memory(place for one in held for place in one.addresses),
        }
        self._pairs = {(one.company, place) for one in held for place in one.addresses}
        self._nameless = {place for one in held if not one.company for place in one.addresses}

    def __bool__(self) -> bool:
        return any(self._known.values())

    def list_readings(self, field: str, texts: Iterable[str], among: Choice = lambda _: True) -> set[str]:
        """The confirmed values of the field that the texts are."""
        return {hit for text in texts if (hit := self._known[field].find_reading(text, among))}

    def recognise(self, field: str, value: str, beside: Iterable[str], among: Choice = lambda _: True) -> str | None:
        """The confirmed value that ``value`` is a reading of. ``beside``: the other field's, as ``list_readings``."""
        held, memory = set(beside), self._known[field]
        if field == NAME:
            exact = memory.find_reading(value, among)
            near = {name for name, place in self._pairs if place in held}
            return exact or memory.find_alike(value, lambda one: one in near and among(one))
        near = {place for name, place in self._pairs if name in held}
        alike = memory.find_alike(value, lambda one: one in near and among(one)) if near else None
        return alike or memory.find_reading(value, lambda one: one in self._nameless and among(one))

    def is_pair(self, field: str, value: str, beside: Iterable[str]) -> bool:
        """Whether people confirmed the value together with one that the paper shows of the other field."""
        return any(((value, one) if field == NAME else (one, value)) in self._pairs for one in beside)


def apply_vendor_memory(
    name: str, document: Document, found: Sequence[Candidate], vendors: Sequence[Vendor]
) -> list[Candidate]:
    """``found`` with what is known laid over it: the confirmed spelling is the value, ``raw`` stays as read.

    A known name that the rules did not choose is a brand, or a buyer, unless its address stands on the paper too.
    """
    if name not in REMEMBERED or not vendors:
        return list(found)
    sellers, other = Sellers(vendors), REMEMBERED[name]
    beside = sellers.list_readings(other, (text for _, _, text in _runs(document, _MOST_LINES[other])))
    ranked = best_first(found)
    known: list[Candidate] = []
    for place, candidate in enumerate(ranked):
        hit = sellers.recognise(name, candidate.value, beside)
        if hit and (not place or sellers.is_pair(name, hit, beside)):
            known.append(_confirm_candidate(candidate, hit))
    for start, part, text in _runs(document, _MOST_LINES[name]):
        hit = sellers.recognise(name, text, beside)
        if hit and (not ranked or sellers.is_pair(name, hit, beside)):
            known.append(_confirm_candidate(of_lines(part, text, 0.0, early=1 / (1 + start / 4)), hit))
    return best_first([*known, *found])


def _confirm_candidate(candidate: Candidate, value: str) -> Candidate:
    alike = likeness(values.words(candidate.value), values.words(value))
    return replace(candidate, value=value).stronger(KNOWN + alike / 100, **{VENDOR: 1.0})


def _runs(document: Document, longest: int) -> Iterator[tuple[int, Sequence[Line], str]]:
    """Where each begins, its lines and their text: up to ``longest`` lines of the head.

    A seller who buys is no seller there.
    """
    lines = [line for row in address.drop_buyer(document.head, keep_heads=True) for line in row.lines]
    texts = [line.text for line in lines]
    for start in range(len(lines)):
        for end in range(start + 1, min(start + longest, len(lines)) + 1):
            yield start, lines[start:end], " ".join(texts[start:end])
