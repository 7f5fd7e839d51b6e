"""What audit rows say of settings: stored values in words, for people.

Values that are an id of something, or that someone wrote, stay as they are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils import timezone

from config import clock
from config.phrase import Phrase, join_phrases, write_day
from projects.audit.words import name_fact
from projects.settings.values import DATE_RANGES, DOERS, FIELD_TYPES, LANGUAGES, OCR_MODELS, QUORUMS, TYPINGS
from projects.sites.permissions import WORDS

_LONGEST = 200
_NONE = Phrase("none")
_PERMISSIONS: Mapping[str, str] = {permission.value: words for permission, words in WORDS.items()}
_TYPES: Mapping[str, str] = {**FIELD_TYPES, "boolean": Phrase("Yes/No")}
# Name of a fact → stored value → words.
_WORDS: Mapping[str, Mapping[str, str]] = {
    **DOERS,
    "date_range": DATE_RANGES,
    "kind": _TYPES,
    "language": LANGUAGES,
    "ocr_model": OCR_MODELS,
    "permissions": _PERMISSIONS,
    "quorum": QUORUMS,
    "type": _TYPES,
    "typing": TYPINGS,
}
_OF_GROUPS: Mapping[str, Mapping[str, str]] = {"before": _PERMISSIONS, "after": _PERMISSIONS}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_SHARES = {"default_threshold", "audit_share", "check_share", "most_wrong", "threshold"}  # 0–1


class Moment(Phrase):
    """A stored instant, as which exports write it; pages show it in the reader's time zone."""

    __slots__ = ()

    def translated(self, language: str | None = None) -> str:
        at = clock.parse(self).astimezone(timezone.get_current_timezone())
        told = Phrase("%(day)s, %(time)s").fill(day=write_day(at), time=f"{at:%H:%M} {at.tzname()}")
        return told.translated(language)


def tell_changes(kind: str, name: str, value: Any) -> Iterator[dict[str, Any]]:
    """Yield what an event of this kind of record says about one fact; nothing if it says nothing.

    A change of something with parts, such as a field's settings, is a change of each differing part.
    """
    if not (isinstance(value, dict) and set(value) == {"before", "after"}):
        if value not in ("", [], {}):
            yield {"what": name_fact(name), "before": None, "after": tell_value(kind, name, value)}
        return
    before, after = value["before"], value["after"]
    if isinstance(before, dict) and isinstance(after, dict):
        for part in dict.fromkeys([*before, *after]):
            was, now = before.get(part), after.get(part)
            if was != now:
                yield {"what": f"{name}.{part}", **_tell_both(kind, part, was, now)}
        return
    yield {"what": name_fact(name), **_tell_both(kind, name, before, after, gone=None)}


def _tell_both(kind: str, name: str, before: Any, after: Any, gone: str | None = _NONE) -> dict[str, str | None]:
    """``gone``: what is said of a side that is missing; None if that means added or removed."""
    return {
        side: gone if value is None else tell_value(kind, name, value)
        for side, value in (("before", before), ("after", after))
    }


def tell_value(kind: str, name: str, value: Any) -> str | None:
    """Return the value in words, cut where it is long; None for None.

    >>> tell_value("attribute", "date_range", "around"), tell_value("project", "default_threshold", Decimal("0.9"))
    ('Past or future', '90 %')
    >>> tell_value("apikey", "permissions", ["READ", "EXPORT"]), tell_value("project", "use_bda", True)
    ('View projects, documents, runs and reviews; Export the results of whole projects', 'Yes')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return Phrase("Yes") if value else Phrase("No")
    if isinstance(value, dict):
        return _tell_parts(kind, value)
    if isinstance(value, list | tuple | set):
        return _tell_list(kind, name, list(value))
    if name in _SHARES and isinstance(value, int | float | Decimal):
        return f"{round(float(value) * 100, 1):g} %"
    return _tell_text(kind, name, str(value))


def _tell_text(kind: str, name: str, text: str) -> str:
    known = _OF_GROUPS.get(name) if kind == "sitegroup" else _WORDS.get(name)
    if known and text in known:
        return known[text]
    if not text:
        return _NONE
    if _INSTANT.fullmatch(text):
        return Moment(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _tell_list(kind: str, name: str, values: Sequence[Any]) -> str:
    told = [tell_value(kind, name, one) or "" for one in values]
    if not told:
        return _NONE
    if len(told) == 1:
        return told[0]
    return _join(told) if any("," in one for one in told) else join_phrases(told)


def _tell_parts(kind: str, value: Mapping[str, Any]) -> str:
    """``Label: Total; type: Amount``; parts that say nothing are left out."""
    said = [
        Phrase("%(setting)s: %(value)s").fill(setting=_name_part(name), value=tell_value(kind, name, one))
        for name, one in value.items()
        if one not in (None, "", [], {}, False)
    ]
    return _join(said) if said else _NONE


def _name_part(name: str) -> str:
    return name_fact(name) if name_fact(name) != name else name.replace("_", " ")


def _join(parts: Sequence[str]) -> str:
    told = parts[0]
    for part in parts[1:]:
        told = Phrase("%(first)s; %(rest)s").fill(first=told, rest=part)
    return told
