"""Found against true: F1 as extraction is usually scored, and the reviews that the truth would have been."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflows.learning.lessons import ReviewedDocument, ReviewedField
from workflows.learning.reliability import Judgement
from workflows.learning.scores import Score
from workflows.stages import results


@dataclass(frozen=True)
class Answer:
    """One field of one document: what was found, how sure, and what is true; None: nothing found."""

    document: str
    field: str
    type: str
    value: str | None
    truth: str
    confidence: float
    evidence: Mapping[str, float]

    @property
    def right(self) -> bool:
        found = results.normalise_value(self.type, self.value)
        return bool(found) and found == results.normalise_value(self.type, self.truth)

    @property
    def judgement(self) -> Judgement:
        return Judgement(self.document, self.field, self.confidence, self.right)


def answers(document: str, found: Mapping[str, Mapping[str, Any]], truth: Mapping[str, str]) -> list[Answer]:
    """Of the fields that were asked for and whose truth is known; values compare normalised."""
    return [
        Answer(document, name, field["type"], field["value"], truth[name], float(field["confidence"]), _evidence(field))
        for name, field in found.items()
        if name in truth
    ]


def _evidence(field: Mapping[str, Any]) -> dict[str, float]:
    candidates = field.get("candidates") or [{}]
    return dict(candidates[0].get("evidence") or {})


def score(given: Iterable[Answer]) -> Score:
    held = list(given)
    return Score(
        sum(one.right for one in held), sum(bool(one.value) for one in held), sum(bool(one.truth) for one in held)
    )


def by_field(given: Sequence[Answer]) -> dict[str, Score]:
    names = sorted({one.field for one in given})
    return {name: score(one for one in given if one.field == name) for name in names}


def judgements(given: Iterable[Answer]) -> list[Judgement]:
    """Of what was found: a field without a value is asked about anyhow."""
    return [one.judgement for one in given if one.value]


def reviewed(given: Iterable[Answer]) -> list[ReviewedDocument]:
    """As if a person had kept what is right and corrected the rest."""
    documents: dict[str, list[ReviewedField]] = {}
    for one in given:
        stored = results.to_stored_form(one.type, one.truth) or one.truth
        truth = one.value if one.right else stored
        documents.setdefault(one.document, []).append(
            ReviewedField(one.field, one.type, one.value, truth or None, one.evidence)
        )
    return [ReviewedDocument(name, tuple(fields)) for name, fields in documents.items()]
