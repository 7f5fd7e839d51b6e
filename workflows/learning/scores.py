"""How well values were found: precision, recall and F1, each with how far chance may have moved it; pure."""

import math
from dataclasses import dataclass
from typing import NamedTuple

_Z = 1.96  # standard deviations of a 95 % interval


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


def estimate_share(right: float, of: int) -> Interval | None:
    """Wilson's score interval, which holds for few trials and for shares near 0 and 1; None without any.

    >>> [round(one, 3) for one in estimate_share(9, 10) or ()]
    [0.9, 0.596, 0.982]
    """
    if not of:
        return None
    share, spread = right / of, _Z**2 / of
    centre = (share + spread / 2) / (1 + spread)
    reach = _Z / (1 + spread) * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    return Interval(share, max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach)))


def estimate_f1(score: Score) -> Interval | None:
    """F1 of one field with its interval: Wilson's of the share of right ones among all that were answered or expected.

    F1 is a rising function of that share J: 2 J / (1 + J).

    >>> [round(one, 3) for one in estimate_f1(Score(right=9, answered=10, expected=10)) or ()]
    [0.9, 0.687, 0.974]
    """
    found = estimate_share(score.right, score.answered + score.expected - score.right)
    return None if found is None else Interval(*(2 * one / (1 + one) for one in found))
