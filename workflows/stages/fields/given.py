"""Fields read by a service: their places on the page, and merging with candidates of the rules."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from workflows.stages import results, values
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import Candidate
from workflows.stages.pages.layout import Box, Page, Word, union
from workflows.stages.services import GivenValue

NOT_FOUND = 0.5  # the highest confidence of a value that is not found on its page
SURE = 0.97  # the highest confidence from a service alone: none is always right
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_LONGEST = 40  # words of a value that are searched on a page
_MOST_LETTERS = 400  # characters that are compared
_ALIKE = 0.8  # 0–1: similarity of a name to its print, so that a model may correct OCR errors
_MANY = "$£¥"  # signs of several currencies


def place_values(
    given: Iterable[GivenValue], page: Page, source: str, specs: Iterable[FieldSpec]
) -> list[dict[str, Any]]:
    """Return the values as stored in a segment. Models give no places: they are searched on the page."""
    known = {spec.name: spec for spec in specs}
    return [_place_value(one, page, source, known[one.name]) for one in given]


def _place_value(one: GivenValue, page: Page, source: str, spec: FieldSpec) -> dict[str, Any]:
    words = [word for row in page.rows for line in row.lines for word in line.words]
    printed = locate_text(one.raw, words) if is_reading_of(one.raw, one.value, spec) else None
    box = printed or locate_text(one.value, words)
    believed = min(one.confidence, SURE if box else NOT_FOUND)
    return {
        "name": one.name,
        "value": one.value,
        "raw": one.raw,
        "confidence": round(believed, 4),
        "page": page.index,
        "box": [round(edge, 5) for edge in box] if box else None,
        "source": source,
    }


def is_reading_of(raw: str, value: str, spec: FieldSpec) -> bool:
    """Return whether ``value`` (in stored form) is what ``raw`` says: words of the page prove only their own value.

    Choosing from a list and yes/no are judgements, for which any words may be the reason.
    """
    if spec.allowed or spec.type == "boolean":
        return True
    if results.normalise_value(spec.type, raw) == results.normalise_value(spec.type, value):
        return True
    match spec.type:
        case "date":
            return _names_date(raw, value)
        case "amount" | "number":
            found = {hit.value for hit in values.amounts_in(raw)}
            return values.amount(value) in found or _digits(raw) == _digits(value)
        case "currency":
            named = {values.currency(word) for word in re.split(r"[\s\d.,]+", raw)}
            return value in named or any(sign in raw for sign in _MANY)
    return _says(raw, value)


def _says(raw: str, value: str) -> bool:
    """Words may be mended or cut, but no number: 28 November does not say 2."""
    printed, wanted = values.words(raw), values.words(value)
    if wanted == printed:
        return True
    if not _numbers(value) <= _numbers(raw):
        return False
    alike = SequenceMatcher(None, printed[:_MOST_LETTERS], wanted[:_MOST_LETTERS], autojunk=False).ratio
    return wanted in printed or alike() >= _ALIKE


def _numbers(text: str) -> set[str]:
    """
    >>> sorted(_numbers("RE-2024/118"))
    ['118', '2024']
    """
    return set(re.findall(r"\d+", unicodedata.normalize("NFKC", text)))


def _names_date(raw: str, value: str) -> bool:
    """Also for languages whose months the rules do not know: by day, year and a word."""
    if any(hit.value == value for first in (True, False) for hit in values.dates_in(raw, day_first=first)):
        return True
    year, month, day = (int(part) for part in value.split("-"))
    numbers = {int(digits) for digits in re.findall(r"\d{1,4}", raw)}
    named = month in numbers or any(char.isalpha() for char in raw)
    return named and day in numbers and bool({year, year % 100} & numbers)


def _digits(text: str) -> str:
    """Strip zeros at either end: 1.007,50 and 1007.5 are equal."""
    return "".join(str(unicodedata.decimal(char)) for char in text if char.isdecimal()).strip("0")


def locate_text(text: str, words: Sequence[Word]) -> Box | None:
    """Find ``text`` as consecutive words, ignoring case, spaces and punctuation."""
    wanted = values.words(text)
    if not wanted:
        return None
    plain = [values.words(word.text) for word in words]
    for start, first in enumerate(plain):
        if not first or not wanted.startswith(first):
            continue
        read = ""
        for end in range(start, min(start + _LONGEST, len(words))):
            read += plain[end]
            if read == wanted:
                return union(word.box for word in words[start : end + 1])
            if not wanted.startswith(read):
                break
    return None


def read_candidates(stored: Iterable[Mapping[str, Any]], spec: FieldSpec) -> list[Candidate]:
    """Return the candidates of one field, best first; equal values of several pages once."""
    found: dict[str, Candidate] = {}
    for one in sorted((one for one in stored if one["name"] == spec.name), key=lambda one: -one["confidence"]):
        box = one["box"]
        found.setdefault(
            results.normalise_value(spec.type, one["value"]),
            Candidate(
                one["value"],
                one["raw"],
                one["page"],
                (box[0], box[1], box[2], box[3]) if box else WHOLE,
                score=one["confidence"],
                points=1.0,
                evidence={"on_page": 1.0 if box else 0.0},
                confidence=one["confidence"],
                source=one["source"],
            ),
        )
    return list(found.values())


def merge_candidates(spec: FieldSpec, given: Sequence[Candidate], ruled: Sequence[Candidate]) -> list[Candidate]:
    """Put the service's values first, then those of rules only.

    If both agree, the higher confidence counts; where the rules read another value, the service's is worth as much
    less as theirs is believed.
    """
    if not given:
        return list(ruled)
    rival = max((one.confidence for one in ruled), default=0.0)
    by_value = {results.normalise_value(spec.type, one.value): one for one in reversed(ruled)}
    agreed = []
    for one in given:
        same = by_value.pop(results.normalise_value(spec.type, one.value), None)
        if same is not None:
            one = replace(  # noqa: PLW2901 - the same reading, with what the rules know of it
                one,
                confidence=max(one.confidence, same.confidence),
                evidence={**same.evidence, **one.evidence, "agreed": 1.0},
                box=same.box if one.box == WHOLE else one.box,
                page=same.page if one.box == WHOLE else one.page,
            )
        elif not any(_is_same_text(spec, one, other) for other in ruled):
            one = replace(one, confidence=_disputed(one.confidence, rival))  # noqa: PLW2901 - the same reading, doubted
        agreed.append(one)
    others = [one for one in ruled if results.normalise_value(spec.type, one.value) in by_value]
    return [*agreed, *others]


def _is_same_text(spec: FieldSpec, one: Candidate, other: Candidate) -> bool:
    """Return whether one is the other cut or mended: an address with and without its country is no dispute."""
    return spec.type == "text" and (_says(one.value, other.value) or _says(other.value, one.value))


def _disputed(confidence: float, rival: float) -> float:
    """Return how likely a reading is right if another, as independent, is at most ``rival`` likely; never both are.

    >>> [round(_disputed(0.97, rival), 2) for rival in (0.0, 0.5, 0.8, 0.95)]
    [0.97, 0.94, 0.87, 0.62]
    """
    return round(confidence * (1 - rival) / (1 - confidence * rival), 4)
