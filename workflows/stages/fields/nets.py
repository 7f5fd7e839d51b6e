"""Totals that say net: payable on many receipts, but before tax where a larger total stands beside them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from workflows.stages.fields.sums import SUMMED, Sum, find_sum_chains

# Labels have no accents here. Net is what is left to pay: net à payer, netto da pagare, net amount due.
PAYABLE = re.compile(
    r"\bnett?o?(?: amount)?\W{1,3}(?:(?:a|da|to|te|to be)\s)?(?:payer|pagare?|pay|paid|payable|due|betalen)\b",
    re.IGNORECASE,
)
_NET = re.compile(r"\b(?:nett?o?|liquido)\b", re.IGNORECASE)
TOTALLED = 3.0  # points from which a label denotes a total
_ROUNDED = Decimal("0.05")  # the most that rounding to coins takes away


def is_net(label: str) -> bool:
    return bool(_NET.search(label)) and not PAYABLE.search(label)


def settle(found: Sequence[Sum]) -> list[Sum]:
    """Take the points of a total from each that says net beside a larger one, unless it is what is left of that."""
    totals = [one for one in found if one.points >= TOTALLED and not one.in_summary]
    nets = [one for one in totals if is_net(one.label)]
    gross = [one for one in totals if not is_net(one.label)]
    left = {chain.target for chain in find_sum_chains(found) if chain.target < chain.base} if nets and gross else set()
    before = {
        one.order for one in nets if one.value not in left and any(_is_before_tax(one, other, found) for other in gross)
    }
    return [replace(one, points=SUMMED) if one.order in before else one for one in found]


def _is_before_tax(net: Sum, gross: Sum, found: Sequence[Sum]) -> bool:
    between = (one for one in found if gross.order < one.order < net.order)
    return gross.value - net.value > _ROUNDED and not any(one.step is not None and one.step < 0 for one in between)
