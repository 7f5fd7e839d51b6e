"""The data that starts an execution: read, checked, and laid out as fields that conditions ask for; pure."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from config.errors import Refused
from workflows.rules.routing import Facts

MOST_BYTES = 16_384  # of the input as compact JSON
LONGEST_TITLE = 120
DEEPEST = 12  # levels of lists and objects
_TOO_LARGE = f"The input is too large. Send at most {MOST_BYTES:,} bytes of JSON, and keep files as documents."
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_VALUE = "value"  # what a bare number, text or list is asked for as


def write_input(value: Any) -> str:
    """As it is stored: the same text for the same data. Raises: Refused."""
    if _depth(value) > DEEPEST:
        raise Refused(f"The input is nested too deeply. Use at most {DEEPEST} levels.")
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
        size = len(text.encode())
    except (ValueError, UnicodeEncodeError) as error:
        raise Refused("The input is not valid JSON in UTF-8.") from error
    if size > MOST_BYTES:
        raise Refused(_TOO_LARGE)
    return text


def read_typed_input(text: str) -> Any:
    """What someone typed as JSON. Raises: Refused."""
    if len(text) > MOST_BYTES * 2:
        raise Refused(_TOO_LARGE)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise Refused(f'This is not valid JSON{where}. Enter data such as {{"name": "Jane"}}.') from error


def check_title(title: str) -> str:
    """Tidied. Raises: Refused."""
    tidy = " ".join(title.split())
    if len(tidy) > LONGEST_TITLE or _CONTROL.search(tidy):
        raise Refused(f"Use at most {LONGEST_TITLE} printable characters in the title.")
    return tidy


def hash_input(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def facts_of(text: str) -> Facts:
    """For conditions: ``applicant.salary`` is an entry of an object in an object, a list is several values."""
    found: dict[str, list[str]] = {}
    for path, value in list_values(text):
        found.setdefault(path, []).append(value)
    fields: Mapping[str, Sequence[str]] = found
    return Facts("", fields=fields)


def list_values(text: str) -> Iterator[tuple[str, str]]:
    """Each value with its path, in the order of the data; nothing of null."""
    return _flatten("", json.loads(text, parse_float=Decimal))


def describe_input(text: str) -> str:
    """A line for each value, for a person; what does not print is shown as its number."""
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
    """Of lists and objects within each other, without recursion: the data is anyone's."""
    deepest, left = 0, [(value, 1)]
    while left:
        one, level = left.pop()
        deepest = max(deepest, level)
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        left += [(each, level + 1) for each in inner]
    return deepest - 1
