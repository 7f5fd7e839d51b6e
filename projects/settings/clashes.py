"""Description of conflicting changes, for an admin whose save came second."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config import clock
from config.phrase import Figure, Phrase, join_phrases, write_day
from projects.audit.items import EntityEvent
from projects.settings import merging
from projects.settings.items import Project
from projects.settings.merging import Merge
from projects.settings.values import DATE_RANGES, FIELD_TYPES, FieldSetting


@dataclass(frozen=True)
class Line:
    """One setting: label, who changed it and when (None if no event says so), and the current value."""

    words: str
    who: str
    at: str | None
    saved: str

    def __str__(self) -> str:
        if not self.at:
            return Phrase("%(who)s changed %(what)s.").fill(who=self.who, what=self.words).translated()
        at = clock.parse(self.at)
        said = Phrase("%(who)s changed %(what)s on %(day)s at %(time)s UTC.")
        return said.fill(who=self.who, what=self.words, day=write_day(at), time=f"{at:%H:%M:%S}").translated()


def clash_lines(merge: Merge, stored: Project, events: list[EntityEvent]) -> tuple[Line, ...]:
    """``events``: those since the admin's page was loaded, newest first."""
    theirs = stored.settings
    values = merging.list_places(theirs)
    return tuple(
        _line(place, merging.name_place(place, theirs, merge.settings), values, events) for place in merge.clashing
    )


def _line(place: str, words: str, values: Mapping[str, Any], events: list[EntityEvent]) -> Line:
    by = next((event for event in events if place in (event.payload.as_dict().get("changes") or {})), None)
    saved = "" if place.endswith((merging.ORDER, merging.COUNT)) else _format_clash_value(values.get(place))
    if by is None:
        return Line(words, Phrase("Another user"), None, saved)
    return Line(words, by.metadata.as_dict().get("name") or Phrase("Another user"), by.inserteddate, saved)


def _format_clash_value(value: Any) -> str:
    if isinstance(value, FieldSetting):
        return join_phrases(_describe_field(value))
    if value is None:
        return Phrase("removed")
    if isinstance(value, bool):
        return Phrase("yes") if value else Phrase("no")
    if isinstance(value, float):
        return Figure(f"{round(value * 100, 1):g} %")
    text = str(value)
    return _QUOTED.fill(value=f"{text[:80]}{'…' if len(text) > 80 else ''}") if text else Phrase("empty")


_QUOTED = Phrase("“%(value)s”")


def _describe_field(one: FieldSetting) -> Iterator[str]:
    yield _QUOTED.fill(value=one.label)
    yield FIELD_TYPES.get(one.type, one.type)
    if one.date_range in DATE_RANGES:
        yield DATE_RANGES[one.date_range]
    if one.required:
        yield Phrase("required")
    if one.personal:
        yield Phrase("personal data")
    if one.threshold is not None:
        yield Phrase("review threshold %(share)s").fill(share=Figure(f"{round(one.threshold * 100, 1):g} %"))
    if one.description:
        yield Phrase("described as “%(description)s”").fill(description=one.description)
    if one.examples:
        yield Phrase("such as %(examples)s").fill(examples=one.examples)
    if one.columns:
        yield Phrase("with columns %(columns)s").fill(columns="; ".join(one.columns.splitlines()))
