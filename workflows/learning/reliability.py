"""Reliability of confidences: how well they rank errors, and what a review threshold achieves. Pure functions."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log

from projects.settings.values import ERROR_LIMITS
from workflows.learning.scores import NORMAL, share_interval
from workflows.stages.calibration import limit_key

_LEAST = 1e-6  # of a probability: one outlier must not decide alone
_DOUBT = 2  # upper end of the interval, as a multiple of the promised share
THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99)


@dataclass(frozen=True)
class Judgement:
    """A value whose truth is known. ``confidence``: 0–1."""

    document: str
    field: str
    confidence: float
    right: bool


@dataclass(frozen=True)
class Level:
    """The effect of reviewing values below ``threshold``; all shares 0–1.

    ``documents``: the share of documents with a review. ``asked``: of values. ``precision``: of values that are not
    reviewed; None if every value is.
    """

    threshold: float
    documents: float
    asked: float
    precision: float | None


def area_under_curve(judgements: Iterable[Judgement]) -> float | None:
    """Return the probability that a right value has the higher confidence than a wrong one.

    0.5 by chance; None without one of each.
    """
    held = list(judgements)
    right = sorted(one.confidence for one in held if one.right)
    wrong = [one.confidence for one in held if not one.right]
    if not right or not wrong:
        return None
    above = sum(len(right) - bisect_right(right, one) for one in wrong)
    equal = sum(bisect_right(right, one) - bisect_left(right, one) for one in wrong)
    return (above + equal / 2) / (len(right) * len(wrong))


def mean_loss(judgements: Sequence[Judgement]) -> float:
    """Return the mean log loss; 0 without judgements."""
    losses = [-log(max(_LEAST, one.confidence if one.right else 1 - one.confidence)) for one in judgements]
    return sum(losses) / len(losses) if losses else 0.0


def find_limits(judgements: Iterable[Judgement], *, sure: bool = True) -> dict[str, float]:
    """Map a share that may be wrong to the lowest confidence that keeps it; shares that none keeps are omitted.

    Conformal: the next value may be wrong too. And the result has to be significant: the 95 % interval of the error
    rate stays below twice the share, so 1 % needs at least 189 right values. Without ``sure`` the interval is ignored,
    and 99 suffice. Source: Angelopoulos et al., "Conformal Risk Control", 2022.
    """
    ranked = sorted(judgements, key=lambda one: -one.confidence)
    found: dict[str, float] = {}
    wrong = 0
    for count, one in enumerate(ranked, start=1):
        wrong += not one.right
        if count < len(ranked) and ranked[count].confidence == one.confidence:
            continue  # equal confidences stay together
        for share in ERROR_LIMITS:
            kept = (wrong + 1) / (count + 1) <= share
            if kept and (not sure or share_interval(count - wrong, count)[0] >= 1 - _DOUBT * share):
                found[limit_key(share)] = round(one.confidence, 4)
    return found


def fewest_right(most_wrong: float) -> int:
    """Return how many values have to be reviewed, all right, before ``most_wrong`` can be promised."""
    return ceil(NORMAL**2 * (1 / (_DOUBT * most_wrong) - 1))


def reliability_table(judgements: Sequence[Judgement], thresholds: Iterable[float] = THRESHOLDS) -> list[Level]:
    return [_reliability_level(judgements, threshold) for threshold in thresholds] if judgements else []


def _reliability_level(judgements: Sequence[Judgement], threshold: float) -> Level:
    asked = [one for one in judgements if one.confidence < threshold]
    accepted = [one.right for one in judgements if one.confidence >= threshold]
    looked_at = {one.document for one in asked}
    return Level(
        threshold,
        len(looked_at) / len({one.document for one in judgements}),
        len(asked) / len(judgements),
        sum(accepted) / len(accepted) if accepted else None,
    )
