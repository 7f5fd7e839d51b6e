"""What stands in the place of personal values; pure."""

from collections.abc import Iterable, Mapping
from typing import Any

MASK = "•••"  # whatever is behind it: its length tells nothing
REVEALED = ("hidden", "shown")  # before and after, of a field whose value was shown to someone
# Of a field that is masked; all else of it could tell what it is.
_KEPT = ("name", "label", "type", "required", "threshold", "page", "source", "answer", "nothing", "unseen", "headings")


def mask_value(value: Any) -> str | None:
    """Nothing stays nothing: that a value is missing is why documents wait."""
    return MASK if value else None


def mask_fields(fields: Iterable[Mapping[str, Any]], names: frozenset[str]) -> list[Mapping[str, Any]]:
    """The fields of a result; of those in ``names`` nothing is told but what they are called and that they are there.

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
    """Who changed what, without what was there before and after."""
    return [
        {**one, **{side: mask_value(one[side]) for side in ("before", "after") if side in one}}
        if (one.get("before"), one.get("after")) != REVEALED
        else dict(one)
        for one in changes
    ]
