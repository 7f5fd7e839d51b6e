"""The currency of amounts: its code or sign beside them, else that of the country implied by the legal form."""

import re
from collections import Counter
from collections.abc import Iterator

from workflows.stages import values
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_line

LABEL = re.compile(r"(currency|währung)\s*:?\s*$", re.IGNORECASE)
SIGN = re.compile(
    r"[€£¥₹₪₱₫₺฿]|ש[\"״]ח|(?:\b(?:US|S|A|HK|C))?\$|(?<![A-Za-z])(?:RM|Rs)\.?(?=\s?[-\d(]|\)|\s*$)|(?<=[A-Za-z:(])RM(?=\s?\d|\))"
)
CODE = re.compile(rf"\b(?:{'|'.join(sorted(values.ISO_CURRENCIES))})\b")
COUNTRY: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("MYR", re.compile(r"\b(sdn\.?\s*bhd|malaysia|kuala lumpur|selangor|johor)\b", re.IGNORECASE)),
    ("EUR", re.compile(r"\b(gmbh|deutschland|ust\.?-?id)\b", re.IGNORECASE)),
    ("INR", re.compile(r"\b(pvt\.? ltd|gstin|india)\b", re.IGNORECASE)),
)


_LABELLED = 80  # characters before a sign in which its label ends: a line may be full of signs


def find_currencies(document: Document) -> list[Candidate]:
    found = list(_find_printed_currencies(document))
    count = Counter(candidate.value for candidate in found)
    total = sum(count.values())
    ranked = best_first(
        candidate.stronger(3.0 * count[candidate.value] / total, share=count[candidate.value] / total)
        for candidate in found
    )
    return ranked or list(_find_implied_currencies(document))


def _find_printed_currencies(document: Document) -> Iterator[Candidate]:
    for row in document.rows:
        for position, line in enumerate(row.lines):
            for match in [*CODE.finditer(line.text), *SIGN.finditer(line.text)]:
                code = values.currency(match[0])
                if code:
                    before = (row.lines[position - 1].text + " " if position else "") + line.text[: match.start()]
                    labelled = bool(LABEL.search(before[-_LABELLED:].rstrip(" :")))
                    yield of_line(
                        line, code, match.start(), match.end(), 3.0 * labelled, label=float(labelled), printed=1.0
                    )


def _find_implied_currencies(document: Document) -> Iterator[Candidate]:
    for line in document.lines:
        for code, sign in COUNTRY:
            match = sign.search(line.text)
            if match:
                yield of_line(line, code, match.start(), match.end(), 0.5, printed=0.0, share=0.5)
                return
