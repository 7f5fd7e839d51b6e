"""Draws the practice documents that ship with the desk: invented, most with something worth catching.

``python -m tests.tools.practice`` writes them anew.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.tools import paper
from tests.tools.paper import Sheet

FOLDER = Path(__file__).parents[2] / "workflows/operations/practice_files"
A4 = (595.0, 842.0)
Facts = Sequence[tuple[str, str]]
HILL = ("Hillside Bakery Supplies Ltd", "8 Oven Lane, Northbridge NB3 1RT")
TARN = ("Tarn Office Furniture Ltd", "61 Quay Road, Saltmarsh SM2 9LL")
LOAF = (("Flour, strong white, 16 kg", "138.40"), ("Yeast, dried, 5 kg", "61.60"))
DESKS = (("Desk, oak, 160 cm", "640.00"), ("Chair, swivel", "220.00"))


def invoice(who: tuple[str, str], facts: Facts, lines: Facts, sums: Facts) -> Sheet:
    sheet = Sheet(*A4)
    sheet.text(56, 66, who[0], font="F2", size=17)
    sheet.text(56, 88, who[1])
    sheet.text(539, 70, "INVOICE", font="F2", size=22, right=True)
    for number, (label, value) in enumerate(facts):
        sheet.text(370, 110 + 15 * number, label, font="F2")
        sheet.text(539, 110 + 15 * number, value, right=True)
    for number, (label, value) in enumerate((*lines, ("", ""), *sums)):
        sheet.text(56, 230 + 22 * number, label, size=11)
        sheet.text(539, 230 + 22 * number, value, size=11, right=True)
    return sheet


def receipt() -> Sheet:
    sheet = Sheet(226, 260)
    for number, line in enumerate(("CAFE LUNA", "12 High Street", "Date 2025-09-12", "Coffee 4.50", "Cake 8.00")):
        sheet.text(20, 40 + 30 * number, line, font="F2" if number == 0 else "F1", size=13)
    sheet.text(20, 215, "TOTAL", font="F2", size=14)
    sheet.text(206, 215, "12.50", font="F2", size=14, right=True)
    return sheet


def documents() -> dict[str, list[Sheet]]:
    right = (("Net total", "£200.00"), ("VAT 20 %", "£40.00"), ("Total due", "£240.00"))
    return {
        "1 receipt.pdf": [receipt()],
        "2 invoice HB-3301.pdf": [
            invoice(HILL, (("Invoice number", "HB-3301"), ("Invoice date", "14 October 2025")), LOAF, right)
        ],
        "3 invoice TF-0917.pdf": [
            invoice(
                TARN,
                (("Invoice number", "TF-0917"), ("Invoice date", "2 October 2025")),
                DESKS,
                (("Net total", "£860.00"), ("VAT 20 %", "£172.00"), ("Total due", "£1,023.00")),
            )
        ],
        "4 invoice HB-3318.pdf": [
            invoice(HILL, (("Invoice number", "HB-3318"), ("Invoice date", "14 October 2052")), LOAF, right)
        ],
        "5 invoice HB-3342.pdf": [invoice(HILL, (("Invoice number", "HB-3342"),), LOAF, right)],
        "6 invoice HB-3301.pdf": [
            invoice(HILL, (("Invoice number", "HB-3301"), ("Invoice date", "14 October 2025")), LOAF, right)
        ],
    }


def write(folder: Path) -> list[Path]:
    return [paper.save(sheets, folder / name) for name, sheets in documents().items()]


if __name__ == "__main__":
    write(FOLDER)
