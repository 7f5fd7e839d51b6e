"""How sure a value is, from its evidence: a prior by hand until a project has reviews of its own to learn from.

A logistic over features of 0–1. The weights are set so that values with every piece of evidence reach 0.95 and those
with none stay under 0.5; the OCR engine's own score is one feature among them because alone it does not separate right
from wrong (on 72 receipts: precision 0.84 at a threshold of 0.5 and still 0.84 at 0.9).
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import exp

from workflows.stages.fields.candidates import Candidate

BIAS = "bias"
PRIOR: Mapping[str, Mapping[str, float]] = {
    "company": {
        BIAS: -2.6,
        "legal": 1.5,
        "trade": 0.9,
        "registered": 0.5,
        "addressed": 0.4,
        "early": 0.4,
        "label": 1.8,
    },
    "address": {BIAS: -2.2, "streets": 1.0, "place": 0.9, "early": 0.3, "label": 0.8},
    "date": {BIAS: -1.4, "label": 1.3, "timed": 0.8, "repeats": 0.6, "plausible": 1.2, "other": -1.2},
    "total": {BIAS: -2.6, "label": 1.9, "arithmetic": 1.2, "repeats": 1.2, "money": 0.3},
    "invoice_number": {BIAS: -1.9, "label": 2.2, "digits": 0.6},
    "currency": {BIAS: -2.0, "printed": 1.8, "share": 1.0, "label": 0.8},
}
# A field found by its label alone; a value of its list counts as half a label, one that only stands somewhere less.
OTHER: Mapping[str, float] = {BIAS: -1.7, "label": 2.0, "listed": 0.8}
MARGIN = 1.2  # how far the next value is behind: nothing to confuse it with counts most of all
READ = 1.0  # how well the characters were read: -1 for the worst line the engine keeps, 1 for a perfect one
TEXT_LAYER = 1.2  # nobody had to read them
# Letters go wrong more often than digits, and the engine does not notice: of long values many are almost right.
LONG = {"company": -0.4, "address": -0.9}


def judged(name: str, ranked: Sequence[Candidate], printed: Set[int]) -> list[Candidate]:
    """The same candidates with their confidence, none above the first. ``printed``: pages with a text layer."""
    judgements: list[Candidate] = []
    for place, candidate in enumerate(ranked):
        logit = _logit(name, candidate, 0.0 if place else _margin(ranked), printed=candidate.page in printed)
        confidence = round(1 / (1 + exp(-logit)), 4)
        limit = judgements[0].confidence if judgements else 1.0
        judgements.append(replace(candidate, confidence=min(confidence, limit)))
    return judgements


def _margin(ranked: Sequence[Candidate]) -> float:
    """0–1: two points ahead of the next value is as good as alone."""
    return 1.0 if len(ranked) == 1 else min(1.0, (ranked[0].points - ranked[1].points) / 2)


def _logit(name: str, candidate: Candidate, margin: float, *, printed: bool) -> float:
    weights = PRIOR.get(name, OTHER)
    evidence = sum(weights.get(feature, 0.0) * value for feature, value in candidate.evidence.items())
    by_ocr = READ * min(1.0, max(-1.0, (candidate.score - 0.79) / 0.19)) + LONG.get(name, 0.0)
    return weights[BIAS] + evidence + MARGIN * margin + (TEXT_LAYER if printed else by_ocr)
