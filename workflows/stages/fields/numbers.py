"""The number of the invoice or receipt, behind its label."""

import re
from collections.abc import Iterator

from workflows.stages.fields.candidates import Candidate, Document, after_labels, best_first, of_line

_NO = r"(?:(?:no|nr|num|number|id)\b|#|n°)\s*[.:#]*"
_INVOICE = re.compile(
    rf"\b(?:tax )?inv(?:[o0]ice)?\s*\.?\s*{_NO}|\b\w*rechnung(?:s-?)?\s*{_NO}|\bfacture\s*{_NO}", re.IGNORECASE
)
_RECEIPT = re.compile(rf"\b(?:receipt|rcpt|bill|quittung|beleg)\s*{_NO}|\btax invoice\s*:", re.IGNORECASE)
_DOCUMENT = re.compile(rf"\bdoc(?:ument)?\s*\.?\s*{_NO}|\bcontract\s*{_NO}|\bgutschrift.*?\bnr\.?", re.IGNORECASE)
_OTHER = re.compile(rf"\b(?:transaction|trans|txn|ticket|slip|booking)\s*(?:{_NO}|:)", re.IGNORECASE)
_SIGN = re.compile(r"^\s*#(?=\s*\w)")
LABELS = ((4.0, _INVOICE), (3.0, _RECEIPT), (2.5, _DOCUMENT), (1.5, _OTHER), (1.0, _SIGN))
NUMBER = re.compile(r"[\s:.#-]*([A-Z0-9][A-Z0-9/_.\-]{1,30}[A-Z0-9]|\d{2,})", re.IGNORECASE)


def find(document: Document) -> list[Candidate]:
    return best_first(candidate for points, label in LABELS for candidate in _labelled(document, label, points))


def _labelled(document: Document, label: re.Pattern[str], points: float) -> Iterator[Candidate]:
    for distance, (line, text, start) in enumerate(after_labels(document, label)):
        match = NUMBER.match(text, start)
        if match and any(char.isdigit() for char in match[1]):
            strength = min(1.0, points / 4.0)
            digits = float(sum(char.isdigit() for char in match[1]) >= 4)
            yield of_line(
                line,
                match[1],
                match.start(1),
                match.end(1),
                points - 0.3 * distance + 0.3 * digits,
                label=strength,
                digits=digits,
            )
