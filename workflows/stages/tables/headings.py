"""Detection of table headings: adjacent words that name columns, in the languages of invoices."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from projects.settings.columns import Column
from workflows.stages.pages.layout import Box, Row, Word, union

# Concept → pattern of its headings. The first match counts: "unit price" before "amount", "total price" before "price".
# Some are not in any schema, but keep cells apart.
_WITH_TAX = re.compile(
    r"\b(excl?|incl?|ex|inkl?|zzgl|hors|avec|sans|with|without|ohne|before|after|plus)\b[\W_]*(\w+[\W_]+)?"
    r"(vat|tax(es)?|gst|mwst|ust|tva|iva|btw)\b",
    re.IGNORECASE,
)
_PATTERNS: Mapping[str, str] = {
    "unit_price": (
        r"\bunit(ary)? (net |gross )?(price|cost|rate|value)|\b(price|cost|rate) ?(/|per|each)|^each$|"
        r"(einzel|netto|brutto|listen)-?\w*preis|einzelbetrag|st(ü|ue|u)ckpreis|preis ?(/|je|pro)|"
        r"\be\.?-?preis\b|prix unit\w*|\bp\.? ?u\.?( ht)?$|precio unit\w*|prezzo unit\w*|eenheidsprijs|"
        r"stukprijs|preço unit\w*|cena jedn\w*|à-?pris"
    ),
    "sku": (
        r"\b(item|article|product|part|art|artikel|produkt)\W{0,2}(no|nr|nummer|number|code|id|#)\b|artikelnummer|\bsku\b|"
        r"^code$|material(nummer| no)|\bhsn\b|\bsac\b|\basin\b|\bfsn\b|^ref(erence|\.)?$|^réf(érence|\.)?$|^art\.?$"
    ),
    "tax_rate": r"\b(vat|tax(es)?|gst|cgst|sgst|igst|mwst|ust|tva|iva|btw|moms|duty)\b|steuer",
    "discount": r"\b(disc(ount)?s?|rabatt|remise|descuento|sconto|korting|desconto)\b",
    "amount": (
        r"\b(line|item|ext(ended)?\.?|net|gross|total|sub) ?-?(total|price|amount|cost|value)\b|\bam(oun)?t\b|"
        r"\btotal(e|en)?\b|"
        r"gesamt\w*|betrag|summe|\bnetto\w*|\bmontant|\bimporte|\bimporto|\bbedrag|\btotaal|\bvalor\b|\bvalue\b|wartość|"
        r"\bsubtotal|\bcharges?\b|\bwert\b|\bsum\b|\bbelopp\b"
    ),
    "position": r"^(pos(ition)?|#|no|nr|line|ln|sr|s\.?l|sl\.? ?no|sr\.? ?no|lfd\.? ?nr|n°|nº|item no)\.?$",
    "quantity": (
        r"\b(qty|quantity|quant|qnty|menge|anzahl|quantit[éàa]|qt[éàa]|cantidad|cant|aantal|hours?|hrs|stunden|nights?|days|"
        r"pieces|pcs|units|stück|quantidade|ilość|antal|count|times)\b"
    ),
    "unit": r"^(unit|uom|u/m|einheit|unité|unidad|unità|eenheid|me|je)\.?$",
    "date": r"\b(date|datum|fecha|data|day)\b",
    "price": r"\b(price|rate|cost|preis|prix|precio|prezzo|prijs|preço|pris)\b|^each$",
    "description": (
        r"\b(desc(ription|r)?|items?|articles?|product(s|o)?|services?|particulars|goods|details?|activity|work|task|artikel|"
        r"produkte?|leistung(en)?|bezeichnung|beschreibung|ware|position(en)?|d[ée]signation|libell[ée]|prestations?|"
        r"descripci[óo]n|concepto|descrizione|articolo|omschrijving|descri[çc][ãa]o|opis|nazwa|title|name|benämning)\b"
    ),
}
_CONCEPTS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}
FIGURES = frozenset({"quantity", "unit_price", "tax_rate", "discount", "amount"})  # concepts
_ANY = re.compile("|".join(_PATTERNS.values()), re.IGNORECASE)
_SAME: Mapping[str, str] = {"price": "unit_price"}  # a price beside an amount is a unit price
# Words that form one heading together, each of which may also be one alone: unit price, total price, item no, VAT
# amount.
_TOGETHER = {
    ("unit", "price"), ("unit", "amount"), ("amount", "price"), ("description", "position"), ("description", "sku"),
    ("tax_rate", "amount"), ("date", "description"), ("description", "amount"), ("price", "unit"),
    ("position", "amount"),
}  # fmt: skip
_APART = 0.9  # of the height of words: a wider gap separates two headings
_TALLEST = 3  # rows of a heading
_LONGEST = 200  # characters of a row that may be a heading


@dataclass(frozen=True)
class Heading:
    """A column heading. ``concept``: a key of the patterns, or empty if only its label matched."""

    text: str
    box: Box
    concept: str
    own: str = ""  # the schema column whose label it matches


@dataclass(frozen=True)
class Head:
    """``last``: the number of its last row."""

    headings: tuple[Heading, ...]
    last: int


def find_head(rows: Sequence[Row], start: int, columns: Sequence[Column], aspect: float) -> Head | None:
    """Return the heading that begins in row ``start``, or None. It may have several rows.

    ``aspect``: the page's height divided by its width.
    """
    if not _may_begin(rows[start], columns):
        return None
    best: tuple[int, Head] | None = None
    for tall in range(1, _TALLEST + 1):
        band = rows[start : start + tall]
        if len(band) < tall or (tall > 1 and not _goes_on(band)):
            break
        head = Head(tuple(_list_headings(band, columns, aspect)), start + tall - 1)
        found = _count_wanted(head, columns)
        if found >= 2 and (best is None or found > best[0]):
            best = found, head
    if best is None or not _is_head(best[1], columns):
        return None
    # What stands right above a heading is no part of it if it hides columns: an invoice date above Description.
    below = (rows[first : best[1].last + 1] for first in range(start + 1, best[1].last + 1))
    hides = any(
        _count_wanted(Head(tuple(_list_headings(band, columns, aspect)), 0), columns) > best[0] for band in below
    )
    return None if hides else best[1]


def _may_begin(row: Row, columns: Sequence[Column]) -> bool:
    text = row.text
    return len(text) <= _LONGEST and bool(_ANY.search(text) or any(_own(line.text, columns) for line in row.lines))


@lru_cache(maxsize=256)
def concept_of(column: Column) -> str:
    """Return the concept of a schema column; empty if only its own label can match.

    Cached, since a schema has few columns and their names are not document text.
    """
    return _SAME.get(found := _concept(column.label) or _concept(column.name.replace("_", " ")), found)


def columns_of(head: Head, columns: Sequence[Column]) -> list[list[int]]:
    """For each schema column, the indexes of headings that may match, likeliest first."""
    found = []
    for column in columns:
        own = [place for place, one in enumerate(head.headings) if one.own == column.name]
        concept = concept_of(column)
        alike = [place for place, one in enumerate(head.headings) if concept and one.concept == concept and not one.own]
        # Amounts are on the right, items on the left.
        found.append(own or (alike[::-1] if concept == "amount" else alike))
    return found


def _is_head(head: Head, columns: Sequence[Column]) -> bool:
    """Require two columns of the schema, one of them with figures: a sentence may contain "item" and "amount"."""
    wanted = set(_wanted(head.headings, columns))
    figures = {one.name for one in columns if one.type != "text"}
    words = sum(len(one.text.split()) for one in head.headings)
    numbered = sum(any(char.isdigit() for char in one.text) for one in head.headings)
    if 3 * numbered > len(head.headings):  # 12 pcs of a service: this is a row
        return False
    return len(wanted) >= 2 and bool(wanted & figures or not figures) and words <= 5 * len(head.headings)


def _wanted(headings: Sequence[Heading], columns: Sequence[Column]) -> Iterator[str]:
    concepts = {one.concept for one in headings}
    own = {one.own for one in headings}
    return (one.name for one in columns if one.name in own or concept_of(one) in concepts - {""})


def _count_wanted(head: Head, columns: Sequence[Column]) -> int:
    return len(set(_wanted(head.headings, columns)))


def _goes_on(band: Sequence[Row]) -> bool:
    """Return True if the last row is close below the previous one and has no figures."""
    over, last = band[-2].box, band[-1]
    near = last.box[1] - over[3] < 0.8 * (over[3] - over[1])
    return near and not any(char.isdigit() for char in last.text)


def _list_headings(band: Sequence[Row], columns: Sequence[Column], aspect: float) -> Iterator[Heading]:
    for words in _cells(band, aspect):
        for part in _split_cell(words):
            text = " ".join(word.text for word in part)
            concept = _concept(text)
            box = union(word.box for word in part)
            yield Heading(text, box, _SAME.get(concept, concept), _own(text, columns))


def _cells(band: Sequence[Row], aspect: float) -> list[list[Word]]:
    """Group adjacent words left to right; stacked words form one heading, read from the top."""
    placed = [(number, word) for number, row in enumerate(band) for line in row.lines for word in line.words]
    cells: list[list[tuple[int, Word]]] = []
    right = 0.0
    for number, word in sorted(placed, key=lambda one: one[1].box[0]):
        gap = _APART * aspect * (word.box[3] - word.box[1])
        if cells and word.box[0] - right < gap:
            cells[-1].append((number, word))
            right = max(right, word.box[2])
        else:
            cells.append([(number, word)])
            right = word.box[2]
    return [[word for _, word in sorted(cell, key=lambda one: (one[0], one[1].box[0]))] for cell in cells]


def _split_cell(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Split headings that no gap separates: Qty Unit price Amount."""
    part: list[Word] = []
    said = ""
    for word in words:
        concept = _concept(word.text)
        if said and concept and concept != said and (said, concept) not in _TOGETHER:
            yield part
            part = []
        part, said = [*part, word], concept or said
    yield part


def _own(text: str, columns: Sequence[Column]) -> str:
    plain = _plain(text)
    return next((one.name for one in columns if plain in {_plain(one.label), _plain(one.name)}), "")


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _concept(text: str) -> str:
    told = _WITH_TAX.sub(" ", text).strip(" :.()*")
    return next((name for name, pattern in _CONCEPTS.items() if pattern.search(told)), "")
