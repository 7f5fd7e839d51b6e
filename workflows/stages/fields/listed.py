"""Fields with a list of allowed values: matching candidates to the list, and finding listed values on the pages."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workflows.stages import results
from workflows.stages.base import FieldSpec
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_line

_ALONE = 0.5  # points of a listed value without the field's label
_BESIDE = 0.3  # at most, for values outside the list: shown if nothing else is found


def match_allowed_values(document: Document, spec: FieldSpec, found: Sequence[Candidate]) -> list[Candidate]:
    """Match ``found`` to the list, and find its values anywhere on the pages; best first."""
    return best_first([*_match_found_values(spec, found), *_find_allowed_values(document, spec)])


def _match_found_values(spec: FieldSpec, found: Iterable[Candidate]) -> Iterator[Candidate]:
    for candidate in found:
        value = results.to_allowed_form(spec, candidate.value)
        if value is None:
            yield replace(candidate, points=min(candidate.points, _BESIDE))
        else:
            yield replace(candidate, value=value).stronger(1.0, listed=1.0)


def _find_allowed_values(document: Document, spec: FieldSpec) -> Iterator[Candidate]:
    # Numbers, dates and two-letter words occur on every page with other meanings.
    if spec.type != "text":
        return
    for value in spec.allowed:
        if len(value) < 3:
            continue
        words = r"\W+".join(map(re.escape, re.findall(r"\w+", value)))
        pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
        for line in document.lines if words else ():
            if match := pattern.search(line.text):
                yield of_line(line, value, match.start(), match.end(), _ALONE, listed=0.5)
                break
