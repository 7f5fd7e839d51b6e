"""A project's weights from its reviews: one small logistic a field, held to the prior where reviews are few; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from workflows.learning.reliability import Judgement, area_under_curve
from workflows.stages.fields import confidence
from workflows.stages.fields.confidence import BIAS

FEWEST = 20  # values of a field that people judged; with fewer the prior stays as it is
FOLDS = 5
FEWEST_OF_FOLDS = FEWEST * (FOLDS - 2) // FOLDS  # what is left of as many, with the largest sellers' held back
# How far a weight may be from the prior before the reviews have to insist: standard deviations, of which the one that
# foretells other sellers best is taken. Of the bias more: how often a field is right differs most between projects.
# The least leaves only the bias free, which ranks values as the prior does.
LEAST_SPREAD = 0.01
SPREADS, BIAS_SPREAD = (LEAST_SPREAD, 0.3, 0.7, 1.5), 2.0
FARTHEST = 8.0  # no weight may be farther from the prior, whatever a few sellers' reviews say
_LEAST = 1e-6  # of a probability, so that one value alone cannot decide what foretells best

Weights = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Observation:
    """A value that a person kept or corrected, with the evidence it was judged by.

    ``document`` and ``seller`` group values: those of one paper, and those of papers that look alike.
    """

    document: str
    field: str
    evidence: Mapping[str, float]
    right: bool
    seller: str = ""


def fit_weights(
    observations: Iterable[Observation], fewest: int = FEWEST, spreads: Mapping[str, float] | None = None
) -> dict[str, dict[str, float]]:
    """Field → weights; the same observations give the same weights, in whatever order they come.

    ``spreads``: of each field, where ``choose_spreads`` chose them before.
    """
    of = _group_by_field(observations, fewest)
    chosen = spreads or {}
    return {
        name: _fit_field_weights(name, found, chosen.get(name) or _choose_spread(name, found))
        for name, found in of.items()
    }


def choose_spreads(observations: Iterable[Observation]) -> dict[str, float]:
    """Field → how far its weights may be from the prior: what foretells the values of other sellers best.

    Chosen once for all folds of a cross-validation: a choice among three tells nothing of a single value.
    """
    return {name: _choose_spread(name, found) for name, found in _group_by_field(observations, 1).items()}


def _group_by_field(observations: Iterable[Observation], fewest: int) -> dict[str, list[Observation]]:
    of: dict[str, list[Observation]] = {}
    for one in sorted(observations, key=lambda one: (one.field, one.document)):
        of.setdefault(one.field, []).append(one)
    return {name: found for name, found in of.items() if len(found) >= fewest}


def _choose_spread(name: str, found: Sequence[Observation]) -> float:
    """Of those that rank other sellers' values no worse than the prior, the one that is least surprised by them."""
    prior = confidence.prior_weights(name)
    ranked = _rank([confidence.share(prior, one.evidence) for one in found], found)
    losses: dict[float, float] = {}
    for spread in SPREADS:
        believed = _believe_other_sellers(name, found, spread)
        if spread == LEAST_SPREAD or _rank(believed, found) >= ranked:
            surprise = sum(log_loss(share, right=one.right) for share, one in zip(believed, found, strict=True))
            losses[spread] = round(surprise, 6)
    return min(losses, key=lambda spread: (losses[spread], spread))


def _believe_other_sellers(name: str, found: Sequence[Observation], spread: float) -> list[float]:
    """How sure each value is by the weights that the others' sellers teach."""
    weights = [
        _fit_field_weights(name, [one for one in found if fold_of_seller(one) != fold], spread) for fold in range(FOLDS)
    ]
    return [confidence.share(weights[fold_of_seller(one)], one.evidence) for one in found]


def _rank(shares: Sequence[float], found: Sequence[Observation]) -> float:
    """The share of pairs, each of one fold, whose right value is the surer one: folds have biases of their own."""
    pairs = above = 0.0
    for fold in range(FOLDS):
        judged = [
            Judgement(one.document, one.field, round(share, 9), one.right)
            for share, one in zip(shares, found, strict=True)
            if fold_of_seller(one) == fold
        ]
        right = sum(one.right for one in judged)
        count = right * (len(judged) - right)
        pairs, above = pairs + count, above + count * (area_under_curve(judged) or 0.0)
    return above / pairs if pairs else 0.0


def fold_of_seller(one: Observation) -> int:
    """By the seller alone, and by the document where no one knows him."""
    return crc32((one.seller or one.document).encode()) % FOLDS


def log_loss(share: float, *, right: bool) -> float:
    """How surprised someone is who believed ``share``; 0 is never."""
    return float(-np.log(max(_LEAST, share if right else 1 - share)))


def _fit_field_weights(name: str, found: Sequence[Observation], spread: float) -> dict[str, float]:
    """The most probable weights under a normal prior around the shipped ones, by SciPy's L-BFGS-B.

    It searches along each step, so that it cannot run away, and inside bounds.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - a second and 60 MB, which only learning needs

    prior = confidence.prior_weights(name)
    features = sorted({BIAS, *prior, *(feature for one in found for feature in one.evidence)})
    centre = np.array([prior.get(feature, 0.0) for feature in features])
    pull = np.array([1 / (BIAS_SPREAD if feature == BIAS else spread) ** 2 for feature in features])
    rows = np.array([[1.0 if name == BIAS else one.evidence.get(name, 0.0) for name in features] for one in found])
    rows = rows.reshape(len(found), len(features))
    right = np.array([float(one.right) for one in found])

    def penalty(weights: Any) -> tuple[float, Any]:
        logits, away = rows @ weights, weights - centre
        loss = float(np.sum(np.logaddexp(0, logits) - right * logits) + np.sum(pull * away**2) / 2)
        return loss, rows.T @ (1 / (1 + np.exp(-logits)) - right) + pull * away

    bounds = [(middle - FARTHEST, middle + FARTHEST) for middle in centre]
    best = minimize(penalty, centre, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12, "gtol": 1e-8})
    return {feature: round(float(weight), 4) for feature, weight in zip(features, best.x, strict=True)}
