# ruff: noqa: E501, ISC004, PLR0917, SIM905 - sentences and lists of words as people read them
"""Papers with a known truth, drawn in many layouts: ad orders, agreements and receipts, for measuring what is learned.

``python -m tests.tools.generated KIND COUNT FOLDER``. All names are invented. The entry's ``group`` says whose paper it
is, or of which layout, so that none is measured by papers like it.
"""

import json
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.tools import paper
from tests.tools.paper import Sheet

WIDTH, HEIGHT = 612.0, 792.0
_FIRST = "Dana Ruth Omar Lena Carl Ines Hugo Vera Paul Nora Felix Greta Ivan Mara Otto Tess".split()
_LAST = "Whitlow Marsden Okafor Brandt Castell Quimby Harrow Lindqvist Tolman Vance Ferrer Osgood Pike Rudd".split()
_STEMS = (
    "Northgate Silverline Meranti Oakfield Bluewater Pinecrest Harborview Larkspur Stonebridge Westmere Ironwood "
    "Fairmont Cedarhill Brightwell Kestrel Marlowe Ashgrove Redstone Lakeshore Summerfield Tidewater Granite Halcyon "
    "Juniper Copperleaf Windham Eastbrook Falcon Merriweather Orchard"
).split()
_TRADES = (
    "Systems Therapeutics Holdings Capital Materials Software Energy Foods Logistics Biotech Media Partners".split()
)
_FORMS = ("Inc.", "LLC", "Corporation", "Corp.", "Ltd.", "L.P.", "PLC", "Company")
_STATES = (
    "New York", "Delaware", "California", "Texas", "Colorado", "Illinois", "Massachusetts", "New Jersey", "Florida",
    "Washington", "Nevada", "Ohio", "Georgia", "Virginia", "Minnesota", "North Carolina",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    sheets: list[Sheet]
    fields: Mapping[str, str]
    group: str


def company(dice: random.Random) -> str:
    return f"{dice.choice(_STEMS)} {dice.choice(_TRADES)}, {dice.choice(_FORMS)}"


def person(dice: random.Random) -> str:
    return f"{dice.choice(_FIRST)} {dice.choice(_LAST)}"


# --- Ad orders -----------------------------------------------------------------------------------------------------


def _advertiser(dice: random.Random) -> str:
    last, state = dice.choice(_LAST), dice.choice(_STATES)
    return dice.choice(
        [
            f"{person(dice)} for {dice.choice(['Senate', 'Governor', 'Congress', 'Mayor', 'Sheriff'])}",
            f"POL/{person(dice)}/{dice.choice(['Governor', 'Senate', 'House'])}/{state[:2].upper()}/{dice.choice('DR')}",
            f"Friends of {person(dice)}",
            f"{last} for {state} {dice.choice(['2018', '2020', '2022'])}",
            f"{dice.choice(_STEMS)} {dice.choice(['Leadership', 'Majority', 'Values', 'Action'])} {dice.choice(['Fund', 'PAC'])}",
            f"Citizens for {dice.choice(_STEMS)} {dice.choice(['Schools', 'Parks', 'Roads'])}",
            f"{dice.choice(_STEMS)} {dice.choice(['Motors', 'Dental', 'Furniture', 'Credit Union'])}",
        ]
    )


# The words of each layout for its fields; what stands where is drawn beside them.
_AD_LAYOUTS: Sequence[Mapping[str, str]] = (
    {"contract_num": "Contract #", "advertiser": "Advertiser:", "gross_amount": "Total $:", "flight": "Flight:", "form": "pairs"},
    {"contract_num": "Order #", "advertiser": "Advertiser", "gross_amount": "Gross Amount", "flight": "Order Flight", "form": "under"},
    {"contract_num": "Contract / Revision", "advertiser": "Advertiser", "gross_amount": "Totals", "flight": "Contract Dates", "form": "grid"},
    {"contract_num": "Contract No.", "advertiser": "Client Name:", "gross_amount": "Gross Total:", "flight": "Start / End:", "form": "pairs"},
    {"contract_num": "Deal ID", "advertiser": "Account", "gross_amount": "Gross Billing", "flight": "Campaign Dates", "form": "under"},
    {"contract_num": "Agreement No:", "advertiser": "Sponsor:", "gross_amount": "Order Total", "flight": "Schedule", "form": "pairs"},
    {"contract_num": "Invoice #", "advertiser": "Advertiser", "gross_amount": "Gross Amt Due", "flight": "Flight Dates", "form": "grid"},
    {"contract_num": "Headline #", "advertiser": "Advertiser Name", "gross_amount": "Total Gross", "flight": "Hiatus/Flight", "form": "under"},
)  # fmt: skip


_AD_TERMS = (
    "Station may cancel any announcement on four weeks notice to the advertiser. Makegoods run within 14 days of 2 airings.",
    "Invoices are due 30 days from the invoice date. A charge of 1.5 % a month is added to amounts past due.",
    "Advertiser and agency are jointly liable for the gross amount of this order, less commission of 15 %.",
    "Requests to purchase time by candidates are placed in the public file within 24 hours of the order date.",
    "Rates of $5.00 to $20.00 apply to makegoods and bonus spots of :15 and :30 only. Rev. 03/2016, page 2 of 2.",
)


def draw_ad_order(dice: random.Random) -> Drawn:
    number = dice.randrange(len(_AD_LAYOUTS))
    layout = _AD_LAYOUTS[number]
    start, length = dice.randrange(1, 20), dice.randrange(3, 9)
    month, year = dice.randrange(1, 13), dice.choice([18, 20, 22])
    written = dice.choice(["{:02d}/{:02d}/{:02d}", "{}/{}/{:02d}"])
    first, last = (written.format(month, day, year) for day in (start, start + length))
    spots = [(dice.randrange(1, 9), dice.randrange(2, 60) * 5) for _ in range(dice.randrange(3, 14))]
    gross = f"${sum(count * rate for count, rate in spots):,.2f}"
    fields = {
        "contract_num": dice.choice([f"{dice.randrange(10**6, 10**7)}-{dice.randrange(1, 4)}", str(dice.randrange(10**5, 10**8))]),
        "advertiser": _advertiser(dice),
        "gross_amount": gross,
        "flight_from": f"20{year}-{month:02d}-{start:02d}",
        "flight_to": f"20{year}-{month:02d}-{start + length:02d}",
    }  # fmt: skip
    sheet = Sheet(WIDTH, HEIGHT)
    size = dice.choice([8.0, 8.5, 9.0])
    down = 40 + dice.randrange(30)
    sheet.text(
        40,
        down,
        f"{dice.choice('WK')}{''.join(dice.choices('ABCDEFGLMNTVW', k=3))} {dice.choice(['TV', '7 News', 'Media Group'])}",
        size=12,
        font="F2",
    )
    sheet.text(
        40,
        down + 14,
        f"{dice.randrange(10, 900)} {dice.choice(_LAST)} St, {dice.choice(_STEMS)}, {dice.choice(['NY 10019', 'TX 75001', 'CO 80220'])}",
        size=size,
    )
    sheet.text(
        560, down, dice.choice(["CONTRACT", "ORDER", "INVOICE", "BROADCAST ORDER"]), size=13, font="F2", right=True
    )
    shown = {
        layout["contract_num"]: fields["contract_num"],
        layout["advertiser"]: fields["advertiser"],
        layout["flight"]: f"{first} {dice.choice(['-', 'to', '-'])} {last}",
        dice.choice(
            ["Agency", "Agency:"]
        ): f"{dice.choice(_STEMS)} {dice.choice(['Media', 'Strategies', 'Buying Group'])}",
        dice.choice(["Product", "Product:"]): dice.choice(["Political", "Issue", "General", "Auto"]),
        "Estimate #": str(dice.randrange(100, 9999)),
        dice.choice(["Buyer", "Salesperson:", "Account Executive"]): person(dice),
        dice.choice(["Print Date", "Entered:", "Date"]): written.format(month, max(1, start - 1), year),
        "Market:": dice.choice(_STEMS),
        "Agency Ref": str(dice.randrange(10**5, 10**8)),
    }
    below = _place_pairs(sheet, dice, layout["form"], list(shown.items()), down + 44, size)
    if dice.random() < 0.5:
        shown_numbers = f"Primary Demo: A{dice.choice([18, 25, 35])}+  GRP {dice.randrange(20, 900)}.{dice.randrange(10)}  CPP {dice.randrange(10, 90)}.{dice.randrange(10, 99)}"
        sheet.text(40, below + 6, f"{shown_numbers}  Cycle 20{year}", size=size)
        below += 14
    below = _place_spots(sheet, spots, below + 20, size, written, month, start, year)
    _place_totals(sheet, dice, layout, gross, below + 8, size, sum(count for count, _ in spots))
    terms = _set_text(dice.sample(_AD_TERMS, len(_AD_TERMS)), 8.0, 110) if dice.random() < 0.5 else []
    return Drawn([sheet, *terms], fields, f"layout {number}")


def _place_pairs(
    sheet: Sheet, dice: random.Random, form: str, shown: list[tuple[str, str]], top: float, size: float
) -> float:
    """Label and value beside each other, the value under its label, or heads over a row of values."""
    dice.shuffle(shown)
    columns = {"pairs": 2, "under": 3, "grid": 4}[form]
    width = 530 / columns
    pitch = size + (5 if form == "pairs" else 18)
    for place, (label, value) in enumerate(shown):
        x, y = 40 + width * (place % columns), top + pitch * (place // columns)
        sheet.text(x, y, label, size=size, font="F2")
        if form == "pairs":
            sheet.text(x + paper.text_width(label, size, "F2") + 5, y, value, size=size)
        else:
            sheet.text(x, y + size + 3, value if len(value) < 4 * width / size / 2 else value[:60], size=size)
    return top + pitch * (-(-len(shown) // columns))


def _place_spots(
    sheet: Sheet,
    spots: Sequence[tuple[int, int]],
    top: float,
    size: float,
    written: str,
    month: int,
    start: int,
    year: int,
) -> float:
    for x, label in (
        (40, "Line"),
        (80, "Day/Time"),
        (200, "Week of"),
        (300, "Length"),
        (360, "Spots"),
        (430, "Rate"),
        (520, "Amount"),
    ):
        sheet.text(x, top, label, size=size, font="F2")
    for number, (count, rate) in enumerate(spots, 1):
        y = top + (size + 4) * number
        cells = (
            str(number),
            "M-F 6a-7a",
            written.format(month, start, year),
            ":30",
            str(count),
            f"${rate:,.2f}",
            f"${count * rate:,.2f}",
        )
        for x, cell in zip((40, 80, 200, 300, 360, 430, 520), cells, strict=True):
            sheet.text(x, y, cell, size=size)
    return top + (size + 4) * (len(spots) + 1)


def _place_totals(
    sheet: Sheet, dice: random.Random, layout: Mapping[str, str], gross: str, top: float, size: float, spots: int
) -> None:
    amount = float(gross.replace("$", "").replace(",", ""))
    rows = [(layout["gross_amount"], gross), ("Total Spots", str(spots))]
    if dice.random() < 0.6:
        rows += [("Agency Commission", f"${amount * 0.15:,.2f}"), ("Net Amount", f"${amount * 0.85:,.2f}")]
    for number, (label, value) in enumerate(rows):
        sheet.text(330, top + (size + 5) * number, label, size=size, font="F2")
        sheet.text(560, top + (size + 5) * number, value, size=size, right=True)


# --- Agreements ----------------------------------------------------------------------------------------------------

_TITLES = (
    "NON-DISCLOSURE AGREEMENT", "CONFIDENTIALITY AGREEMENT", "MUTUAL NONDISCLOSURE AGREEMENT",
    "EMPLOYEE CONFIDENTIALITY AGREEMENT", "CONFIDENTIALITY AND NON-COMPETITION AGREEMENT",
)  # fmt: skip
_OPENINGS = (
    'This Agreement is made as of {date} (the "Effective Date") by and between {a}, a {sa} corporation, and {b}.',
    'THIS AGREEMENT, dated {date}, is entered into between {a} (the "Company") and {b} (the "Recipient").',
    "{date}\n{b}\n{street}\nLadies and Gentlemen:\nIn connection with your interest in a possible transaction with {a} (the "
    '"Company"), you have asked for certain information. As a condition you agree as follows.',
    'This Mutual Non-Disclosure Agreement (this "Agreement") is effective {date} between {a}, having its principal office '
    "at {street}, and {b}, a {sa} limited liability company.",
    "{a} and {b} (each a party) desire to exchange information for the purpose set out below. The parties, intending to be "
    "legally bound, agree as follows, effective as of the {day} day of {month}, {year}.",
    'In consideration of employment by {a} (together with its affiliates, the "Employer"), {b} agrees, as of {date}, as '
    "follows.",
)
_LAWS = (
    "This Agreement shall be governed by and construed in accordance with the laws of the State of {law}, without regard to "
    "its conflict of laws principles.",
    "This letter shall be governed by the laws of {law} applicable to agreements made and to be performed there.",
    "The validity and interpretation of this Agreement are subject to {law} law, and the courts located in {court} County, "
    "{law} shall have exclusive jurisdiction.",
    "Governing Law. The internal laws of the State of {law} govern all matters arising out of this Agreement.",
    "This Agreement will be deemed made in {law} and construed under its laws. Each party submits to the courts of {law}.",
)
_CLAUSES = (
    '"Confidential Information" means all information, in whatever form, that is disclosed by one party to the other and '
    "that is marked as confidential or that a reasonable person would understand to be confidential.",
    "The receiving party shall hold the information in strict confidence and shall not disclose it to any third party "
    "without the prior written consent of the disclosing party.",
    "Upon request the receiving party shall promptly return or destroy all copies of the information and confirm this in "
    "writing within ten (10) days.",
    "The obligations of this Agreement end on {end}, except for trade secrets, which remain protected by law.",
    "No failure or delay in exercising any right under this Agreement operates as a waiver of it.",
    "Each party represents that it is duly organised under the laws of the State of {sa} or {sb} and has the power to enter "
    "into this Agreement.",
    "Money damages would not be a sufficient remedy for a breach, and the disclosing party is entitled to equitable relief, "
    "including injunction and specific performance.",
    "This Agreement contains the entire agreement of the parties and replaces the letter dated {old} between them.",
    "Notices shall be sent by certified mail to {b}, {street}, with a copy to {c}, attorneys for the Company.",
    "Neither party shall, for a period of eighteen months, solicit for employment any employee of the other.",
    "This Agreement may be executed in counterparts, each of which is an original and all of which are one instrument.",
)


def _written_date(dice: random.Random) -> tuple[str, str]:
    day, month, year = dice.randrange(1, 29), dice.randrange(1, 13), dice.randrange(1998, 2021)
    form = dice.choice(
        ["{name} {day}, {year}", "{name} {day}, {year}", "{day} {name} {year}", "{month}/{day:02d}/{year}"]
    )
    return form.format(name=_MONTHS[month - 1], day=day, month=month, year=year), f"{year}-{month:02d}-{day:02d}"


def draw_agreement(dice: random.Random) -> Drawn:
    opening = dice.randrange(len(_OPENINGS))
    date, truth = _written_date(dice)
    year, month, day = (int(part) for part in truth.split("-"))
    a, law = company(dice), dice.choice(_STATES)
    b = person(dice) if opening == 5 else company(dice)
    told = {
        "date": date, "a": a, "b": b, "c": f"{dice.choice(_LAST)} & {dice.choice(_LAST)} LLP", "law": law,
        "sa": dice.choice(_STATES), "sb": dice.choice(_STATES), "court": dice.choice(_STEMS),
        "street": f"{dice.randrange(10, 9999)} {dice.choice(_STEMS)} Avenue, {dice.choice(_STATES)}",
        "old": _written_date(dice)[0], "end": _written_date(dice)[0], "year": str(year), "month": _MONTHS[month - 1],
        "day": f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}",
    }  # fmt: skip
    clauses = dice.sample(_CLAUSES, dice.randrange(7, len(_CLAUSES) + 1))
    clauses.insert(dice.randrange(len(clauses) // 2, len(clauses) + 1), _LAWS[number := dice.randrange(len(_LAWS))])
    numbered = dice.choice(["{}. {}", "{}.  {}", "({}) {}"])
    paragraphs = [dice.choice(_TITLES), *_OPENINGS[opening].format(**told).split("\n")]
    paragraphs += [numbered.format(place, one.format(**told)) for place, one in enumerate(clauses, 1)]
    signed = _written_date(dice)[0]
    paragraphs += [
        "IN WITNESS WHEREOF, the parties have signed below.",
        told["a"].upper(),
        f"By: {person(dice)}",
        f"Date: {signed}",
        told["b"].upper(),
        f"By: {person(dice)}",
    ]
    sheets = _set_text(paragraphs, dice.choice([9.0, 10.0, 11.0]), dice.choice([84, 94, 104]))
    return Drawn(sheets, {"effective_date": truth, "jurisdiction": law, "party": a}, f"wording {opening}-{number}")


def _set_text(paragraphs: Sequence[str], size: float, columns: int) -> list[Sheet]:
    sheets, down = [Sheet(WIDTH, HEIGHT)], 60.0
    for paragraph in paragraphs:
        for line in textwrap.wrap(paragraph, int(columns * 9 / size)):
            if down > HEIGHT - 60:
                sheets, down = [*sheets, Sheet(WIDTH, HEIGHT)], 60.0
            sheets[-1].text(60, down, line, size=size)
            down += size + 3
        down += 6
    return sheets


# --- Receipts ------------------------------------------------------------------------------------------------------

_SLIPS = {"O": "0", "0": "O", "I": "1", "l": "1", "S": "5", "B": "8", "E": "F", "N": "H", "5": "S", "G": "6"}
_TOWNS = (
    "43300 SERI KEMBANGAN, SELANGOR",
    "81100 JOHOR BAHRU, JOHOR",
    "50480 KUALA LUMPUR",
    "11900 BAYAN LEPAS, PENANG",
)
_GOODS = "HINGE BRUSH PAINT BREAD MILK RICE NOODLE TEA SCREW LAMP PAPER BATTERY SOAP BUCKET CABLE FILTER".split()
SELLERS = 60


def _seller(number: int) -> dict[str, str]:
    """Always the same paper's words for the same seller."""
    dice = random.Random(f"seller {number}")
    name = f"{dice.choice(_STEMS).upper()} {dice.choice(['TRADING', 'HARDWARE', 'RESTAURANT', 'MART', 'BOOK CENTRE', 'AUTO PARTS'])}"
    return {
        "company": dice.choice([f"{name} SDN BHD", f"{name} (M) SDN. BHD.", name, f"{name} ENTERPRISE"]),
        "brand": dice.choice(["", "", _STEMS[number % len(_STEMS)].upper(), f"WELCOME TO {dice.choice(_STEMS).upper()}"]),
        "street": f"{dice.choice(['NO. ', 'LOT ', ''])}{dice.randrange(1, 99)}{dice.choice(['', '-A', 'G'])}, JALAN {dice.choice(_LAST).upper()} {dice.randrange(1, 20)}/{dice.randrange(1, 9)}",
        "area": f"TAMAN {dice.choice(_STEMS).upper()}",
        "town": dice.choice(_TOWNS),
        "total": dice.choice(["TOTAL", "Total (RM)", "NET TOTAL", "Total Sales (Inclusive of GST)", "Grand Total :", "AMOUNT DUE", "Payable", "Rounded Total (RM)"]),
        "date": dice.choice(["Date:", "Date", "", "DATE/TIME", "Tarikh :", "Invoice Date:"]),
        "written": dice.choice(["{:02d}/{:02d}/{}", "{:02d}-{:02d}-{}", "{:02d}.{:02d}.{}"]),
        "form": str(dice.randrange(4)),
    }  # fmt: skip


def draw_receipt(dice: random.Random) -> Drawn:
    number = dice.randrange(SELLERS)
    seller = _seller(number)
    day, month, year = dice.randrange(1, 29), dice.randrange(1, 13), dice.randrange(2014, 2020)
    date = seller["written"].format(day, month, year)
    goods = [
        (dice.choice(_GOODS), dice.randrange(1, 4), dice.randrange(10, 4000) / 100) for _ in range(dice.randrange(1, 7))
    ]
    total = sum(round(count * price, 2) for _, count, price in goods)
    cash = total + dice.choice([0, 0.5, 10, 20])
    rows: list[tuple[str, str]] = [
        (seller["brand"], ""),
        (seller["company"], ""),
        (f"(CO. REG: {dice.randrange(10**5, 10**6)}-{dice.choice('XVKM')})", ""),
    ]
    rows += [
        (seller["street"] + ",", ""),
        (seller["area"] + ",", ""),
        (seller["town"], ""),
        (f"TEL: 0{dice.randrange(10**7, 10**8)}", ""),
    ]
    when = (f"{seller['date']} {date} {dice.randrange(9, 22)}:{dice.randrange(10, 59)}", "")
    bill = [(f"{one} {count} X {price:.2f}", f"{count * price:.2f}") for one, count, price in goods]
    sums = [
        ("Sub total" if seller["form"] != "2" else "Total Excl. GST", f"{total / 1.06:.2f}"),
        ("GST 6%", f"{total - total / 1.06:.2f}"),
    ]
    ends = [(seller["total"], f"{total:.2f}"), ("CASH", f"{cash:.2f}"), ("CHANGE", f"{cash - total:.2f}")]
    rows += (
        [when, *bill, *(sums if seller["form"] in "12" else []), *ends]
        if seller["form"] != "3"
        else [*bill, *ends, when]
    )
    rows += [("THANK YOU, PLEASE COME AGAIN", "")]
    sheet, size = Sheet(300, 60 + 16 * len(rows)), dice.choice([8.0, 9.0])
    for place, (left, right) in enumerate(one for one in rows if one[0]):
        sheet.text(20, 30 + 15 * place, _slip(dice, left), size=size)
        if right:
            sheet.text(280, 30 + 15 * place, _slip(dice, right), size=size, right=True)
    fields = {
        "company": seller["company"], "date": date, "total": f"{total:.2f}",
        "address": f"{seller['street']}, {seller['area']}, {seller['town']}",
    }  # fmt: skip
    return Drawn([sheet], fields, seller["company"])


def _slip(dice: random.Random, text: str) -> str:
    """As OCR reads it: one letter in two hundred is taken for another."""
    return "".join(_SLIPS.get(char, char) if dice.random() < 0.005 else char for char in text)


KINDS: Mapping[str, Callable[[random.Random], Drawn]] = {
    "ad_buy_form": draw_ad_order, "nda": draw_agreement, "receipt": draw_receipt,
}  # fmt: skip


def write_papers(kind: str, count: int, folder: Path, seed: int = 0) -> Path:
    """PDFs beside their ``ground_truth.jsonl``; the same seed makes the same."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        drawn = KINDS[kind](random.Random(f"{kind} {seed} {number}"))
        name = f"{kind}-{number:03d}.pdf"
        paper.save(drawn.sheets, folder / name)
        lines.append(json.dumps({"file": name, "kind": kind, "fields": drawn.fields, "group": drawn.group}))
    (folder / "ground_truth.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def main(arguments: Sequence[str]) -> Iterator[str]:
    kind, count, folder = arguments
    yield str(write_papers(kind, int(count), Path(folder)))


if __name__ == "__main__":
    print(*main(sys.argv[1:]), sep="\n")
