"""Fields that no finder knows: the value beside or under the label that the project's schema gives."""

import re
from collections.abc import Iterator

from workflows import values
from workflows.stages.base import FieldSpec
from workflows.stages.fields.candidates import Candidate, Document, after_labels, best_first, of_line

_READ = {"currency": values.currency, "number": values.number, "boolean": values.boolean}


def find(document: Document, spec: FieldSpec) -> list[Candidate]:
    return best_first(_candidates(document, spec))


def _candidates(document: Document, spec: FieldSpec) -> Iterator[Candidate]:
    for distance, (line, text, start) in enumerate(after_labels(document, pattern(spec))):
        hit = _value(spec.type, text, start)
        if hit:
            yield of_line(
                line, hit.value, hit.start, hit.end, 3.0 - 0.3 * distance, label=1.0 if distance == 0 else 0.6
            )


def pattern(spec: FieldSpec) -> re.Pattern[str]:
    """The label or the field's name, whatever stands between its words: "Contract No." for contract_no."""
    spellings = {
        "".join(f"{re.escape(word)}\\W*" for word in re.findall(r"\w+", text.replace("_", " ")))
        for text in (spec.label, spec.name)
    }
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(sorted(filter(None, spellings), key=len, reverse=True))})(?!\w)", re.IGNORECASE
    )


def _value(kind: str, text: str, start: int) -> values.Hit | None:
    if kind in {"date", "amount"}:
        found = values.dates_in(text) if kind == "date" else values.amounts_in(text)
        return next((hit for hit in found if hit.start >= start), None)
    rest = text[start:].strip(" :.#-–")
    begin = text.find(rest, start)
    if kind == "boolean":
        rest = (rest.split() or [""])[0].rstrip(",;")
    value = _READ[kind](rest) if kind in _READ else rest
    return values.Hit(value, rest, begin, begin + len(rest)) if value else None
