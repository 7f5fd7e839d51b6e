"""Reviewer statistics: what decisions and adjudications add to them. Pure functions.

Names of figures are words joined by ``|``, as in Insight.
"""

from collections import Counter as Sums
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from review.quality.comparison import Comparison, FieldPair
from workflows.insight.figures import join_name, split_name
from workflows.learning.scores import share_interval

DOCUMENTS, DECISIONS, FIELD, CORRECTIONS, VALUES = "documents", "decisions", "field", "corrections", "values"
KNOWN, KNOWN_FIELD = "known", "known field"  # of seeded checks
AGREED, DIFFERED, CONFIRMED, OVERTURNED, MISSED = "agreed", "differed", "confirmed", "overturned", "missed"


def count_comparison(found: Comparison) -> tuple[Sums[str], Sums[str]]:
    """Count a comparison for both reviewers; agreement confirms the corrections both made."""
    word = AGREED if found.is_same else DIFFERED
    both = Sums({join_name(DOCUMENTS, word): 1})
    for pair in found.pairs:
        both[join_name(FIELD, pair.label, AGREED if pair.is_same else DIFFERED)] += 1
    agreed = [one for one in found.pairs if one.is_same]
    first, second = Sums(both), Sums(both)
    first[join_name(CORRECTIONS, CONFIRMED)] += sum(one.corrected_by_first for one in agreed)
    second[join_name(CORRECTIONS, CONFIRMED)] += sum(one.corrected_by_second for one in agreed)
    return +first, +second


def count_known(found: Comparison) -> Sums[str]:
    """Count a comparison with known values."""
    sums = Sums({join_name(KNOWN, AGREED if found.is_same else DIFFERED): 1})
    for pair in found.pairs:
        sums[join_name(KNOWN_FIELD, pair.label, AGREED if pair.is_same else DIFFERED)] += 1
    return sums


def count_outcome(chosen: Iterable[tuple[FieldPair, str | None]]) -> tuple[Sums[str], Sums[str]]:
    """Count for both reviewers who was right about each differing field.

    ``missed``: a wrong value left as extracted.
    """
    first, second = Sums[str](), Sums[str]()
    for pair, value in chosen:
        first[_judge(pair, pair.first, value, corrected=pair.corrected_by_first)] += 1
        second[_judge(pair, pair.second, value, corrected=pair.corrected_by_second)] += 1
    return first, second


def count_decisions(found: Comparison, right: str) -> tuple[Sums[str], Sums[str]]:
    """Count for both reviewers whose differing decision was ``right``."""
    words = [CONFIRMED if one == right else OVERTURNED for one in (found.first, found.second)]
    first, second = (Sums({join_name(DECISIONS, word): 1}) for word in words)
    return first, second


def _judge(pair: FieldPair, own: str | None, right: str | None, *, corrected: bool) -> str:
    if pair.equals(own, right):
        return join_name(CORRECTIONS if corrected else VALUES, CONFIRMED)
    return join_name(CORRECTIONS, OVERTURNED) if corrected else join_name(VALUES, MISSED)


@dataclass(frozen=True)
class Agreement:
    """``low`` and ``high``: the 95 % interval of the share; all 0–1."""

    agreed: int
    differed: int

    @property
    def number(self) -> int:
        return self.agreed + self.differed

    @property
    def share(self) -> float | None:
        return self.agreed / self.number if self.number else None

    @property
    def interval(self) -> tuple[float, float]:
        return share_interval(self.agreed, self.number)


@dataclass(frozen=True)
class ReviewerFigures:
    """One reviewer's figures of a period."""

    user_id: str
    name: str
    numbers: Mapping[str, int]

    @property
    def documents(self) -> Agreement:
        return Agreement(self._get(DOCUMENTS, AGREED), self._get(DOCUMENTS, DIFFERED))

    @property
    def known(self) -> Agreement:
        """Share of correct answers in seeded checks."""
        return Agreement(self._get(KNOWN, AGREED), self._get(KNOWN, DIFFERED))

    @property
    def confirmed(self) -> int:
        return self._get(CORRECTIONS, CONFIRMED)

    @property
    def overturned(self) -> int:
        return self._get(CORRECTIONS, OVERTURNED)

    @property
    def decisions_overturned(self) -> int:
        return self._get(DECISIONS, OVERTURNED)

    @property
    def missed(self) -> int:
        return self._get(VALUES, MISSED)

    @property
    def fields(self) -> list[tuple[str, Agreement]]:
        """Agreement by label, lowest first."""
        return list_fields(self.numbers)

    def _get(self, *words: str) -> int:
        return self.numbers.get(join_name(*words), 0)


def list_fields(numbers: Mapping[str, int], figure: str = FIELD) -> list[tuple[str, Agreement]]:
    """Return field label → agreement, lowest first. ``figure``: or ``KNOWN_FIELD``."""
    found: dict[str, dict[str, int]] = {}
    for name, number in numbers.items():
        kind, *words = split_name(name)
        if kind == figure:
            found.setdefault(words[0], {})[words[1]] = number
    listed = [(label, Agreement(one.get(AGREED, 0), one.get(DIFFERED, 0))) for label, one in found.items()]
    return sorted(listed, key=lambda one: (one[1].share or 0.0, one[0]))
