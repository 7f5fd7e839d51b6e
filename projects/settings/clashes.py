"""Who changed what first, for an admin whose save came second to the same places."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config import clock
from projects.audit.items import EntityEvent
from projects.settings import merging
from projects.settings.items import Project
from projects.settings.merging import Merge
from projects.settings.values import DATE_RANGES, FIELD_TYPES, FieldSetting


@dataclass(frozen=True)
class Line:
    """One place: what people call it, who changed it and when (None if no event tells), and what is saved now."""

    words: str
    who: str
    at: str | None
    saved: str

    def __str__(self) -> str:
        when = f" on {clock.parse(self.at):%d %b %Y at %H:%M:%S} UTC" if self.at else ""
        return f"{self.who} changed {self.words}{when}."


def clash_lines(merge: Merge, stored: Project, events: list[EntityEvent]) -> tuple[Line, ...]:
    """``events`` are those since the admin looked, newest first."""
    theirs = stored.settings
    values = merging.list_places(theirs)
    return tuple(
        _line(place, merging.name_place(place, theirs, merge.settings), values, events) for place in merge.clashing
    )


def _line(place: str, words: str, values: Mapping[str, Any], events: list[EntityEvent]) -> Line:
    by = next((event for event in events if place in (event.payload.as_dict().get("changes") or {})), None)
    saved = "" if place.endswith((merging.ORDER, merging.COUNT)) else _format_clash_value(values.get(place))
    if by is None:
        return Line(words, "Another user", None, saved)
    return Line(words, by.metadata.as_dict().get("name") or "Another user", by.inserteddate, saved)


def _format_clash_value(value: Any) -> str:
    if isinstance(value, FieldSetting):
        threshold = "" if value.threshold is None else f", review threshold {round(value.threshold * 100, 1):g} %"
        required = (", required" if value.required else "") + (", personal data" if value.personal else "")
        dates = f" ({DATE_RANGES[value.date_range].lower()})" if value.date_range in DATE_RANGES else ""
        about = f", described as “{value.description}”" if value.description else ""
        about += f", such as {value.examples}" if value.examples else ""
        about += f", with columns {'; '.join(value.columns.splitlines())}" if value.columns else ""
        return f"“{value.label}”, {FIELD_TYPES.get(value.type, value.type)}{dates}{required}{threshold}{about}"
    if value is None:
        return "removed"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{round(value * 100, 1):g} %"
    text = str(value)
    return f"“{text[:80]}{'…' if len(text) > 80 else ''}”" if text else "empty"
