"""Fitting of a project's confidence weights from its reviews; pure functions.

Fields that the prior knows by name share one shift of it, so that sellers whom no review knows rank as before. Any
other field has a small logistic regression of its own, regularized to the prior. The weight of a known seller is fitted
after these.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any
from zlib import crc32

import numpy as np

from workflows.learning.reliability import Judgement, area_under_curve
from workflows.learning.scores import share_interval
from workflows.stages.fields import confidence
from workflows.stages.fields.candidates import GUESSED
from workflows.stages.fields.confidence import BIAS, GUESSES, VENDOR

FEWEST = 20  # reviewed values of a field; with fewer, the prior stays as it is
FOLDS = 5
FEWEST_OF_FOLDS = FEWEST * (FOLDS - 2) // FOLDS  # what remains of these with the largest sellers' fold held out
# Candidate standard deviations of weights around the prior; the smallest that predicts other sellers as well as the
# best is chosen. The bias gets more: how often a field is right differs most between projects. The smallest one leaves
# only the bias free, which ranks values as the prior does.
LEAST_SPREAD = 0.01
SPREADS, BIAS_SPREAD, MEMORY_SPREAD = (LEAST_SPREAD, 0.3, 0.7, 1.5), 2.0, 1.5
# Instead of a spread: one shift for all fields that have it, so that values are ranked as by the prior.
SHARED = 0.0
_CERTAIN = 1.96  # standard errors by which learned weights must rank better: the interval excludes no improvement
# A scale was once learned beside the shift. A dozen wrong values moved it by a third, and with it how the values of two
# folds compare: on 186 receipts of other sellers the AUC over all folds fell from 0.885 to 0.870 without a pair of one
# fold changing places. Shifts of 1.4 to 1.8 still cost 0.013 on 188 others, so none goes beyond three times the odds.
SHIFT_SPREAD, MOST_SHIFT = 0.5, log(3)
FARTHEST = 8.0  # bound of a weight's distance from the prior, whatever a few sellers' reviews say
_LEAST = 1e-6  # of a probability, so that one value alone cannot decide the choice


@dataclass(frozen=True)
class Observation:
    """A value that a person kept or corrected, with the evidence for it.

    ``document`` and ``seller`` group values: those of one document, and those of documents that look alike.
    """

    document: str
    field: str
    evidence: Mapping[str, float]
    right: bool
    seller: str = ""


def fit_weights(
    observations: Iterable[Observation], fewest: int = FEWEST, spreads: Mapping[str, float] | None = None
) -> dict[str, dict[str, float]]:
    """Return weights by field; independent of the order of observations.

    ``spreads``: by field, if ``choose_spreads`` chose them already.
    """
    of = _group_by_field(observations, fewest)
    chosen = spreads or choose_spreads(one for found in of.values() for one in found)
    shared = {name: found for name, found in of.items() if chosen[name] == SHARED}
    return (_fit_shared(shared) if shared else {}) | {
        name: _fit_field_weights(name, found, chosen[name]) for name, found in of.items() if name not in shared
    }


def fit_memory(
    weights: Mapping[str, Mapping[str, float]], observations: Iterable[Observation]
) -> dict[str, dict[str, float]]:
    """Add the weight of a known seller, fitted to values that were recognised.

    The other weights stay: values that are right because people confirmed them say nothing about extraction.
    """
    of = _group_by_field((one for one in observations if VENDOR in one.evidence), 1)
    return {
        name: _fit_from(held, of[name], {VENDOR: MEMORY_SPREAD}) if name in of else dict(held)
        for name, held in weights.items()
    }


def choose_spreads(observations: Iterable[Observation]) -> dict[str, float]:
    """Choose for each field how far its weights may be from the prior: what predicts other sellers' values best.

    ``SHARED`` for those that the prior knows by name. Reviews in which a field was always right show that it may be
    believed more than others, but nothing of the next seller: its bias rose and lifted his wrong values above most
    right ones (AUC of unseen sellers 0.763, by the prior 0.969).

    For any other field the smallest one, if its values do not significantly rank better than by the prior, and
    ``SHARED`` for all of these if together they do not. Chosen once for all folds of a cross-validation: a choice among
    so few reveals nothing of a single value.
    """
    every = _group_by_field(observations, 1)
    of = {name: found for name, found in every.items() if name not in confidence.PRIOR}
    return dict.fromkeys(every, SHARED) | _choose_learned_spreads(of)


def _choose_learned_spreads(of: Mapping[str, Sequence[Observation]]) -> dict[str, float]:
    chosen: dict[str, float] = {}
    learned: list[float] = []
    for name, found in of.items():
        spread = _choose_spread(name, found)
        believed = _believe_other_sellers(name, found, spread)
        if spread != LEAST_SPREAD and not ranks_better(believed, _believe_prior(found), found):
            spread = LEAST_SPREAD
            believed = _believe_other_sellers(name, found, spread)
        chosen[name] = spread
        learned += believed
    every = [one for found in of.values() for one in found]
    return chosen if ranks_better(learned, _believe_prior(every), every) else dict.fromkeys(of, SHARED)


def _group_by_field(observations: Iterable[Observation], fewest: int) -> dict[str, list[Observation]]:
    of: dict[str, list[Observation]] = {}
    for one in sorted(observations, key=lambda one: (one.field, one.document)):
        of.setdefault(one.field, []).append(one)
    return {name: found for name, found in of.items() if len(found) >= fewest}


def _choose_spread(name: str, found: Sequence[Observation]) -> float:
    """Return the smallest that predicts other sellers as well as the best, of those that rank no worse than the prior.

    As well: within one standard error of their difference, with a seller's values counted together. With a dozen wrong
    values the best is best by chance.
    """
    ranked = _rank(_believe_prior(found), found)
    losses: dict[float, list[float]] = {}
    for spread in SPREADS:
        believed = _believe_other_sellers(name, found, spread)
        if spread == LEAST_SPREAD or _rank(believed, found) >= ranked:
            losses[spread] = [log_loss(share, right=one.right) for share, one in zip(believed, found, strict=True)]
    best = min(losses, key=lambda spread: (round(sum(losses[spread]), 6), spread))
    return next(spread for spread in losses if _is_as_good(losses[spread], losses[best], found))


def _is_as_good(losses: Sequence[float], least: Sequence[float], found: Sequence[Observation]) -> bool:
    of_seller: dict[str, float] = {}
    for loss, best, one in zip(losses, least, found, strict=True):
        seller = one.seller or one.document
        of_seller[seller] = of_seller.get(seller, 0.0) + loss - best
    apart = np.array(list(of_seller.values()))
    return bool(apart.sum() <= apart.std() * len(apart) ** 0.5 + _LEAST)


def _believe_prior(found: Iterable[Observation]) -> list[float]:
    return [confidence.share(_prior_of(one), one.evidence) for one in found]


def _believe_other_sellers(name: str, found: Sequence[Observation], spread: float) -> list[float]:
    """Return the confidence of each value by weights fitted to other folds of sellers."""
    weights = [
        _fit_field_weights(name, [one for one in found if fold_of_seller(one) != fold], spread) for fold in range(FOLDS)
    ]
    return [confidence.share(weights[fold_of_seller(one)], one.evidence) for one in found]


def ranks_better(shares: Sequence[float], others: Sequence[float], found: Sequence[Observation]) -> bool:
    """Return True if wrong values rank significantly lower among the right ones of their fold, or all rank as low.

    A seller's wrong values count together.
    """
    gains: dict[str, float] = {}
    for fold in range(FOLDS):
        inside = [place for place, one in enumerate(found) if fold_of_seller(one) == fold]
        right = [place for place in inside if found[place].right]
        for wrong in (place for place in inside if not found[place].right):
            gain = _share_above(shares, right, wrong) - _share_above(others, right, wrong)
            seller = found[wrong].seller or found[wrong].document
            gains[seller] = gains.get(seller, 0.0) + gain
    if not gains:
        return True
    gained = np.array(list(gains.values()))
    return bool(gained.sum() >= _CERTAIN * gained.std() * len(gained) ** 0.5)


def _share_above(shares: Sequence[float], right: Sequence[int], wrong: int) -> float:
    above = sum((shares[one] > shares[wrong]) + (shares[one] == shares[wrong]) / 2 for one in right)
    return above / len(right) if right else 0.0


def _rank(shares: Sequence[float], found: Sequence[Observation]) -> float:
    """Return the share of pairs of one fold in which the right value has the higher confidence.

    Pairs of different folds are ignored, since folds have different biases.
    """
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
    """Return the fold by seller, or by document if the seller is unknown."""
    return crc32((one.seller or one.document).encode()) % FOLDS


def log_loss(share: float, *, right: bool) -> float:
    """Return the log loss of the belief ``share``; bounded."""
    return float(-np.log(max(_LEAST, share if right else 1 - share)))


def _fit_field_weights(name: str, found: Sequence[Observation], spread: float) -> dict[str, float]:
    """Return the MAP weights under a normal prior around the shipped ones."""
    features = {*confidence.prior_weights(name), *(feature for one in found for feature in one.evidence)} - {BIAS}
    return _fit_from(confidence.prior_weights(name), found, {BIAS: BIAS_SPREAD, **dict.fromkeys(features, spread)})


def _fit_from(
    centre: Mapping[str, float], found: Sequence[Observation], spreads: Mapping[str, float]
) -> dict[str, float]:
    """Return ``centre`` with the weights that have a spread moved, by SciPy's L-BFGS-B.

    Its line search keeps it from diverging, and the bounds hold.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - a second and 60 MB, which only learning needs

    features = sorted(spreads)
    start = np.array([centre.get(feature, 0.0) for feature in features])
    pull = np.array([1 / spreads[feature] ** 2 for feature in features])
    rows = np.array([[_strength(one, feature) for feature in features] for one in found])
    rows = rows.reshape(len(found), len(features))
    still = np.array(
        [sum(weight * _strength(one, name) for name, weight in centre.items() if name not in spreads) for one in found]
    )
    right = np.array([float(one.right) for one in found])

    def penalty(weights: Any) -> tuple[float, Any]:
        logits, away = still + rows @ weights, weights - start
        loss = float(np.sum(np.logaddexp(0, logits) - right * logits) + np.sum(pull * away**2) / 2)
        return loss, rows.T @ (1 / (1 + np.exp(-logits)) - right) + pull * away

    bounds = [_bound(feature, middle) for feature, middle in zip(features, start, strict=True)]
    best = minimize(penalty, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-12, "gtol": 1e-8})
    return {**centre, **{feature: round(float(weight), 4) for feature, weight in zip(features, best.x, strict=True)}}


def _fit_shared(of: Mapping[str, Sequence[Observation]]) -> dict[str, dict[str, float]]:
    """Shift the prior of these fields together until it predicts the share of right values, and then that of guesses.

    A guess is lowered further only if reviews show it significantly.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - as above

    every = [one for found in of.values() for one in found]
    believed = np.array(_believe_prior(every))
    logits = np.log(believed / (1 - believed))
    right = np.array([float(one.right) for one in every])

    def penalty(shift: Any) -> tuple[float, Any]:
        shifted = logits + shift[0]
        loss = float(np.sum(np.logaddexp(0, shifted) - right * shifted)) + (shift[0] / SHIFT_SPREAD) ** 2 / 2
        return loss, np.array([(1 / (1 + np.exp(-shifted)) - right).sum() + shift[0] / SHIFT_SPREAD**2])

    bounds = [(-MOST_SHIFT, MOST_SHIFT)]
    shift = round(float(minimize(penalty, np.zeros(1), jac=True, method="L-BFGS-B", bounds=bounds).x[0]), 4)
    return {name: _shift_prior(name, found, shift) for name, found in of.items()}


def _shift_prior(name: str, found: Iterable[Observation], shift: float) -> dict[str, float]:
    prior = confidence.prior_weights(name)
    shifted = {**prior, BIAS: prior[BIAS] + shift}
    guessed = [one.right for one in found if one.evidence.get(GUESSED)]
    most = share_interval(sum(guessed), len(guessed))[1]
    return {**shifted, GUESSES: round(min(most, 1 / (1 + exp(-shift))), 4)}


def _prior_of(one: Observation) -> Mapping[str, float]:
    return confidence.prior_weights(one.field)


def _strength(one: Observation, feature: str) -> float:
    return 1.0 if feature == BIAS else one.evidence.get(feature, 0.0)


def _bound(feature: str, prior: float) -> tuple[float, float]:
    """Evidence for a value may come to count for nothing, never against it: a few sellers would say so by chance."""
    least = 0.0 if prior > 0 and feature != BIAS else prior - FARTHEST
    most = 0.0 if prior < 0 and feature != BIAS else prior + FARTHEST
    return least, most
