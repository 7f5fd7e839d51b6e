"""The input and output of field finders: the document as rows of lines, and candidates with evidence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean

from workflows.stages.pages.layout import Box, Line, Page, Row, union

RULES = "rules"  # the source of values found by built-in rules
SPELLED = "spelled"  # evidence: an alternative spelling or reading of another value at the same place
GUESSED = "guessed"  # evidence: other countries read another value, and the document does not decide


@dataclass(frozen=True)
class Candidate:
    """A possible value. ``points`` rank candidates of a field; ``evidence`` (feature → 0–1) determines confidence."""

    value: str
    raw: str
    page: int
    box: Box
    score: float
    points: float
    evidence: Mapping[str, float] = field(default_factory=dict)
    confidence: float = 0.0
    mean_score: float = 1.0  # mean over all words of its lines; ``score`` is the worst word's
    source: str = RULES  # or the service that read it

    def stronger(self, points: float, **evidence: float) -> "Candidate":
        return replace(self, points=self.points + points, evidence={**self.evidence, **evidence})


@dataclass(frozen=True)
class Document:
    """The pages that fields are extracted from: the first and last ones of a long document.

    ``labels``: of all fields of the run, since one field's value is never another's label.
    """

    pages: tuple[Page, ...]
    labels: frozenset[str] = frozenset()

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for page in self.pages for row in page.rows)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for row in self.rows for line in row.lines)

    @cached_property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)

    @cached_property
    def pages_by_index(self) -> Mapping[int, Page]:
        return {page.index: page for page in self.pages}

    @cached_property
    def worse_lines(self) -> Mapping[int, float]:
        """Map each OCR page to the lower quartile of its line scores (0–1)."""
        scores = {page.index: sorted(line.score for line in page.lines) for page in self.pages if page.source == "ocr"}
        return {index: found[len(found) // 4] for index, found in scores.items() if found}

    @cached_property
    def head(self) -> tuple[Row, ...]:
        """The rows with the sender: the upper half of the first page."""
        first = [row for row in self.rows if row.page == self.pages[0].index] if self.pages else []
        return tuple(row for row in first[:25] if row.box[1] < 0.5 or first.index(row) < 8)


def of_line(line: Line, value: str, start: int, end: int, points: float, **evidence: float) -> Candidate:
    box, score = line.part(start, end)
    raw = line.text[start:end].strip()
    return Candidate(value, raw, line.page, box, score, points, evidence, mean_score=line.mean_score)


def of_lines(lines: Iterable[Line], value: str, points: float, **evidence: float) -> Candidate:
    held = list(lines)
    box, score = union(line.box for line in held), min(line.score for line in held)
    raw, mean = " ".join(line.text for line in held), fmean(line.mean_score for line in held)
    return Candidate(value, raw, held[0].page, box, score, points, evidence, mean_score=mean)


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return one candidate a value, strongest first; ties keep reading order."""
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        known = kept.get(candidate.value)
        if known is None or candidate.points > known.points:
            kept[candidate.value] = candidate
    return sorted(kept.values(), key=lambda candidate: -candidate.points)
