"""Rows of a form that are added, moved and removed before they are saved; works without a script, too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projects.web.http import read_number

Row = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A button of a row; ``value`` is the order it sends."""

    value: str
    icon: str
    label: str
    disabled: bool
    focused: bool


def count_rows(data: Mapping[str, Any], prefix: str) -> int:
    """How many rows the form says that it has; 0 for one that was tampered with."""
    count = read_number(str(data.get(f"{prefix}-TOTAL_FORMS", "0")))
    return count if count < 10_000 else 0


def rearrange_rows(rows: list[Row], order: str, *, blank: Row, most: int, first: str) -> str:
    """Do ``order`` (``add``, ``up-2``, ``down-0``, ``remove-1``, ``to-3-0``; 0-based), and say where to look next.

    ``first``: the name of a row's first input, which a new row is looked at by.
    """
    verb, _, place = order.partition("-")
    if verb == "add" and len(rows) < most:
        rows.append(blank)
        return f"{first}-{len(rows) - 1}"
    place, _, target = place.partition("-")
    at = read_number(place, otherwise=len(rows))
    if at >= len(rows):
        return "add"
    if verb == "to":  # dragged there
        to = min(read_number(target, otherwise=at), len(rows) - 1)
        rows.insert(to, rows.pop(at))
        return f"{'up' if to else 'down'}-{to}"
    if verb == "remove":
        del rows[at]
        return f"remove-{min(at, len(rows) - 1)}" if rows else "add"
    to = max(0, at - 1) if verb == "up" else min(len(rows) - 1, at + 1)
    rows.insert(to, rows.pop(at))
    # The button that was pressed, unless it has nowhere to go from here.
    at_end = to == 0 if verb == "up" else to == len(rows) - 1
    other = "down" if verb == "up" else "up"
    return f"{other if at_end else verb}-{to}"


def row_tools(i: int, last: int, focus: str, noun: str) -> tuple[Tool, ...]:
    """The buttons of row ``i``; ``focus`` is the value of the one to look at."""
    return (
        Tool(f"up-{i}", "up", f"Move {noun} {i + 1} up", i == 0, focus == f"up-{i}"),
        Tool(f"down-{i}", "down", f"Move {noun} {i + 1} down", i == last, focus == f"down-{i}"),
        Tool(f"remove-{i}", "trash", f"Remove {noun} {i + 1}", False, focus == f"remove-{i}"),
    )
