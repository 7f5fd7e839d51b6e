"""Masking of personal values; page images and texts are masked by ``workflows/runs/redaction``. Pure functions."""

from collections.abc import Iterable, Mapping
from typing import Any

MASK = "•••"  # for every value, so that its length reveals nothing
REVEALED = ("hidden", "shown")  # before and after of a field whose value was shown to a person
# Entries of a masked field that are kept; the others could reveal its value.
_KEPT = ("name", "label", "type", "required", "threshold", "page", "source", "answer", "nothing", "unseen", "headings")


def mask_value(value: Any) -> str | None:
    """Mask a value; None stays None, since missing values are why documents wait."""
    return MASK if value else None


def mask_fields(fields: Iterable[Mapping[str, Any]], names: frozenset[str]) -> list[Mapping[str, Any]]:
    """Mask the fields in ``names``, leaving only their labels and presence.

    >>> mask_fields([{"name": "iban", "value": "DE89", "raw": "DE 89", "box": [0, 0, 1, 1]}], frozenset({"iban"}))
    [{'name': 'iban', 'value': '•••', 'masked': True}]
    """
    return [_mask_field(one) if one["name"] in names else one for one in fields]


def _mask_field(field: Mapping[str, Any]) -> Mapping[str, Any]:
    kept = {name: field[name] for name in _KEPT if name in field}
    found = kept | {"value": mask_value(field.get("value")), "masked": True}
    if "changes" in field:
        found["changes"] = mask_changes(field["changes"])
    if field.get("rows"):
        found["rows"] = [[_mask_cell(cell) for cell in row] for row in field["rows"]]
    return found


def _mask_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    nowhere = {"confidence": None, "page": None, "box": None}
    return {"column": cell["column"], "value": mask_value(cell.get("value"))} | nowhere


def mask_changes(changes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return changes without values before and after."""
    return [
        {**one, **{side: mask_value(one[side]) for side in ("before", "after") if side in one}}
        if (one.get("before"), one.get("after")) != REVEALED
        else dict(one)
        for one in changes
    ]
