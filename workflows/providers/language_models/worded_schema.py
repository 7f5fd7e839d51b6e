"""JSON answers of models without tools: the schema is described in words, and the JSON extracted from the text."""

import json
from collections.abc import Mapping
from typing import Any

_DECODER = json.JSONDecoder()


def describe_schema(tool: Mapping[str, Any]) -> str:
    """Return the addition to the instructions, which mention a tool."""
    schema = json.dumps(tool["inputSchema"]["json"], ensure_ascii=False, separators=(",", ":"))
    return (
        f"\n\nYou have no tool. {tool['description']} Do it by answering with one JSON object and nothing else, "
        f"which has to match this schema:\n{schema}"
    )


def find_json(text: str, *, inner: bool = True) -> Any:
    r"""Return the first object in ``text``; None if there is none.

    ``inner``: accept a complete one inside of a truncated one.

    >>> find_json('Sure: ```json\n{"a": {"b": 1}}\n```'), find_json("{no"), find_json("7")
    ({'a': {'b': 1}}, None, None)
    """
    start = text.find("{")
    while start >= 0:
        try:
            found, _ = _DECODER.raw_decode(text, start)
        except ValueError:
            start = text.find("{", start + 1) if inner else -1
        else:
            return found
    return None
