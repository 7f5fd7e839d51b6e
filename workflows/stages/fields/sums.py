"""The amounts of a paper with the labels that its rows give them, and whether its own arithmetic agrees."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from workflows.stages import values
from workflows.stages.pages.layout import Line

PAID_WITH = -1.5  # points of an amount that was paid, with change perhaps
SUMMED = 0.5  # points from which a label names a sum
_CHANGE = re.compile(r"\b(ch ?ange|wechselgeld|rückgeld|balance)\b", re.IGNORECASE)
_ADDED = re.compile(
    r"\b(round\w*|rnd|adjustment|tax|vat|ust|mwst|[chips]?gst|[hpq]st|sst|tva|iva|btw)\b|\bserv(ice)?\W{0,4}(ch|tax|$)|\bs\.?v\.?c\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(r"\b(disc(ount)?|less|savings?|rebate|voucher|rabatt|skonto|remise)\b", re.IGNORECASE)
_MOST_STEPS = 4  # between two sums: discount, service, tax, rounding


@dataclass(frozen=True)
class Sum:
    """An amount, the label that its row gives it, and that label's points; ``order`` counts in reading order."""

    line: Line
    hit: values.Hit
    label: str
    points: float
    in_summary: bool
    order: int = 0

    @property
    def value(self) -> Decimal:
        return Decimal(self.hit.value)

    @property
    def step(self) -> Decimal | None:
        """What it does to the sum above it: tax and rounding are added, discounts taken off; None: nothing."""
        if _TAKEN.search(self.label):
            return -abs(self.value)
        return self.value if _ADDED.search(self.label) else None


@dataclass(frozen=True)
class Chain:
    """A sum that follows from the one before it by what stands between them."""

    base: Decimal
    target: Decimal


def find_sum_chains(sums: Sequence[Sum]) -> list[Chain]:
    """The last may have a label that OCR made unreadable: nothing else follows from a sum by its tax."""
    held = [one for one in sums if not one.in_summary]
    labelled = [one for one in held if one.points >= SUMMED and one.value > 0]
    unnamed = [one for one in held if one.points == 0 and one.step is None and one.value > 0]
    return [
        Chain(base.value, target.value)
        for base in labelled
        for target in (*labelled, *unnamed)
        if base.order < target.order and base.value != target.value and _leads(base, target, held)
    ]


def _leads(base: Sum, target: Sum, held: Iterable[Sum]) -> bool:
    steps = [one.step for one in held if base.order < one.order < target.order and one.step]
    wanted = target.value - base.value
    return any(sum(some, Decimal(0)) == wanted for some in _some(steps[:_MOST_STEPS]))


def _some(steps: Sequence[Decimal]) -> Iterator[tuple[Decimal, ...]]:
    for count in range(1, len(steps) + 1):
        yield from combinations(steps, count)


def find_proven_sums(sums: Sequence[Sum]) -> Iterator[Decimal]:
    """Sums that follow from others: cash less change, or a sum plus its rounding or tax, wherever these stand."""
    held = [one for one in sums if not one.in_summary]
    there = {one.value for one in held if one.value > 0}
    changes = [one.value for one in held if _CHANGE.search(one.label)]
    paid = [one.value for one in held if one.points == PAID_WITH]
    for change in changes:
        yield from (cash - change for cash in paid if cash - change in there)
    # With its sign: a rounding of -0.02 leads from 33.92 to 33.90 and never the other way.
    added = [one.value for one in held if _ADDED.search(one.label) and one.value]
    for base in (one.value for one in held if one.points >= SUMMED):
        yield from (base + extra for extra in added if base + extra in there and base != extra)


def of_lines(sums: Sequence[Sum]) -> Decimal | None:
    """What the amounts before the first sum add up to, each row's last; None if there is no such row."""
    first = next((one.order for one in sums if one.points >= SUMMED), None)
    if first is None:
        return None
    rows: dict[float, Decimal] = {}
    for one in sums:
        if one.order < first and one.points == 0 and not one.in_summary and one.value > 0:
            rows[round(one.line.box[1], 3)] = one.value
    return sum(rows.values(), Decimal(0)) if rows else None
