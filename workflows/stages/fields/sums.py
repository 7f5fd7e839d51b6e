"""The amounts of a document with the labels of their rows, and whether its arithmetic is consistent."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from operator import itemgetter

from workflows.stages import values
from workflows.stages.fields import sum_words
from workflows.stages.pages.layout import Line

PAID_WITH = -1.5  # points of a payment, possibly with change
SUMMED = 0.5  # points from which a label denotes a sum
_CHANGE = re.compile(
    r"\b(ch ?ange|wechselgeld|r[uü]ckgeld|balance|wisselgeld|cambio|troco|resto|reszta|vraceno|visszajaro|para ustu|"
    r"vaxel|vekslepenge|byttepenge|vaihtoraha|povrat|graza|kembali(?:an)?)\b",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"\b(round\w*|rnd|adjustment|tax|vat|ust|mwst|[chips]?gst|[hpq]st|sst|tva|iva|btw)\b|\bserv(ice)?\W{0,4}(ch|tax|$)|\bs\.?v\.?c\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(r"\b(disc(ount)?|less|savings?|rebate|voucher|rabatt|skonto|remise)\b", re.IGNORECASE)
_ADDED_ABROAD = sum_words.bound(sum_words.ADDED)
_TAKEN_ABROAD = sum_words.bound(sum_words.TAKEN)
_MOST_STEPS = 4  # steps between two sums: discount, service, tax, rounding
_MOST_LABELLED = 300  # sums, the last ones: each is compared with all above it
_HIGHEST_TAX = Decimal("0.3")  # of the sum before it


@dataclass(frozen=True)
class Sum:
    """An amount with its row's label and that label's points; ``order`` counts in reading order."""

    line: Line
    hit: values.Hit
    label: str
    points: float
    in_summary: bool
    order: int = 0

    @cached_property
    def value(self) -> Decimal:
        return Decimal(self.hit.value)

    @cached_property
    def step(self) -> Decimal | None:
        """Return its effect on the sum above: taxes and rounding are added, discounts deducted; None: no effect.

        What is printed with a minus is deducted, whatever it is called.
        """
        if _TAKEN.search(self.label) or _TAKEN_ABROAD.search(self.label):
            return -abs(self.value)
        return self.value if is_added(self.label) or (self.value < 0 and self.points == 0) else None


def is_added(label: str) -> bool:
    """Return True for a tax, a charge or a rounding."""
    return bool(_ADDED.search(label) or _ADDED_ABROAD.search(label))


@dataclass(frozen=True)
class Chain:
    """A sum that follows from the previous one by the amounts between them."""

    base: Decimal
    target: Decimal


def find_sum_chains(sums: Sequence[Sum]) -> list[Chain]:
    """The last label may be unreadable: only the total follows from a sum by its tax."""
    held = [one for one in sums if not one.in_summary]
    labelled = [one for one in held if one.points >= SUMMED and one.value > 0][-_MOST_LABELLED:]
    unnamed = [one for one in held if one.points == 0 and one.step is None and one.value > 0][-_MOST_LABELLED:]
    steps = _list_steps(held)
    return [
        Chain(base.value, target.value)
        for base in labelled
        for target in (*labelled, *unnamed)
        if base.order < target.order and base.value != target.value and _leads(base, target, steps)
    ] + [Chain(base.value, target.value) for base, target in find_taxed(held)]


def find_taxed(held: Sequence[Sum]) -> Iterator[tuple[Sum, Sum]]:
    """Yield a labelled sum and a larger amount below it that is exactly the sum and what stands between.

    All of it is on the paper, so that neither the tax nor the larger amount needs a label that is known.
    """
    for place, base in enumerate(held):
        if base.points < SUMMED or base.value <= 0:
            continue
        added = Decimal(0)
        for below in range(place + 1, min(place + 2 + _MOST_STEPS, len(held))):
            one = held[below]
            if added and one.value > base.value and one.value == base.value + added and _may_be_taxed(one):
                yield base, one
            step = one.step if one.step is not None else one.value
            if one.value == base.value or (one.points and one.step is None) or abs(step) > base.value * _HIGHEST_TAX:
                break
            added += step


def _may_be_taxed(one: Sum) -> bool:
    """Return False for payments and change; a total's label may name the tax: Total SST inside."""
    return one.points != PAID_WITH and not _CHANGE.search(one.label) and one.step in (None, one.value)


def _list_steps(held: Iterable[Sum]) -> list[tuple[int, Decimal]]:
    """List the amounts that have an effect, with their order."""
    return [(one.order, step) for one in held if (step := one.step)]


def _leads(base: Sum, target: Sum, steps: Sequence[tuple[int, Decimal]]) -> bool:
    """``steps``: in reading order."""
    first = bisect_right(steps, base.order, key=itemgetter(0))
    between = [step for order, step in steps[first : first + _MOST_STEPS] if order < target.order]
    wanted = target.value - base.value
    return any(sum(some, Decimal(0)) == wanted for some in _some(between))


def _some(steps: Sequence[Decimal]) -> Iterator[tuple[Decimal, ...]]:
    for count in range(1, len(steps) + 1):
        yield from combinations(steps, count)


def find_proven_sums(sums: Sequence[Sum]) -> Iterator[Decimal]:
    """Yield sums that follow from others: cash less change, or a sum plus rounding or tax, anywhere."""
    held = [one for one in sums if not one.in_summary]
    there = {one.value for one in held if one.value > 0}
    changes = [one.value for one in held if _CHANGE.search(one.label)]
    paid = [one.value for one in held if one.points == PAID_WITH]
    for change in changes:
        yield from (cash - change for cash in paid if cash - change in there)
    # Signed: a rounding of -0.02 leads from 33.92 to 33.90, never the other way.
    added = [one.value for one in held if is_added(one.label) and one.value]
    for base in (one.value for one in held if one.points >= SUMMED):
        yield from (base + extra for extra in added if base + extra in there and base != extra)


def of_lines(sums: Sequence[Sum]) -> Decimal | None:
    """Add up the last amounts of the rows before the first sum; None if there is no such row."""
    first = next((one.order for one in sums if one.points >= SUMMED), None)
    if first is None:
        return None
    rows = _list_rows(one for one in sums if one.order < first)
    return sum(rows, Decimal(0)) if rows else None


_MOST_UNNAMED = 300  # amounts: each is compared with all above it


def find_unnamed(sums: Sequence[Sum]) -> list[Sum]:
    """Without a label of a sum: the first amount to which all rows above add up, and what follows from it by its steps.

    One row is no proof: its amount may be printed twice.
    """
    held = [one for one in sums if not one.in_summary]
    if len(held) > _MOST_UNNAMED or any(one.points >= SUMMED for one in held):
        return []
    for place, one in enumerate(held):
        if one.points or one.step is not None:
            continue
        rows = _list_rows(above for above in held[:place] if not _in_row(above.line, one.line))
        taken = sum((above.value for above in held[:place] if above.value < 0 and above.points == 0), Decimal(0))
        if taken and one.value == sum(rows) + taken:  # three amounts agree, even where there is one row
            return [one]
        if len(rows) > 1 and one.value == sum(rows):
            below = (other for other in held[place + 1 :] if other.points == 0 and other.step is None)
            steps = _list_steps(held)
            return [one, *(other for other in below if other.value != one.value and _leads(one, other, steps))]
    return []


def _list_rows(sums: Iterable[Sum]) -> list[Decimal]:
    """List the last amount of each row, of those that have no label of another kind."""
    rows: list[Decimal] = []
    last: Line | None = None
    for one in sums:
        if one.points == 0 and not one.in_summary and one.value > 0:
            rows[len(rows) - (last is not None and _in_row(last, one.line)) :] = [one.value]
            last = one.line
    return rows


def _in_row(one: Line, other: Line) -> bool:
    """Return True if the lines are side by side, on a page that lies a little askew too."""
    return one.page == other.page and abs(one.box[1] + one.box[3] - other.box[1] - other.box[3]) < other.height
