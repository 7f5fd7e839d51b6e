"""Clean invoices of normal suppliers, as their programs print them: due next month, with IBAN, tax id and tax.

Nothing on them is doubtful, so none may need a person. ``every()`` gives each layout with each supplier; the supplier
brings its language, currency, and how it writes dates and amounts.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tests.tools import paper
from tests.tools.paper import Sheet

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "lines": "Goods", "discount": "Discount", "delivery": "Delivery", "of": "of", "title": "INVOICE",
        "number": "Invoice number", "date": "Invoice date", "due": "Due date", "order": "Purchase order",
        "customer": "Customer no.", "to": "Bill to", "what": "Description", "count": "Qty", "price": "Unit price",
        "amount": "Amount", "net": "Subtotal", "tax": "VAT", "total": "Total due", "tax_id": "VAT ID",
        "page": "Page 1 of 1", "terms": "Please pay by {due} to the account below, quoting {number}.", "bank": "Bank",
    },
    "us": {
        "lines": "Items", "discount": "Discount", "delivery": "Shipping", "of": "on", "title": "INVOICE",
        "number": "Invoice #", "date": "Invoice Date", "due": "Due Date", "order": "P.O. Number",
        "customer": "Account No.", "to": "Bill To", "what": "Description", "count": "Quantity", "price": "Rate",
        "amount": "Amount", "net": "Subtotal", "tax": "Sales Tax", "total": "Balance Due", "tax_id": "Tax ID",
        "page": "Page 1", "terms": "Payment is due by {due}. Net 30.", "bank": "Bank",
    },
    "de": {
        "lines": "Warenwert", "discount": "Rabatt", "delivery": "Versand", "of": "auf", "title": "Rechnung",
        "number": "Rechnungsnummer", "date": "Rechnungsdatum", "due": "Fällig am", "order": "Bestellnummer",
        "customer": "Kundennummer", "to": "Rechnung an", "what": "Bezeichnung", "count": "Menge",
        "price": "Einzelpreis", "amount": "Betrag", "net": "Nettobetrag", "tax": "MwSt.", "total": "Gesamtbetrag",
        "tax_id": "USt-IdNr.", "page": "Seite 1 von 1", "bank": "Bank",
        "terms": "Zahlbar bis {due} ohne Abzug. Bei Zahlung innerhalb von 10 Tagen 2 % Skonto.",
    },
    "fr": {
        "lines": "Marchandises", "discount": "Remise", "delivery": "Port", "of": "sur", "title": "FACTURE",
        "number": "Facture n°", "date": "Date de facture", "due": "Date d'échéance", "order": "Bon de commande",
        "customer": "Client n°", "to": "Facturé à", "what": "Désignation", "count": "Quantité",
        "price": "Prix unitaire", "amount": "Montant", "net": "Total HT", "tax": "TVA", "total": "Total TTC",
        "tax_id": "N° TVA", "page": "Page 1", "bank": "Banque", "terms": "Paiement au plus tard le {due}.",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Supplier:
    """``money``: how 1,234.50 is printed, with ``{}`` for the digits; ``date``: a pattern of strftime, %B named in its
    language; ``rate`` of its tax in per cent."""

    name: str
    street: str
    place: str
    language: str
    currency: str
    date: str
    money: str
    marks: str  # between thousands, and before the cents
    iban: str
    tax_id: str
    rate: str = "20"

    def day(self, day: dt.date) -> str:
        named = _MONTHS.get(self.language, _MONTHS["en"]).split()[day.month - 1]
        return day.strftime(self.date.replace("%B", named))

    def amount(self, value: Decimal, *, bare: bool = False) -> str:
        digits = f"{value:,.2f}".translate(str.maketrans({",": self.marks[0], ".": self.marks[1]}))
        return digits if bare else self.money.format(digits)


SUPPLIERS = (
    Supplier("Alder & Quill Stationers Ltd", "14 Lantern Street", "Northbridge NB2 4QT", "en", "GBP", "%d %B %Y", "£{}",
             ",.", "GB29 NWBK 6016 1331 9268 19", "GB 000 4181 47"),
    Supplier("Kestrel Office Supplies Limited", "Unit 5, Mill Road", "Oxhaven OX2 8YY", "en", "GBP", "%d/%m/%Y", "£{}",
             ",.", "GB94 BARC 1020 1530 0934 59", "GB123456789"),
    Supplier("Brightwater Consulting Pte. Ltd.", "8 Harbour Lane #04-11", "Singapore 049315", "en", "SGD", "%d %b %Y",
             "S${}", ",.", "GB33 BUKB 2020 1555 5555 55", "201912345K", rate="9"),
    Supplier("Northern Timber AB", "Storgatan 12", "111 22 Stockholm", "en", "SEK", "%Y-%m-%d", "{} SEK", " ,",
             "SE45 5000 0000 0583 9825 7466", "SE556677889901", rate="25"),
    Supplier("Prairie Paper Company Inc.", "4410 Lincoln Avenue", "Springfield, IL 62704", "us", "USD", "%m/%d/%Y",
             "${}", ",.", "GB82 WEST 1234 5698 7654 32", "36-1234567", rate="7"),
    Supplier("Bluebird Hosting LLC", "77 Market Street, Suite 300", "San Francisco, CA 94103", "us", "USD", "%b %d, %Y",
             "${}", ",.", "DE75 5121 0800 1245 1261 99", "94-7654321", rate="8.5"),
    Supplier("Müller Bürobedarf GmbH", "Lindenstraße 27", "80331 München", "de", "EUR", "%d.%m.%Y", "{} €", ".,",
             "DE89 3704 0044 0532 0130 00", "DE123456789", rate="19"),
    Supplier("Hansen & Söhne KG", "Am Hafen 3", "20457 Hamburg", "de", "EUR", "%d. %B %Y", "{} EUR", ".,",
             "DE02 1203 0000 0000 2020 51", "DE987654321", rate="19"),
    Supplier("Alpenblick Druckerei AG", "Bahnhofstrasse 9", "8001 Zürich", "de", "CHF", "%d.%m.%Y", "CHF {}", "'.",
             "CH93 0076 2011 6238 5295 7", "CHE-123.456.789", rate="8.1"),
    Supplier("Papeterie du Quai SARL", "12 rue des Tanneurs", "69002 Lyon", "fr", "EUR", "%d/%m/%Y", "{} €", " ,",
             "FR76 3000 6000 0112 3456 7890 189", "FR12345678901"),
)  # fmt: skip
STEPS = ("tax", "discount", "delivery", "exempt", "of")
LINES = (
    ("Drawing paper A2, 200 g", 6, Decimal("18.50")),
    ("Pigment liner set", 4, Decimal("21.75")),
    ("Portfolio case A1", 20, Decimal("64.00")),
)


@dataclass(frozen=True)
class Invoice:
    """One to be drawn; ``net``, ``tax`` and ``total`` follow from the lines and the supplier's rate."""

    supplier: Supplier
    number: str
    issued: dt.date
    due: dt.date
    order: str = "PO-77120"
    steps: str = "tax"

    @property
    def lines(self) -> Decimal:
        return sum((count * price for _, count, price in LINES), Decimal(0))

    @property
    def net(self) -> Decimal:
        """What the tax is on."""
        return self.lines + {"discount": Decimal("-50.00"), "delivery": Decimal("12.50")}.get(self.steps, Decimal(0))

    @property
    def tax(self) -> Decimal:
        rate = Decimal(0) if self.steps == "exempt" else Decimal(self.supplier.rate)
        return (self.net * rate / 100).quantize(Decimal("0.01"))

    @property
    def total(self) -> Decimal:
        return self.net + self.tax

    @property
    def sums(self) -> list[tuple[str, Decimal]]:
        """The rows between the lines and the foot, each with its label."""
        words, rate = self.words, self.supplier.rate.replace(".", self.supplier.marks[1])
        net, total = (words["net"], self.net), (words["total"], self.total)
        match self.steps:
            case "discount":
                tax = [(f"{words['tax']} {rate} %", self.tax)]
                return [(words["lines"], self.lines), (words["discount"], Decimal("-50.00")), net, *tax, total]
            case "delivery":
                tax = [(f"{words['tax']} {rate} %", self.tax)]
                return [(words["lines"], self.lines), (words["delivery"], Decimal("12.50")), net, *tax, total]
            case "exempt":
                return [net, (f"{words['tax']} 0 %", self.tax), total]
            case "of":
                of = f"{words['tax']} {rate} % {words['of']} {self.supplier.amount(self.net, bare=True)}"
                return [net, (of, self.tax), total]
        return [net, (f"{words['tax']} {rate} %", self.tax), total]

    @property
    def words(self) -> Mapping[str, str]:
        return _WORDS[self.supplier.language]

    @property
    def facts(self) -> list[tuple[str, str]]:
        day, words = self.supplier.day, self.words
        return [
            (words["number"], self.number),
            (words["date"], day(self.issued)),
            (words["due"], day(self.due)),
            (words["order"], self.order),
            (words["customer"], "10042"),
        ]

    @property
    def truth(self) -> dict[str, str]:
        return {
            "company": self.supplier.name,
            "address": f"{self.supplier.street} {self.supplier.place}",
            "invoice_number": self.number,
            "date": self.issued.isoformat(),
            "due_date": self.due.isoformat(),
            "total": f"{self.total:.2f}",
            "currency": self.supplier.currency,
            "iban": self.supplier.iban,
            "tax_id": self.supplier.tax_id,
            "net_amount": f"{self.net:.2f}",
            "tax_amount": f"{self.tax:.2f}",
            "purchase_order": self.order,
            "net_total": f"{self.net:.2f}",
            "items": "\n".join(f"{what}\t{count}\t{price}\t{count * price}" for what, count, price in LINES),
        }


def pairs(one: Invoice) -> Sheet:
    """The head on the left, each fact with its label on the right, sums and bank below."""
    sheet = _sheet(one)
    sheet.text(539, 70, one.words["title"], font="F2", size=20, right=True)
    for number, (label, value) in enumerate(one.facts):
        sheet.text(380, 100 + 15 * number, label, font="F2")
        sheet.text(539, 100 + 15 * number, value, right=True)
    _buyer(sheet, one, 56, 200)
    _table(sheet, one, 280)
    _foot(sheet, one)
    return sheet


def colons(one: Invoice) -> Sheet:
    """Each fact in one run of text with a colon, under the head."""
    sheet = _sheet(one)
    sheet.text(56, 150, one.words["title"], font="F2", size=16)
    for number, (label, value) in enumerate(one.facts):
        sheet.text(56, 172 + 14 * number, f"{label}: {value}")
    _buyer(sheet, one, 340, 172)
    _table(sheet, one, 280)
    _foot(sheet, one)
    return sheet


def headings(one: Invoice) -> Sheet:
    """The facts as a table of one row: each label over its value."""
    sheet = _sheet(one)
    sheet.text(539, 70, one.words["title"], font="F2", size=20, right=True)
    _buyer(sheet, one, 56, 150)
    for number, (label, value) in enumerate(one.facts):
        sheet.text(56 + 100 * number, 224, label, font="F2", size=8.5)
        sheet.text(56 + 100 * number, 238, value)
    sheet.rule(56, 539, 228, weight=0.4)
    _table(sheet, one, 290)
    _foot(sheet, one)
    return sheet


def letter(one: Invoice) -> Sheet:
    """As DIN 5008 has it: the sender small over the window, facts beside it, the bank in the foot's columns."""
    sheet = Sheet(595.0, 842.0)
    seller = one.supplier
    sheet.text(56, 60, seller.name, font="F2", size=15)
    sheet.text(56, 130, f"{seller.name} · {seller.street} · {seller.place}", size=7)
    for number, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        sheet.text(56, 148 + 13 * number, line)
    for number, (label, value) in enumerate(one.facts):
        sheet.text(360, 148 + 14 * number, f"{label}:")
        sheet.text(460, 148 + 14 * number, value)
    sheet.text(56, 250, f"{one.words['title']} {one.number}", font="F2", size=13)
    _table(sheet, one, 280)
    sheet.text(56, 520, one.words["terms"].format(due=seller.day(one.due), number=one.number))
    columns = (
        (seller.name, seller.street, seller.place),
        (one.words["bank"], f"IBAN: {seller.iban}", "BIC: NORDXXXX"),
        (f"{one.words['tax_id']}: {seller.tax_id}", "Tel. 01632 960118", one.words["page"]),
    )
    for number, column in enumerate(columns):
        for row, line in enumerate(column):
            sheet.text(56 + 170 * number, 780 + 11 * row, line, size=7.5)
    return sheet


LAYOUTS: Mapping[str, Callable[[Invoice], Sheet]] = {
    "pairs": pairs,
    "colons": colons,
    "headings": headings,
    "letter": letter,
}


def _sheet(one: Invoice) -> Sheet:
    sheet = Sheet(595.0, 842.0)
    sheet.text(56, 64, one.supplier.name, font="F2", size=16)
    sheet.text(56, 82, one.supplier.street)
    sheet.text(56, 95, one.supplier.place)
    return sheet


def _buyer(sheet: Sheet, one: Invoice, x: float, y: float) -> None:
    sheet.text(x, y, one.words["to"], font="F2", size=8.5)
    for number, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        sheet.text(x, y + 14 + 12 * number, line)


def _table(sheet: Sheet, one: Invoice, y: float) -> None:
    words, amount = one.words, one.supplier.amount
    sheet.text(62, y, words["what"], font="F2")
    for x, name in ((340, "count"), (440, "price"), (533, "amount")):
        sheet.text(x, y, words[name], font="F2", right=True)
    sheet.rule(56, 539, y + 5)
    for number, (what, count, price) in enumerate(LINES):
        down = y + 24 + 18 * number
        sheet.text(62, down, what)
        for x, value in ((340, str(count)), (440, amount(price, bare=True)), (533, amount(count * price, bare=True))):
            sheet.text(x, down, value, right=True)
    down = y + 100
    for number, (label, value) in enumerate(one.sums):
        font = "F2" if number == len(one.sums) - 1 else "F1"
        sheet.text(430, down + 18 * number, label, font=font, right=True)
        sheet.text(533, down + 18 * number, amount(value), font=font, right=True)


def _foot(sheet: Sheet, one: Invoice) -> None:
    seller, words = one.supplier, one.words
    sheet.rule(56, 539, 690, weight=0.4)
    sheet.text(56, 704, words["terms"].format(due=seller.day(one.due), number=one.number), size=8.5)
    sheet.text(56, 718, f"{words['bank']}: Northbridge Savings    IBAN: {seller.iban}    BIC: NORDXXXX", size=8.5)
    sheet.text(56, 732, f"{seller.name}    {words['tax_id']} {seller.tax_id}", size=8.5)


def every(today: dt.date) -> Iterator[tuple[str, Invoice]]:
    """A layout's name and an invoice of the last days, due next month; each layout with each supplier."""
    following = today.replace(day=1) + dt.timedelta(days=32)
    for row, layout in enumerate(LAYOUTS):
        for number, supplier in enumerate(SUPPLIERS):
            issued, due = (
                today - dt.timedelta(days=3 * row + number),
                following.replace(day=1 + (3 * number + row + today.day) % 28),
            )
            steps = STEPS[(row + number) % len(STEPS)]
            yield layout, Invoice(supplier, f"{today.year}-{1400 + 7 * number}", issued, due, steps=steps)


def draw(layout: str, one: Invoice, path: Path) -> Path:
    return paper.save([LAYOUTS[layout](one)], path)
