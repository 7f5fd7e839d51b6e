"""What the demo's past week brought: invoices, receipts, contracts and delivery notes of invented firms."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.tools import paper
from tests.tools.paper import Sheet

A4 = (595.0, 842.0)
VAT = 20  # percent


@dataclass(frozen=True)
class Seller:
    name: str
    address: tuple[str, str]
    iban: str
    vat_id: str
    color: tuple[float, float, float]


JUNIPER = Seller(
    "Juniper Mill Paper Ltd", ("2 Weir Street", "Saltmarsh SM4 2CD"), "GB33 BUKB 2020 1555 5555 55", "GB 000 7702 30",
    (0.44, 0.31, 0.16),
)  # fmt: skip
HOLLOWAY = Seller(
    "Holloway Print Works Ltd", ("81 Kiln Lane", "Northbridge NB5 1RR"), "GB94 BARC 1020 1530 0934 59",
    "GB 000 3318 51", (0.20, 0.28, 0.45),
)  # fmt: skip
FENWICK = Seller(
    "Fenwick Office Supply Ltd", ("6 Tannery Yard", "Oxhaven OX1 3LP"), "GB29 NWBK 6016 1331 9268 19",
    "GB 000 9051 35", (0.16, 0.38, 0.28),
)  # fmt: skip


def invoice(path: Path, seller: Seller, number: str, issued: dt.date, lines: Sequence[tuple[str, int, int]]) -> Path:
    """``lines``: what, how many, pence each."""
    sheet = Sheet(*A4)
    sheet.bar((0, 0, 595, 9), seller.color)
    sheet.text(56, 66, seller.name, font="F2", size=17)
    for row, line in enumerate((*seller.address, "United Kingdom")):
        sheet.text(56, 86 + 13 * row, line)
    sheet.text(539, 70, "INVOICE", font="F2", size=22, right=True)
    due = issued + dt.timedelta(days=30)
    facts = (("Invoice number", number), ("Invoice date", _long(issued)), ("Due date", _long(due)))
    for row, (label, value) in enumerate(facts):
        sheet.text(370, 100 + 15 * row, label, font="F2")
        sheet.text(539, 100 + 15 * row, value, right=True)
    _bill_to(sheet)
    sheet.bar((56, 256, 483, 20), (0.91, 0.93, 0.94))
    sheet.text(62, 270, "Description", font="F2")
    for x, heading in ((330, "Qty"), (430, "Unit price"), (533, "Amount")):
        sheet.text(x, 270, heading, font="F2", right=True)
    for row, (what, count, pence) in enumerate(lines):
        sheet.text(62, 294 + 21 * row, what)
        for x, value in ((330, str(count)), (430, _amount(pence)), (533, _amount(count * pence))):
            sheet.text(x, 294 + 21 * row, value, right=True)
        sheet.rule(56, 539, 301 + 21 * row, weight=0.3)
    net = sum(count * pence for _, count, pence in lines)
    vat = round(net * VAT / 100)
    for row, (label, pence) in enumerate((("Net total", net), (f"VAT {VAT} %", vat), ("Total due", net + vat))):
        font, size = ("F2", 11.0) if label == "Total due" else ("F1", 9.5)
        sheet.text(430, 424 + 19 * row, label, font=font, size=size, right=True)
        sheet.text(533, 424 + 19 * row, f"£{_amount(pence)}", font=font, size=size, right=True)
    sheet.rule(56, 539, 686, weight=0.4)
    sheet.text(56, 700, f"Please pay by {_long(due)} and quote the invoice number.", size=8.5)
    sheet.text(56, 713, f"IBAN: {seller.iban}", size=8.5)
    sheet.text(56, 726, f"{seller.name}    VAT ID: {seller.vat_id}    Registered in England", size=8.5)
    return paper.save([sheet], path)


def receipt(
    path: Path, shop: str, street: str, *, at: dt.datetime, basket: Sequence[tuple[str, int]], seed: int
) -> Path:
    """A photo of a till's print."""
    sheet = Sheet(226, 360)
    sheet.text(113 - 3.6 * len(shop), 42, shop, font="F4", size=12)
    sheet.text(113 - 2.7 * len(street), 60, street, font="F3", size=9)
    sheet.text(18, 92, f"RECEIPT {3000 + seed:06}   {at:%d/%m/%Y %H:%M}", font="F3", size=9)
    sheet.rule(18, 208, 102)
    for row, (what, pence) in enumerate(basket):
        sheet.text(18, 120 + 15 * row, what, font="F3", size=9)
        sheet.text(208, 120 + 15 * row, _amount(pence), font="F3", size=9, right=True)
    below = 126 + 15 * len(basket)
    sheet.rule(18, 208, below)
    sheet.text(18, below + 20, "TOTAL", font="F4", size=13)
    sheet.text(208, below + 20, f"£{_amount(sum(pence for _, pence in basket))}", font="F4", size=13, right=True)
    sheet.text(18, below + 44, "VISA DEBIT ****4471", font="F3", size=9)
    paper.photographed(paper.picture(sheet, 150), seed=seed, angle=-1.2, blur=0.8).save(path, "JPEG", quality=70)
    return path


def contract(path: Path, number: str, *, parties: tuple[str, str], kind: str, begins: dt.date) -> Path:
    company, counterparty = parties
    sheet = Sheet(*A4)
    sheet.text(56, 80, f"{kind.upper()} AGREEMENT", font="F2", size=18)
    sheet.text(56, 104, f"Contract number: {number}", size=10)
    ends = begins + dt.timedelta(days=729)
    clauses = (
        f"This agreement is made between {company} and {counterparty}.",
        f"Effective date: {_long(begins)}", f"End date: {_long(ends)}",
        "1. The parties perform the services described in Schedule A with reasonable skill and care.",
        "2. Fees are due within 30 days of a valid invoice and exclude VAT.",
        "3. Either party may end this agreement with three months' written notice.",
        "4. Each party keeps the other's confidential information secret for five years.",
        "Governing law: England and Wales",
    )  # fmt: skip
    for row, text in enumerate(clauses):
        sheet.text(56, 150 + 30 * row, text, size=10)
    for x, name in ((56, company), (320, counterparty)):
        sheet.rule(x, x + 200, 480)
        sheet.text(x, 494, f"for {name}", size=9)
    return paper.save([sheet], path)


def delivery_note(
    path: Path, seller: Seller, number: str, *, order: str, day: dt.date, goods: Sequence[tuple[str, int]]
) -> Path:
    sheet = Sheet(*A4)
    sheet.bar((0, 0, 595, 9), seller.color)
    sheet.text(56, 66, seller.name, font="F2", size=17)
    for row, line in enumerate(seller.address):
        sheet.text(56, 86 + 13 * row, line)
    sheet.text(539, 70, "DELIVERY NOTE", font="F2", size=20, right=True)
    for row, (label, value) in enumerate((("Delivery no.", number), ("Date", _long(day)), ("PO number", order))):
        sheet.text(390, 100 + 15 * row, label, font="F2")
        sheet.text(539, 100 + 15 * row, value, right=True)
    _bill_to(sheet, "Deliver to")
    for row, (what, count) in enumerate(goods):
        sheet.text(62, 280 + 21 * row, what)
        sheet.text(533, 280 + 21 * row, str(count), right=True)
        sheet.rule(56, 539, 287 + 21 * row, weight=0.3)
    sheet.text(56, 480, "Received in good order:", size=10)
    sheet.rule(180, 400, 482)
    return paper.save([sheet], path)


def _bill_to(sheet: Sheet, words: str = "Bill to") -> None:
    sheet.text(56, 176, words, font="F2", size=8.5)
    for row, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        sheet.text(56, 191 + 13 * row, line)


def _long(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _amount(pence: int) -> str:
    return f"{pence / 100:,.2f}"
