"""What proves a value before a project's reviews tell how far its confidence can be relied on.

A value that a program wrote, sums that add up, and a seller whom people confirmed. Of a page that no one had to read,
whose sums add up, the other values are as their labels say: a program that adds right prints the right date.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from projects.settings.columns import TABLE
from workflows.stages.calibration import Calibration
from workflows.stages.extractor.learned import SOURCE as EXTRACTOR
from workflows.stages.fields.candidates import RULES
from workflows.stages.fields.confidence import MARGIN, TEXT_LAYER, VENDOR

_SUMS, _SELLER, _PRINTED = "sums", "seller", "printed"
LEARNED = frozenset({"", _SELLER})  # what lets a value pass that reviews taught: its confidence, a seller
_TOTAL = "total"


def add_proofs(
    fields: Iterable[Mapping[str, Any]], calibration: Calibration, most_wrong: float, *, paused: bool = False
) -> list[dict[str, Any]]:
    """The result's fields; those that rules read with ``proof``, empty for none, and ``limit``.

    ``limit``: the confidence from which at most ``most_wrong`` (0–1) were wrong in the reviews; None if they tell none.
    ``paused``: what reviews taught lets nothing pass.
    """
    held = [dict(one) for one in fields]
    adds_up = any(_is_sum_proved(one) for one in held)
    for one in held:
        if one["source"] == RULES and one["value"] is not None:
            proof = find_proof(one, adds_up=adds_up)
            one["proof"] = "" if paused and proof in LEARNED else proof
            # What reviews taught of single values says nothing of rows: of a table only its sums count.
            unlearned = paused or one["type"] == TABLE
            one["limit"] = None if unlearned else calibration.limit(str(one["name"]), most_wrong)
        elif one["source"] == EXTRACTOR:  # no review tells yet how far its confidence can be relied on
            one["proof"], one["limit"] = "", None
    return held


def find_proof(field: Mapping[str, Any], *, adds_up: bool) -> str:
    """``sums``, ``seller``, ``printed``, or nothing. ``adds_up``: whether the paper's total follows from its sums."""
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
    """That it follows from other sums, or, where no one had to read, from the lines: a line alone may be misread."""
    evidence = evidence_of(field)
    adds_up = evidence.get("arithmetic") or (evidence.get("lines") and evidence.get(TEXT_LAYER))
    return field["name"] == _TOTAL and bool(adds_up and evidence.get("label") and not evidence.get("passed"))


def evidence_of(field: Mapping[str, Any]) -> Mapping[str, float]:
    """Of the candidate that became the value: the first."""
    return next((one.get("evidence") or {} for one in field.get("candidates") or ()), {})
