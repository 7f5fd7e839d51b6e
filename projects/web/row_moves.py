"""Adding, moving and removing form rows before saving; works without scripts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.phrase import Phrase
from projects.web.http import read_number

Row = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A row's button; ``value``: the command it sends."""

    value: str
    icon: str
    label: str
    disabled: bool
    focused: bool


def count_rows(data: Mapping[str, Any], prefix: str) -> int:
    """Return the form's number of rows; 0 if tampered with."""
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
    """Return the buttons of row ``i``; ``focus``: value of the one to focus."""
    row = {"noun": Phrase(noun), "number": i + 1}
    up, down, remove = (
        one.fill(**row)
        for one in (
            Phrase("Move %(noun)s %(number)s up"),
            Phrase("Move %(noun)s %(number)s down"),
            Phrase("Remove %(noun)s %(number)s"),
        )
    )
    return (
        Tool(f"up-{i}", "up", up, i == 0, focus == f"up-{i}"),
        Tool(f"down-{i}", "down", down, i == last, focus == f"down-{i}"),
        Tool(f"remove-{i}", "trash", remove, False, focus == f"remove-{i}"),
    )
