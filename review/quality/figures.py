"""What a pair of decisions, and the outcome of their differences, add to two reviewers' sums; pure.

A figure's name is a few words with ``|`` between them, as Insight's are.
"""

from collections import Counter as Sums
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from review.quality.comparison import Comparison, FieldPair
from workflows.insight.figures import join_name, split_name
from workflows.learning.reliability import share_interval

DOCUMENTS, DECISIONS, FIELD, CORRECTIONS, VALUES = "documents", "decisions", "field", "corrections", "values"
KNOWN, KNOWN_FIELD = "known", "known field"  # of seeded checks
AGREED, DIFFERED, CONFIRMED, OVERTURNED, MISSED = "agreed", "differed", "confirmed", "overturned", "missed"


def count_comparison(found: Comparison) -> tuple[Sums[str], Sums[str]]:
    """Of the first reviewer, and of the second: what they agree on confirms the corrections that both made."""
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
    """Of a reviewer whose decision stands second, beside what is known to be true."""
    sums = Sums({join_name(KNOWN, AGREED if found.is_same else DIFFERED): 1})
    for pair in found.pairs:
        sums[join_name(KNOWN_FIELD, pair.label, AGREED if pair.is_same else DIFFERED)] += 1
    return sums


def count_outcome(chosen: Iterable[tuple[FieldPair, str | None]]) -> tuple[Sums[str], Sums[str]]:
    """Of both reviewers, for each field that they left otherwise: who was right.

    ``missed``: a wrong value that was left as the machine read it.
    """
    first, second = Sums[str](), Sums[str]()
    for pair, value in chosen:
        first[_judge(pair, pair.first, value, corrected=pair.corrected_by_first)] += 1
        second[_judge(pair, pair.second, value, corrected=pair.corrected_by_second)] += 1
    return first, second


def count_decisions(found: Comparison, right: str) -> tuple[Sums[str], Sums[str]]:
    """Of both reviewers who decided otherwise, whose decision was found ``right``."""
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
    """One reviewer's sums of a period."""

    user_id: str
    name: str
    numbers: Mapping[str, int]

    @property
    def documents(self) -> Agreement:
        return Agreement(self._get(DOCUMENTS, AGREED), self._get(DOCUMENTS, DIFFERED))

    @property
    def known(self) -> Agreement:
        """Of seeded checks, those answered as is known."""
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
        """By label; the least agreed first."""
        return list_fields(self.numbers)

    def _get(self, *words: str) -> int:
        return self.numbers.get(join_name(*words), 0)


def list_fields(numbers: Mapping[str, int], figure: str = FIELD) -> list[tuple[str, Agreement]]:
    """Field label → how often two reviewers left it alike; the least agreed first. ``figure``: or ``KNOWN_FIELD``."""
    found: dict[str, dict[str, int]] = {}
    for name, number in numbers.items():
        kind, *words = split_name(name)
        if kind == figure:
            found.setdefault(words[0], {})[words[1]] = number
    listed = [(label, Agreement(one.get(AGREED, 0), one.get(DIFFERED, 0))) for label, one in found.items()]
    return sorted(listed, key=lambda one: (one[1].share or 0.0, one[0]))
