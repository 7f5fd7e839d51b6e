"""Three-way merge of settings, so that concurrent changes in different places are both kept.

A place is one setting (``language``), one entry of a map (``ocr_options.lang``) or one named row (``fields.total``);
the order of rows is a place too (``fields.#order``). What a setting is follows from its type in ``ProjectSettings``.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any, get_args, get_origin, get_type_hints

from django.core import signing

from config.phrase import Phrase
from projects.settings.values import MAX_FIELDS, MODEL_USES, OCR_SWITCHES, SETTING_LABELS, ProjectSettings

ORDER, COUNT = "#order", "#count"  # no row or option has this name
_HINTS = get_type_hints(ProjectSettings)
_MAPS = tuple(name for name, hint in _HINTS.items() if get_origin(hint) is Mapping)
_ROWS = tuple(name for name, hint in _HINTS.items() if get_origin(hint) is tuple and is_dataclass(get_args(hint)[0]))


@dataclass(frozen=True)
class SettingsDigest:
    """The settings that an admin's page showed: the version, and a digest of each, rows in order.

    Digests instead of values: they show what changed, and a form with a prompt of 16,000 characters stays small.
    """

    version: int
    digests: Mapping[str, str]


@dataclass(frozen=True)
class Merge:
    """My changes on top of theirs; ``clashing``: places that both changed differently, where ``settings`` has mine."""

    settings: ProjectSettings
    clashing: tuple[str, ...]


def digest_settings(settings: ProjectSettings, version: int) -> SettingsDigest:
    return SettingsDigest(version, {place: _digest(value) for place, value in list_places(settings).items()})


def sign_seen(what: SettingsDigest, site: str, project_id: str) -> str:
    """Sign it for a hidden input, bound to its project, since another one's digests would mark everything changed."""
    return _signer(site, project_id).sign_object([what.version, what.digests], compress=True)


def unsign_seen(text: str, site: str, project_id: str) -> SettingsDigest | None:
    """Return None if it is missing or was tampered with: then it is unknown what the page showed."""
    try:
        version, digests = _signer(site, project_id).unsign_object(text)
    except signing.BadSignature:
        return None
    return SettingsDigest(version, digests)


def _signer(site: str, project_id: str) -> signing.Signer:
    return signing.Signer(salt=f"settings seen {site} {project_id}")


def list_places(settings: ProjectSettings) -> dict[str, Any]:
    """Return every place with its value, rows in order."""
    found: dict[str, Any] = {}
    for name in _HINTS:
        value = getattr(settings, name)
        if name in _MAPS:
            found |= {f"{name}.{part}": one for part, one in value.items()}
        elif name in _ROWS:
            found |= {f"{name}.{one.name}": one for one in value}
        else:
            found[name] = value
    return found


def diff_settings(before: ProjectSettings, after: ProjectSettings) -> dict[str, dict[str, Any]]:
    """Return each differing place with ``before`` and ``after``, as plain values; None if missing."""
    old, new = list_places(before), list_places(after)
    differing = {place: (old.get(place), new.get(place)) for place in [*old, *new]}
    found = {
        place: {"before": _plain(was), "after": _plain(now)} for place, (was, now) in differing.items() if was != now
    }
    for name in _ROWS:
        was, now = _names(old, name), _names(new, name)
        if _is_reordered(was, now):
            found[f"{name}.{ORDER}"] = {"before": was, "after": now}
    return found


def merge_settings(what: SettingsDigest | None, mine: ProjectSettings, theirs: ProjectSettings) -> Merge:
    """Apply my changes since ``what`` to ``theirs``. Identical changes do not clash.

    If ``what`` is unknown, every difference is a clash.
    """
    if what is None:
        return Merge(mine, tuple(diff_settings(theirs, mine)))
    base, my, stored = what.digests, list_places(mine), list_places(theirs)
    values, clashing = dict(stored), []
    for place in dict.fromkeys([*base, *stored, *my]):
        wanted = _digest_at(my, place)
        if wanted == base.get(place) or wanted == _digest_at(stored, place):
            continue
        if _digest_at(stored, place) != base.get(place):
            clashing.append(place)
        if place in my:
            values[place] = my[place]
        else:
            del values[place]
    rows: dict[str, list[str]] = {}
    for name in _ROWS:
        was, my_rows, their_rows, kept = (_names(one, name) for one in (base, my, stored, values))
        rows[name] = _merge_order(was, my_rows, their_rows, kept)
        clashing += [f"{name}.{part}" for part in _disorder(was, my_rows, their_rows, rows[name])]
    return Merge(_build_settings(theirs, values, rows), tuple(clashing))


def _merge_order(was: list[str], mine: list[str], theirs: list[str], kept: list[str]) -> list[str]:
    """Take the order of whoever moved rows, mine first; rows added by the other follow their neighbour."""
    leads, follows = (mine, theirs) if _is_reordered(was, mine) else (theirs, mine)
    order = [one for one in leads if one in kept]
    for i, one in enumerate(follows):
        if one in kept and one not in order:
            before = next((other for other in reversed(follows[:i]) if other in order), None)
            order.insert(0 if before is None else order.index(before) + 1, one)
    return order


def _disorder(was: list[str], mine: list[str], theirs: list[str], merged: list[str]) -> list[str]:
    both = _is_reordered(was, mine) and _is_reordered(was, theirs) and _is_reordered(mine, theirs)
    return [ORDER] * both + [COUNT] * (len(merged) > MAX_FIELDS >= max(len(mine), len(theirs)))


def _build_settings(
    theirs: ProjectSettings, values: Mapping[str, Any], rows: Mapping[str, Sequence[str]]
) -> ProjectSettings:
    changed: dict[str, Any] = {name: values[name] for name in _HINTS if name not in _MAPS and name not in _ROWS}
    changed |= {name: {part: values[f"{name}.{part}"] for part in _names(values, name)} for name in _MAPS}
    changed |= {name: tuple(values[f"{name}.{one}"] for one in order) for name, order in rows.items()}
    return replace(theirs, **changed)


def _names(found: Iterable[str], name: str) -> list[str]:
    return [place.removeprefix(f"{name}.") for place in found if place.startswith(f"{name}.")]


def _is_reordered(was: Sequence[str], now: Sequence[str]) -> bool:
    """Return True if common rows are in another order."""
    return [one for one in was if one in now] != [one for one in now if one in was]


def _digest_at(found: Mapping[str, Any], place: str) -> str | None:
    return _digest(found[place]) if place in found else None


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(_as_typed(_plain(value)), sort_keys=True).encode()).hexdigest()[:16]


def _as_typed(value: Any) -> Any:
    # Normalize as a form does: shares to a tenth of a percent, texts stripped. Values of older versions that a form
    # cannot represent must not look changed.
    if isinstance(value, dict):
        return {name: _as_typed(one) for name, one in value.items()}
    if isinstance(value, float):
        return round(value * 100, 1)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def name_place(place: str, *known: ProjectSettings) -> str:
    """Return the label of a place; ``known`` settings provide the labels of rows."""
    name, _, part = place.partition(".")
    label = SETTING_LABELS[name]
    if not part:
        return label
    if part in (ORDER, COUNT):
        told = Phrase("order") if part == ORDER else Phrase("more than %(most)s in total").fill(most=MAX_FIELDS)
        return Phrase("%(setting)s: %(value)s").fill(setting=label, value=told)
    rows = [one for settings in known for one in getattr(settings, name) if name in _ROWS]
    called = next((one.label for one in rows if one.name == part), {**OCR_SWITCHES, **MODEL_USES}.get(part, part))
    return Phrase("%(setting)s: %(value)s").fill(setting=label, value=called)
