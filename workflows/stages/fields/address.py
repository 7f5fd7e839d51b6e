"""The issuer's address: the lines under the name that look like streets, places and postcodes."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workflows.stages.fields import spelling
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.legal_forms import is_firm
from workflows.stages.fields.places import is_labelled
from workflows.stages.fields.postcodes import has_postcode, mend_postcodes
from workflows.stages.fields.titles import is_title
from workflows.stages.pages.layout import Line, Row

STREET = re.compile(
    r"\b(jalan|jln|jl|lorong|lrg|persiaran|lebuh|lot|taman|tmn|kawasan|kampung|kg\.|bandar|seksyen|sek|batu|mukim|"
    r"wisma|menara|kompleks|plaza|mall|bangunan|pt\s?\d+|street|st\.|road|rd|avenue|ave|lane|drive|boulevard|blvd|"
    r"highway|hwy|square|park|court|parkway|suite|unit|floor|flr|level|block|blk|building|bldg|tower|p\.?o\.? box|"
    r"platz|allee|gasse|weg|ring|damm|rue|avenue|via|piazza|calle|village|ground|centre|center|summit|"
    r"quays?|quai|crescent|cres|terrace|tce|esplanade|mews|wharf|chemin|impasse|viale|rua|travessa|calle|avda|paseo)\b"
    r"|\b\d+/[FE]\b|\bg/f\b|\w{3}(?:straat|laan|gracht|plein|gatan|gade|vej|veien|gata|vägen|katu|gasse|allee|ufer)\s\d"
    r"|^\d{1,4}[a-z]?,?\s(?:[\w'.]+\s){1,3}(?:row|way|hill|gate|walk|green|grove|gardens|close|place|bazaar|cross|trail|"
    r"arcade|rise|view|parade)\b"
    r"|\b\d{1,5}[a-z]?,?\s(?:[\w'.]+\s){1,2}(?:st|dr|pl|ln|blvd|ct)\b"
    r"|stra(ß|ss)e\b|str\.\s*\d|weg \d|^no\.?\s?\d",
    re.IGNORECASE,
)
# Words that shops and firms have in their names too: Tyre Centre, Food Court.
_SHOP_LIKE = frozenset(
    (
        "building", "bldg", "center", "centre", "court", "ground", "mall", "park", "plaza", "square", "summit", "tower",
        "village", "quay", "quays", "quai", "crescent", "terrace", "esplanade", "mews", "wharf",
    )
)  # fmt: skip
PLACE = re.compile(
    r"\b(\d{5}(-\d{4})?|[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}|[A-Z]{2} \d{5})\b|"
    r"\b(kuala lumpur|selangor|johor|penang|pulau pinang|perak|pahang|melaka|kedah|kelantan|sabah|sarawak|malaysia|"
    r"singapore|india|germany|deutschland|france|united kingdom|hong kong|kowloon|new zealand|u\.?s\.?a)\b",
    re.IGNORECASE,
)
STOP = re.compile(
    r"\b(tel|te1|telephone|phone|fon|fax|mobile|whatsapps?|h/p|hp|e-?mail|emall|www|https?|gst|vat|sst|"
    r"ust|steuernummer|tin|reg(istration)?\.?|company no|"
    r"co\.? ?no|tax|invoice|receipt|rechnung|date|datum|cash(ier)?|bill|table|order|hours?|doc(ument)?|page|owned by|"
    r"(deliver(y|ed)?|ship(ping|ped)?|bill(ing|ed)?|sold) (to|address)|lieferanschrift|"
    r"welcome|thanks?|merci|danke|gracias|grazie|visit|"
    r"hq|site no|total|amount|qty|id(?!\s\d{5}\b)|iban|guest|booking|check in|center)\b|@(?!\s?kp)",
    re.IGNORECASE,
)
# Not where to send mails or goods to.
LABEL = re.compile(
    r"^\s*(?!(?:e-?mail|web|internet|ip|delivery|shipping|ship|billing|customer|client|buyer|liefer\w*|kunden?\w*)\b)"
    r"(?:\w+\.? )?(?:address|anschrift|adresse|office)\s*[:：]\s*",
    re.IGNORECASE,
)
# A telephone number after the last line of an address does not take the line from it.
TELEPHONE = re.compile(r"(?<![\s,;(])[\s,;(]+(?:tel(?:ephone)?|te1|phone|h/p|fax)\b.*$", re.IGNORECASE)
# Of a sender's line over the window of a letter: Alder Ltd · 14 Lantern Street · Northbridge.
SEPARATED = re.compile(r"(?<!\s)\s+[·•∙|]\s+|(?<!\s)\s*[•∙]\s*|[•∙]\s*")
# A street without a word for it, where a postcode ends its line or stands in the next one: Am Hafen 3, 12 The Shambles.
_NUMBERED = re.compile(
    r"(?!(?:since|est|established|seit|depuis|table|till|ref)\b)[^\W\d_][^\d:]{2,40}\s\d{1,4}\s?[a-z]?(?=\W*$|,)|"
    r"(?:(?:unit|shop|suite|flat|blk|block|lot|plot|no)\b\W{0,2})?\d{1,5}\s?[a-z]?(?:\s?[-–/&]\s?\d{1,5}\s?[a-z]?)?[,.]?\s"
    r"(?=\W*[^\W\d_]{2})[^:]{3,60}$",
    re.IGNORECASE,
)
# The number of a firm, a tax or a telephone, whatever stands before it; no house and no postcode has so many digits.
_REGISTERED = re.compile(r"\d{7}|\d{3}[ .-]\d{3}[ .-]\d{3}")
# English and French names of streets end with their kind or begin with it; between other words it is in a shop's name.
_NAMED_AFTER = re.compile(
    r"\b(?:street|st\.?|road|rd|avenue|ave|lane|drive|boulevard|highway)\s(?!(?:no|[nsew]{1,2}|north|south|east|west)\b)[^\W\d_]{3}",
    re.IGNORECASE,
)
_PRICED = re.compile(r"\d[.,]\d\d\b")
_POSTCODE = re.compile(r"(?:[A-Z]{1,2}[- ])?(?:\d{5}|\d{4}(?: ?[A-Z]{2})?|\d{3} \d{2}|\d{2}-\d{3})\s+[A-ZÀ-Þ][^\W\d_]+")
BUYER_HEAD = re.compile(
    r"\s{0,3}(?:bill(?:ed)? to|invoice to|ship(?:ped)? to|sold to|deliver(?:ed)? to|customer|client|buyer|kunde|käufer|"
    r"rechnung an|rechnungsempfänger|rechnungsanschrift|lieferanschrift|facturé à|adresse de facturation|destinataire|"
    r"facturar a|cliente|fatturare a|factuur aan|to|recipient|guest(?: name)?|(?:billing|shipping|delivery) address)"
    r"(?:\s*[:：])?\s*",
    re.IGNORECASE,
)
_BUYER_NAMED = re.compile(
    r"\s{0,3}(?:bill(?:ed)? to|invoice to|ship(?:ped)? to|sold to|deliver(?:ed)? to|customer|client|buyer|kunde|käufer|"
    r"cliente|destinataire|guest(?: name)?)\s{0,2}[:：]\s{0,3}(?=\S)",
    re.IGNORECASE,
)
# Where a firm is registered; its shop has its own address over it.
_OFFICE = re.compile(r"\s*\w{0,12}\.? ?office\b", re.IGNORECASE)
# Trading since 1948: a year, and no house.
FOUNDED = re.compile(
    r"\b(?:since|est(?:ablished|d)?\.?|founded|seit|depuis)\W{0,2}(?:in\s)?(?:1[6-9]|20)\d\d\b", re.IGNORECASE
)
_BRANCH = re.compile(r"\s*(?:\(.*\)\s*$|\d{2,}\s?-\s?[^\W\d])")
_TIMED = re.compile(r"\b\d{1,2}:\d\d\b")
# Ring 719589144: a word and a number that no house has.
_CALLED = re.compile(r"\W*[^\W\d_]+\W*(?:\d[ ./-]?){7,}\W*")
UNIT = re.compile(r"^[A-Z]{0,2}-?\d{1,4}[A-Z]?(?:-\d+)*[A-Z]?\s*,", re.IGNORECASE)
MOST_ROWS = 6
_FOOT = 8  # rows
LONGEST_ROW = 80


def is_street(text: str) -> bool:
    return bool(STREET.search(text)) or (bool(PLACE.search(text)) and not STOP.search(text) and len(text) > 6)


def is_shop_like(text: str) -> bool:
    """Whether it names a street by no other word than shops and firms have in their names, and no number."""
    return {match[0].casefold() for match in STREET.finditer(text)} <= _SHOP_LIKE and not re.search(r"[\d,]", text)


def is_named_after(text: str) -> bool:
    """Whether it is a shop's name with a street's in it: Bay Street Drug Mart."""
    return bool(_NAMED_AFTER.search(text)) and not re.search(r"[\d,]", text)


def _is_other(text: str) -> bool:
    """Whether the line is something that papers print beside addresses."""
    if _is_stopped(text) or LABEL.match(text) or is_title(text) or _CALLED.fullmatch(text):
        return True
    return bool(_REGISTERED.search(text)) and not is_street(text)


def find_address_lines(document: Document) -> set[int]:
    """The ids of the lines below the name that are the sender's address."""
    rows = drop_buyer(document.head)
    start = _find_start(rows)
    return set() if start is None else {id(line) for line in _grow_block(rows, start)}


def _find_start(rows: Sequence[Row]) -> int | None:
    return next((number for number in range(len(rows)) if _is_start(rows, number)), None)


def find_addresses(document: Document) -> list[Candidate]:
    rows = drop_buyer(document.head)
    found = [*_blocks(rows), *_find_labelled_addresses(document), *_over_window(document)] or _at_foot(document)
    return best_first(spelling.offer_spellings(found, spelling.mend_address, 0.5))


def drop_buyer(rows: Sequence[Row], *, keep_heads: bool = False) -> list[Row]:
    """Without what stands under Bill to, or under the sender's line in a letter's window, and without these heads."""
    theirs: set[int] = set()
    for number, row in enumerate(rows):
        for line in row.lines:
            if BUYER_HEAD.fullmatch(line.text) or _sender(line):
                theirs |= {*map(id, list_lines_under(line, rows[number + 1 : number + 1 + MOST_ROWS]))}
                theirs |= set() if keep_heads else {id(line)}
            elif _BUYER_NAMED.match(line.text):
                below = list_lines_under(line, rows[number + 1 : number + 1 + MOST_ROWS])
                theirs |= {*map(id, itertools.takewhile(lambda one: is_street(one.text) or _ends(one.text), below))}
    kept = (tuple(line for line in row.lines if id(line) not in theirs) for row in rows)
    return [Row(lines) for lines in kept if lines]


def list_lines_under(head: Line, rows: Iterable[Row]) -> Iterator[Line]:
    """The lines that begin where ``head`` does and follow closely."""
    above = head
    for row in rows:
        for line in row.lines:
            if line.page == head.page and abs(line.box[0] - head.box[0]) < 0.015:
                if line.box[1] - above.box[3] > 2.5 * max(above.height, line.height):
                    return
                yield line
                above = line


def _sender(line: Line) -> list[str]:
    """Name, street and place of a sender's line; empty for every other line."""
    parts = SEPARATED.split(line.text)
    return parts if len(parts) > 2 and (PLACE.search(parts[-1]) or _POSTCODE.match(parts[-1])) else []


def _over_window(document: Document) -> Iterator[Candidate]:
    for row in document.head:
        for line in row.lines:
            if parts := _sender(line):
                yield of_lines([line], tidy(" ".join(parts[1:])), 2.5, streets=0.5, place=1.0, early=1.0)


def _find_labelled_addresses(document: Document) -> Iterator[Candidate]:
    for line in document.lines:
        match = LABEL.match(line.text)
        if match and len(line.text) - match.end() > 10:
            office = bool(_OFFICE.match(line.text))
            points, sure = (1.0, 0.0) if office else (3.5, 1.0)
            yield of_lines([line], tidy(line.text[match.end() :]), points, label=sure, streets=0.5, place=0.5)


def _blocks(rows: Sequence[Row]) -> list[Candidate]:
    start = _find_start(rows)
    return list(_find_weak_addresses(rows)) if start is None else [_rate_block(rows, start)]


def _rate_block(rows: Sequence[Row], number: int) -> Candidate:
    numbered = _is_numbered(rows, number)
    block = [*_unit_above(rows, number), *_grow_block(rows, number)]
    text = tidy(" ".join(_own(line.text) for line in block))
    usual, _ = spelling.mend_address(text)
    streets = max(numbered, len({match[0].casefold() for match in STREET.finditer(usual)}))
    place = bool(PLACE.search(usual)) or any(_ends(line.text) for line in block)
    points = min(3.0, 1.0 * streets) + 1.5 * place - 0.15 * number
    sure = min(1.0, (streets + numbered) / 2)
    return of_lines(block, text, points, streets=sure, place=float(place), early=1 / (1 + number / 4))


def _at_foot(document: Document) -> list[Candidate]:
    """Some tills print where the shop is under everything else; there only what has a house number is believed."""
    head = {id(line) for row in document.head for line in row.lines}
    rows = [row for row in document.rows if id(row.lines[0]) not in head][-_FOOT:]
    for number, row in enumerate(rows):
        sure = _names_street(row, sure=True) and re.search(r"\d", row.text) and not _PRICED.search(row.text)
        if sure or _is_numbered(rows, number):
            found = _rate_block(rows, number)
            return [replace(found, evidence={**found.evidence, "early": 0.0})]
    return []


def _own(text: str) -> str:
    """Without the telephone number after it."""
    text = spelling.mend_zero(text)
    return TELEPHONE.sub("", text) if len(text) > 12 else text


def _unit_above(rows: Sequence[Row], number: int) -> list[Line]:
    """A unit of a building whose name says nothing: G-08, MENARAPERAK."""
    above = rows[number - 1] if number else None
    close = above and rows[number].box[1] - above.box[3] < 1.2 * rows[number].lines[0].height
    return list(above.lines) if above and close and UNIT.match(above.text) and not STOP.search(above.text) else []


def _find_weak_addresses(rows: Sequence[Row]) -> Iterator[Candidate]:
    """Nothing names a street: a line with a comma under the name, as shops in a mall print it."""
    for number, row in enumerate(rows[1:8], start=1):
        if "," in row.text and not _is_other(row.text) and not any(char.isdigit() for char in row.text):
            yield of_lines(row.lines, tidy(row.text), 1.0 - 0.1 * number, streets=0.0, place=0.0)


def _is_start(rows: Sequence[Row], number: int) -> bool:
    return _is_numbered(rows, number) or _starts(rows, number)


def _is_numbered(rows: Sequence[Row], number: int) -> bool:
    """Whether a house number and a name begin what a postcode ends, in this line or the next."""
    first = rows[number].lines[0]
    if not _NUMBERED.match(first.text) or _PRICED.search(rows[number].text) or _is_stopped(_first_column(rows[number])):
        return False
    if has_postcode(first.text):
        return True
    if number + 1 == len(rows):
        return False
    below = rows[number + 1].lines[0]
    close = below.page == first.page and below.box[1] - first.box[3] < 1.2 * first.height
    return close and _ends(below.text)


def _ends(text: str) -> bool:
    return bool(_POSTCODE.match(text)) or has_postcode(_own(text))


def _starts(rows: Sequence[Row], number: int) -> bool:
    """A sentence that speaks of a road is no address, and neither is a shop over its address, or the first name."""
    text = _first_column(rows[number])
    shop = is_shop_like(text)
    if not shop and not is_named_after(text):
        return _names_street(rows[number])
    if shop and not any(_may_be_name(row.text) for row in rows[:number]):
        return False
    below = range(number + 1, min(number + 5, len(rows)))
    placed = any(_is_numbered(rows, one) or _names_street(rows[one], sure=True) for one in below)
    return not placed and _names_street(rows[number])


def _may_be_name(text: str) -> bool:
    return sum(map(str.isalpha, text)) > 3 and not _is_other(text)


def _names_street(row: Row, *, sure: bool = False) -> bool:
    """``sure``: by a word that shops do not have in their names."""
    text = _first_column(row)
    shop = sure and (is_shop_like(text) or is_named_after(text))
    if _is_stopped(text) or len(text) > LONGEST_ROW or is_firm(text) or is_title(text) or shop:
        return False
    return bool(STREET.search(text))


def _is_stopped(text: str) -> bool:
    return bool(STOP.search(text) or FOUNDED.search(text))


def _first_column(row: Row) -> str:
    """Without what stands beside it in another column: the title, or the invoice's number."""
    return _own(" ".join(line.text for line in _column(row.lines, row.lines[0])))


def _grow_block(rows: Sequence[Row], start: int) -> list[Line]:
    """Down from the first street line as long as rows follow closely and nothing else begins."""
    block = list(_column(rows[start].lines, rows[start].lines[0]))
    bottom = rows[start].box[3]
    for row in rows[start + 1 : start + MOST_ROWS]:
        lines = list(_column(row.lines, block[0]))
        ended = any(_own(line.text) != line.text for line in block)
        if ended or row.page != block[0].page or row.box[1] - bottom > 1.2 * block[0].height:
            break
        if not lines and row.box[0] > block[0].box[2]:  # the next column's, between two lines of this one
            continue
        if not lines or _is_item(row, lines):
            break
        bottom = row.box[3]
        text = " ".join(_own(line.text) for line in lines)
        if _is_other(text) or not _continues(text, settled=_is_settled(block)):
            break
        block.extend(lines)
    return block


def _is_item(row: Row, block: Sequence[Line]) -> bool:
    """Whether a price stands beside it, in another column."""
    return any(_PRICED.search(line.text) for line in row.lines if line not in block)


def _is_settled(block: Sequence[Line]) -> bool:
    return bool(PLACE.search(" ".join(line.text for line in block))) or any(_ends(line.text) for line in block)


def _continues(text: str, *, settled: bool) -> bool:
    """``settled``: a postcode or a state was there; then only what is clearly a place goes on."""
    if (is_street(text) or _ends(text)) and not (settled and _TIMED.search(text)):
        return True
    if is_labelled(text):
        return False
    letters = sum(char.isalpha() for char in text)
    if letters < 4 or re.search(r"\d[.,]\d\d\b", text):
        return False
    # A branch or a mall is often named under the postcode: (TESCO TERBAU), 1174-PERMATA MAGNA. What else is short may
    # be a title, a slogan or a count: COUNTER SALE, Seat 12.
    return not settled or bool(_BRANCH.match(text)) or bool(PLACE.fullmatch(text.strip(" ,.")))


def _column(lines: Sequence[Line], first: Line) -> Iterator[Line]:
    """The lines of a row that belong to the block's column: another column starts after a wide gap."""
    end = None
    for line in lines:
        overlaps = line.box[0] < first.box[2] and line.box[2] > first.box[0]
        close = end is not None and line.box[0] - end < 0.08
        if overlaps or close:
            yield line
            end = line.box[2]


def tidy(text: str) -> str:
    return mend_postcodes(" ".join(text.split()).strip(" ,;:-"))
