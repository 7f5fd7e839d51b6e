"""Extraction scores: precision, recall and F1, each with a confidence interval. Pure functions."""

import math
from dataclasses import dataclass
from typing import NamedTuple

NORMAL = 1.96  # z-value of a 95 % interval


class Interval(NamedTuple):
    """A share (0–1) with the ends of its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """Counts of a field, or of all: ``expected`` have a truth, ``answered`` a value, ``right`` the same one."""

    right: int
    answered: int
    expected: int

    @property
    def precision(self) -> float:
        return self.right / self.answered if self.answered else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.answered + self.expected) if self.answered + self.expected else 0.0


def share_interval(right: float, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, valid for few trials and shares near 0 and 1; (0, 1) without trials."""
    if not of:
        return 0.0, 1.0
    share, square = right / of, NORMAL**2
    middle, half = share + square / (2 * of), NORMAL * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, (middle - half) / (1 + square / of)), min(1.0, (middle + half) / (1 + square / of))


def estimate_share(right: float, of: int) -> Interval | None:
    """Return the share with its interval; None without trials.

    >>> [round(one, 3) for one in estimate_share(9, 10) or ()]
    [0.9, 0.596, 0.982]
    """
    if not of:
        return None
    share, (low, high) = right / of, share_interval(right, of)
    return Interval(share, min(share, low), max(share, high))


def estimate_f1(score: Score) -> Interval | None:
    """Return F1 of one field, with Wilson's interval of the right ones among all answered or expected.

    F1 is an increasing function of that share J: 2 J / (1 + J).

    >>> [round(one, 3) for one in estimate_f1(Score(right=9, answered=10, expected=10)) or ()]
    [0.9, 0.687, 0.974]
    """
    found = estimate_share(score.right, score.answered + score.expected - score.right)
    return None if found is None else Interval(*(2 * one / (1 + one) for one in found))
