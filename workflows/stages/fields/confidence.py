"""How sure a value is, from its evidence: a logistic over features of 0–1, by field.

The prior below is by hand. Its weights are set so that values with every piece of evidence reach 0.95 and those with
none stay under 0.5; the OCR engine's own score is one feature among them because alone it does not separate right from
wrong (on 72 receipts: precision 0.84 at a threshold of 0.5 and still 0.84 at 0.9). A project's calibration replaces the
weights by those fitted to its reviews, which lean on the prior where reviews are few (``workflows.learning.fitting``).
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import exp

from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.fields.candidates import SPELLED, Candidate

BIAS, MARGIN, READ, CLEAR, ODD = "bias", "margin", "read", "clear", "odd"
TEXT_LAYER, VENDOR = "text_layer", "vendor"
# In every field. margin: how far the next value is behind; nothing to confuse it with counts most of all. read: how
# well the worst word was read, -1 for the worst that the engine keeps, 1 for a perfect one. clear: the same on average,
# which tells more of long values. odd: words of letters and digits, or of large letters among small ones. text_layer:
# no one had to read. vendor: confirmed in an earlier review.
_ALWAYS: Mapping[str, float] = {MARGIN: 1.2, READ: 1.0, TEXT_LAYER: 1.2}
# Letters go wrong more often than digits, and the engine does not notice: of long values many are almost right. So the
# bias of names and addresses is lower by 0.6 and 1.1 than their evidence says, and a text layer gives it back.
PRIOR: Mapping[str, Mapping[str, float]] = {
    "company": {
        BIAS: -3.2,
        CLEAR: 0.5,
        ODD: -0.8,
        "legal": 1.5,
        "trade": 0.9,
        "registered": 0.5,
        "addressed": 0.4,
        "early": 0.4,
        "label": 1.8,
        "misread": -0.8,
        VENDOR: 3.0,
        **_ALWAYS,
        TEXT_LAYER: 1.8,
    },
    "address": {
        BIAS: -3.3,
        CLEAR: 0.7,
        ODD: -0.8,
        "streets": 1.0,
        "place": 0.9,
        "early": 0.3,
        "label": 0.8,
        "misread": -1.0,
        VENDOR: 3.5,
        **_ALWAYS,
        TEXT_LAYER: 2.3,
    },
    "date": {BIAS: -1.4, "label": 1.3, "timed": 0.8, "repeats": 0.6, "plausible": 1.2, "other": -1.2, **_ALWAYS},
    "total": {
        BIAS: -2.6,
        "label": 1.9,
        "arithmetic": 1.2,
        "lines": 0.6,
        "passed": -1.5,
        "repeats": 1.2,
        "money": 0.3,
        **_ALWAYS,
    },
    "invoice_number": {BIAS: -1.9, "label": 2.2, "digits": 0.6, **_ALWAYS},
    "currency": {BIAS: -2.0, "printed": 1.8, "share": 1.0, "label": 0.8, **_ALWAYS},
}
# A field found by its label alone; a value of its list counts as half a label, one that only stands somewhere less.
OTHER: Mapping[str, float] = {BIAS: -1.7, "label": 2.0, "listed": 0.8, **_ALWAYS}


_ODD = re.compile(r"\b(?=\w*[a-z][A-Z]{2}|\w*[A-Z]{2}[a-z]|\w*[A-Za-z]{2}\d|\w*\d[A-Za-z]{2})\w+")


def prior_weights(name: str) -> Mapping[str, float]:
    return PRIOR.get(name, OTHER)


def rate_candidates(
    name: str, ranked: Sequence[Candidate], printed: Set[int], calibration: Calibration = UNCALIBRATED
) -> list[Candidate]:
    """The same candidates with all their evidence and their confidence, none above the first.

    ``printed``: pages with a text layer.
    """
    weights = calibration.weights.get(name) or prior_weights(name)
    judgements: list[Candidate] = []
    for place, candidate in enumerate(ranked):
        known = candidate.stronger(0, **_reading_evidence(candidate, 0.0 if place else _margin(ranked), printed))
        limit = judgements[0].confidence if judgements else 1.0
        judgements.append(replace(known, confidence=min(round(share(weights, known.evidence), 4), limit)))
    return judgements


def share(weights: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    """0–1: how many of a hundred values with this evidence should be right."""
    logit = weights.get(BIAS, 0.0) + sum(weights.get(feature, 0.0) * value for feature, value in evidence.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


def _margin(ranked: Sequence[Candidate]) -> float:
    """0–1: two points ahead of the next value is as good as alone; its own usual spelling is no other value."""
    following = next((one for one in ranked[1:] if SPELLED not in one.evidence), None)
    return 1.0 if following is None else min(1.0, (ranked[0].points - following.points) / 2)


def _reading_evidence(candidate: Candidate, margin: float, printed: Set[int]) -> dict[str, float]:
    if candidate.page in printed:
        return {MARGIN: margin, READ: 0.0, TEXT_LAYER: 1.0}
    read, clear = _within((candidate.score - 0.79) / 0.19), _within((candidate.mean_score - 0.95) / 0.05)
    return {MARGIN: margin, READ: read, CLEAR: clear, ODD: min(1.0, len(_ODD.findall(candidate.raw)) / 2)}


def _within(share: float) -> float:
    return min(1.0, max(-1.0, share))
