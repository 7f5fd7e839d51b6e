"""Differences between an invoice's XML and its printed page, one of which must be wrong."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from workflows.stages import values
from workflows.stages.fields.candidates import Document
from workflows.stages.fields.checks import Check

_LIKELY = 0.5  # confidence from which a printed value counts as the field's
_NUMBER = re.compile(r"(?:^|_)(?:number|no|num|id)$")  # field names of identifiers


def compare_with_print(document: Document, fields: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return differences as stored in a result. ``fields``: those with XML values and the rules' candidates.

    Only identifiers, dates and amounts: names and addresses are often printed differently than registered.
    """
    return [asdict(one) for one in _find_print_contradictions(document, fields)]


def _find_print_contradictions(document: Document, fields: Iterable[Mapping[str, Any]]) -> Iterator[Check]:
    for field in fields:
        best = next(iter(field["candidates"]), None)
        if best is None or best["confidence"] < _LIKELY or field["page"] is not None:  # the page agrees
            continue
        kind, value = str(field["type"]), str(field["value"])
        if _is_compared(field) and not _is_printed(document, kind, value):
            words = f"{field['label']}: the file's XML says {value}, the page prints {best['value']}"
            yield Check(str(field["name"]), words)


def _is_compared(field: Mapping[str, Any]) -> bool:
    return field["type"] in {"date", "amount"} or _NUMBER.search(str(field["name"])) is not None


def _is_printed(document: Document, kind: str, value: str) -> bool:
    """Return True if the page has it anywhere, even if no rule chose it."""
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
