"""Places where a label's value may be, bounded by other labels."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Line, Row

# Common labels, whether or not the project uses them. A value is none of them, and ends before one.
_COMMON = (
    "no", "nr", "number", "id", "nummer", "vendor", "supplier", "seller", "sold by", "bill to", "billed to", "ship to",
    "sold to", "deliver to", "invoice to", "attn", "customer", "customer no", "customer number", "customer id",
    "account no", "account number", "client", "buyer", "invoice", "invoice no", "invoice number", "invoice date",
    "due date", "issue date", "date", "date of issue", "order no", "order number", "order date", "po", "po no",
    "po number", "purchase order", "purchase order no", "your reference", "our reference", "reference", "ref", "terms",
    "payment terms", "payment method", "delivery date", "delivery address", "shipping address", "billing address",
    "description", "items", "qty", "quantity", "unit", "unit price", "price", "rate", "amount", "hours", "page",
    "total", "grand total", "total due", "amount due", "balance due", "subtotal", "sub total", "net", "net amount",
    "net total", "tax", "tax id", "tax no", "tax number", "tax amount", "vat", "vat id", "vat no", "vat number",
    "vat reg no", "gst", "gst no", "currency", "iban", "bic", "swift", "sort code", "routing no", "phone", "tel",
    "telephone", "fax", "mobile", "email", "e-mail", "email address", "website", "web", "sales person", "salesperson",
    "rechnung", "rechnungsnummer", "rechnungs-nr", "rechnungsnr", "rechnungsdatum", "belegnummer", "belegdatum",
    "datum", "kunde", "kundennummer", "kunden-nr", "kundennr", "lieferant", "lieferdatum", "leistungsdatum",
    "leistungszeitraum", "lieferanschrift", "rechnungsanschrift", "ansprechpartner", "fälligkeitsdatum", "fällig am",
    "zahlbar bis", "zahlungsziel", "bestellnummer", "bestell-nr", "bestelldatum", "auftragsnummer", "ihr zeichen",
    "unser zeichen", "beschreibung", "bezeichnung", "artikel", "pos", "menge", "einheit", "einzelpreis", "preis",
    "betrag", "gesamtpreis", "summe", "gesamt", "gesamtbetrag", "rechnungsbetrag", "nettobetrag", "netto",
    "zwischensumme", "mwst", "ust", "ust-id", "ust-idnr", "ust-id-nr", "umsatzsteuer", "mehrwertsteuer",
    "steuernummer", "steuer-nr", "währung", "bankverbindung", "telefon", "seite", "bearbeiter", "facture",
    "facture n°", "numéro de facture", "date de facture", "date d'échéance", "échéance", "client n°", "fournisseur",
    "désignation", "quantité", "prix unitaire", "montant", "montant ht", "total ht", "total ttc", "tva", "factura",
    "número de factura", "fecha", "fecha de vencimiento", "proveedor", "cliente", "descripción", "cantidad", "importe",
    "iva", "fattura", "scadenza", "fornitore", "descrizione", "quantità", "importo", "factuur", "factuurnummer",
    "factuurdatum", "vervaldatum", "leverancier", "omschrijving", "aantal", "bedrag", "btw", "תאריך", "תאריך חשבונית",
    "מספר חשבונית", "לקוח", "ספק", "תאריך תשלום", "מספר עוסק", "التاريخ", "تاريخ الفاتورة", "تاريخ الاستحقاق",
    "رقم الفاتورة", "العميل", "المورد", "الرقم الضريبي",
)  # fmt: skip
# Compound labels whose parts are other labels.
_COMPOUND = (
    "tax id", "tax no", "tax number", "tax invoice", "vat id", "vat no", "vat number", "vat reg no", "gst no",
    "gst id", "due date", "order date", "delivery date", "email address", "e-mail address", "invoice address",
    "billing address", "delivery address", "shipping address",
)  # fmt: skip
# Any label: up to four words and a colon. Not a time, a URL, or the Fwd: of a subject.
_ANY = re.compile(r"(?!fwd\b)[^\W\d_][^\s:：]{2,29}(?:\s[^\s:：]{1,30}){0,3}(?<![\d\s])\s?[:：](?!//)", re.IGNORECASE)
_ENDED = re.compile(r"\W{0,2}(?:[:：#]|(?:no|nr|id)\b|$)", re.IGNORECASE)
_COLON = re.compile(r"\s?[:：#]")


def is_labelled(text: str) -> bool:
    """Return True if the text begins with what looks like a label."""
    return _ANY.match(text.lstrip(" .#-–:：")) is not None


@dataclass(frozen=True)
class Place:
    """``text`` of the line up to the next label; the value is searched from ``start``.

    ``until``: the start of words that are another label without a colon: IBAN DE89 3704 BIC COBADEFF. ``beside``: in
    the label's own row, not below it.
    """

    line: Line
    text: str
    start: int
    until: int
    beside: bool


class OtherLabels:
    """The labels other than the current one. ``fields``: those of the run's fields."""

    def __init__(self, fields: frozenset[str], own: re.Pattern[str]) -> None:
        spelled = _foreign({*fields, *_COMMON}, own)
        several = [one for one in spelled if len(re.findall(r"\w+", one)) > 1]
        self._any = _pattern(spelled)
        self._longer = _pattern(_foreign({*fields, *_COMPOUND}, own))
        # A single word may begin a name: Company One Ltd. Two words are a label, even without a colon.
        self._several = _pattern(several)

    def open(self, text: str, *, behind: bool = False) -> bool:
        """Return True if the text begins with another label, or anything that looks like one.

        ``behind``: the text follows a label; then words without a colon are not taken for one.
        """
        plain = text.lstrip(" .#-–:：").rstrip()
        first = self._any.match(plain)
        if is_labelled(plain) or (first and _ENDED.match(plain, first.end())):
            return True
        return not behind and bool(self._several.match(plain))

    def is_label(self, text: str) -> bool:
        """Return True if the text is only a label."""
        return text.rstrip().endswith((":", "：")) or bool(self._any.fullmatch(text.strip(" .#-–")))

    def cover(self, text: str, match: re.Match[str]) -> bool:
        """Return True if the match is part of a compound label: Tax in Tax ID."""
        start, end = match.start(), match.start() + len(match[0].rstrip(" .:#-"))
        return any(
            one.start() <= start and end <= one.end() and len(one[0]) > end - start
            for one in self._longer.finditer(text)
        )

    def place(self, line: Line, start: int, *, beside: bool) -> Place:
        """Cut the text at the next label: of "4711 Vendor: Acme" only the number is the value."""
        text = line.text
        begin = start + len(text[start:]) - len(text[start:].lstrip(" :：.#-–"))
        following = list(self._any.finditer(text, begin + 1))
        end = next((one.start() for one in following if _COLON.match(text, one.end())), len(text))
        until = min([end, *(one.start() for one in following[:1])])
        return Place(line, text[:end], start, until, beside=beside)


def _foreign(known: Iterable[str], own: re.Pattern[str]) -> list[str]:
    """Longest first, so that an alternation matches the longest."""
    return sorted((one for one in known if not own.fullmatch(one)), key=lambda one: (-len(one), one))


def _pattern(labels: Sequence[str], after: str = "") -> re.Pattern[str]:
    spelled = "|".join("\\W{0,3}".join(map(re.escape, re.findall(r"\w+", one))) for one in labels)
    return re.compile(rf"(?<!\w)(?:{spelled or '(?!)'})(?!\w){after}", re.IGNORECASE)


_others = lru_cache(maxsize=512)(OtherLabels)


def by_labels(document: Document, label: re.Pattern[str]) -> Iterator[list[Place]]:
    """Yield for each occurrence of the label: after it, beside it in its row, below it, in this order."""
    rows = document.rows
    for number, row in enumerate(rows):
        for position, line in enumerate(row.lines):
            match = label.search(line.text)
            if not match:
                continue
            others = _others(document.labels, label)
            if not others.cover(line.text, match):
                below = rows[number + 1] if number + 1 < len(rows) else None
                yield [*_beside(row, position, match.end(), others), *_below(line, below, others)]


def _beside(row: Row, position: int, start: int, others: OtherLabels) -> Iterator[Place]:
    """Yield the rest of the row up to the next label, which has its own value after it."""
    for line in row.lines[position:]:
        if line.text[start:].strip(" :：.#-–"):
            if others.open(line.text[start:], behind=bool(start)):
                return
            place = others.place(line, start, beside=True)
            yield place
            if place.text != line.text:
                return
        start = 0


def _below(label: Line, row: Row | None, others: OtherLabels) -> Iterator[Place]:
    if row is None or row.page != label.page:
        return
    for number, line in enumerate(row.lines):
        owned = number and others.is_label(row.lines[number - 1].text)
        if not owned and _is_under(label, line) and not others.open(line.text):
            yield others.place(line, 0, beside=False)


def _is_under(label: Line, value: Line) -> bool:
    near = value.box[1] - label.box[3] < 2.5 * label.height
    return near and value.box[0] < label.box[2] and value.box[2] > label.box[0]
