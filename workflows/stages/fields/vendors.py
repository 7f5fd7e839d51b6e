"""Vendor memory: sellers confirmed in earlier reviews, recognised on new documents."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from workflows.stages import values
from workflows.stages.calibration import Vendor
from workflows.stages.fields import address, spelling
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.confidence import VENDOR
from workflows.stages.pages.layout import Line

ALIKE = 88.0  # of 100: similarity to a seller with other evidence; on 179 hits 99.4 % were right
KNOWN = 8.0  # points: above those of every rule
NAME, PLACE = "company", "address"
_WORD = re.compile(r"\w+")
_SHORTEST = 5  # letters and digits; shorter names occur in other words
_TELLING = 5  # digits of a distinctive address
_SLIP = 10  # letters per permitted confusion or lost letter
# Between two letters of an address, OCR misread a letter as a digit, L0T 4; in a name the digit may be right.
_NOT_DIGITS = {NAME: re.compile(r"\D"), PLACE: re.compile(r"(?<=[^\W\d_])\d(?=[^\W\d_])|\D")}
_MOST_LINES = {NAME: 2, PLACE: 6}
REMEMBERED = {NAME: PLACE, PLACE: NAME}  # field → the field that supports it

Choice = Callable[[str], bool]


def likeness(one: str, other: str) -> float:
    """Return 0–100: twice the longest common subsequence over both lengths, like ``rapidfuzz.fuzz.ratio``."""
    if not one or not other:
        return 0.0
    return 200.0 * _common_length(one, other) / (len(one) + len(other))


def count_slips(read: str, meant: str) -> int | None:
    """Count letters confused by OCR, lost or doubled; None if it is another text."""
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
    """Return the length of the longest common subsequence, bit-parallel over a row of the table."""
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
    """The confirmed values of one field, indexed for comparison."""

    def __init__(self, confirmed: Iterable[str], not_digits: re.Pattern[str]) -> None:
        self._not_digits = not_digits
        # A different number means another branch or firm, however similar the letters.
        self._by_digits: dict[str, dict[int, list[tuple[str, str]]]] = {}
        for value in dict.fromkeys(confirmed):
            words = values.words(value)
            if len(words) >= _SHORTEST:
                self._by_digits.setdefault(self._not_digits.sub("", value), {}).setdefault(len(words), []).append(
                    (words, value)
                )

    def find_reading(self, value: str, among: Choice) -> str | None:
        """Return the confirmed value that equals ``value`` up to OCR confusions; None if ambiguous."""
        read = values.words(value)
        found: list[tuple[int, str]] = []
        for words, confirmed in self._list_near(value, 1 - 1 / _SLIP):
            slips = count_slips(read, words) if among(confirmed) else None
            if slips is not None:
                found.append((slips, confirmed))
        found.sort(key=lambda one: one[0])
        unclear = len(found) > 1 and found[0][0] == found[1][0]
        return found[0][1] if found and not unclear else None

    def find_alike(self, value: str, among: Choice) -> str | None:
        """Return the most similar confirmed value among those with other evidence on the document."""
        return next(iter(self.list_alike(value, among)), None)

    def list_alike(self, value: str, among: Choice) -> list[str]:
        """List the similar confirmed values, most similar first."""
        read = values.words(value)
        found: list[tuple[float, str]] = []
        for words, confirmed in self._list_near(value, ALIKE / (200 - ALIKE)):
            alike = likeness(read, words) if among(confirmed) else 0.0
            if alike >= ALIKE:
                found.append((alike, confirmed))
        return [confirmed for _, confirmed in sorted(found, key=lambda one: -one[0])]

    def _list_near(self, value: str, shortest: float) -> Iterator[tuple[str, str]]:
        """Yield values with the same digits and a similar length, of ``shortest`` (0–1) at least."""
        read = values.words(value)
        by_length = self._by_digits.get(self._not_digits.sub("", value), {}) if len(read) >= _SHORTEST else {}
        for length, held in by_length.items():
            if min(length, len(read)) >= shortest * max(length, len(read)):
                yield from held


def _has_telling_numbers(place: str) -> bool:
    """Require a house number and a postcode, or as many digits; THE SUMMIT is in many towns."""
    return len(_NOT_DIGITS[PLACE].sub("", place)) >= _TELLING


class Sellers:
    """The confirmed sellers. A name is recognised by itself, and so is an address with distinctive numbers.

    A merely similar name or address needs the seller's other one on the document, and so does a name with a letter that
    OCR may have lost or misread: Alder (M) Ltd and Alder Ltd are two firms.
    """

    def __init__(self, vendors: Iterable[Vendor]) -> None:
        held = list(vendors)
        self._known = {
            NAME: Memory((one.company for one in held), _NOT_DIGITS[NAME]),
            PLACE: Memory((place for one in held for place in one.addresses), _NOT_DIGITS[PLACE]),
        }
        self._beside: Mapping[str, dict[str, set[str]]] = {NAME: {}, PLACE: {}}
        self._homeless = {one.company for one in held if not one.addresses}
        for one in held:
            for place in one.addresses:
                self._beside[NAME].setdefault(place, set()).add(one.company)
                self._beside[PLACE].setdefault(one.company, set()).add(place)

    def list_readings(self, field: str, texts: Iterable[str], among: Choice = lambda _: True) -> set[str]:
        """Return the confirmed values of the field that the texts may be."""
        found: set[str] = set()
        for text in texts:
            if field == NAME or _has_telling_numbers(text):
                found.update(self._known[field].list_alike(text, among))
            elif hit := self._known[field].find_reading(text, among):
                found.add(hit)
        return found

    def recognise(self, field: str, value: str, beside: Iterable[str], among: Choice = lambda _: True) -> str | None:
        """Return the confirmed value that ``value`` is a reading of.

        ``beside``: of the other field, as in ``list_readings``.
        """
        memory, telling = self._known[field], field == NAME or _has_telling_numbers(value)
        near = {one for other in beside for one in self._beside[field].get(other, ())}
        exact = memory.find_reading(value, lambda one: (telling or one in near) and among(one))
        if exact and (field != NAME or exact in near or self._is_alone(exact, value)):
            return exact
        if not telling or not near:
            return None
        return memory.find_alike(value, lambda one: one in near and among(one))

    def _is_alone(self, known: str, read: str) -> bool:
        """Return True if a name needs no address as evidence: it is equal, or has no confirmed address."""
        if values.words(known) == values.words(read):
            return True
        return known in self._homeless and len(_WORD.findall(known)) == len(_WORD.findall(read))

    def is_pair(self, field: str, value: str, beside: Iterable[str]) -> bool:
        """Return True if the value was confirmed together with one of the other field on the document."""
        return any(value in self._beside[field].get(one, ()) for one in beside)


@lru_cache(maxsize=4)
def remember_sellers(vendors: tuple[Vendor, ...]) -> Sellers:
    """Cached: a worker reads documents of one project in a row, and indexing 500 sellers takes longer than a page."""
    return Sellers(vendors)


def apply_vendor_memory(
    name: str, document: Document, found: Sequence[Candidate], vendors: tuple[Vendor, ...]
) -> list[Candidate]:
    """Return ``found`` with confirmed spellings as values; ``raw`` stays as read.

    A known name that the rules did not choose is a brand, or a buyer, unless its address is on the document too.
    """
    if name not in REMEMBERED or not vendors:
        return list(found)
    sellers, other = remember_sellers(vendors), REMEMBERED[name]
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
    """Yield start, lines and text of runs of up to ``longest`` lines of the head.

    A known seller in the buyer's place is not the seller.
    """
    lines = [line for row in address.drop_buyer(document.head, keep_heads=True) for line in row.lines]
    texts = [line.text for line in lines]
    for start in range(len(lines)):
        for end in range(start + 1, min(start + longest, len(lines)) + 1):
            yield start, lines[start:end], " ".join(texts[start:end])
