"""The date of the document: of its issue, not of delivery, birth or payment."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from workflows.stages import values
from workflows.stages.fields import postcodes
from workflows.stages.fields.candidates import GUESSED, SPELLED, Candidate, Document, best_first, of_line
from workflows.stages.pages.layout import Line, Row

ISSUE = re.compile(
    r"\b(invoice|inv|receipt|bill|issue|rechnungs?|belegs?|ausstellungs|factuur|faktura)[\s.-]*(no/)?(date|datum)|"
    r"\bdate of issue|\bdate (de (la )?|d['’])?(facturation|facture|émission)|\bfecha de (la )?(factura|emisión)|"
    r"\bdata (della )?(fattura|emissione)|\bdata wystawienia",
    re.IGNORECASE,
)
LABEL = re.compile(r"\b(date|datum|dated|tarikh|fecha|data|vom|von)\b", re.IGNORECASE)
OTHER = re.compile(
    r"\b(due|expir\w*|valid|until|bis|birth|born|deliver\w*|liefer\w*|leistung\w*|order|check (in|out)|period|from|to|"
    r"flight|print(ed)?|fällig\w*|payment terms|purchase|entry|zeitraum\w*|mfg|best before|zahlbar|zahlungsziel|"
    r"échéance|livraison|commande|payer|vencimiento|entrega|pedido|scadenza|consegna|ordine|vervaldatum|leverdatum|"
    r"förfallo\w*|leverans\w*|termin płatności|bestell\w*|auftrags\w*|return\w*|retum\w*|refund\w*|exchang\w*|"
    r"warrant\w*|garant\w*|guarantee\w*|umtausch\w*)\b",
    re.IGNORECASE,
)
TIME = re.compile(r"\d{1,2}[:.]\d{2}([:.]\d{2})?\s*([ap]\.?m)?", re.IGNORECASE)
# Only what is in no other country: a state before its ZIP code, and less surely a telephone number as Canada writes it.
ZIP = re.compile(rf"\b(?:USA|U\.S\.A|United States)\b|{postcodes.UNITED_STATES}")
PHONE = re.compile(r"\(\d{3}\) \d{3}-\d{4}")
ELSEWHERE = re.compile(
    r"[€£₹]|\bRM ?\d|\bHK\$|\bNZ\$|\b(malaysia|kuala lumpur|selangor|johor|jalan|jln|lorong|taman|gmbh|sdn|pte|pty|"
    r"singapore|hong kong|kowloon|india|gstin|[cs]gst|australia|new zealand|ireland|united kingdom|deutschland|"
    r"france)\b",
    re.IGNORECASE,
)
# Beside a ZIP code they are a buyer's.
_POSTCODE = re.compile(rf"{postcodes.AUSTRALIA}|{postcodes.UNITED_KINGDOM}\b|{postcodes.SINGAPORE}")
TAX = re.compile(r"\b(gst|vat)\b", re.IGNORECASE)
# Where days come first; GST is not among them, since Canada writes either.
_DAYS_FIRST = re.compile(r"\b(EUR|GBP|MYR|SGD|INR|AUD|NZD|VAT|MwSt|USt|TVA|IVA|BTW|PTU)\b", re.IGNORECASE)
# Numbers whose order a country decides. With points the day is first everywhere, and a long year tells where it is.
_BY_COUNTRY = re.compile(r"(\d{1,2})\s*([/-])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})")
_BEHIND = 0.1  # points of what another country reads below what was taken


def find_dates(document: Document) -> list[Candidate]:
    day_first = is_day_first(document.text)
    found = [
        candidate
        for number, row in enumerate(document.rows)
        for candidate in _in_row(row, document.rows[number - 1] if number else None, day_first=day_first)
    ]
    repeats = Counter(candidate.value for candidate in found)
    rated = [
        candidate.stronger(
            0.4 * min(2, repeats[candidate.value] - 1), repeats=min(1.0, (repeats[candidate.value] - 1) / 2)
        )
        for candidate in found
    ]
    return best_first(offer_orders(rated, document.text))


def offer_orders(found: Iterable[Candidate], text: str) -> Iterator[Candidate]:
    """``found`` as read, and after each that is guessed what another country reads. ``text``: of the whole paper."""
    is_told = tells_order(text)
    for candidate in found:
        if is_told or not depends_on_order(candidate.raw):
            yield candidate
            continue
        guess = candidate.stronger(0, **{GUESSED: 1.0})
        yield guess
        for value in list_readings(candidate.raw):
            if value != candidate.value:
                yield replace(guess, value=value).stronger(-_BEHIND, **{SPELLED: 1.0})


def is_day_first(text: str) -> bool:
    """False if the paper is from the United States, or where a date on it can only be read month first."""
    month_first, day_first = _one_way(text)
    if month_first or day_first:
        return day_first >= month_first
    if ELSEWHERE.search(text):
        return True
    return not (ZIP.search(text) or (PHONE.search(text) and not TAX.search(text)))


def tells_order(text: str) -> bool:
    """Whether the paper says if its days or its months come first: by dates, country, currency and tax that agree."""
    month_first, day_first = _one_way(text)
    months = bool(month_first or ZIP.search(text))
    days = bool(day_first or ELSEWHERE.search(text) or _DAYS_FIRST.search(text))
    return months != days or bool(not months and _POSTCODE.search(text))


def _one_way(text: str) -> tuple[int, int]:
    """How many dates can only be read month first, and how many only day first."""
    month_first = re.findall(r"\b(0?[1-9]|1[0-2])/(1[3-9]|2\d|3[01])/\d{2,4}\b", text)
    day_first = re.findall(r"\b(1[3-9]|2\d|3[01])/(0?[1-9]|1[0-2])/\d{2,4}\b", text)
    return len(month_first), len(day_first)


def depends_on_order(raw: str) -> bool:
    """Whether another country reads another day: 03/04/2025, or 25-02-18, whose year may be the first."""
    found = _BY_COUNTRY.fullmatch(raw)
    if not found:
        return False
    first, second = int(found[1]), int(found[3])
    return (first != second and first <= 12 and second <= 12) or (found[2] == "-" and len(found[4]) == 2)


def list_readings(raw: str) -> list[str]:
    """The days (ISO) that countries read in a date of numbers: with its day, its month or its year first.

    >>> list_readings("03/04/2025"), list_readings("25-02-18")
    (['2025-04-03', '2025-03-04'], ['2018-02-25', '2025-02-18'])
    """
    found = [values.date(raw, day_first=True), values.date(raw, day_first=False)]
    numbers = _BY_COUNTRY.fullmatch(raw)
    if numbers and numbers[2] == "-" and len(numbers[4]) == 2:
        found.append(values.date(f"20{int(numbers[1]):02d}-{numbers[3]}-{numbers[4]}"))
    return list(dict.fromkeys(filter(None, found)))


def _in_row(row: Row, above: Row | None, *, day_first: bool) -> Iterator[Candidate]:
    for position, line in enumerate(row.lines):
        for hit in values.dates_in(line.text, day_first=day_first):
            before = line.text[: hit.start]
            if position and not re.search(r"[A-Za-z]{3}", before):
                before = f"{row.lines[position - 1].text} {before}"
            over = _label_over(line, above) if not re.search(r"[A-Za-z]{3}", before) else ""
            yield _rate_date(line, hit, f"{before} {over}", row)


def _label_over(line: Line, above: Row | None) -> str:
    """A column's heading counts as the label of what stands under it."""
    if above is None:
        return ""
    return " ".join(up.text for up in above.lines if up.box[0] < line.box[2] and up.box[2] > line.box[0])


def _rate_date(line: Line, hit: values.Hit, context: str, row: Row) -> Candidate:
    issue, label, other = ISSUE.search(context), LABEL.search(context), OTHER.search(context)
    timed = bool(TIME.search(line.text[hit.end :])) or bool(TIME.search(row.text.replace(hit.raw, " ")))
    compact = hit.raw.isdigit()
    plausible = "1990" <= hit.value[:4] <= "2035"
    points = (
        2.0
        + 3.0 * bool(issue)
        + 2.0 * bool(label)
        - 2.5 * bool(other)
        + 0.8 * timed
        - 1.5 * compact
        - 3.0 * (not plausible)
    )
    evidence = {
        "label": 1.0 if issue or (label and not other) else 0.0,
        "timed": float(timed),
        "plausible": float(plausible and not compact),
        "other": float(bool(other)),
    }
    return of_line(line, hit.value, hit.start, hit.end, points, **evidence)
