"""Contradictions within a document, which need a review whatever the confidence of each value."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from workflows.stages import values
from workflows.stages.fields import dates, sums, totals
from workflows.stages.fields.candidates import Document

_DUE = re.compile(r"\b(due|payable (by|until)|fällig\w*|zahlbar bis|échéance)\b", re.IGNORECASE)

# Words before "due", or between it and a date, that make it another date: due on receipt, ordered 1 March.
_EARLIER = re.compile(r"\b(previous\w*|last|over|past|vorherig\w*|letzte\w*|précédent\w*)(\W+\w+)?\W*$", re.IGNORECASE)
_ANOTHERS = re.compile(
    r"\b(receipt|order\w*|issued?|dated|invoice|deliver\w*|statement|previous\w*|since|from|as of|bestell\w*|"
    r"auftrag\w*|liefer\w*|rechnung\w*|erhalt|vom|commande|livraison|réception|facture)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Check:
    """``text`` begins with the field's label, like reasons."""

    field: str
    text: str


def list_contradictions(document: Document, fields: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return contradictions as stored in a result. ``fields``: those of the result that were read on the pages."""
    read = {str(field["name"]): field for field in fields}
    labels = {name: str(field["label"]) for name, field in read.items()}
    return [asdict(one) for one in run_checks(document, {name: one["value"] for name, one in read.items()}, labels)]


def run_checks(document: Document, found: Mapping[str, str | None], labels: Mapping[str, str]) -> list[Check]:
    """``found``: field → value in stored form; ``labels``: of each field."""
    checks: list[Check] = []
    if total := found.get("total"):
        checks += [Check("total", text) for text in _check_sums(document, total, labels["total"])]
    if date := found.get("date"):
        checks += [Check("date", text) for text in _check_due_date(document, date, labels["date"])]
    return checks


def _check_sums(document: Document, total: str, label: str) -> Iterator[str]:
    """If one pre-tax sum is printed and steps lead from it, check that they lead to the total."""
    held = [one for one in totals.sums_of(document) if not one.in_summary]
    before = {one.value: one for one in held if one.points == sums.SUMMED and one.value > 0}
    value = _decimal(total)
    if value is None or len(before) != 1 or value in before or value in set(sums.find_proven_sums(held)):
        return
    ((amount, base),) = before.items()
    target = next((one for one in held if one.value == value and one.order > base.order), None)
    steps = [one for one in held if target and base.order < one.order < target.order and one.step]
    if target is None or not steps or any(chain.target == value for chain in sums.find_sum_chains(held)):
        return
    yield f"{label} {total} does not follow from {values.plain(amount)} and what is added to it"


def _check_due_date(document: Document, date: str, label: str) -> Iterator[str]:
    day_first = dates.is_day_first(document.text)
    for row in document.rows:
        due = _DUE.search(row.text)
        if not due:
            continue
        following = (hit for hit in values.dates_in(row.text, day_first=day_first) if hit.start >= due.end())
        hit = min(following, key=lambda one: one.start, default=None)
        if hit is None or hit.value >= date or _EARLIER.search(row.text[: due.start()]):
            continue
        if not _ANOTHERS.search(row.text[due.end() : hit.start]):
            yield f"{label} {date} is later than the day that payment is due, {hit.value}"
            return


def _decimal(text: str) -> Decimal | None:
    stored = values.amount(text)
    return Decimal(stored) if stored else None
