"""Extraction results: comparing values, applying corrections, and the published form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

from config.phrase import Sentence
from projects.settings.columns import TABLE, Column
from workflows.stages import values
from workflows.stages.document_types import of_result
from workflows.stages.field_spec import FieldSpec
from workflows.stages.tables import rows as table_rows

LONGEST = 1_000  # characters of one value


def longest(kind: str) -> int:
    """Return the maximum length of a value of this type."""
    return table_rows.LONGEST if kind == TABLE else LONGEST


_READ: Mapping[str, Callable[[str], str | None]] = {
    "date": values.date,
    "amount": values.amount,
    "currency": values.currency,
    "number": values.number,
    "boolean": values.boolean,
}
# Shown beside the field if a correction is invalid.
_REQUIRED = Sentence("%(field)s is required. Enter it or reject the document.")
_TOO_LONG = Sentence("%(field)s is too long. Use at most %(characters)s characters.")
_NOT_ALLOWED = Sentence("%(field)s must be one of the allowed values. Select one or reject the document.")
WRITE = {
    "date": Sentence("Enter the date as 2024-03-31 or 31/03/2024."),
    "amount": Sentence("Enter the amount as 33.90 or 1,007.50, without words."),
    "currency": Sentence("Enter the currency as three letters, for example EUR."),
    "number": Sentence("Enter a number, for example 12 or 1.5."),
    "boolean": Sentence("Enter yes or no."),
    TABLE: Sentence("Enter at least one row."),
}


class Field(Protocol):
    """What the policy needs of a field's schema; the stages' FieldSpec implements it."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def required(self) -> bool: ...
    @property
    def threshold(self) -> float: ...
    @property
    def allowed(self) -> tuple[str, ...]: ...
    @property
    def date_range(self) -> str: ...
    @property
    def table_columns(self) -> tuple[Column, ...]: ...


def to_stored_form(kind: str, text: str) -> str | None:
    """Convert a value to the stored form of its type; None if it is invalid."""
    if kind == TABLE:
        return table_rows.write_rows(table_rows.read_rows(text)) or None
    text = " ".join(text.split())
    read = _READ.get(kind)
    return read(text) if read else text or None


def normalise_value(kind: str, text: str | None) -> str:
    """Normalize for comparison: equal results are the same answer, for scores and "was it corrected"."""
    if not text:
        return ""
    if kind == "text":
        return values.words(text)
    if kind == TABLE:
        return table_rows.normalise_table(text)
    return to_stored_form(kind, text) or values.words(text)


def to_allowed_form(field: Field, text: str) -> str | None:
    """Return the allowed value that the text matches, ignoring case; None if there is none.

    A field without a list allows every value of its type.
    """
    if field.type == TABLE:
        return table_rows.to_stored_table(field.table_columns, text) or None
    stored = to_stored_form(field.type, text)
    if not field.allowed or stored is None or stored in field.allowed:
        return stored
    alike = [value for value in field.allowed if _comparable(field.type, value) == _comparable(field.type, stored)]
    return alike[0] if len(alike) == 1 else None  # "C" must not match "C#" or "C++", which have the same letters


def _comparable(kind: str, stored: str) -> str:
    return str(Decimal(stored).normalize()) if kind in {"number", "amount"} else normalise_value(kind, stored)


def fields_of(result: Mapping[str, Any]) -> tuple[FieldSpec, ...]:
    """Return the schema and policy in a result."""
    return tuple(FieldSpec.from_stored(found) for found in result["fields"])


def validate_corrections(fields: Iterable[Field], corrections: Mapping[str, str | None]) -> dict[str, str]:
    """Map field names to errors; empty if every correction can be stored.

    Blank is valid for an optional field: the document does not have it.
    """
    known = {field.name: field for field in fields}
    messages = {}
    for name, text in corrections.items():
        field = known.get(name)
        message = (
            Sentence("This field is not part of the project's schema.")
            if field is None
            else _message(field, text or "")
        )
        if message:
            messages[name] = message
    return messages


def _message(field: Field, text: str) -> str | None:
    if not text.strip():
        return _REQUIRED.fill(field=field.label) if field.required else None
    if field.type == TABLE:
        return table_rows.table_problem(field.table_columns, field.label, text)
    if len(text) > LONGEST:
        return _TOO_LONG.fill(field=field.label, characters=f"{LONGEST:,}")
    if to_stored_form(field.type, text) is None:
        return WRITE[field.type]
    if to_allowed_form(field, text) is None:
        return _NOT_ALLOWED.fill(field=field.label)
    return None


def merge_corrections(
    result: Mapping[str, Any], corrections: Mapping[str, str | None], *, decision: Mapping[str, Any] | None = None,
    answers: Mapping[str, str] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the published result: the machine's values, a person's corrections, and the facts of the decision.

    ``answers``: field → the person's ``Answer``.
    """
    said = answers or {}
    chosen = corrections.get(of_result.KEY)
    typed = of_result.apply_type_choice(result, chosen)
    kind = of_result.type_to_publish(result, chosen)
    return {
        "version": 1,
        "document_type": typed["document_type"],
        "classification": typed.get("classification"),
        **({"type": kind} if kind else {}),
        "fields": [
            _field_to_publish(field, corrections) | ({"answer": said[field["name"]]} if field["name"] in said else {})
            for field in typed["fields"]
        ],
        "decision": None if decision is None else dict(decision),
    }


def summarize_confidence(fields: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Summarize confidence of the published ``fields``; ``found`` has their thresholds. Shares are 0–1, or None."""
    thresholds = {one["name"]: float(one.get("threshold") or 0.0) for one in found}
    there = [one for one in fields if one.get("value")]
    rated = [float(one["confidence"]) for one in there if one.get("confidence") is not None]
    low = [one for one in there if float(one.get("confidence") or 0.0) < thresholds.get(one["name"], 0.0)]
    return {
        "average": round(sum(rated) / len(rated), 4) if rated else None,
        "lowest": min(rated, default=None),
        "found": len(there),
        "missing": len(fields) - len(there),
        "corrected": sum(one.get("source") == "reviewer" for one in fields),
        "belowThreshold": len(low),
    }


def apply_corrections(result: Mapping[str, Any], corrections: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the result after a person's decision, for the next reviewer."""
    typed = of_result.apply_type_choice(result, corrections.get(of_result.KEY))
    fields = [
        {**field, **_field_to_publish(field, corrections)} if field["name"] in corrections else field
        for field in typed["fields"]
    ]
    return {**typed, "fields": fields}


def _field_to_publish(field: Mapping[str, Any], corrections: Mapping[str, str | None]) -> dict[str, Any]:
    keep = ("name", "label", "type", "value", "raw", "confidence", "page", "box", "source")
    published = {key: field.get(key) for key in keep}
    if field["type"] == TABLE:
        published["rows"] = field["rows"]
    if field["name"] not in corrections:
        return published
    corrected = to_stored_form(field["type"], corrections[field["name"]] or "")
    if corrected == field["value"]:
        return published
    if field["type"] == TABLE:
        published["rows"] = _correct_rows(field, corrected)
    # The box stays: it shows where the person looked; the machine's value stays as the corrected one.
    return published | {"value": corrected, "confidence": 1.0, "source": "reviewer", "extracted": field["value"]}


def _correct_rows(field: Mapping[str, Any], corrected: str | None) -> list[list[dict[str, Any]]]:
    """Return the corrected rows: unchanged cells keep their confidence, and each cell its place."""
    names = [one.name for one in FieldSpec.from_stored(field).table_columns]
    before: Sequence[Sequence[Mapping[str, Any]]] = field["rows"]
    after = table_rows.read_rows(corrected, len(names))
    was = table_rows.match_rows([[str(cell["value"] or "") for cell in row] for row in before], after)
    nothing = [{"value": None, "page": None, "box": None}] * len(names)
    return [
        [
            dict(cell)
            if cell["value"] == (text or None) and place is not None
            else {"column": name, "value": text or None, "confidence": 1.0, "page": cell["page"], "box": cell["box"]}
            for name, text, cell in zip(names, row, nothing if place is None else before[place], strict=True)
        ]
        for row, place in zip(after, was, strict=True)
    ]
