"""The number of an invoice or receipt, by its label."""

import re
from collections.abc import Iterator

from workflows.stages.fields.candidates import Candidate, Document, best_first, of_line
from workflows.stages.fields.places import by_labels

_NO = r"(?:(?:no|nr|num|number|nummer|id)\b|#|n[°º])\s*[.:#]*"
_NO_HEBREW = r"(?:מספר\b|מס['׳]|מס\.)"
_INVOICE = re.compile(
    rf"\b(?:tax )?inv(?:[o0]ice)?\s*\.?\s*{_NO}|\b\w*rechnung(?:s-?)?\s*{_NO}|"
    rf"\b(?:factur[ae]|fattura|factuur|faktura)\s*{_NO}|\bfattura n\b\.?|\bnumer faktury\b|"
    r"\bn[uú]m[eé]ro (?:de (?:la )?)?(?:factur[ae]|fattura)\b|\bn[°º]\s*(?:de )?factur[ae]\b|"
    rf"\b{_NO_HEBREW}\s*ה?חשבונית(?: ?(?:ה?מס|עסקה))?\b|\bחשבונית(?: ?(?:מס|עסקה))?(?: ?[/-]? ?קבלה)?\s*{_NO_HEBREW}|"
    r"\bرقم (?:ال)?فاتورة(?: (?:ال)?ضريبية)?\b|\b(?:ال)?فاتورة(?: (?:ال)?ضريبية)?\s*رقم\b",
    re.IGNORECASE,
)
_RECEIPT = re.compile(
    rf"\b(?:receipt|rcpt|bill|quittung|beleg)(?:s?-)?\s*{_NO}|\btax invoice\s*:|"
    rf"\b{_NO_HEBREW}\s*ה?קבלה\b|\bקבלה\s*{_NO_HEBREW}|\bرقم (?:ال)?[إا]يصال\b|\b(?:ال)?[إا]يصال\s*رقم\b",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(rf"\bdoc(?:ument)?\s*\.?\s*{_NO}|\bcontract\s*{_NO}|\bgutschrift.*?\bnr\.?", re.IGNORECASE)
_OTHER = re.compile(rf"\b(?:transaction|trans|txn|ticket|slip|booking)\s*(?:{_NO}|:)", re.IGNORECASE)
_SIGN = re.compile(r"^\s*#(?=\s*\w)")
LABELS = ((4.0, _INVOICE), (3.0, _RECEIPT), (2.5, _DOCUMENT), (1.5, _OTHER), (1.0, _SIGN))
NUMBER = re.compile(r"[\s:.#-]{0,80}([A-Z0-9][A-Z0-9/_.\-]{1,30}[A-Z0-9]|\d{2,})", re.IGNORECASE)


def find_document_numbers(document: Document) -> list[Candidate]:
    return best_first(
        candidate for points, label in LABELS for candidate in _find_labelled_numbers(document, label, points)
    )


def _find_labelled_numbers(document: Document, label: re.Pattern[str], points: float) -> Iterator[Candidate]:
    for again, places in enumerate(by_labels(document, label)):
        for distance, place in enumerate(places):
            match = NUMBER.match(place.text, place.start)
            if match and any(char.isdigit() for char in match[1]):
                digits = float(sum(char.isdigit() for char in match[1]) >= 4)
                worth = points - 0.3 * distance - 0.1 * min(again, 5) + 0.3 * digits
                strength = min(1.0, points / 4.0)
                span = match.span(1)
                yield of_line(place.line, match[1], *span, worth, label=strength, digits=digits)
                break
