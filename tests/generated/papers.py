"""What receipts and small invoices say: a seeded text with its truth, in the layouts that tills and programs print."""

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

from tests.generated.vendors import Vendor

_GOODS = (
    "MINERAL WATER 1.5L", "A4 PAPER 70GSM", "NASI LEMAK", "TEH TARIK", "BALL PEN BLUE", "CHOPPING BOARD",
    "AA BATTERY 4S", "WHITE BREAD", "CABLE TIE 200MM", "PAINT BRUSH 2IN", "ICED COFFEE", "NOTEBOOK 80PG", "LED BULB 9W",
    "HAND SOAP 500ML", "CHICKEN CHOP", "USB CABLE 1M", "PLASTIC BAG", "GIFT WRAP", "SUPER GLUE", "EGG TRAY 30S",
    "WIRE MESH 3FT", "PETROL 95",
)  # fmt: skip
_TITLES = ("TAX INVOICE", "-INVOICE-", "RECEIPT", "CASH BILL", "SIMPLIFIED TAX INVOICE", "INVOICE", "CASH SALES", "")
_TOTALS = (
    "TOTAL", "TOTAL", "TOTAL:", "Total", "TOTAL RM", "Total (RM)", "GRAND TOTAL", "NET TOTAL", "Nett Total",
    "TOTAL DUE", "Total Amt Payable", "TOTAL PAYABLE", "Amount Due", "TOTAL (INCL GST)",
    "Total Sales (Inclusive of GST)", "AMOUNT", "JUMLAH", "BILL AMT", "Balance Due", "ROUNDED TOTAL (RM)", "TO PAY",
    "NETT",
)  # fmt: skip
_DATES = (
    "%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%Y-%m-%d", "%d%m%Y",
    "%b %d, %Y",
)  # fmt: skip
_BEFORE = ("SUB TOTAL", "Subtotal", "Sub Total", "Total Excl. GST", "Total Sales")
_TAXES = ("GST 6%", "Add GST @6%", "Total GST", "SST", "Tax", "Service Chg 6%")
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Printed:
    """One row: ``left`` and ``right`` text; ``middle`` sets ``left`` in the middle. ``size``: 1 is the usual."""

    left: str
    right: str = ""
    middle: bool = False
    size: float = 1.0
    bold: bool = False
    by_hand: bool = False


@dataclass
class Paper:
    rows: list[Printed] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)

    def add(self, left: str, right: str = "", **look: object) -> None:
        self.rows.append(Printed(left, right, **look))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Money:
    """``charged``: what the tax is on; ``tax`` zero where none is printed."""

    items: tuple[tuple[str, int, Decimal], ...]
    discount: Decimal
    tax: Decimal
    rounding: Decimal

    @property
    def charged(self) -> Decimal:
        return sum((count * price for _, count, price in self.items), Decimal(0)) - self.discount

    @property
    def total(self) -> Decimal:
        return self.charged + self.tax + self.rounding


def paper(vendor: Vendor, random: Random) -> Paper:
    """One receipt. The vendor's own habits come from its style, the rest from ``random``."""
    habits = Random(vendor.style)
    made = Paper()
    _head(made, vendor, random, habits)
    date = dt.date(2016, 1, 1) + dt.timedelta(days=random.randrange(1300))
    _facts(made, date, random, habits)
    money = _money(random, habits)
    _lines(made, money, habits)
    _sums(made, money, random, habits)
    _foot(made, date, money, random, habits)
    return made


def _head(made: Paper, vendor: Vendor, random: Random, habits: Random) -> None:
    middle = habits.random() < 0.75
    if random.random() < 0.06:
        made.add(random.choice(("tan chay yee", "paid 3/4", "petty cash", "office")), by_hand=True)
    if vendor.brand:
        made.add(vendor.brand, middle=middle, size=1.5, bold=True)
    written = str.title if habits.random() < 0.3 else str
    words = written(vendor.company).split()
    size, bold = habits.choice((1.0, 1.1, 1.35)), habits.random() < 0.5
    folded = len(words) > 3 and habits.random() < 0.15
    first = " ".join(words[:-2]) if folded else " ".join(words)
    beside = vendor.registration if vendor.registration and habits.random() < 0.3 and not folded else ""
    made.add(f"{first} {beside}".strip(), middle=middle, size=size, bold=bold)
    if folded:
        made.add(" ".join(words[-2:]), middle=middle, size=size, bold=bold)
    if vendor.registration and not beside:
        made.add(vendor.registration, middle=middle)
    if habits.random() < 0.15:
        made.add(f"GST ID: 00{habits.randint(10**9, 10**10 - 1)}", middle=middle)
    place = [written(line) for line in random.choice(vendor.addresses)]
    telephone = f"TEL: 0{habits.randint(3, 9)}-{habits.randint(1000000, 9999999)}"
    beside_last = habits.random() < 0.08
    for number, line in enumerate(place):
        made.add(f"{line} {telephone}" if beside_last and number == len(place) - 1 else line, middle=middle)
    if habits.random() < 0.7 and not beside_last:
        made.add(telephone, middle=middle)
    if habits.random() < 0.08:
        made.add("HQ: " + " ".join(vendor.addresses[-1]), middle=middle)
    if habits.random() < 0.4:
        made.add(f"GST REG NO: 00{habits.randint(10**9, 10**10 - 1)}", middle=middle)
    made.truth |= {"company": vendor.company, "address": " ".join(place)}


def _facts(made: Paper, date: dt.date, random: Random, habits: Random) -> None:
    if title := habits.choice(_TITLES):
        made.add(title, middle=True, bold=habits.random() < 0.5)
    printed = date.strftime(habits.choice(_DATES))
    time = f"{random.randint(8, 21):02d}:{random.randint(0, 59):02d}"
    number = f"{habits.choice(('INV', 'CS', 'R', ''))}{random.randint(10000, 999999)}"
    match habits.randrange(7):
        case 0:
            made.add(f"Date: {printed}", f"Time: {time}")
            made.add(f"Invoice No: {number}")
        case 1:
            made.add(f"Bill No: {number}")
            made.add(f"{printed} {time}", "Cashier: 02")
        case 2:
            made.add(f"Invoice No : {number}", f"Date : {printed}")
        case 3:
            made.add(f"{printed}", f"{time}")
            made.add(f"Receipt #: {number}")
        case 4:
            other = (date - dt.timedelta(days=random.randint(1, 9))).strftime("%d/%m/%Y")
            made.add(f"Order Date: {other}")
            made.add(f"Invoice Date: {printed}")
            made.add(f"Invoice No: {number}")
        case 5:
            made.add(f"Doc No. : {number}")
            made.add(f"DATE {printed}", "TABLE 12")
        case _:
            due = (date + dt.timedelta(days=30)).strftime("%d/%m/%Y")
            made.add(f"Invoice # {number}", f"Issued {printed}")
            made.add("Payment terms 30 days", f"Due {due}")
    made.truth["date"] = printed


def _money(random: Random, habits: Random) -> _Money:
    items = tuple(
        (random.choice(_GOODS), random.choice((1, 1, 1, 2, 3, 10)), Decimal(random.randint(50, 9000)) / 100)
        for _ in range(random.choice((1, 2, 2, 3, 4, 5, 7, 9)))
    )
    charged = sum((count * price for _, count, price in items), Decimal(0))
    discount = (charged * Decimal("0.05")).quantize(_CENT) if habits.random() < 0.12 else Decimal(0)
    tax = ((charged - discount) * Decimal("0.06")).quantize(_CENT) if habits.random() < 0.45 else Decimal(0)
    rounding = Decimal(0)
    if habits.random() < 0.4:
        total = charged - discount + tax
        rounding = (total * 20).quantize(Decimal(1)) / 20 - total
    return _Money(items, discount, tax, rounding)


def _lines(made: Paper, money: _Money, habits: Random) -> None:
    form = habits.randrange(3)
    made.add(("Item", "Qty  Price  Amount", "Description")[form], ("RM", "", "Amount (RM)")[form])
    for name, count, price in money.items:
        amount = f"{count * price:,.2f}"
        if form == 0:
            made.add(name)
            made.add(f"  {count} X {price:.2f}", amount)
        elif form == 1:
            made.add(f"{name}", f"{count}  {price:.2f}  {amount}")
        else:
            made.add(f"{count} {name}", amount + habits.choice(("", " SR", "")))


def _sums(made: Paper, money: _Money, random: Random, habits: Random) -> None:
    sign = habits.choice(("", "", "", "RM", "RM ", "$"))
    label = habits.choice(_TOTALS)
    if habits.random() < 0.4:
        made.add("Total Qty" if habits.random() < 0.5 else "Item(s)", str(sum(count for _, count, _ in money.items)))
    before = money.charged + money.discount
    if money.tax or money.rounding or money.discount:
        made.add(habits.choice(_BEFORE), f"{before:,.2f}")
    if money.discount:
        made.add(habits.choice(("Discount", "Less 5%", "Member Savings")), f"-{money.discount:.2f}")
    if money.tax:
        made.add(habits.choice(_TAXES), f"{money.tax:.2f}")
    if money.rounding:
        if habits.random() < 0.4:
            made.add("Total before rounding", f"{money.total - money.rounding:,.2f}")
        made.add(habits.choice(("Rounding", "Rounding Adj", "RND ADJ")), f"{money.rounding:.2f}")
    total = f"{money.total:,.2f}"
    if habits.random() < 0.1:  # the amount under its label
        made.add(label, bold=True)
        made.add("", f"{sign}{total}", bold=True, size=1.2)
    else:
        made.add(label, f"{sign}{total}", bold=habits.random() < 0.5, size=habits.choice((1.0, 1.0, 1.25)))
    if random.random() < 0.03:  # a misprint: the till lost a line
        made.rows.pop(-2)
    made.truth["total"] = f"{sign}{total}".strip()


def _foot(made: Paper, date: dt.date, money: _Money, random: Random, habits: Random) -> None:
    paid = (money.total / 10).quantize(Decimal(1)) * 10 + 10
    match habits.randrange(4):
        case 0:
            made.add("CASH", f"{paid:,.2f}")
            made.add("CHANGE", f"{paid - money.total:,.2f}")
        case 1:
            made.add(habits.choice(("VISA", "MASTERCARD", "Debit Card")), f"{money.total:,.2f}")
        case 2:
            made.add("Paid Amount", f"{paid:,.2f}")
            made.add("Balance", f"{paid - money.total:,.2f}")
    if money.tax and habits.random() < 0.5:
        made.add("GST Summary", "Amount(RM)  Tax(RM)")
        made.add("SR @6%", f"{money.charged:,.2f}  {money.tax:.2f}")
    if habits.random() < 0.15:
        until = (date + dt.timedelta(days=14)).strftime("%d/%m/%Y")
        made.add(f"Goods returnable until {until}", middle=True)
    made.add(random.choice(("THANK YOU PLEASE COME AGAIN", "Goods sold are not returnable", "Thank you")), middle=True)
    if habits.random() < 0.2:
        made.add("Powered by POS System Sdn Bhd", middle=True, size=0.8)
