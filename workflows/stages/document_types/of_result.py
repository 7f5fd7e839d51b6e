"""The type of a document in a result: how sure it is, which fields go with it, and with another one; pure.

A result of a run that found its type carries ``type``: id (empty for none of the site's types), name, version,
confidence (0–1), threshold, source, and ``candidates``: every other type in the same form, with the fields that were
found for it. So a person may choose another one and nothing has to be read again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

KEY = "#type"  # among corrections and drafts, beside the names of fields: no field's name has such a letter
NONE = "None of these"
CLOSE = 0.15  # two types nearer to each other than this are both possible
_HEAD = ("id", "name", "version", "confidence")


def type_entry(result: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """None if the project says it."""
    found: Mapping[str, Any] | None = result.get("type")
    return found


def describe_type_doubt(result: Mapping[str, Any]) -> str:
    """Why a person should say what this is, in words; empty if it is clear."""
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
    # Rounded down: 79.6 % must not read as the 80 % it misses.
    return f"{name} {int(float(one['confidence']) * 100 + 1e-9)} %"


def list_type_choices(result: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What a person may choose from: what was found, then the others, the likeliest first; none of them last."""
    found = type_entry(result)
    if found is None:
        return ()
    others = sorted(found["candidates"], key=lambda one: (not one["id"], -float(one["confidence"])))
    return [found, *others]


def apply_type_choice(result: Mapping[str, Any], chosen: str | None) -> Mapping[str, Any]:
    """The result with the type of this id and its fields, as a person said, who is not asked again.

    The same where it has that type already. None, and an id that the run does not know, change nothing.
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
    """What the published object says of it; ``chosen``: what a person said, in the place of what was found."""
    found = type_entry(result)
    if found is None:
        return None
    told = {name: found[name] for name in (*_HEAD, "source")}
    now = {name: apply_type_choice(result, chosen)["type"][name] for name in _HEAD}
    if now["id"] == found["id"]:
        return told
    return {**told, **now, "confidence": 1.0, "source": "reviewer", "extracted": found["id"]}
