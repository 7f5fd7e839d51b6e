"""Proofs of values that hold before there are enough reviews to rely on confidence.

These are values written by a program, sums that add up, and sellers that people confirmed. On a page without OCR whose
sums add up, other values are taken as labelled: a program that adds correctly prints the right date.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from projects.settings.columns import TABLE
from workflows.stages.calibration import Calibration
from workflows.stages.extractor.learned import SOURCE as EXTRACTOR
from workflows.stages.fields.candidates import RULES
from workflows.stages.fields.confidence import MARGIN, TEXT_LAYER, VENDOR

_SUMS, _SELLER, _PRINTED = "sums", "seller", "printed"
LEARNED = frozenset({"", _SELLER})  # what reviews taught: confidence, and known sellers
_TOTAL = "total"


def add_proofs(
    fields: Iterable[Mapping[str, Any]], calibration: Calibration, most_wrong: float, *, paused: bool = False
) -> list[dict[str, Any]]:
    """Add to the fields read by rules ``proof``, empty for none, and ``limit``.

    ``limit``: the confidence from which at most ``most_wrong`` (0–1) were wrong in the reviews; None if unknown.
    ``paused``: what reviews taught lets nothing pass.
    """
    held = [dict(one) for one in fields]
    adds_up = any(_is_sum_proved(one) for one in held)
    for one in held:
        if one["source"] == RULES and one["value"] is not None:
            proof = find_proof(one, adds_up=adds_up)
            one["proof"] = "" if paused and proof in LEARNED else proof
            # Reviews of single values say nothing of rows: a table is proved by its sums only.
            unlearned = paused or one["type"] == TABLE
            one["limit"] = None if unlearned else calibration.limit(str(one["name"]), most_wrong)
        elif one["source"] == EXTRACTOR:  # its confidence has no calibration yet
            one["proof"], one["limit"] = "", None
    return held


def find_proof(field: Mapping[str, Any], *, adds_up: bool) -> str:
    """Return ``sums``, ``seller``, ``printed``, or nothing. ``adds_up``: whether the total follows from the sums."""
    if field["type"] == TABLE:
        return _SUMS if field["proved"] else ""
    if _is_sum_proved(field):
        return _SUMS
    evidence = evidence_of(field)
    if evidence.get(VENDOR):
        return _SELLER
    alone = evidence.get(MARGIN, 0.0) >= 1
    return _PRINTED if adds_up and evidence.get(TEXT_LAYER) and alone else ""


def _is_sum_proved(field: Mapping[str, Any]) -> bool:
    """Return True if it follows from other sums or, without OCR, from the lines: OCR may misread a single line."""
    evidence = evidence_of(field)
    adds_up = evidence.get("arithmetic") or (evidence.get("lines") and evidence.get(TEXT_LAYER))
    return field["name"] == _TOTAL and bool(adds_up and evidence.get("label") and not evidence.get("passed"))


def evidence_of(field: Mapping[str, Any]) -> Mapping[str, float]:
    """Return the evidence of the chosen candidate: the first."""
    return next((one.get("evidence") or {} for one in field.get("candidates") or ()), {})
