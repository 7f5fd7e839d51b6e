"""Fields that a service read: where they stand on the page, and how they and the rules' own finds come together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.stages import results, values
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import Candidate
from workflows.stages.pages.layout import Box, Page, Word, union
from workflows.stages.services import GivenValue

NOT_FOUND = 0.5  # the most that a value is believed which no one finds on its page
SURE = 0.97  # the most that a service is believed by itself: none of them is always right
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_LONGEST = 40  # words of a value that are looked for on a page


def place_values(given: Iterable[GivenValue], page: Page, source: str) -> list[dict[str, Any]]:
    """As a segment keeps them. A model tells no place: the words of the page do, and an invented value has none."""
    return [_place_value(one, page, source) for one in given]


def _place_value(one: GivenValue, page: Page, source: str) -> dict[str, Any]:
    words = [word for row in page.rows for line in row.lines for word in line.words]
    box = locate_text(one.raw, words) or locate_text(one.value, words)
    believed = min(one.confidence, SURE if box or not words else NOT_FOUND)
    return {
        "name": one.name,
        "value": one.value,
        "raw": one.raw,
        "confidence": round(believed, 4),
        "page": page.index,
        "box": [round(edge, 5) for edge in box] if box else None,
        "source": source,
    }


def locate_text(text: str, words: Sequence[Word]) -> Box | None:
    """Where ``text`` stands as consecutive words, whatever their letters' case, spaces and punctuation."""
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
    """Those of one field, the surest first; the same value of several pages once."""
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
    """The service's reading first, then what only the rules found; where both agree, the surer of the two counts."""
    if not given:
        return list(ruled)
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
        agreed.append(one)
    others = [one for one in ruled if results.normalise_value(spec.type, one.value) in by_value]
    return [*agreed, *others]
