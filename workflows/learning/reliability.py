"""How far confidences can be relied on: whether they rank errors, and what asking below a threshold brings; pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    """What happens where values below ``threshold`` are asked about; all shares 0–1.

    ``documents``: the share of documents that someone has to look at. ``asked``: of values. ``precision``: how many of
    the values that no one looks at are right; None if every value is asked about.
    """

    threshold: float
    documents: float
    asked: float
    precision: float | None


def area_under_curve(judgements: Iterable[Judgement]) -> float | None:
    """How likely a right value has the higher confidence than a wrong one, 0.5 by chance; None without one of each."""
    held = list(judgements)
    right = sorted(one.confidence for one in held if one.right)
    wrong = [one.confidence for one in held if not one.right]
    if not right or not wrong:
        return None
    above = sum(len(right) - bisect_right(right, one) for one in wrong)
    equal = sum(bisect_right(right, one) - bisect_left(right, one) for one in wrong)
    return (above + equal / 2) / (len(right) * len(wrong))


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
