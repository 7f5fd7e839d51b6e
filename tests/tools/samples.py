"""The demo's documents, made by code with invented names: clean invoices, a poor till receipt, a scan of two pages."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from tests.tools import paper
from tests.tools.paper import Sheet

A4 = (595.0, 842.0)
LINES = (
    ("Drawing paper A2, 200 g, pad of 40 sheets", 6, "18.50", "111.00"),
    ("Pigment liner set, 8 widths", 4, "21.75", "87.00"),
    ("Portfolio case A1, black", 2, "64.00", "128.00"),
    ("Cutting mat 60 × 90 cm", 3, "29.90", "89.70"),
    ("Delivery, next working day", 1, "9.50", "9.50"),
)
REAMS = (
    ("Copier paper A4, 80 g, box of 5 reams", 20, "31.50", "630.00"),
    ("Recycled envelopes C5, 500", 8, "42.00", "336.00"),
    ("Archive boxes, flat packed, 50", 4, "68.50", "274.00"),
)
BASKET = (
    ("SOURDOUGH LOAF 800G", "4.20"),
    ("OAT DRINK 1L   2 X 1.95", "3.90"),
    ("CHEDDAR MATURE 350G", "5.75"),
    ("VINE TOMATOES 0.62 KG", "2.48"),
    ("GROUND COFFEE 250G", "6.40"),
    ("FREE RANGE EGGS 12", "3.85"),
    ("DARK CHOCOLATE 85%", "2.95"),
)
TIMES = (
    ("04 Nov", "Site survey, Millrace Lane", "6.0", "72.00", "432.00"),
    ("05 Nov", "Measured drawings, ground floor", "7.5", "72.00", "540.00"),
    ("07 Nov", "Measured drawings, upper floor", "7.0", "72.00", "504.00"),
    ("11 Nov", "Damp report, cellar", "4.5", "85.00", "382.50"),
    ("12 Nov", "Structural notes for the engineer", "3.0", "85.00", "255.00"),
    ("14 Nov", "Travel, two days", "2.0", "38.00", "76.00"),
)


def write_samples(folder: Path) -> list[Path]:
    """Three files, the same at every call; the clean invoice first."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        paper.save([_invoice()], folder / "invoice-alder-and-quill.pdf"),
        _receipt_photo(folder / "receipt-corner-larder.jpg"),
        _two_page_scan(folder / "invoice-brook-surveyors.tif"),
    ]


def write_due_invoice(folder: Path, today: dt.date) -> Path:
    """An invoice of this week that is due next month, with IBAN, VAT ID and tax."""
    folder.mkdir(parents=True, exist_ok=True)
    issued = today - dt.timedelta(days=4)
    due = (today.replace(day=1) + dt.timedelta(days=32)).replace(day=15)
    return paper.save([_due_invoice(issued, due)], folder / "invoice-juniper-mill.pdf")


def _due_invoice(issued: dt.date, due: dt.date) -> Sheet:
    sheet = Sheet(*A4)
    sheet.bar((0, 0, 595, 9), (0.44, 0.31, 0.16))
    sheet.text(56, 66, "Juniper Mill Paper Ltd", font="F2", size=17)
    for number, line in enumerate(("2 Weir Street", "Saltmarsh SM4 2CD", "United Kingdom")):
        sheet.text(56, 86 + 13 * number, line)
    sheet.text(539, 70, "INVOICE", font="F2", size=22, right=True)
    facts = (
        ("Invoice number", f"JM-{issued:%y%m}-0612"),
        ("Invoice date", f"{issued.day} {issued:%B %Y}"),
        ("Due date", f"{due.day} {due:%B %Y}"),
        ("PO number", "BS-20871"),
    )
    for number, (label, value) in enumerate(facts):
        sheet.text(370, 100 + 15 * number, label, font="F2")
        sheet.text(539, 100 + 15 * number, value, right=True)
    sheet.text(56, 176, "Bill to", font="F2", size=8.5)
    for number, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        sheet.text(56, 191 + 13 * number, line)
    _invoice_table(sheet, REAMS, (("Net total", "£1,240.00"), ("VAT 20 %", "£248.00"), ("Total due", "£1,488.00")))
    sheet.rule(56, 539, 686, weight=0.4)
    sheet.text(56, 700, f"Please pay by {due.day} {due:%B %Y} and quote the invoice number.", size=8.5)
    sheet.text(56, 713, "IBAN: GB33 BUKB 2020 1555 5555 55    BIC: BUKBGB22", size=8.5)
    sheet.text(56, 726, "Juniper Mill Paper Ltd    VAT ID: GB 000 7702 30    Registered in England", size=8.5)
    return sheet


def _invoice() -> Sheet:
    sheet = Sheet(*A4)
    sheet.bar((0, 0, 595, 9), (0.16, 0.33, 0.38))
    sheet.text(56, 66, "Alder & Quill Stationers Ltd", font="F2", size=17)
    for number, line in enumerate(("14 Lantern Street", "Northbridge NB2 4QT", "United Kingdom")):
        sheet.text(56, 86 + 13 * number, line)
    sheet.text(56, 131, "Tel +44 1632 960118    accounts@alderquill.example", size=8.5)
    sheet.text(539, 70, "INVOICE", font="F2", size=22, right=True)
    facts = (("Invoice no.", "AQ-2024-0418"), ("Invoice date", "12 March 2024"), ("Due date", "11 April 2024"))
    for number, (label, value) in enumerate(facts):
        sheet.text(400, 100 + 15 * number, label, font="F2")
        sheet.text(539, 100 + 15 * number, value, right=True)
    sheet.text(56, 176, "Bill to", font="F2", size=8.5)
    for number, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        sheet.text(56, 191 + 13 * number, line)
    _invoice_table(sheet, LINES, (("Subtotal", "£425.20"), ("VAT 20 %", "£85.04"), ("Total due", "£510.24")))
    sheet.text(56, 700, "Payment by bank transfer within 30 days. Quote the invoice number.", size=8.5)
    sheet.text(56, 713, "Alder & Quill Stationers Ltd    VAT GB 000 4181 47    Registered in England", size=8.5)
    sheet.rule(56, 539, 686, weight=0.4)
    return sheet


def _invoice_table(sheet: Sheet, lines: Sequence[tuple[str, int, str, str]], sums: Sequence[tuple[str, str]]) -> None:
    sheet.bar((56, 256, 483, 20), (0.91, 0.93, 0.94))
    for x, heading in ((330, "Qty"), (430, "Unit price"), (533, "Amount")):
        sheet.text(x, 270, heading, font="F2", right=True)
    sheet.text(62, 270, "Description", font="F2")
    for number, (what, count, price, amount) in enumerate(lines):
        y = 294 + 21 * number
        sheet.text(62, y, what)
        for x, value in ((330, str(count)), (430, price), (533, amount)):
            sheet.text(x, y, value, right=True)
        sheet.rule(56, 539, y + 7, weight=0.3)
    for number, (label, value) in enumerate(sums):
        y, font = 424 + 19 * number, "F2" if number == len(sums) - 1 else "F1"
        sheet.text(430, y, label, font=font, size=11 if font == "F2" else 9.5, right=True)
        sheet.text(533, y, value, font=font, size=11 if font == "F2" else 9.5, right=True)
    sheet.rule(380, 539, 448, weight=0.8)


def _receipt() -> Sheet:
    sheet = Sheet(226, 470)
    head = ("27 HARBOUR STREET", "SALTMARSH SM3 1AB", "TEL 01632 960774", "VAT NO 000 7712 45")
    sheet.text(113 - 4.2 * 16, 42, "CORNER LARDER FOODS", font="F4", size=12)
    for number, line in enumerate(head):
        sheet.text(113 - 2.7 * len(line), 60 + 12 * number, line, font="F3", size=9)
    sheet.text(18, 122, "RECEIPT 004417   17/08/2024 18:42", font="F3", size=9)
    sheet.text(18, 134, "TILL 2           SERVED BY IMKE", font="F3", size=9)
    sheet.rule(18, 208, 142)
    for number, (what, price) in enumerate(BASKET):
        sheet.text(18, 158 + 15 * number, what, font="F3", size=9)
        sheet.text(208, 158 + 15 * number, price, font="F3", size=9, right=True)
    sheet.rule(18, 208, 264)
    sheet.text(18, 284, "TOTAL", font="F4", size=13)
    sheet.text(208, 284, "£29.53", font="F4", size=13, right=True)
    for number, (what, price) in enumerate((("VISA DEBIT ****4471", "29.53"), ("VAT INCLUDED", "1.06"))):
        sheet.text(18, 306 + 14 * number, what, font="F3", size=9)
        sheet.text(208, 306 + 14 * number, price, font="F3", size=9, right=True)
    for number, line in enumerate(
        ("THANK YOU FOR SHOPPING LOCALLY", "KEEP THIS RECEIPT FOR RETURNS", "WITHIN 28 DAYS")
    ):
        sheet.text(113 - 2.7 * len(line), 352 + 13 * number, line, font="F3", size=9)
    return sheet


def _receipt_photo(path: Path) -> Path:
    """At 200 dpi; the smudge lies over total and card amount, so that nothing on the paper confirms the total."""
    print_ = paper.smudged(paper.picture(_receipt(), 200), (340, 755, 628, 866))
    paper.photographed(print_, seed=7, angle=2.1, blur=1.4).save(path, "JPEG", quality=62)
    return path


def _two_page_scan(path: Path) -> Path:
    pages = [
        paper.scanned(paper.picture(sheet, 150), seed=seed, angle=angle)
        for sheet, seed, angle in ((_survey(), 11, 0.4), (_survey_sums(), 12, -0.3))
    ]
    pages[0].save(path, "TIFF", save_all=True, append_images=pages[1:], compression="tiff_lzw", dpi=(150, 150))
    return path


def _letterhead(sheet: Sheet, page: int) -> None:
    sheet.text(56, 64, "Brook & Tarn Surveyors LLP", font="F2", size=16)
    sheet.text(56, 82, "Suite 5, Weir House, 40 Canal Road, Oxhaven OX2 8YY", size=9)
    sheet.text(56, 95, "Phone 01632 960333", size=9)
    sheet.text(539, 64, f"Page {page} of 2", size=9, right=True)
    sheet.rule(56, 539, 106)


def _survey() -> Sheet:
    sheet = Sheet(*A4)
    _letterhead(sheet, 1)
    sheet.text(56, 148, "Invoice number: BT-1127", font="F2", size=11)
    sheet.text(56, 166, "Date: 18 November 2024", size=10)
    sheet.text(56, 196, "To: Brackenfield Studio, 3 Millrace Lane, Oxhaven OX9 7ZZ", size=10)
    for x, heading in ((56, "Day"), (110, "Work")):
        sheet.text(x, 240, heading, font="F2", size=10)
    for x, heading in ((380, "Hours"), (460, "Rate"), (539, "Amount")):
        sheet.text(x, 240, heading, font="F2", size=10, right=True)
    sheet.rule(56, 539, 247)
    for number, (day, work, hours, rate, amount) in enumerate(TIMES):
        y = 266 + 22 * number
        sheet.text(56, y, day, size=10)
        sheet.text(110, y, work, size=10)
        for x, value in ((380, hours), (460, rate), (539, amount)):
            sheet.text(x, y, value, size=10, right=True)
    sheet.text(539, 420, "Carried over to page 2", size=9, right=True)
    return sheet


def _survey_sums() -> Sheet:
    sheet = Sheet(*A4)
    _letterhead(sheet, 2)
    sums = (("Subtotal", "2,189.50", "F1"), ("VAT 20 %", "437.90", "F1"), ("Total amount due", "GBP 2,627.40", "F2"))
    for number, (label, value, font) in enumerate(sums):
        sheet.text(380, 160 + 22 * number, label, font=font, size=11, right=True)
        sheet.text(539, 160 + 22 * number, value, font=font, size=11, right=True)
    sheet.text(56, 270, "Please pay within 14 days to the account that you know from earlier invoices.", size=9.5)
    return sheet
