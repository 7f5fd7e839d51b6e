"""Invoices whose line items are known: tables of many looks, with and without lines, by the number they are drawn from.

What a number decides: language and format, which columns in which order, lines, alignment, wrapped descriptions, how
tight it is, and how many rows. To fill a folder: ``python -m tests.generated.tables DIR COUNT SEED [scanned] [unseen]``
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

from tests.generated.invoices import SUPPLIERS, Supplier
from tests.tools import paper
from tests.tools.paper import Sheet, text_width

FAMILIES = ("plain", "ruled", "grid", "banded", "dense", "stacked")
# Held back: looks that the rules were not written by. Centred columns; descriptions of three lines with their figures
# beside the middle one; more pages than one.
UNSEEN = ("centred", "spread", "paged")
_ROWS_OF_PAGE = 16
_LABELS = {
    "en": {
        "pos": ("Pos", "#", "No."), "sku": ("Item no.", "SKU", "Code"), "what": ("Description", "Item", "Product"),
        "count": ("Qty", "Quantity", "Units"), "unit": ("Unit", "UoM"), "price": ("Unit price", "Price", "Rate"),
        "tax": ("VAT", "VAT %", "Tax rate"), "amount": ("Amount", "Total", "Line total"),
        "net": ("Subtotal", "Net total", "Total excl. VAT"), "vat": ("VAT",),
        "total": ("Total due", "Total", "Amount due"),
    },
    "de": {
        "pos": ("Pos.", "Nr."), "sku": ("Artikelnr.", "Art.-Nr."), "what": ("Bezeichnung", "Artikel", "Beschreibung"),
        "count": ("Menge", "Anzahl"), "unit": ("Einheit", "ME"), "price": ("Einzelpreis", "Preis", "E-Preis"),
        "tax": ("MwSt.", "USt. %"), "amount": ("Gesamtpreis", "Betrag", "Gesamt"),
        "net": ("Nettobetrag", "Zwischensumme", "Summe netto"), "vat": ("MwSt.", "zzgl. USt."),
        "total": ("Gesamtbetrag", "Rechnungsbetrag", "Zu zahlen"),
    },
    "fr": {
        "pos": ("N°",), "sku": ("Réf.", "Référence"), "what": ("Désignation", "Description", "Libellé"),
        "count": ("Quantité", "Qté"), "unit": ("Unité",), "price": ("Prix unitaire", "P.U. HT"),
        "tax": ("TVA", "TVA %"),
        "amount": ("Montant HT", "Montant", "Total HT"), "net": ("Total HT", "Sous-total"), "vat": ("TVA",),
        "total": ("Total TTC", "Net à payer"),
    },
}  # fmt: skip
_GOODS = {
    "en": "Drawing paper A2|Pigment liner set|Portfolio case|Oak shelf board|Steel bracket 40 mm|LED panel|"
    "Site survey|Consulting day|Travel to Leeds|USB-C cable 2 m|Cleaning service May|Filter cartridge|Hosting plan|"
    "Coffee beans",
    "de": "Druckerpapier A4|Bürostuhl|Montage vor Ort|Kabel 5 m|Schraubenset|Beratung|Wartung Heizung|LED-Leuchte|"
    "Versandkarton|Filtereinsatz|Holzplatte 18 mm|Reinigung Büro",
    "fr": "Papier à dessin A3|Chaise de bureau|Main-d'œuvre|Câble 3 m|Jeu de vis|Conseil|Carton d'emballage|Lampe LED|"
    "Nettoyage des locaux|Cartouche filtrante",
}
_MORE = {
    "en": (
        "white, 200 g per sheet, pack of 50",
        "delivered on 4 March as agreed with your office",
        "incl. mounting set",
    ),
    "de": ("weiß, 200 g, Paket zu 50 Blatt", "geliefert am 4. März wie besprochen", "inkl. Befestigungsmaterial"),
    "fr": ("blanc, 200 g, paquet de 50 feuilles", "livré le 4 mars comme convenu", "avec kit de fixation"),
}
_UNITS = {"en": ("pcs", "h", "box"), "de": ("Stk", "Std", "Pkg"), "fr": ("pce", "h", "lot")}


@dataclass(frozen=True)
class Item:
    what: str
    count: Decimal
    price: Decimal
    more: str = ""

    @property
    def amount(self) -> Decimal:
        return (self.count * self.price).quantize(Decimal("0.01"))


@dataclass(frozen=True)
class Table:
    """One to be drawn; everything about it follows from ``seed`` and ``family``."""

    seed: int
    family: str
    supplier: Supplier
    items: tuple[Item, ...]
    order: tuple[str, ...]

    @property
    def language(self) -> str:
        return {"us": "en"}.get(self.supplier.language, self.supplier.language)

    @property
    def net(self) -> Decimal:
        return sum((one.amount for one in self.items), Decimal(0))

    @property
    def tax(self) -> Decimal:
        return (self.net * Decimal(self.supplier.rate) / 100).quantize(Decimal("0.01"))

    @property
    def rows(self) -> list[list[str]]:
        """Description, quantity, unit price, amount as they are stored."""
        return [
            [" ".join(filter(None, (one.what, one.more))), f"{one.count}", f"{one.price:.2f}", f"{one.amount:.2f}"]
            for one in self.items
        ]


def table(seed: int, family: str) -> Table:
    random = Random(f"{family} {seed}")
    supplier = random.choice(SUPPLIERS)
    language = {"us": "en"}.get(supplier.language, supplier.language)
    count = random.randint(25, 60) if family == "paged" else random.randint(1, 9)
    names = random.choices(_GOODS[language].split("|"), k=count)
    wraps = 0.0 if family == "dense" else random.choice((0.0, 0.3, 0.6))
    items = tuple(
        Item(
            name,
            Decimal(random.choice(("1", "2", "3", "6", "12", "40", "1.5", "0.75"))),
            Decimal(random.randint(95, 90_000)) / 100,
            random.choice(_MORE[language]) if random.random() < wraps or family == "spread" else "",
        )
        for name in names
    )
    before = [one for one in ("pos", "sku") if random.random() < 0.35]
    middle = ["count", *(["unit"] if random.random() < 0.3 else []), "price"]
    order = [*before, "count", "what", "price"] if random.random() < 0.2 else [*before, "what", *middle]
    order += [*(["tax"] if random.random() < 0.3 else []), "amount"]
    return Table(seed, family, supplier, items, tuple(order))


def sheets(one: Table) -> list[Sheet]:
    random = Random(f"look {one.family} {one.seed}")
    look = _look(one, random)
    first = _head(one)
    if one.family != "paged":
        _draw_sums(first, one, random, _draw_table(first, one, look, one.items, 240.0) + 22)
        return [first]
    pages, bottom, again = [first], 0.0, random.random() < 0.6
    for start in range(0, len(one.items), _ROWS_OF_PAGE):
        if start:
            pages.append(Sheet(595.0, 842.0))
            pages[-1].text(539, 40, f"{len(pages)}", size=8, right=True)
        items = one.items[start : start + _ROWS_OF_PAGE]
        top = 240.0 if not start else 80.0
        bottom = _draw_table(pages[-1], one, look, items, top, start=start, headed=not start or again)
    _draw_sums(pages[-1], one, random, bottom + 22)
    return pages


def _head(one: Table) -> Sheet:
    seller, language = one.supplier, one.language
    page = Sheet(595.0, 842.0)
    page.text(56, 64, seller.name, font="F2", size=16)
    page.text(56, 82, seller.street)
    page.text(56, 95, seller.place)
    page.text(539, 70, {"en": "INVOICE", "de": "Rechnung", "fr": "FACTURE"}[language], font="F2", size=20, right=True)
    page.text(380, 100, {"en": "Invoice number", "de": "Rechnungsnummer", "fr": "Facture n°"}[language])
    page.text(539, 100, f"2026-{1000 + one.seed % 9000}", right=True)
    page.text(380, 114, {"en": "Date", "de": "Rechnungsdatum", "fr": "Date de facture"}[language])
    page.text(539, 114, "12.03.2026" if language == "de" else "12/03/2026", right=True)
    for number, line in enumerate(("Brackenfield Studio", "3 Millrace Lane", "Oxhaven OX9 7ZZ")):
        page.text(56, 160 + 13 * number, line)
    page.text(56, 760, f"IBAN: {seller.iban}    {seller.tax_id}", size=8)
    return page


@dataclass(frozen=True)
class _Look:
    """``places``: left, right and how the text stands between them, by column: -1 left, 0 centred, 1 right."""

    words: Mapping[str, str]
    size: float
    places: Mapping[str, tuple[float, float, int]]
    signs: bool
    font: str
    pitch: float
    small: float


def _look(one: Table, random: Random) -> _Look:
    words = {key: random.choice(names) for key, names in _LABELS[one.language].items()}
    size = {"dense": 8.0, "stacked": 9.0}.get(one.family, random.choice((8.5, 9.5)))
    places = _places(one, random)
    signs, font = random.random() < 0.3, random.choice(("F1", "F2"))
    pitch = size * {"dense": 1.35, "paged": 1.7}.get(one.family, random.choice((1.6, 1.9, 2.3)))
    return _Look(words, size, places, signs, font, pitch, size - random.choice((0, 1)))


def _put(page: Sheet, look: _Look, key: str, y: float, text: str, *, font: str = "F1") -> None:
    left, right, side = look.places[key]
    if side == 0:
        right = (left + right + text_width(text, look.size, font)) / 2
    page.text(left if side < 0 else right, y, text, font=font, size=look.size, right=side >= 0)


def _draw_table(
    page: Sheet, one: Table, look: _Look, items: Sequence[Item], top: float, *, start: int = 0, headed: bool = True
) -> float:
    """Returns where it ends."""
    size = look.size
    for key in one.order if headed else ():
        label = look.words[key]
        if one.family == "stacked" and " " in label:
            first, label = label.split(" ", 1)
            _put(page, look, key, top - size - 1, first, font=look.font)
        _put(page, look, key, top, label, font=look.font)
    y, lines = top + look.pitch + 3, [top + 5]
    for number, item in enumerate(items, start + 1):
        if one.family == "banded" and number % 2:
            page.bar((56, y - size - 1, 483, look.pitch), (0.92, 0.93, 0.95))
        texts = _texts(one, item, number, signs=look.signs)
        if one.family == "spread":  # in three lines, the figures beside the middle one
            _put(page, look, "what", y - 1.2 * size, texts["what"])
            texts["what"], rest = item.more.split(" ", 1)
            _put(page, look, "what", y + 1.2 * size, rest)
        for key in one.order:
            _put(page, look, key, y, texts[key])
        if item.more and one.family != "spread":
            y += size * 1.25
            page.text(look.places["what"][0], y, item.more, size=look.small)
        lines.append(y + 5)
        y += look.pitch + (3 * size if one.family == "spread" else 0)
    _rule(page, one, [left for left, _, _ in look.places.values()], [top - size - 4, *lines])
    return lines[-1] + (size if one.family == "spread" else 0)


def _rule(page: Sheet, one: Table, lefts: list[float], lines: list[float]) -> None:
    """``lines``: over the heading, under it, and under each row."""
    drawn = {"ruled": lines[1:], "stacked": [lines[1], lines[-1]], "grid": lines}.get(one.family, [])
    for down in drawn:
        page.rule(52, 543, down, weight=0.5)
    if one.family == "grid":
        for x in (52.0, *(left - 4 for left in lefts[1:]), 543.0):
            page.bar((x, lines[0], 0.6, lines[-1] - lines[0]), (0.3, 0.3, 0.3))


def _places(one: Table, random: Random) -> dict[str, tuple[float, float, int]]:
    share = {"pos": 26, "sku": 62, "what": 0, "count": 48, "unit": 38, "price": 66, "tax": 48, "amount": 76}
    wide = 483.0 - sum(share[key] for key in one.order)
    side = 0 if one.family == "centred" else 1 if random.random() < 0.75 else -1
    places, x = {}, 58.0
    for key in one.order:
        width = wide if key == "what" else share[key]
        # As far from the next as a few points: tight tables are the hard ones.
        texts = {"pos", "sku", "what", "unit"} if side else {"what"}
        places[key] = (x, x + width - (6 if one.family == "dense" else 10), -1 if key in texts else side)
        x += width
    return places


def _texts(one: Table, item: Item, number: int, *, signs: bool) -> dict[str, str]:
    seller = one.supplier
    count = f"{item.count}".replace(".", seller.marks[1])
    return {
        "pos": str(number),
        "sku": f"A{4711 + 13 * number}",
        "what": item.what,
        "count": count,
        "unit": _UNITS[one.language][number % 3],
        "price": seller.amount(item.price, bare=not signs),
        "tax": f"{seller.rate.replace('.', seller.marks[1])} %",
        "amount": seller.amount(item.amount, bare=not signs),
    }


def _draw_sums(page: Sheet, one: Table, random: Random, y: float) -> None:
    words = {key: random.choice(_LABELS[one.language][key]) for key in ("net", "vat", "total")}
    rate = one.supplier.rate.replace(".", one.supplier.marks[1])
    sums = ((words["net"], one.net), (f"{words['vat']} {rate} %", one.tax), (words["total"], one.net + one.tax))
    for number, (label, value) in enumerate(sums):
        page.text(430, y + 16 * number, label, right=True)
        page.text(536, y + 16 * number, one.supplier.amount(value), right=True)


def draw(one: Table, path: Path) -> Path:
    """A PDF with a text layer."""
    return paper.save(sheets(one), path)


def scan(one: Table, path: Path) -> Path:
    """The same as an office scanner gives it, without text: every page, so a TIFF."""
    random = Random(f"scan {one.seed}")
    pages = [
        paper.scanned(paper.picture(sheet, 150), seed=one.seed + number, angle=random.gauss(0, 0.4))
        for number, sheet in enumerate(sheets(one))
    ]
    pages[0].save(path, save_all=True, append_images=pages[1:], compression="tiff_lzw", dpi=(150, 150))
    return path


def fill(folder: Path, count: int, seed: int = 1, *, scanned: bool = False, families: Sequence[str] = FAMILIES) -> Path:
    """``count`` of each family, and their ``ground_truth.jsonl``, which is answered. Another seed: other papers."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for family in families:
        for number in range(seed, seed + count):
            one, name = table(number, family), f"{family}-{number}.{'tif' if scanned else 'pdf'}"
            (scan if scanned else draw)(one, folder / name)
            fields = {"total": f"{one.net + one.tax:.2f}"}
            entries.append({"file": name, "kind": f"invoice {family}", "fields": fields, "items": one.rows})
    truth = folder / "ground_truth.jsonl"
    truth.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return truth


if __name__ == "__main__":
    where, many, since, *said = sys.argv[1:]
    looks = UNSEEN if "unseen" in said else FAMILIES
    fill(Path(where), int(many), int(since), scanned="scanned" in said, families=looks)
