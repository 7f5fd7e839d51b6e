"""Fingerprints for duplicate detection, and the words of each kind of duplicate. Pure functions."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workflows.stages import values

FILE, INVOICE = "file", "invoice"
WORDS = {
    FILE: "The same file was received before",
    INVOICE: "Another document has the same supplier, number and total",
}
_SUPPLIER = ("company", "seller", "issuer")
_NUMBER = ("invoice_number", "number")
_TOTAL = ("total", "grand_total", "amount")


@dataclass(frozen=True)
class Copy:
    """``kind``: FILE or INVOICE. ``document_id``: of the earlier document."""

    kind: str
    document_id: str


def digest_invoice(fields: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the digest of supplier, number and total, normalized; None if one of them is missing.

    Source: the field names that ``published.sentence`` reads too.
    """
    found = {str(one["name"]): str(one.get("value") or "") for one in fields}
    supplier, number, total = (_first(found, names) for names in (_SUPPLIER, _NUMBER, _TOTAL))
    amount = values.amount(total)
    parts = (values.words(supplier), values.words(number), str(Decimal(amount).normalize()) if amount else "")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() if all(parts) else None


def _first(found: Mapping[str, str], names: Sequence[str]) -> str:
    return next((found[one] for one in names if found.get(one)), "")
