"""Invoices that differ in where seller and buyer stand and what is printed over them; no two seeds share a name.

``python -m tests.generated.parties FOLDER COUNT SEED``: ``COUNT`` of each layout, as PDFs with a text layer. Rules were
tuned on seed 1.
"""

import datetime as dt
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

from tests.tools import paper
from tests.tools.paper import Sheet

_STARTS = "Bal Cor Dren Fal Gar Hol Kel Lor Mar Nor Pel Quin Ros Sel Tar Ul Ver Wex Yar Zel".split()  # noqa: SIM905
_ENDS = "bridge court dale field ford gate ham hurst ley mere more ridge stead ston thorpe wick worth vale".split()  # noqa: SIM905
_KINDS = ("Joinery", "Freight", "Ceramics", "Instruments", "Analytics", "Uniforms", "Packaging", "Interiors", "", "")
_FORMS = ("Ltd", "Limited", "Pvt. Ltd.", "Inc.", "LLC", "GmbH", "Pte. Ltd.", "B.V.", "")
_ROADS = ("{} {} Street", "{} {} Road", "Unit {}, {} Estate", "{} {} Avenue")
_PLACES = (
    "Leeds LS9 8AG",
    "Austin, TX 78704",
    "Pune - 411005",
    "Singapore 068897",
    "Bristol BS1 5TR",
    "Reno, NV 89501",
)
_TRADES_NEEDED = ("Workshop", "Agency", "Bureau")


@dataclass(frozen=True)
class Party:
    name: str
    street: str
    place: str

    @property
    def lines(self) -> tuple[str, str, str]:
        return self.name, self.street, self.place


@dataclass(frozen=True)
class Facts:
    seller: Party
    buyer: Party
    number: str
    day: dt.date
    total: Decimal


def _coin(random: Random) -> str:
    return random.choice(_STARTS) + random.choice(("", "a", "en", "is", "o")) + random.choice(_ENDS)


def _party(random: Random, *, person: bool = False) -> Party:
    first = _coin(random)
    form = random.choice(_FORMS)
    kind = random.choice(_KINDS) or ("" if form else random.choice(_TRADES_NEEDED))
    name = f"{_coin(random)[:6].title()} {first}" if person else " ".join(filter(None, (first, kind, form)))
    road = random.choice(_ROADS).format(random.randint(1, 420), _coin(random))
    return Party(name, road, random.choice(_PLACES))


def make_facts(random: Random) -> Facts:
    return Facts(
        _party(random),
        _party(random, person=random.random() < 0.3),
        f"{random.choice(('INV-', '', 'R'))}{random.randint(10_000, 999_999)}",
        dt.date(2023, 1, 3) + dt.timedelta(days=random.randrange(900)),
        Decimal(random.randint(4_000, 900_000)) / 100,
    )


def _block(sheet: Sheet, x: float, y: float, lines: Sequence[str], head: str = "", *, right: bool = False) -> float:
    """Returns where it ends."""
    if head:
        sheet.text(x, y, head, font="F2", size=8.5, right=right)
        y += 14
    for line in lines:
        sheet.text(x, y, line, right=right)
        y += 12
    return y


def _sums(sheet: Sheet, one: Facts, y: float) -> None:
    sheet.text(56, y, "Description", font="F2")
    sheet.text(539, y, "Amount", font="F2", right=True)
    sheet.rule(56, 539, y + 5)
    sheet.text(56, y + 22, "As agreed in your order")
    sheet.text(539, y + 22, f"{one.total:,.2f}", right=True)
    sheet.text(430, y + 50, "Total due", font="F2", right=True)
    sheet.text(539, y + 50, f"{one.total:,.2f}", font="F2", right=True)


def _facts(sheet: Sheet, one: Facts, x: float, y: float, right: float) -> None:
    for number, (label, value) in enumerate((("Invoice number", one.number), ("Date", f"{one.day:%d %B %Y}"))):
        sheet.text(x, y + 14 * number, label)
        sheet.text(right, y + 14 * number, value, right=True)


def _title(sheet: Sheet, random: Random, x: float, y: float) -> None:
    sheet.text(x, y, random.choice(("INVOICE", "Invoice", "TAX INVOICE")), font="F2", size=18)


def _draw_head_left(sheet: Sheet, one: Facts, random: Random) -> None:
    sheet.text(56, 60, one.seller.name, font="F2", size=random.choice((11, 16)))
    _block(sheet, 56, 78, one.seller.lines[1:])
    _facts(sheet, one, 380, 70, 539)
    _block(sheet, 56, 150, one.buyer.lines, random.choice(("Bill to", "Billed to:", "Invoice to", "Customer")))
    _sums(sheet, one, 280)


def _draw_head_right(sheet: Sheet, one: Facts, random: Random) -> None:
    """The buyer in the window at the left, above or level with a seller at the right."""
    _title(sheet, random, 56, 60)
    _block(sheet, 539, 60, one.seller.lines, right=True)
    _block(sheet, 56, 130, one.buyer.lines, random.choice(("Bill To:", "To:", "Client")))
    _facts(sheet, one, 380, 140, 539)
    _sums(sheet, one, 280)


def _draw_two_columns(sheet: Sheet, one: Facts, random: Random) -> None:
    """From and To beside each other, the buyer on either side."""
    _title(sheet, random, 56, 60)
    heads = random.choice((("From", "To"), ("Seller", "Buyer"), ("Supplier", "Bill To"), ("From:", "Bill to:")))
    left, right = (56, 320) if random.random() < 0.5 else (320, 56)
    _block(sheet, left, 100, one.seller.lines, heads[0])
    _block(sheet, right, 100, one.buyer.lines, heads[1])
    _facts(sheet, one, 56, 180, 300)
    _sums(sheet, one, 280)


def _draw_two_buyers(sheet: Sheet, one: Facts, random: Random) -> None:
    """Bill to and ship to under the seller, who stands small at the top."""
    sheet.text(56, 48, one.seller.name)
    _block(sheet, 56, 60, one.seller.lines[1:])
    sheet.text(539, 60, "INVOICE", font="F2", size=20, right=True)
    _block(sheet, 56, 130, one.buyer.lines, "Bill To:")
    ship = _party(random)
    _block(sheet, 220, 130, ship.lines, random.choice(("Ship To:", "Deliver to:", "Shipping Address")))
    _facts(sheet, one, 400, 130, 539)
    _sums(sheet, one, 280)


def _draw_labelled(sheet: Sheet, one: Facts, random: Random) -> None:
    """One line each: Seller: Name."""
    _title(sheet, random, 56, 60)
    seller, buyer = random.choice((("Seller: ", "Buyer: "), ("Sold by: ", "Sold to: "), ("Vendor: ", "Customer: ")))
    first, second = ((seller, one.seller), (buyer, one.buyer))[:: random.choice((1, -1))]
    y = _block(sheet, 56, 96, (first[0] + first[1].name, *first[1].lines[1:]))
    y = _block(sheet, 56, y + 10, (second[0] + second[1].name, *second[1].lines[1:]))
    _facts(sheet, one, 380, 96, 539)
    _sums(sheet, one, 280)


def _draw_at_foot(sheet: Sheet, one: Facts, random: Random) -> None:
    """Only the buyer above; the seller under the bank's details, over his registered office."""
    _title(sheet, random, 56, 60)
    _block(sheet, 56, 100, one.buyer.lines, random.choice(("Bill to", "Invoice to", "Guest name")))
    _facts(sheet, one, 380, 100, 539)
    _sums(sheet, one, 240)
    office = f"{random.choice(('Registered Office', 'Regd. office'))}: {one.seller.street}, {one.seller.place}"
    if random.random() < 0.5:
        sheet.text(56, 690, random.choice(("Please pay in favour of", "Payable to:", "Account name:")), size=8.5)
        sheet.text(56, 702, one.seller.name, size=8.5)
    sheet.text(56, 740, one.seller.name, size=8.5)
    sheet.text(56, 752, office, size=8.5)


LAYOUTS: Mapping[str, Callable[[Sheet, Facts, Random], None]] = {
    "head-left": _draw_head_left,
    "head-right": _draw_head_right,
    "two-columns": _draw_two_columns,
    "two-buyers": _draw_two_buyers,
    "labelled": _draw_labelled,
    "at-foot": _draw_at_foot,
}


def fill(folder: Path, count: int, seed: int = 1) -> Path:
    """Return the truth's file."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for layout, draw in LAYOUTS.items():
        for number in range(count):
            random = Random(f"parties {seed} {layout} {number}")
            one, sheet = make_facts(random), Sheet(595.0, 842.0)
            draw(sheet, one, random)
            name = f"{layout}-{number:03d}.pdf"
            paper.save([sheet], folder / name)
            fields = {
                "company": one.seller.name,
                "address": f"{one.seller.street} {one.seller.place}",
                "date": one.day.isoformat(),
                "total": f"{one.total:.2f}",
                "invoice_number": one.number,
            }
            entries.append({"file": name, "kind": f"invoice {layout}", "fields": fields})
    truth = folder / "ground_truth.jsonl"
    truth.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return truth


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
