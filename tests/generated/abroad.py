"""Receipts of other countries, looks and wear than ``papers`` and ``unlike``: to measure on once, never to tune on.

``python -m tests.generated.abroad FOLDER COUNT [SEED]``: shops, clinics, garages and eating houses that were scanned
flat, printed by needles or by ink that bled. Whoever changes rules with these in sight has to draw others.
"""

import datetime as dt
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from tests.generated.unlike import Sheet, fit_font

_FONTS = (
    "DejaVuSans", "DejaVuSansMono", "DejaVuSans-Bold", "DejaVuSansMono-Bold", "DejaVuSerif", "DejaVuSerif-Bold",
    "DejaVuSansCondensed-Bold", "DejaVuSerifCondensed-Bold",
)  # fmt: skip


@dataclass(frozen=True)
class Country:
    """``names``: ``{}`` is a family's or a place's. ``taxes``: added to the net sum, or inside the total if not."""

    words: tuple[str, ...]
    names: tuple[str, ...]
    roads: tuple[str, ...]
    places: tuple[str, ...]
    dates: tuple[str, ...]
    sign: str
    totals: tuple[str, ...]
    taxes: tuple[tuple[str, int], ...]
    added: bool
    comma: bool = False


_COUNTRIES: Sequence[Country] = (
    Country(
        ("Venkatesh", "Anand", "Lakshmi", "Gokul", "Chandra", "Meenakshi", "Sagar", "Rajdhani", "Udupi", "Mysore"),
        ("{} Sweets & Snacks", "Hotel {} Bhavan", "{} Traders", "Sri {} Stores", "{} Retail Pvt. Ltd.", "M/s {} & Bros",
         "{} Medicals", "{} Fuels Private Limited"),
        ("{} M.G. Road", "No. {}, 4th Cross", "Shop {}, Gandhi Bazaar", "Plot {}, Sector 18"),
        ("Bengaluru 560004", "Chennai - 600 017", "Noida 201301", "Pune - 411001"),
        ("%d-%m-%Y", "%d/%m/%Y", "%d-%b-%y"), "Rs.", ("Net Payable", "Bill Amount", "Grand Total", "TOTAL"),
        (("CGST", 25), ("SGST", 25)), added=True,
    ),
    Country(
        ("Duval", "Lefèvre", "Marchand", "Rousseau", "Clément", "Fontaine", "Gaillard", "Moreau", "Tissot", "Vasseur"),
        ("Boulangerie {}", "Pharmacie {}", "Brasserie {} SARL", "Librairie {}", "{} Automobiles SAS", "Garage {} SARL"),
        ("{}, rue des Carmes", "{} avenue Jean Jaurès", "{} place du Marché", "{} quai de la Loire"),
        ("69002 Lyon", "31000 Toulouse", "44000 Nantes", "67000 Strasbourg"),
        ("%d/%m/%Y", "%d.%m.%Y", "%d/%m/%y"), "€", ("TOTAL TTC", "TOTAL", "Net à payer", "Montant total"),
        (("dont TVA 10%", 90),), added=False, comma=True,
    ),
    Country(
        ("Tremblay", "Bay Street", "Northern Lights", "MacLeod", "Elk River", "Prairie", "Maple Leaf", "Gagnon"),
        ("{} Hardware Inc.", "{} Bakery & Deli", "{} Drug Mart", "{} Motors Ltd.", "{} Family Restaurant", "{} Sports"),
        ("{} King St W", "{} Portage Avenue", "Unit {}, 2200 Yonge St", "{}-101 Jasper Ave NW"),
        ("Toronto, ON M5V 1J2", "Winnipeg MB R3B 2B3", "Edmonton, AB T5J 1V9", "Halifax NS B3J 2K9"),
        ("%Y-%m-%d", "%b %d, %Y", "%Y/%m/%d", "%d-%b-%Y"), "$", ("TOTAL", "Total CAD", "Amount Due", "BALANCE"),
        (("HST 13%", 130),), added=True,
    ),
    Country(
        ("O'Shea", "Kilbride", "Claddagh", "Murtagh", "Liffey", "Glenroe", "Brannigan", "Tullamore", "Hennessy"),
        ("{} & Sons", "{}'s Bar & Lounge", "{} Pharmacy Ltd.", "{} Service Station", "The {} Bakehouse", "{} Hardware",
         "{} Foodhall Limited"),
        ("{} Shop Street", "{} Patrick Street", "Unit {} Crescent Retail Park", "Main Street"),
        ("Galway", "Cork T12 W8KP", "Limerick V94 TX97", "Dublin 2"),
        ("%d/%m/%Y", "%d/%m/%y", "%d %b %Y", "%A %d %B %Y"), "€", ("TOTAL", "Total Due", "TOTAL EURO", "To Pay"),
        (("VAT 13.5%", 119),), added=False,
    ),
    Country(
        ("Kowhai", "Rata", "Te Awa", "Southern Cross", "Pohutukawa", "Hamish", "Aroha", "Wakatipu", "Remarkable"),
        ("{} Café", "{} Mitre Tools", "{} Fish Supply Ltd", "{} Four Square", "{} Physio Limited", "{} Motel"),
        ("{} Queen Street", "{} Lambton Quay", "{} Riccarton Rd", "Shop {}, Centre Place"),
        ("Auckland 1010", "Wellington 6011", "Christchurch 8041", "Hamilton"),
        ("%d/%m/%Y", "%d %b %y", "%d-%m-%Y", "%d.%m.%y"), "$", ("TOTAL", "Total NZD", "Amount Payable", "Total Sale"),
        (("GST incl.", 130),), added=False,
    ),
    Country(
        ("Wing Fat", "Kam Shing", "Lok Yuen", "Harbour Light", "Man Kee", "Tsui Lam", "Golden Crown", "Sun Hing"),
        ("{} Restaurant", "{} Company Limited", "{} Dispensary", "{} Electrical Co. Ltd.", "{} Bookshop", "{} Bakery"),
        ("Shop {}, G/F, Nathan Building", "{} Queen's Road Central", "{}/F, Wing On House", "{} Hennessy Road"),
        ("Kowloon", "Wan Chai, Hong Kong", "Central, Hong Kong", "Mong Kok, Kowloon"),
        ("%d/%m/%Y", "%Y-%m-%d", "%d-%b-%Y"), "HK$", ("TOTAL", "Total Amount", "Amount Due", "Bill Total"),
        (("Service 10%", 100),), added=True,
    ),
)  # fmt: skip
_CENT = Decimal("0.01")


@dataclass(frozen=True)
class Words:
    """What a draw prints; ``{}`` is a number or a day. A draw of other words prints nothing that rules know by name."""

    countries: Sequence[Country]
    things: Sequence[str]
    greetings: Sequence[str]
    mottos: Sequence[str]
    phones: Sequence[str]
    numbers: Sequence[str]
    facts: Sequence[str]
    staff: Sequence[str]
    heads: Sequence[str]
    net: Sequence[str]
    rounding: Sequence[str]
    counts: Sequence[str]
    cash: Sequence[str]
    change: Sequence[str]
    cards: Sequence[str]
    paid: str
    means: Sequence[str]
    warranty: str
    thanks: Sequence[str]


USUAL = Words(
    countries=_COUNTRIES,
    things=(
        "Masala dosa", "Café crème", "Brake pads", "Scone w/ jam", "Wonton noodle", "Ibuprofen 200mg", "Croissant",
        "Wipers", "Milk tea", "Paint roller", "Filter coffee", "Fish and chips", "Notebook A5", "Screws 4x40",
        "Bananas 1.2kg", "Plat du jour", "Steak pie", "Diesel 24.10L", "Consultation", "Light bulb E27", "Gulab jamun",
        "Toothpaste",
    ),
    greetings=("CASH MEMO", "RETAIL INVOICE", "Ticket de caisse", "SALES RECEIPT", "Guest Check", "CUSTOMER COPY", ""),
    mottos=("Quality you can taste", "Est. 1962", "A family business", "Open Mon-Sat 8-6"),
    phones=("Tel", "Ph.", "Tél :", "Phone"),
    numbers=("GSTIN", "SIRET", "HST#", "VAT No", "GST No.", "BR"),
    facts=("Bill No: {}", "Date: {}", "Counter {}", "Invoice #", "Issued", "Cashier", "Table {}", "Covers {}",
           "Order {}", "Printed on {} at {}"),
    staff=("Priya", "Marc", "Siobhan", "Ka Ming"),
    heads=("Item", "Description", "Désignation"),
    net=("Sub Total", "SUBTOTAL", "Taxable value"),
    rounding=("Round off", "Rounding"),
    counts=("Total Qty", "Items", "Nb articles"),
    cash=("Tendered", "Cash", "Espèces"),
    change=("Balance", "Change", "Rendu"),
    cards=("MASTERCARD", "Debit card", "Carte bancaire"),
    paid="Paid {} ref {}",
    means=("by UPI", "by card", "Octopus"),
    warranty="Warranty until {}",
    thanks=("Thank you, visit again", "Merci de votre visite", "Thanks a million", "No refunds"),
)  # fmt: skip


@dataclass(frozen=True)
class Seller:
    name: str
    country: Country
    road: str
    place: str
    seed: int
    words: Words = USUAL


def make_sellers(count: int, random: Random, words: Words = USUAL) -> list[Seller]:
    found: dict[str, Seller] = {}
    for _ in range(count * 50):
        country = random.choice(words.countries)
        name = random.choice(country.names).format(random.choice(country.words))
        road, place = random.choice(country.roads).format(random.randint(1, 420)), random.choice(country.places)
        found.setdefault(name, Seller(name, country, road, place, random.randrange(1 << 30), words))
        if len(found) == count:
            break
    return list(found.values())


def make_receipt(seller: Seller, random: Random) -> tuple[Sheet, dict[str, str]]:
    habits, sheet, country, words = Random(seller.seed), Sheet(), seller.country, seller.words
    shape = habits.choice((str, str, str.upper, str.upper))
    date = dt.date(2012, 1, 5) + dt.timedelta(days=random.randrange(4900))
    printed = date.strftime(habits.choice(country.dates))
    lines = _fold_address(seller, habits)
    below = habits.random() < 0.08  # some print where they are under the sums
    _print_head(sheet, shape(seller.name), [] if below else [shape(line) for line in lines], words, habits)
    _print_facts(sheet, printed, words, random, habits)
    total = _print_sums(sheet, country, words, random, habits)
    _print_payment(sheet, (total, date), words, random, habits)
    for line in lines if below else ():
        sheet.put(middle=shape(line))
    return sheet, {
        "company": shape(seller.name),
        "address": shape(" ".join(lines)),
        "date": date.isoformat(),
        "total": f"{total:.2f}",
    }


def _fold_address(seller: Seller, habits: Random) -> list[str]:
    match habits.randrange(4):
        case 0:
            return [f"{seller.road}, {seller.place}"]
        case 1 if ", " in seller.place:
            town, rest = seller.place.split(", ", 1)
            return [seller.road, town, rest]
        case _:
            return [f"{seller.road}{habits.choice((',', ''))}", seller.place]


def _print_head(sheet: Sheet, name: str, address: Sequence[str], words: Words, habits: Random) -> None:
    side = habits.choice(("middle", "middle", "left"))
    title, above = habits.choice(words.greetings), habits.random() < 0.3
    if title and above:
        sheet.put(middle=title)
    sheet.head(side, name, size=habits.choice((1.0, 1.2, 1.4, 1.7)))
    if habits.random() < 0.25:
        sheet.head(side, habits.choice(words.mottos))
    for line in address:
        sheet.head(side, line)
    if habits.random() < 0.5:
        sheet.head(side, f"{habits.choice(words.phones)} {habits.randint(10**7, 10**9)}")
    if habits.random() < 0.4:
        number = habits.randint(10**8, 10**10)
        sheet.head(side, f"{habits.choice(words.numbers)} {number}")
    if title and not above:
        sheet.put(middle=title)


def _print_facts(sheet: Sheet, printed: str, words: Words, random: Random, habits: Random) -> None:
    sheet.put(middle=habits.choice(("- " * 18, "_" * 30, "", "." * 36)))
    number, clock = random.randint(10, 9999999), f"{random.randint(6, 23):02d}:{random.randint(0, 59):02d}"
    bill, dated, counter, invoice, issued, cashier, table, covers, order, at = words.facts
    match habits.randrange(5):
        case 0:
            sheet.put(left=bill.format(number), right=dated.format(printed))
            sheet.put(left=counter.format(random.randint(1, 6)), right=clock)
        case 1:
            sheet.put(left=f"{printed} {clock}  {number}")
        case 2:
            sheet.put(left=invoice, right=str(number))
            sheet.put(left=issued, right=printed)
            sheet.put(left=cashier, right=habits.choice(words.staff))
        case 3:
            sheet.put(left=table.format(random.randint(1, 30)), right=covers.format(random.randint(1, 7)))
            sheet.put(middle=f"{clock}  {printed}")
        case _:
            sheet.put(left=order.format(number))
            sheet.put(left=at.format(printed, clock))


def _print_sums(sheet: Sheet, country: Country, words: Words, random: Random, habits: Random) -> Decimal:
    mark, form = habits.choice(("", "", country.sign)), habits.randrange(3)

    def show(amount: Decimal) -> str:
        text = f"{amount:.2f}".replace(".", ",") if country.comma else f"{amount:.2f}"
        return f"{text} €" if mark == "€" and country.comma else f"{mark}{text}"

    if habits.random() < 0.5:
        sheet.put(left=habits.choice(words.heads), right=habits.choice(("Amt", "Amount")))
    every = Decimal(0)
    for place in range(random.choice((1, 2, 2, 3, 4, 5, 7))):
        price, count = Decimal(random.randint(80, 6400)) / 100, random.choice((1, 1, 1, 2, 3))
        every += price * count
        name = random.choice(words.things)
        if form == 0:
            sheet.put(left=f"{place + 1}. {name} x{count}", right=show(price * count))
        elif form == 1:
            sheet.put(left=f"{name}", right=f"{count}  {show(price)}  {show(price * count)}")
        else:
            sheet.put(left=name, right=show(price * count))
    total = _print_total(sheet, (country, words), every, show, habits)
    if not country.added and habits.random() < 0.5:
        name, share = country.taxes[0]
        sheet.put(left=name, right=show((total * share / 1000).quantize(_CENT)))
    return total


def _print_total(
    sheet: Sheet, seller: tuple[Country, Words], every: Decimal, show: Callable[[Decimal], str], habits: Random
) -> Decimal:
    country, words = seller
    total = every
    if country.added and habits.random() < 0.6:
        sheet.put(left=habits.choice(words.net), right=show(every))
        for name, rate in country.taxes:
            tax = (every * rate / 1000).quantize(_CENT)
            sheet.put(left=name, right=show(tax))
            total += tax
    if habits.random() < 0.15:
        rounded = (total * 20).quantize(Decimal(1)) / 20
        sheet.put(left=habits.choice(words.rounding), right=f"{rounded - total:.2f}")
        total = rounded
    if habits.random() < 0.25:
        sheet.put(left=habits.choice(words.counts), right=str(habits.randint(1, 9)))
    sheet.put(left=habits.choice(country.totals), right=show(total), size=habits.choice((1.0, 1.2, 1.5)))
    return total


def _print_payment(sheet: Sheet, paid: tuple[Decimal, dt.date], words: Words, random: Random, habits: Random) -> None:
    total, date = paid
    match habits.randrange(4):
        case 0:
            given = (total // 50 + 1) * 50
            sheet.put(left=habits.choice(words.cash), right=f"{given:.2f}")
            sheet.put(left=habits.choice(words.change), right=f"{given - total:.2f}")
        case 1:
            card = habits.choice(words.cards)
            sheet.put(left=card, right=f"{total:.2f}")
        case 2:
            sheet.put(left=words.paid.format(habits.choice(words.means), random.randint(10**5, 10**8)))
    if habits.random() < 0.15:
        sheet.put(left=words.warranty.format((date + dt.timedelta(days=365)).strftime("%d/%m/%Y")))
    sheet.put(middle=habits.choice(words.thanks))


def draw(sheet: Sheet, seller: Seller, random: Random) -> bytes:
    habits = Random(seller.seed)
    family, size, width = habits.choice(_FONTS), habits.randint(19, 27), habits.choice((440, 520, 600, 700))
    leading, y = habits.uniform(1.2, 1.5), 36
    page = Image.new("L", (width, 100 + int(len(sheet.rows) * size * 2.7)), 250)
    pen = ImageDraw.Draw(page)
    for left, middle, right, large in sheet.rows:
        font = fit_font(family, int(size * large), f"{left}   {middle}{right}", width - 48)
        pen.text((24, y), left, fill=15, font=font)
        pen.text(((width - font.getlength(middle)) / 2, y), middle, fill=15, font=font)
        pen.text((width - 24 - font.getlength(right), y), right, fill=15, font=font)
        y += int(size * large * leading)
    return _wear(page.crop((0, 0, width, y + 40)), random)


def _wear(page: Image.Image, random: Random) -> bytes:
    """A flatbed's skew and streaks, a needle printer's gaps, ink that bled, coffee, and a small file."""
    noise = np.random.default_rng(random.randrange(1 << 30))
    page = page.rotate(random.gauss(0, 0.8), resample=Image.Resampling.BICUBIC, expand=True, fillcolor=250)
    if random.random() < 0.3:
        page = page.filter(ImageFilter.MinFilter(3))  # bled
    pixels: NDArray[np.floating] = np.asarray(page, dtype=np.float32)
    if random.random() < 0.3:
        gaps = np.zeros(pixels.shape[0], dtype=bool)
        gaps[:: random.choice((3, 4, 5))] = True
        pixels = np.where(gaps[:, None], pixels * 0.5 + 125, pixels)
    for _ in range(random.choice((0, 0, 1, 2))):
        x = random.randrange(pixels.shape[1])
        pixels[:, x : x + 2] = pixels[:, x : x + 2] * 0.6 + random.choice((20, 100))
    if random.random() < 0.2:
        y, x = random.randrange(pixels.shape[0]), random.randrange(pixels.shape[1])
        down, across = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
        stain = ((down - y) ** 2 + (across - x) ** 2) < random.randint(30, 110) ** 2
        pixels = np.where(stain, pixels * 0.7, pixels)
    fade = random.uniform(0, 0.6)
    pixels = 250 - (250 - pixels) * (1 - fade) + noise.normal(0, random.uniform(2, 15), pixels.shape)
    page = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    page = page.filter(ImageFilter.GaussianBlur(random.uniform(0.2, 1.4)))
    scale = random.choice((1.0, 1.0, 0.85, 0.6))
    page = page.resize((int(page.width * scale), int(page.height * scale)), Image.Resampling.BILINEAR)
    held = io.BytesIO()
    page.convert("RGB").save(held, "JPEG", quality=random.randint(28, 85))
    return held.getvalue()


def fill(folder: Path, count: int, seed: int = 1, *, words: Words = USUAL) -> Path:
    """Return the truth's file. Half of the papers are of few sellers, the others of one each."""
    random = Random(f"abroad {seed}")
    known = make_sellers(max(8, count * 2 // 3), random, words)
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number in range(count):
        seller = random.choice(known[: count // 12 + 1]) if number % 2 else known[number % len(known)]
        sheet, truth = make_receipt(seller, random)
        name = f"abroad-{seed}-{number:04d}.jpg"
        (folder / name).write_bytes(draw(sheet, seller, random))
        entries.append({"file": name, "kind": "receipt", "fields": truth})
    truth_file = folder / "ground_truth.jsonl"
    truth_file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return truth_file


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
