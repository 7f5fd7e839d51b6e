"""Where an invoice's XML and its printed page disagree: a person sees the page, a program the XML, and one is wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from workflows.stages import values
from workflows.stages.fields.candidates import Document
from workflows.stages.fields.checks import Check

_LIKELY = 0.5  # confidence from which what is printed is taken for the field's value
_NUMBER = re.compile(r"(?:^|_)(?:number|no|num|id)$")  # of names of fields, which hold what identifies a paper


def compare_with_print(document: Document, fields: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """As a result keeps them. ``fields``: the result's own whose value the XML gave, with what the rules found beside.

    Only what identifies an invoice or is paid: dates, amounts and numbers. Names and addresses are often printed
    otherwise than they are registered.
    """
    return [asdict(one) for one in _find_print_contradictions(document, fields)]


def _find_print_contradictions(document: Document, fields: Iterable[Mapping[str, Any]]) -> Iterator[Check]:
    for field in fields:
        best = next(iter(field["candidates"]), None)
        if best is None or best["confidence"] < _LIKELY or field["page"] is not None:  # the page says the same
            continue
        kind, value = str(field["type"]), str(field["value"])
        if _is_compared(field) and not _is_printed(document, kind, value):
            words = f"{field['label']}: the file's XML says {value}, the page prints {best['value']}"
            yield Check(str(field["name"]), words)


def _is_compared(field: Mapping[str, Any]) -> bool:
    return field["type"] in {"date", "amount"} or _NUMBER.search(str(field["name"])) is not None


def _is_printed(document: Document, kind: str, value: str) -> bool:
    """Whether the page shows it anywhere, also if no rule took it for the field's value."""
    if kind == "amount":
        return any(hit.value == value for row in document.rows for hit in values.amounts_in(row.text))
    if kind == "date":
        return any(
            hit.value == value
            for row in document.rows
            for first in (True, False)
            for hit in values.dates_in(row.text, day_first=first)
        )
    return values.words(value) in values.words(document.text)
