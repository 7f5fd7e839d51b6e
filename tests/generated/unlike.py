"""Receipts that share no seller, wording or wear with ``papers``. Rules were tuned on the draws of seeds 1 and 2.

``python -m tests.generated.unlike FOLDER COUNT [SEED]``: tills, restaurants and small shops of six countries, on
thermal paper that is curled, creased, in shade and out of focus.
"""

import datetime as dt
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

_FONTS = (
    "DejaVuSansMono", "LiberationMono-Regular", "DejaVuSerifCondensed", "DejaVuSansCondensed",
    "LiberationSerif-Regular", "DejaVuSerif", "LiberationSansNarrow-Regular", "DejaVuSansMono-Bold",
)  # fmt: skip
_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
_COUNTRIES: Sequence[tuple[tuple[str, ...], tuple[str, ...], str]] = (
    (("Sdn Bhd", "SDN. BHD.", "(M) Sdn Bhd", "Enterprise", ""), ("%d/%m/%Y", "%d-%b-%Y", "%d/%m/%y"), "RM"),
    (("Pte Ltd", "Pte. Ltd.", "LLP", ""), ("%d %b %Y", "%d/%m/%Y", "%Y-%m-%d"), "S$"),
    (("Ltd", "Limited", "& Sons Ltd", "plc", ""), ("%d/%m/%y", "%d.%m.%Y", "%d %B %Y", "%a %d %b %Y"), "£"),
    (("Inc.", "LLC", "Co.", "Corp.", ""), ("%m/%d/%Y", "%b %d, %Y", "%m/%d/%y"), "$"),
    (("Pty Ltd", "Pty. Limited", ""), ("%d/%m/%Y", "%d-%m-%y", "%d %b %y"), "$"),
    (("GmbH", "GmbH & Co. KG", "e.K.", "AG"), ("%d.%m.%Y", "%d.%m.%y"), "EUR"),
)
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Words:
    """What a draw prints; ``{}`` is a number, and each country has its own roads, places, totals and tax.

    A draw of other words prints nothing that rules know by name.
    """

    families: Sequence[str]
    trades: Sequence[str]
    roads: Sequence[Sequence[str]]
    places: Sequence[Sequence[str]]
    sayings: Sequence[str]
    things: Sequence[str]
    payable: Sequence[Sequence[str]]
    taxes: Sequence[str]
    titles: Sequence[str]
    owners: Sequence[str]
    numbers: Sequence[str]
    contacts: Sequence[str]
    office: str
    customers: Sequence[str]
    dates: Sequence[str]
    facts: Sequence[str]
    issues: Sequence[str]
    issued: str
    valid: str
    net: Sequence[str]
    discounts: Sequence[str]
    counts: Sequence[str]
    included: Sequence[str]
    payments: Sequence[str]
    refunds: str
    thanks: Sequence[str]
    adverts: Sequence[str]


USUAL = Words(
    families=(
        "Aminah", "Beauchamp", "Castellani", "Delacroix", "Eastwick", "Fennimore", "Grünwald", "Halloran", "Iskandar",
        "Jefferson", "Kowalczyk", "Lindqvist", "Mahendran", "Nakamura", "O'Donnell", "Pemberton", "Quah", "Rosenthal",
        "Subramaniam", "Thistlewood", "Uluwatu", "Vandermeer", "Wickham", "Xavier", "Yeoh", "Zamora", "Brightwater",
        "Coppergate", "Foxglove", "Greenbank", "Hollyoak", "Ironbridge", "Larkspur", "Moorside", "Silverdale",
        "Tamarind",
    ),
    trades=(
        "Grocers", "Wine Bar", "Noodle House", "Tyre Centre", "Garden Centre", "Fishmongers", "Ironmongers",
        "Dry Cleaners",
        "Pet World", "Florist", "Chemist", "Food Court", "Burger Kitchen", "Seafood Village", "Paint & Tools",
        "Digital",
        "Minimart", "Steamboat", "Outfitters", "Cycles", "Photo", "Video Rentals", "Building Materials", "Guest House",
    ),
    roads=(
        ("Jalan Cempaka {}", "Jln Kuchai Lama {}", "Lorong Haji Taib {}", "No {}, Jalan Dato Onn"),
        ("{} Orchard Link", "Blk {} Toa Payoh Lor 4 #01-12", "{} Serangoon Garden Way"),
        ("{} Bridge Street", "{} The Shambles", "Unit {}, Mill Trading Estate", "{}-{}a Castle Gate"),
        ("{} N Lincoln Ave", "{} Main St Suite 4", "{} Route 9 South"),
        ("Shop {}, Harbour Arcade", "{} Swanston St", "{} Pacific Hwy"),
        ("Bahnhofstr. {}", "Am Markt {}", "Lindenallee {}"),
    ),
    places=(
        ("47100 Puchong, Selangor", "11900 Bayan Lepas, Pulau Pinang", "80250 Johor Bahru", "55100 Kuala Lumpur"),
        ("Singapore 310480", "Singapore 238863", "S(556135)"),
        ("York YO1 7LZ", "Leeds LS1 4AP", "Nottingham NG1 7AR", "Bath BA2 3QD"),
        ("Chicago, IL 60614", "Albany, NY 12207", "Austin, TX 78701"),
        ("Sydney NSW 2000", "Melbourne VIC 3000", "Gosford NSW 2250"),
        ("50667 Köln", "80331 München", "24103 Kiel"),
    ),
    sayings=(
        "Since 1987", "Your friendly neighbourhood store", "Open 7 days 9am - 10pm", "*** WELCOME ***",
        "Freshness first",
        "www.shoplocal.example", "Customer Care 1300 88 2525", "Branch 0114", "Branch Manager: D. Price", "",
    ),
    things=(
        "Semi-skimmed 2L", "Basmati rice 5kg", "Flat white", "Kopi O kosong", "Unleaded 31.2L", "Paracetamol 16s",
        "Olive oil", "Roti canai telur", "Fish & chips", "Inner tube 700c", "Emulsion white 5L", "Potting compost",
        "AAA cells x8", "Ale pint", "Schnitzel m. Pommes", "Apfelschorle 0,4", "Dinner buffet adult", "Set lunch B",
        "Cat litter 10kg", "Stamps 1st x12",
    ),
    payable=(
        ("TOTAL", "Total Payable", "Grand Total", "Jumlah Besar", "Total incl. SST"),
        ("TOTAL", "Nett Amount", "Grand Total"),
        ("TOTAL", "Balance due", "Amount to pay", "Total inc VAT"),
        ("TOTAL", "Amount Due", "Total Sale", "Check Total"),
        ("TOTAL", "Total (inc GST)", "Amount Payable"), ("SUMME", "Gesamtbetrag", "Zu zahlen EUR", "Rechnungsbetrag"),
    ),
    taxes=("SST 6%", "GST 7%", "VAT 20%", "Sales Tax", "Incl. GST", "MwSt 19%"),
    titles=("* * * * *", "~ RECEIPT ~", "Thank you for your custom", "Kundenbeleg"),
    owners=("Operated by", "A trading name of", ""),
    numbers=("Reg {}", "({}-K)"),
    contacts=("Ph {}", "T: {}", "Tax no {}", "ABN/UEN/VAT {}"),
    office="Head office: {} Empire Way",
    customers=("Customer: CASH", "Cust: Walk-in", "Bill to: Ferndale Ltd", "Kunde: 4711"),
    dates=("Date", "Datum", "DATE/TIME"),
    facts=("Trans", "Server: {}", "Table {}", "Guests: {}", "Till 0{} Op {} Tr {}", "Slip: {}", "Staff: {}",
           "Dt: {}", "Tm: {}"),
    issues=("Tax Invoice", "VAT receipt", "Bon"),
    issued="Date of issue {}",
    valid="Valid to 31/12/2031",
    net=("Subtotal", "Sub-Total", "Net"),
    discounts=("Loyalty discount", "Promo saving", "Voucher"),
    counts=("No. of items", "Items sold"),
    included=("incl.", "Includes", "davon"),
    payments=("Cash tendered", "Change due", "VISA ************{}", "Auth {}  Contactless", "Paid by e-wallet"),
    refunds="Refunds until {}",
    thanks=("Have a nice day", "Vielen Dank", "Terima kasih", "Please retain receipt"),
    adverts=("Survey & win $500", "software by TillTech Ltd", "Find us on example.social"),
)  # fmt: skip


@dataclass(frozen=True)
class Seller:
    name: str
    country: int
    lines: tuple[str, ...]
    seed: int
    words: Words = USUAL


@dataclass
class Sheet:
    """``rows``: left, middle or right text, with a size."""

    rows: list[tuple[str, str, str, float]] = field(default_factory=list)

    def put(self, left: str = "", middle: str = "", right: str = "", size: float = 1.0) -> None:
        self.rows.append((left, middle, right, size))

    def head(self, side: str, text: str, size: float = 1.0) -> None:
        """``side``: left or middle."""
        self.put("", text, "", size) if side == "middle" else self.put(text, "", "", size)


def sellers(count: int, random: Random, words: Words = USUAL) -> list[Seller]:
    found: dict[str, Seller] = {}
    while len(found) < count:
        country = random.randrange(len(_COUNTRIES))
        first = random.choice(words.families)
        if random.random() < 0.2:
            first = f"{first} {random.choice(('&', 'and', '+'))} {random.choice(words.families)}"
        legal = random.choice(_COUNTRIES[country][0])
        name = " ".join(filter(None, (first, random.choice((*words.trades, "", "")), legal)))
        if name == first:
            name = f"{first} {random.choice(words.trades)}"
        number = random.randint(1, 980)
        road = random.choice(words.roads[country]).format(number, number + 2)
        place = random.choice(words.places[country])
        lines = (f"{road}, {place}",) if random.random() < 0.3 else (road, place)
        found.setdefault(name, Seller(name, country, lines, random.randrange(1 << 30), words))
    return list(found.values())


def receipt(seller: Seller, random: Random) -> tuple[Sheet, dict[str, str]]:
    habits, sheet = Random(seller.seed), Sheet()
    _, forms, sign = _COUNTRIES[seller.country]
    shape = habits.choice((str, str, str.upper))
    date = dt.date(2014, 3, 1) + dt.timedelta(days=random.randrange(3800))
    printed = date.strftime(habits.choice(forms))
    _print_head(sheet, seller, habits, shape)
    _print_facts(sheet, printed, seller.words, random, habits)
    total = _print_sums(sheet, seller, sign, random, habits)
    _print_foot(sheet, (date, total), seller.words, random, habits)
    return sheet, {
        "company": shape(seller.name),
        "address": shape(" ".join(seller.lines)),
        "date": date.isoformat(),
        "total": f"{total:.2f}",
    }


def _print_head(sheet: Sheet, seller: Seller, habits: Random, case: Callable[[str], str]) -> None:
    side, words = habits.choice(("middle", "middle", "middle", "left")), seller.words
    if habits.random() < 0.25:
        sheet.put(middle=habits.choice(words.titles))
    if habits.random() < 0.18:
        sheet.put(middle=seller.name.split()[0].upper(), size=1.8)
        sheet.head(side, f"{habits.choice(words.owners)} {case(seller.name)}".strip())
    else:
        sheet.head(side, case(seller.name), size=habits.choice((1.0, 1.25, 1.5)))
    if habits.random() < 0.35:
        numbers = habits.randint(10**6, 10**7), habits.randint(10**5, 10**6)
        said = [form.format(number) for form, number in zip(words.numbers, numbers, strict=True)]
        sheet.head(side, habits.choice(said))
    if habits.random() < 0.3:
        sheet.head(side, habits.choice(words.sayings))
    for line in seller.lines:
        sheet.head(side, case(line))
    for contact in words.contacts:
        if habits.random() < 0.4:
            sheet.head(side, contact.format(habits.randint(10**8, 10**9)))
    if habits.random() < 0.12:
        sheet.put(left=words.office.format(habits.randint(1, 90)))


def _print_facts(sheet: Sheet, printed: str, words: Words, random: Random, habits: Random) -> None:
    rule = habits.choice(("-" * 34, "=" * 30, "* " * 16, ""))
    if rule:
        sheet.put(middle=rule)
    time = f"{random.randint(7, 22)}:{random.randint(0, 59):02d}"
    number = random.randint(1000, 99999999)
    if habits.random() < 0.25:
        sheet.put(left=habits.choice(words.customers))
    trans, server, table, guests, till, slip, staff, day, at = words.facts
    match habits.randrange(6):
        case 0:
            sheet.put(left=f"{printed} {time}", right=f"#{number}")
        case 1:
            sheet.put(left=trans, right=str(number))
            sheet.put(left=habits.choice(words.dates), right=f"{printed}  {time}")
        case 2:
            sheet.put(left=server.format(random.choice(words.families)), right=table.format(random.randint(1, 40)))
            sheet.put(left=guests.format(random.randint(1, 8)), right=printed)
        case 3:
            sheet.put(left=till.format(random.randint(1, 9), random.randint(10, 99), number))
        case 4:
            sheet.put(left=slip.format(number), right=staff.format(random.choice(words.families)))
            sheet.put(left=day.format(printed), right=at.format(time))
        case _:
            sheet.put(middle=f"{habits.choice(words.issues)} {number}")
            sheet.put(middle=words.issued.format(printed))
    if habits.random() < 0.12:
        sheet.put(left=words.valid)
    if not any(printed in "".join(row[:3]) for row in sheet.rows):
        _print_date_alone(sheet, f"{printed} {time}", printed, habits)


def _print_date_alone(sheet: Sheet, timed: str, printed: str, habits: Random) -> None:
    if habits.random() < 0.5:
        sheet.put(middle=timed)
    else:
        sheet.put(left=printed)


def _print_sums(sheet: Sheet, seller: Seller, sign: str, random: Random, habits: Random) -> Decimal:
    country, words = seller.country, seller.words
    tax_name = words.taxes[country]
    mark = habits.choice(("", "", sign))
    comma = country == 5

    def show(amount: Decimal) -> str:
        text = f"{amount:.2f}"
        return f"{mark}{text.replace('.', ',') if comma else text}"

    every = Decimal(0)
    form = habits.randrange(3)
    for _ in range(random.choice((1, 2, 3, 3, 4, 6, 8))):
        price, count = Decimal(random.randint(60, 7900)) / 100, random.choice((1, 1, 1, 2, 4))
        every += price * count
        name = random.choice(words.things)
        if form == 0:
            sheet.put(left=f"{count} {name}", right=show(price * count))
        elif form == 1:
            sheet.put(left=name)
            rate = habits.choice(("A", "T", ""))
            sheet.put(left=f"   {count} @ {show(price)}", right=f"{show(price * count)} {rate}")
        else:
            sheet.put(left=f"{random.randint(10**5, 10**7)} {name[:14]}", right=f"{count}  {show(price * count)}")
    total = every
    added = habits.random() < 0.35 and country in {0, 1, 3}
    if added:
        tax = (every * Decimal("0.07")).quantize(_CENT)
        sheet.put(left=habits.choice(words.net), right=show(every))
        sheet.put(left=tax_name, right=show(tax))
        total += tax
    if habits.random() < 0.15:
        off = Decimal(random.randint(10, 200)) / 100
        off = min(off, total - _CENT)
        sheet.put(left=habits.choice(words.discounts), right=f"-{show(off)}")
        total -= off
    if habits.random() < 0.3:
        sheet.put(left=habits.choice(words.counts), right=str(random.randint(1, 12)))
    sheet.put(left=habits.choice(words.payable[country]), right=show(total), size=habits.choice((1.0, 1.3, 1.6)))
    if not added and habits.random() < 0.35:
        included = habits.choice(words.included)
        sheet.put(left=f"{included} {tax_name}", right=show((total / 6).quantize(_CENT)))
    return total


def _print_foot(sheet: Sheet, paid: tuple[dt.date, Decimal], words: Words, random: Random, habits: Random) -> None:
    date, total = paid
    cash, change, card, auth, wallet = words.payments
    match habits.randrange(4):
        case 0:
            note = (total // 20 + 1) * 20
            sheet.put(left=cash, right=f"{note:.2f}")
            sheet.put(left=change, right=f"{note - total:.2f}")
        case 1:
            sheet.put(left=card.format(random.randint(1000, 9999)), right=f"{total:.2f}")
            sheet.put(left=auth.format(random.randint(10**5, 10**6)))
        case 2:
            sheet.put(left=wallet, right=f"{total:.2f}")
    if habits.random() < 0.2:
        sheet.put(left=words.refunds.format((date + dt.timedelta(days=28)).strftime("%d/%m/%Y")))
    sheet.put(middle=habits.choice(words.thanks))
    if habits.random() < 0.25:
        sheet.put(middle=habits.choice(words.adverts))


def draw(sheet: Sheet, seller: Seller, random: Random) -> bytes:
    habits = Random(seller.seed)
    family, size = habits.choice(_FONTS), habits.randint(18, 26)
    width, y = habits.choice((420, 480, 560, 640)), 30
    page = Image.new("L", (width, 90 + int(len(sheet.rows) * size * 2.6)), habits.randint(225, 250))
    pen, ink = ImageDraw.Draw(page), habits.randint(20, 70)
    for left, middle, right, large in sheet.rows:
        font = fit_font(family, int(size * large), f"{left}  {middle}{right}", width - 40)
        pen.text((20, y), left, fill=ink, font=font)
        pen.text(((width - font.getlength(middle)) / 2, y), middle, fill=ink, font=font)
        pen.text((width - 20 - font.getlength(right), y), right, fill=ink, font=font)
        y += int(size * large * habits.uniform(1.3, 1.32))
    return _wear(page.crop((0, 0, width, y + 34)), random)


def fit_font(family: str, size: int, text: str, width: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    found = next((path for at in _FOLDERS if at.exists() for path in at.rglob(f"{family}.ttf")), None)
    if found is None:
        return ImageFont.load_default(size)
    while size > 10 and ImageFont.truetype(str(found), size).getlength(text) > width:
        size -= 1
    return ImageFont.truetype(str(found), size)


def _wear(page: Image.Image, random: Random) -> bytes:
    """Held in a hand: perspective and curl, a crease, a shadow, faded dots of the print head, a phone's noise."""
    noise = np.random.default_rng(random.randrange(1 << 30))
    wide, high = page.size
    lean = [random.uniform(0, 0.025) * side for side in (wide, high) * 4]
    corners = (lean[0], lean[1], lean[2], high - lean[3], wide - lean[4], high - lean[5], wide - lean[6], lean[7])
    page = page.transform(page.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=90)
    pixels: NDArray[np.floating] = np.asarray(page, dtype=np.float32)
    curl = random.uniform(0, 3.5) * np.sin(np.linspace(0, random.uniform(2, 7), wide))
    pixels = np.stack([np.roll(pixels[:, x], int(curl[x])) for x in range(wide)], axis=1)
    if random.random() < 0.5:  # worn dots
        worn = noise.random(pixels.shape) < random.uniform(0, 0.18)
        pixels = np.where(worn, pixels * 0.45 + 130, pixels)
    if random.random() < 0.4:
        at = random.randrange(high)
        pixels[at : at + 3] = pixels[at : at + 3] * 0.4 + random.choice((30, 150))
    light = 1 - random.uniform(0, 0.45) * np.linspace(0, 1, high)[:, None] ** random.choice((1, 2))
    pixels = pixels * light + noise.normal(0, random.uniform(3, 18), pixels.shape)
    page = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).filter(
        ImageFilter.GaussianBlur(random.uniform(0.3, 1.5))
    )
    scale = random.choice((1.0, 1.0, 0.8, 0.65))
    page = page.resize((int(wide * scale), int(high * scale)), Image.Resampling.BILINEAR)
    held = io.BytesIO()
    page.convert("RGB").save(held, "JPEG", quality=random.randint(25, 80))
    return held.getvalue()


def fill(folder: Path, count: int, seed: int = 1, *, words: Words = USUAL) -> Path:
    """Answers the truth's file. Half of the papers are of few sellers, the rest of one each."""
    random = Random(f"unlike {seed}")
    known = sellers(max(8, count * 2 // 3), random, words)
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number in range(count):
        seller = random.choice(known[: count // 12 + 1]) if number % 2 else known[number % len(known)]
        sheet, truth = receipt(seller, random)
        name = f"unlike-{seed}-{number:04d}.jpg"
        (folder / name).write_bytes(draw(sheet, seller, random))
        entries.append({"file": name, "kind": "receipt", "fields": truth})
    truth_file = folder / "ground_truth.jsonl"
    truth_file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return truth_file


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
