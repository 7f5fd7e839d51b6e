"""The input of an execution: parsing, validation, corrections, and its values as fields for conditions.

Pure functions.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Figure, Sentence
from workflows.definitions.rules import Facts

MOST_BYTES = 16_384  # bytes of the input as compact JSON
LONGEST_TITLE = 120
DEEPEST = 12  # levels of lists and objects
_TOO_LARGE = Sentence(
    "The input is too large. Send at most %(most_bytes)s bytes of JSON, and keep files as documents."
).fill(most_bytes=Figure(f"{MOST_BYTES:,}"))
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_VALUE = "value"  # the field name of a bare number, text or list


def write_input(value: Any) -> str:
    """Serialize the input as it is stored, canonically. Raises: Refused."""
    if _depth(value) > DEEPEST:
        told = gettext("The input is nested too deeply. Use at most %(deepest)s levels.") % {"deepest": DEEPEST}
        raise Refused(told, field="input")
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
        size = len(text.encode())
    except (ValueError, UnicodeEncodeError) as error:
        raise Refused(gettext("The input is not valid JSON in UTF-8."), field="input") from error
    if size > MOST_BYTES:
        raise Refused(_TOO_LARGE, field="input")
    return text


def read_typed_input(text: str) -> Any:
    """Parse JSON that a person typed. Raises: Refused."""
    if len(text) > MOST_BYTES * 2:
        raise Refused(_TOO_LARGE)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise Refused(
            gettext('This is not valid JSON at line %(line)s. Enter data such as {"name": "Jane"}.') % {"line": line}
        ) from error


def check_title(title: str) -> str:
    """Normalize a title. Raises: Refused."""
    tidy = " ".join(title.split())
    if len(tidy) > LONGEST_TITLE or _CONTROL.search(tidy):
        raise Refused(
            gettext("Use at most %(longest_title)s printable characters in the title.")
            % {"longest_title": LONGEST_TITLE},
            field="title",
        )
    return tidy


def hash_input(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def facts_of(text: str) -> Facts:
    """Return the facts for conditions: ``applicant.salary`` is a nested entry, a list is several values."""
    found: dict[str, list[str]] = {}
    for path, value in list_values(text):
        found.setdefault(path, []).append(value)
    fields: Mapping[str, Sequence[str]] = found
    return Facts("", fields=fields)


def list_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield each value with its path, in the order of the data; null is omitted."""
    return _flatten("", json.loads(text, parse_float=Decimal))


def read_entry(text: str, path: str) -> str | None:
    """Return the single value at a path, as conditions see it; None if there is none, or several."""
    found = [value for one, value in list_values(text) if one == path]
    return found[0] if len(found) == 1 else None


def may_correct(text: str, path: str) -> bool:
    """Return True if the path leads to a single value, or to a missing one that can be added."""
    value: Any = json.loads(text)
    for name in path.split("."):
        if not isinstance(value, dict):
            return False
        if name not in value:
            return True
        value = value[name]
    return not isinstance(value, dict | list)


def correct_entries(text: str, corrections: Mapping[str, str | None]) -> str:
    """Return the input with other values at these paths; a number stays a number if one was typed. Raises: Refused."""
    value = json.loads(text)
    for path, typed in corrections.items():
        *way, name = path.split(".")
        inner = value
        for one in way:
            inner = inner.setdefault(one, {})
        inner[name] = _as_before(inner.get(name), typed)
    return write_input(value)


def _as_before(before: Any, typed: str | None) -> Any:
    if typed is None or isinstance(before, str):
        return typed
    try:
        value = json.loads(typed)
    except ValueError:
        return typed
    kinds = bool if isinstance(before, bool) else int | float if isinstance(before, int | float) else ()
    return value if isinstance(value, kinds) and isinstance(value, bool) == isinstance(before, bool) else typed


def describe_input(text: str) -> str:
    """Return a line for each value, for people; unprintable characters are shown as their code point."""
    lines = (f"{path}: {value}" for path, value in list_values(text))
    return "\n".join(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", one) for one in lines)


def _flatten(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _flatten(f"{path}.{name}" if path else name, one)
    elif isinstance(value, list):
        for one in value:
            yield from _flatten(path, one)
    elif isinstance(value, bool):
        yield path or _VALUE, "true" if value else "false"
    elif isinstance(value, Decimal):
        yield path or _VALUE, format(value, "f")
    elif value is not None:
        yield path or _VALUE, str(value)


def _depth(value: Any) -> int:
    """Return the nesting depth, without recursion: the data is untrusted."""
    deepest, left = 0, [(value, 1)]
    while left:
        one, level = left.pop()
        deepest = max(deepest, level)
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        left += [(each, level + 1) for each in inner]
    return deepest - 1
