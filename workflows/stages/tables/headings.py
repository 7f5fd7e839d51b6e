"""The heading of a table: words beside each other that call its columns, in the languages that invoices come in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from projects.settings.columns import Column
from workflows.stages.pages.layout import Box, Row, Word, union

# What papers call what a schema may call a column: concept → how its heading reads. The first that fits counts: "unit
# price" before "amount", "total price" before "price". Ours, for columns that no schema names, keep their cells apart.
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
_SAME: Mapping[str, str] = {"price": "unit_price"}  # a price beside an amount is a unit's
# Words that are one heading together, each of which may be one alone: unit price, total price, item no, VAT amount.
_TOGETHER = {
    ("unit", "price"), ("unit", "amount"), ("amount", "price"), ("description", "position"), ("description", "sku"),
    ("tax_rate", "amount"), ("date", "description"), ("description", "amount"), ("price", "unit"),
    ("position", "amount"),
}  # fmt: skip
_APART = 0.9  # of the height of the words: a wider gap parts two headings
_TALLEST = 3  # rows of one heading
_LONGEST = 200  # characters of a row that may be a heading


@dataclass(frozen=True)
class Heading:
    """One column of the paper. ``concept``: a key of the patterns, or empty if only its label could be known."""

    text: str
    box: Box
    concept: str
    own: str = ""  # the schema's column that its own label names


@dataclass(frozen=True)
class Head:
    """``last``: the number of the last row it takes."""

    headings: tuple[Heading, ...]
    last: int


def find_head(rows: Sequence[Row], start: int, columns: Sequence[Column], aspect: float) -> Head | None:
    """The heading that begins in row ``start``; None if none does. It may take some rows, each under the other.

    ``aspect``: how much wider a fraction of the page's height is than one of its width.
    """
    if not _may_begin(rows[start], columns):
        return None
    best: tuple[int, Head] | None = None
    for tall in range(1, _TALLEST + 1):
        band = rows[start : start + tall]
        if len(band) < tall or (tall > 1 and not _goes_on(band)):
            break
        head = Head(tuple(_list_headings(band, columns, aspect)), start + tall - 1)
        found = len(set(_wanted(head.headings, columns)))
        if found >= 2 and (best is None or found > best[0]):
            best = found, head
    return best[1] if best and _is_head(best[1], columns) else None


def _may_begin(row: Row, columns: Sequence[Column]) -> bool:
    text = row.text
    return len(text) <= _LONGEST and bool(_ANY.search(text) or any(_own(line.text, columns) for line in row.lines))


@lru_cache(maxsize=256)
def concept_of(column: Column) -> str:
    """What papers call a column of the schema; empty if only its own label can tell.

    Cached, since a schema's columns are few and no text of a document.
    """
    return _SAME.get(found := _concept(column.label) or _concept(column.name.replace("_", " ")), found)


def columns_of(head: Head, columns: Sequence[Column]) -> list[list[int]]:
    """For each of the schema's columns the places of the headings that may be it, the likeliest first."""
    found = []
    for column in columns:
        own = [place for place, one in enumerate(head.headings) if one.own == column.name]
        concept = concept_of(column)
        alike = [place for place, one in enumerate(head.headings) if concept and one.concept == concept and not one.own]
        # What is paid stands on the right, what it is paid for on the left.
        found.append(own or (alike[::-1] if concept == "amount" else alike))
    return found


def _is_head(head: Head, columns: Sequence[Column]) -> bool:
    """Two columns of the schema, one of them with figures: a sentence may say "item" and "amount" as well."""
    wanted = set(_wanted(head.headings, columns))
    figures = {one.name for one in columns if one.type != "text"}
    words = sum(len(one.text.split()) for one in head.headings)
    numbered = sum(any(char.isdigit() for char in one.text) for one in head.headings)
    if 3 * numbered > len(head.headings):  # 12 pcs of a service: a row itself
        return False
    return len(wanted) >= 2 and bool(wanted & figures or not figures) and words <= 5 * len(head.headings)


def _wanted(headings: Sequence[Heading], columns: Sequence[Column]) -> Iterator[str]:
    concepts = {one.concept for one in headings}
    own = {one.own for one in headings}
    return (one.name for one in columns if one.name in own or concept_of(one) in concepts - {""})


def _goes_on(band: Sequence[Row]) -> bool:
    """Whether the last row stands close under the one before it and holds no figures."""
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
    """Words that stand together, left to right; those over each other belong to one heading, read from the top."""
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
    """Headings that stand so near each other that no gap parts them: Qty Unit price Amount."""
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
