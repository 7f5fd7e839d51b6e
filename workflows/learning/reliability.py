"""How far confidences can be relied on: whether they rank errors, and what asking below a threshold brings; pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt

from projects.settings.values import ERROR_LIMITS
from workflows.stages.calibration import limit_key

_LEAST = 1e-6  # of a probability: one surprise must not decide alone
_NORMAL = 1.96  # of a 95 % interval
_DOUBT = 2  # times the promised share that the interval may reach to
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


def mean_loss(judgements: Sequence[Judgement]) -> float:
    """How surprised who believes the confidences is by the truth, on average; 0 without judgements."""
    losses = [-log(max(_LEAST, one.confidence if one.right else 1 - one.confidence)) for one in judgements]
    return sum(losses) / len(losses) if losses else 0.0


def find_limits(judgements: Iterable[Judgement], *, sure: bool = True) -> dict[str, float]:
    """Share that may be wrong → the lowest confidence that keeps it; a share that no confidence keeps is left out.

    Conformal: the next value may be wrong too. And so many reviews have to be right that chance does not explain it:
    with its 95 % interval no more than twice the share is wrong: 189 right values are the least for 1 %. Without
    ``sure`` the interval is not asked for, and 99 are.
    Source: Angelopoulos et al., "Conformal Risk Control", 2022.
    """
    ranked = sorted(judgements, key=lambda one: -one.confidence)
    found: dict[str, float] = {}
    wrong = 0
    for count, one in enumerate(ranked, start=1):
        wrong += not one.right
        if count < len(ranked) and ranked[count].confidence == one.confidence:
            continue  # those alike stand on one side
        for share in ERROR_LIMITS:
            kept = (wrong + 1) / (count + 1) <= share
            if kept and (not sure or share_interval(count - wrong, count)[0] >= 1 - _DOUBT * share):
                found[limit_key(share)] = round(one.confidence, 4)
    return found


def fewest_right(most_wrong: float) -> int:
    """How many values have to be reviewed, all right, before ``most_wrong`` can be promised."""
    return ceil(_NORMAL**2 * (1 / (_DOUBT * most_wrong) - 1))


def share_interval(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, Wilson's; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share, square = right / of, _NORMAL**2
    middle, half = share + square / (2 * of), _NORMAL * sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, (middle - half) / (1 + square / of)), min(1.0, (middle + half) / (1 + square / of))


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
