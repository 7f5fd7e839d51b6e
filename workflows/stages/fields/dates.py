"""The date of issue of a document, not of delivery, birth or payment."""

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
    r"\bdata (della )?(fattura|emissione)|\bdata wystawienia|"
    r"\bתאריך (ה?(חשבונית|קבלה|הפקה|הנפקה|מסמך))|\bتاريخ (ال)?([إا]صدار|فاتورة|تحرير)",
    re.IGNORECASE,
)
LABEL = re.compile(r"\b(date|datum|dated|tarikh|fecha|data|vom|von|תאריך|(?:ال)?تاريخ)\b", re.IGNORECASE)
OTHER = re.compile(
    r"\b(good (?:to|through|thru|till)|ends|"
    r"due|expir\w*|valid|until|bis|birth|born|deliver\w*|liefer\w*|leistung\w*|order|check (in|out)|period|from|to|"
    r"flight|print(ed)?|fällig\w*|payment terms|purchase|entry|zeitraum\w*|mfg|best before|zahlbar|zahlungsziel|"
    r"échéance|livraison|commande|payer|vencimiento|entrega|pedido|scadenza|consegna|ordine|vervaldatum|leverdatum|"
    r"förfallo\w*|leverans\w*|termin płatności|bestell\w*|auftrags\w*|return\w*|retum\w*|refund\w*|exchang\w*|"
    r"warrant\w*|garant\w*|guarantee\w*|umtausch\w*|"
    r"לתשלום|תשלום|פירעון|אספקה|משלוח|הזמנה|תוקף|(?:ال)?(?:استحقاق|سداد|دفع|تسليم|توريد|طلب|انتهاء|صلاحية))\b",
    re.IGNORECASE,
)
TIME = re.compile(r"\d{1,2}[:.]\d{2}([:.]\d{2})?\s*([ap]\.?m)?", re.IGNORECASE)
# Marks of one country only: a state before its ZIP code, and less surely a telephone number in Canadian format.
ZIP = re.compile(rf"\b(?:USA|U\.S\.A|United States)\b|{postcodes.UNITED_STATES}")
PHONE = re.compile(r"\(\d{3}\) \d{3}-\d{4}")
ELSEWHERE = re.compile(
    r"[€£₹₪]|\bRM ?\d|\bHK\$|\bNZ\$|\b(malaysia|kuala lumpur|selangor|johor|jalan|jln|lorong|taman|gmbh|sdn|pte|pty|"
    r"singapore|hong kong|kowloon|india|gstin|[cs]gst|australia|new zealand|ireland|united kingdom|deutschland|"
    r"france)\b",
    re.IGNORECASE,
)
# Beside a ZIP code they belong to the buyer.
_POSTCODE = re.compile(rf"{postcodes.AUSTRALIA}|{postcodes.UNITED_KINGDOM}\b|{postcodes.SINGAPORE}")
TAX = re.compile(r"\b(gst|vat)\b", re.IGNORECASE)
# Marks of countries with days first. GST and VAT are not among them: Canada uses both orders, and the Philippines
# mostly months first.
_DAYS_FIRST = re.compile(
    r"\b(EUR|GBP|MYR|SGD|INR|AUD|NZD|CHF|CZK|PLN|RON|DKK|NOK|BRL|ARS|CLP|COP|IDR|THB|VND|TRY|KES|NGN|GHS|UGX|TZS|JMD|"
    r"TTD|LKR|PKR|BDT|AED|KSh?s?|MwSt|USt|TVA|BTW|PTU|DPH|PDV|DDV|KDV|IVA|NIF|CIF|NIPC|KvK|P\.? ?IVA|SIRET|GSTIN|"
    r"kenya|nigeria|ghana|uganda|tanzania|jamaica|trinidad|barbados|indonesia|thailand|vietnam|pakistan|bangladesh|"
    r"sri lanka|brasil|brazil|portugal|espa[ñn]a|spain|m[ée]xico|argentina|colombia|chile|per[uú]|italia|italy|"
    r"nederland|netherlands|belgi\w+|suisse|schweiz|polska|poland|t[üu]rkiye|turkey|emirates|dubai)\b|J\$",
    re.IGNORECASE,
)
# Marks of countries with mostly months first: these need a review.
_MONTHS_OFTEN = re.compile(r"\b(philippines|pilipinas|manila|php|brgy|barangay|guam|puerto rico)\b|₱", re.IGNORECASE)
# Numeric dates whose order depends on the country. With points the day is first everywhere, and a four-digit year is
# unambiguous.
_BY_COUNTRY = re.compile(r"(\d{1,2})\s*([/-])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})")
_NUMBERS = re.compile(
    r"(?<![\d./-])(?P<first>\d\d?)(?P<between>[/-])(?P<second>\d\d?)(?P=between)(?P<year>(?:19|20)\d\d|\d\d(?!\d))"
)
_BEHIND = 0.1  # points by which another country's reading ranks lower


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
    """Yield ``found`` as read, each guessed one followed by the other reading. ``text``: of the whole document."""
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
    """Return False if the document is from the United States, or has a date that can only be month first."""
    month_first, day_first = _one_way(text)
    if month_first or day_first:
        return day_first >= month_first
    if ELSEWHERE.search(text):
        return True
    if _MONTHS_OFTEN.search(text):
        return False
    return not (ZIP.search(text) or (PHONE.search(text) and not TAX.search(text)))


def tells_order(text: str) -> bool:
    """Return True if dates, country, currency and tax agree on the order of days and months.

    A tax that countries with both orders have is no evidence.
    """
    month_first, day_first = _one_way(text)
    months = bool(month_first or ZIP.search(text))
    days = bool(day_first or ELSEWHERE.search(text) or _DAYS_FIRST.search(text))
    if _MONTHS_OFTEN.search(text) and not (month_first or day_first):
        return False
    return months != days or bool(not months and _POSTCODE.search(text))


def _one_way(text: str) -> tuple[int, int]:
    """Count dates that can only be month first, and only day first."""
    found = [one for one in _NUMBERS.finditer(text) if one["between"] == "/" or len(one["year"]) == 4]
    numbers = [(int(one["first"]), int(one["second"])) for one in found]
    month_first = sum(first <= 12 < second <= 31 for first, second in numbers)
    day_first = sum(second <= 12 < first <= 31 for first, second in numbers)
    return month_first, day_first


def depends_on_order(raw: str) -> bool:
    """Return True if another country reads another day: 03/04/2025, or 25-02-18, whose year may be first."""
    found = _BY_COUNTRY.fullmatch(raw)
    if not found:
        return False
    first, second = int(found[1]), int(found[3])
    return (first != second and first <= 12 and second <= 12) or (found[2] == "-" and len(found[4]) == 2)


def list_readings(raw: str) -> list[str]:
    """Return the days (ISO) in each order of a numeric date: day, month or year first.

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
    """A column's heading counts as the label of what is below it."""
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
