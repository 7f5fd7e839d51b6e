"""A project's weights from its reviews: one small logistic a field, held to the prior where reviews are few; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.stages.fields import confidence
from workflows.stages.fields.confidence import BIAS

FEWEST = 20  # values of a field that people judged; with fewer the prior stays as it is
# How far a weight may be from the prior before the reviews have to insist: one standard deviation. Of the bias more:
# how often a field is right at all differs most between projects.
SPREAD, BIAS_SPREAD = 0.7, 2.0
_STEPS, _CLOSE = 50, 1e-9


@dataclass(frozen=True)
class Observation:
    """A value that a person kept or corrected, with the evidence it was judged by. ``document`` groups values."""

    document: str
    field: str
    evidence: Mapping[str, float]
    right: bool


def fit_weights(observations: Iterable[Observation]) -> dict[str, dict[str, float]]:
    """Field → weights; the same observations give the same weights, in whatever order they come."""
    of: dict[str, list[Observation]] = {}
    for one in sorted(observations, key=lambda one: (one.field, one.document)):
        of.setdefault(one.field, []).append(one)
    return {name: _fit_field_weights(name, found) for name, found in of.items() if len(found) >= FEWEST}


def _fit_field_weights(name: str, found: Sequence[Observation]) -> dict[str, float]:
    """The most probable weights under a normal prior around those by hand: Newton's method, convex, so it ends."""
    prior = confidence.prior_weights(name)
    features = sorted({BIAS, *prior, *(feature for one in found for feature in one.evidence)})
    centre = np.array([prior.get(feature, 0.0) for feature in features])
    pull = np.array([1 / (BIAS_SPREAD if feature == BIAS else SPREAD) ** 2 for feature in features])
    rows = np.array([[1.0 if name == BIAS else one.evidence.get(name, 0.0) for name in features] for one in found])
    right = np.array([float(one.right) for one in found])
    weights = centre.copy()
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (share - right) + pull * (weights - centre)
        curve = rows.T @ (rows * (share * (1 - share))[:, None]) + np.diag(pull)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < _CLOSE:
            break
    return {feature: round(float(weight), 4) for feature, weight in zip(features, weights, strict=True)}
