"""Triage: what a queue sorts and filters by, derived from a result and the reasons for its review. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workflows.stages.assessment.field_rules import TOTALS
from workflows.stages.assessment.needs_review import Reason
from workflows.stages.results import Field, to_stored_form

HIGH, MEDIUM = 0.7, 0.35  # lowest risk of each level
# Code of a reason → probability of an error without a review; for low confidence it depends on that.
_WEIGHTS: Mapping[str, float] = {
    "unreadable": 0.9, "copy": 0.9, "missing": 0.8, "invalid": 0.8, "check": 0.8, "rule": 0.7, "not_allowed": 0.7,
    "type": 0.7, "ambiguous": 0.6, "unverified": 0.15, "audit": 0.05,
}  # fmt: skip
_OPTIONAL = 0.6  # of the weight of a required field
_MARK = "|"


@dataclass(frozen=True)
class Triage:
    """``risk``: 0–1. ``codes``: of the reasons, unique. ``amount``: the document's total. ``unsure``: fields.

    ``picture``: whether its first page is an image.
    """

    risk: float
    codes: tuple[str, ...] = ()
    amount: Decimal | None = None
    currency: str = ""
    unsure: int = 0
    picture: bool = False

    @property
    def level(self) -> str:
        return "high" if self.risk >= HIGH else "medium" if self.risk >= MEDIUM else "low"


def triage_result(result: Mapping[str, Any], fields: Sequence[Field], reasons: Sequence[Reason]) -> Triage:
    """The risk increases with the number and the weight of reasons."""
    found = {str(one["name"]): one for one in result["fields"]}
    required = {one.name for one in fields if one.required}
    weights = [_weigh(one, found.get(one.field or "", {}), one.field is None or one.field in required)
               for one in reasons]  # fmt: skip
    risk = 1 - math.prod(1 - one for one in weights)
    amount, currency = _find_total(found, fields)
    codes = tuple(dict.fromkeys(one.code for one in reasons))
    picture = bool(result["pages"] and result["pages"][0].get("image"))
    return Triage(round(risk, 2), codes, amount, currency, len({one.field for one in reasons if one.field}), picture)


def _weigh(reason: Reason, found: Mapping[str, Any], required: bool) -> float:
    weight = _WEIGHTS.get(reason.code)
    if weight is None:
        weight = 1 - float(found.get("confidence") or 0.0)
    return weight if required else weight * _OPTIONAL


def _find_total(found: Mapping[str, Mapping[str, Any]], fields: Sequence[Field]) -> tuple[Decimal | None, str]:
    """Return the total, or the only amount, and its currency if known."""
    amounts = [one.name for one in fields if one.type == "amount"]
    named = [one for one in TOTALS if one in amounts] or (amounts if len(amounts) == 1 else [])
    stored = next((text for name in named if (text := _read(found, name, "amount"))), "")
    currencies = (_read(found, one.name, "currency") for one in fields if one.type == "currency")
    return (Decimal(stored), next((one for one in currencies if one), "")) if stored else (None, "")


def _read(found: Mapping[str, Mapping[str, Any]], name: str, kind: str) -> str:
    return to_stored_form(kind, str(found.get(name, {}).get("value") or "")) or ""


def write_triage(triage: Triage) -> str:
    """Serialize it to one flat text for an index row, since an index projects at most twenty attributes.

    >>> write_triage(Triage(0.45, ("low_confidence",), Decimal("33.90"), "EUR", 1, picture=True))
    '0.45|low_confidence|33.90|EUR|1|1'
    """
    amount = "" if triage.amount is None else str(triage.amount)
    numbers = (str(triage.unsure), "1" if triage.picture else "")
    return _MARK.join((f"{triage.risk:.2f}", ",".join(triage.codes), amount, triage.currency, *numbers))


def read_triage(text: str | None) -> Triage | None:
    """Parse it; None for reviews from before triage.

    >>> read_triage("0.45|low_confidence,check|33.90|EUR|2|").codes
    ('low_confidence', 'check')
    """
    if not text:
        return None
    risk, codes, amount, currency, unsure, picture = text.split(_MARK)
    return Triage(
        float(risk), tuple(codes.split(",")) if codes else (), Decimal(amount) if amount else None, currency,
        int(unsure), bool(picture),
    )  # fmt: skip
