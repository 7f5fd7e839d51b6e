"""The document type in a result: its confidence, its fields, and the switch to another type. Pure functions.

A result of a run that determined its type has ``type``: id (empty for none of the site's types), name, version,
confidence (0–1), threshold, source, and ``candidates``: all other types in the same form, with the fields found for
each. So a person can choose another one without another extraction.
"""

from collections.abc import Mapping, Sequence
from typing import Any

KEY = "#type"  # the key in corrections and drafts; no field name contains this character
NONE = "None of these"
CLOSE = 0.15  # types closer to each other than this are both possible
_HEAD = ("id", "name", "version", "confidence")


def type_entry(result: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return None if the project determines the type."""
    found: Mapping[str, Any] | None = result.get("type")
    return found


def describe_type_doubt(result: Mapping[str, Any]) -> str:
    """Return why the type needs a review, or an empty text."""
    found = type_entry(result)
    if found is None or found.get("said"):
        return ""
    rated, needed = float(found["confidence"]), float(found["threshold"])
    if not found["id"] and found["required"]:
        return "Document type: no match"
    best = max(found["candidates"], key=lambda one: float(one["confidence"]), default=None)
    close = best is not None and float(best["confidence"]) > rated - CLOSE
    if best is not None and (close or rated < needed) and float(best["confidence"]) >= CLOSE:
        return f"Document type: {_describe_type(found)} or {_describe_type(best)}?"
    return f"Document type {_describe_type(found)}, needs {round(needed * 100)} %" if rated < needed else ""


def _describe_type(one: Mapping[str, Any]) -> str:
    name = one["name"] if one["id"] else "none"
    # Rounded down: 79.6 % must not look like the 80 % it misses.
    return f"{name} {int(float(one['confidence']) * 100 + 1e-9)} %"


def list_type_choices(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """List the choices: the type found, then others by likelihood; none last."""
    found = type_entry(result)
    if found is None:
        return ()
    others = sorted(found["candidates"], key=lambda one: (not one["id"], -float(one["confidence"])))
    return [found, *others]


def apply_type_choice(result: Mapping[str, Any], chosen: str | None) -> Mapping[str, Any]:
    """Return the result with the type that a person chose, and its fields; then it needs no review.

    Unchanged if it has that type. None, and ids that the run does not know, change nothing.
    """
    found = type_entry(result)
    if found is None or chosen is None or chosen == found["id"]:
        return result
    other = next((one for one in found["candidates"] if one["id"] == chosen), None)
    if other is None:
        return result
    before = {name: found[name] for name in _HEAD} | {"fields": result["fields"]}
    candidates = [before, *(one for one in found["candidates"] if one["id"] != chosen)]
    kind = {**found, **{name: other[name] for name in _HEAD}, "candidates": candidates, "said": True}
    return {
        **result,
        "document_type": other["name"] if chosen else "other",
        "classification": {name: other[name] for name in ("id", "name", "version")} if chosen else None,
        "fields": other["fields"],
        "type": kind,
    }


def type_to_publish(result: Mapping[str, Any], chosen: str | None) -> dict[str, Any] | None:
    """Return the published form; ``chosen``: a person's choice, which overrides the machine's."""
    found = type_entry(result)
    if found is None:
        return None
    told = {name: found[name] for name in (*_HEAD, "source")}
    now = {name: apply_type_choice(result, chosen)["type"][name] for name in _HEAD}
    if now["id"] == found["id"]:
        return told
    return {**told, **now, "confidence": 1.0, "source": "reviewer", "extracted": found["id"]}
