"""The tool schema for the fields of a page, and the validation of answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workflows.stages import results, values
from workflows.stages.field_spec import FieldSpec
from workflows.stages.services import GivenValue, PageAnswer

TOOL = "record_page"
_DESCRIPTION = "Record what this page of a document says. Call it exactly once."
_HOW: Mapping[str, str] = {
    "text": "As printed.",
    "date": "As YYYY-MM-DD.",
    "amount": "A plain decimal with a point, such as 1007.50; without currency or thousands.",
    "currency": "The ISO 4217 code, such as EUR.",
    "number": "A plain number with a point.",
    "boolean": "true or false.",
}
_DECIMAL = "^-?[0-9]{1,15}([.][0-9]{1,6})?$"
# Patterns that constrained decoding enforces; other models get the same in words. All have a maximum length: a model
# without one may write digits until it is cut off.
_PATTERNS: Mapping[str, str] = {
    "date": "^(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
    "amount": _DECIMAL,
    "currency": "^[A-Z]{3}$",
    "number": _DECIMAL,
    "boolean": "^(true|false)$",
}
LONGEST = 2000  # characters of a value, and of a description
_MOST_ENTITIES = 100
_MOST_PROBLEMS = 20  # reported at a time
_QUOTED = 60  # characters of a rejected value quoted in the correction


@dataclass(frozen=True)
class Problems:
    """Why an answer is invalid, in sentences for the model. ``rest``: the valid part, if any."""

    lines: tuple[str, ...]
    rest: Any = None

    def __str__(self) -> str:
        return " ".join(self.lines)


def page_answer_schema(specs: Sequence[FieldSpec]) -> dict[str, Any]:
    """Return the tool that the model has to call; a field that is not on the page is null."""
    return {
        "name": TOOL,
        "description": _DESCRIPTION,
        "inputSchema": {
            "json": {
                "type": "object",
                "properties": {
                    "document_type": {"type": "string", "description": "One or two words, such as invoice."},
                    "description": {"type": "string", "description": "What the page says, in at most three sentences."},
                    "entities": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Names of people, companies, places and products on the page.",
                    },
                    "fields": {
                        "type": "object",
                        "properties": {spec.name: _property(spec) for spec in specs},
                        "required": [spec.name for spec in specs],
                    },
                },
                "required": ["description", "fields"],
            }
        },
    }


SHARE: Mapping[str, Any] = {
    "type": "number",
    "minimum": 0,
    "maximum": 1,
    "description": "0 to 1: how sure you are that a person would agree.",
}


def _property(spec: FieldSpec) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "string", "description": _HOW.get(spec.type, _HOW["text"])}
    if spec.allowed:
        value["enum"] = list(spec.allowed)
    elif spec.type in _PATTERNS:
        value["pattern"] = _PATTERNS[spec.type]
    return {
        "type": ["object", "null"],
        "description": " ".join(filter(None, (f"{spec.label}.", spec.told, "Null where this page does not say it."))),
        "properties": {
            "value": value,
            "raw": {"type": "string", "description": "The same, letter by letter as printed on the page."},
            "confidence": SHARE,
        },
        "required": ["value", "raw", "confidence"],
    }


def check_page_answer(answer: Any, specs: Sequence[FieldSpec]) -> PageAnswer | Problems:
    """Return the answer with its values in stored form, or all of its problems."""
    if not isinstance(answer, Mapping):
        return Problems(("The input has to be an object.",))
    entries = answer.get("fields")
    if not isinstance(entries, Mapping):
        return Problems(("fields is missing or no object.",))
    known = {spec.name: spec for spec in specs}
    problems = [f"{str(name)[:_QUOTED]} is no field that was asked for." for name in entries if name not in known]
    found = []
    for name, spec in known.items():
        entry = entries.get(name)
        if entry is None:
            continue
        given = _read_given_value(entry, spec)
        if isinstance(given, str):
            problems.append(given)
        elif given is not None:
            found.append(given)
    names = answer.get("entities")
    taken = PageAnswer(
        tuple(found),
        _text(answer.get("description"))[:LONGEST],
        _text(answer.get("document_type"))[:60],
        tuple(_text(one)[:200] for one in names[:_MOST_ENTITIES] if _text(one)) if isinstance(names, list) else (),
    )
    return Problems(tuple(problems[:_MOST_PROBLEMS]), rest=taken if found else None) if problems else taken


def _read_given_value(entry: Any, spec: FieldSpec) -> GivenValue | str | None:
    """Return None if the model says that there is no value; a sentence if it is invalid."""
    if not isinstance(entry, Mapping):
        return f"{spec.name} has to be an object with value, raw and confidence, or null."
    value = _text(entry.get("value"))
    if not value:
        return None
    confidence = entry.get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return f"{spec.name}: confidence has to be a number from 0 to 1."
    read = _to_stored_form(spec.type, value)
    if problem := _describe_value_problem(value, read, spec):
        return f"{spec.name}: {problem}"
    return GivenValue(spec.name, str(read), _text(entry.get("raw"))[:LONGEST] or value, float(confidence))


def _to_stored_form(kind: str, value: str) -> str | None:
    """Models are told to write decimals: on paper "12.345" may be twelve thousand, here it is twelve."""
    if kind in {"amount", "number"} and re.fullmatch(_DECIMAL, value):
        return values.plain(Decimal(value)) if kind == "amount" else f"{Decimal(value):f}"
    return results.to_stored_form(kind, value)


def _describe_value_problem(value: str, read: str | None, spec: FieldSpec) -> str:
    """Return why the value is invalid for the field, or an empty text."""
    if len(value) > LONGEST:
        return f"the value is longer than {LONGEST} characters."
    if read is None:
        return f"{value[:_QUOTED]!r} is no {spec.type}. {_HOW[spec.type]}"
    if spec.allowed and read not in spec.allowed:
        return f"{value[:_QUOTED]!r} is none of {', '.join(spec.allowed)}."
    return ""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip() if isinstance(value, str | int | float) else ""
