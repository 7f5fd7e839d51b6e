"""The issuer's address: lines below the name that look like streets, places and postcodes."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from workflows.stages.fields import spelling
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.legal_forms import is_firm
from workflows.stages.fields.places import is_labelled
from workflows.stages.fields.postcodes import has_postcode, mend_postcodes
from workflows.stages.fields.titles import ends_as_title, is_title
from workflows.stages.pages.layout import Line, Row

# Units in a market or mall: Shop 12, Kenyatta Market.
_STALL = (
    r"^(?:shop|stall|stand|kiosk|booth|bay|store|plot|door|godown|locale?|puesto|loja)"
    r"\s?(?:nos?\.?|#)?\s?[A-Z]?-?\d{1,4}(?:\s?[-/&]\s?\d{1,4})?[A-Z]?,\s?(?=[^\W\d_]{3})"
)
STREET = re.compile(
    r"\b(jalan|j[li1]n|jl|lorong|lrg|persiaran|lebuh|lot|taman|tmn|kawasan|kampung|kg\.|bandar|seksyen|sek|batu|mukim|"
    r"wisma|menara|kompleks|plaza|mall|bangunan|pt\s?\d+|street|st\.|road|rd|avenue|ave|lane|drive|boulevard|blvd|"
    r"highway|hwy|square|park|court|parkway|suite|unit|floor|flr|level|block|blk|building|bldg|tower|p\.?o\.? box|"
    r"platz|allee|gasse|weg|ring|damm|rue|avenue|via|piazza|calle|village|ground|centre|center|summit|"
    r"quays?|quai|crescent|cres|terrace|tce|esplanade|mews|wharf|chemin|impasse|viale|rua|travessa|calle|avda|paseo)\b"
    r"|\b\d+/[FE]\b|\bg/f\b|\w{3}(?:straat|laan|gracht|plein|weg|gatan|gaten|gade|vej|veien|gata|vägen|katu|gasse|allee|ufer)\s?\d"
    r"|^\d{1,4}[a-z]?,?\s(?:[\w'.]+\s){1,3}(?:row|way|hill|gate|walk|green|grove|gardens|close|place|bazaar|cross|trail|"
    r"arcade|rise|view|parade)\b"
    r"|\b\d{1,5}[a-z]?,?\s(?:[\w'.]+\s){1,2}(?:st|dr|pl|ln|blvd|ct)\b"
    r"|stra(ß|ss)e\b|str[.:]\s*\d|weg \d|^no\.?\s?\d"
    # Words for streets and districts in other languages, beside a number; shop names often contain them.
    r"|^(?=.*\d).*?(?<!\w)(?:av\.|al\.|pl\.|calzada|"
    r"c/\s?\w|r[uú]a|plaza|pza\.?|camino|carretera|pasaje|carrera|cra\.?|ctra\.?|col\.|colonia|corso|viale|vicolo|"
    r"largo|pra[çc]a|estrada|rodovia|ul\.|ulica|ulice|os\.|n[áa]m\.|n[áa]m[ěe]st[íi]|utca|k[öo]r[úu]t|strada|"
    r"bd\.|calea|cad\.|caddesi|sok\.|sokak|mah\.|bulvar[ıi]|trg|cesta|torget|plads|kade|singel|dijk|nagar|marg|chowk|"
    r"brgy\.?|barangay|purok|parade|embankment|promenade|causeway|bypass|phase|sector|estate|"
    r"transversal|transv\.|diagonal|diag\.|psje\.|pje\.|jir[oó]n|jr\.|prol\.|urb\.|ruko|gang|gg\.|u\.|utja|t[ée]r|s[ée]t[áa]ny|fasor)(?!\w)"
    r"|\w{3}(?:kade|singel|dijk|steeg|torget|plassen|kuja|tie|utca|ulica)\s?\d"
    r"|\b(?:p\.? ?o\.? ?box|postbus|postfach|apartado|private bag)\s?\d"
    rf"|{_STALL}",
    re.IGNORECASE,
)
# Words that are in names of shops and firms too: Tyre Centre, Food Court.
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
    r"ust|steuernummer|tin|reg(istration|istered|d)?\.?|company no|"
    r"co\.? ?no|tax|invoice|receipt|rechnung|date|datum|cash(ier)?|bill|table|order|hours?|doc(ument)?|page|owned by|"
    r"(deliver(y|ed)?|ship(ping|ped)?|bill(ing|ed)?|sold) (to|address)|lieferanschrift|"
    r"welcome|thanks?|merci|danke|gracias|grazie|visit|"
    r"hq|site no|total|amount|qty|id(?!\s\d{5}\b)|iban|guest|booking|check in|center)\b|@(?!\s?kp)",
    re.IGNORECASE,
)
# Labels of other addresses, such as those for mail or deliveries.
LABEL = re.compile(
    r"^\s*(?!(?:e-?mail|web|internet|ip|delivery|shipping|ship|billing|customer|client|buyer|liefer\w*|kunden?\w*)\b)"
    r"(?:\w+\.? )?(?:address|anschrift|adresse|office)\s*[:：]\s*",
    re.IGNORECASE,
)
# A line with a telephone number at its end still belongs to the address.
TELEPHONE = re.compile(r"(?<![\s,;(])[\s,;(]+(?:tel(?:ephone)?|te1|phone|h/p|fax)\b.*$", re.IGNORECASE)
# A sender's line above a letter's window: Alder Ltd · 14 Lantern Street · Northbridge.
SEPARATED = re.compile(r"(?<!\s)\s+[·•∙|]\s+|(?<!\s)\s*[•∙]\s*|[•∙]\s*")
# A street without a street word, if a postcode ends its line or is in the next one: Am Hafen 3, 12 The Shambles.
_NUMBERED = re.compile(
    r"(?!(?:since|est|established|seit|depuis|table|till|ref)\b)[^\W\d_][^\d:]{2,40}\s?\d{1,4}\s?[a-z]?"
    # A floor and a door after it: 12 1° B, 127 PB, 40 piso 3.
    r"(?:,?\s(?:p\.?b\.?|(?:piso|int|dpto|depto|dep|of|apto?)\b\.?\s?\w{1,4}|\d{1,2}\s?[°º'\"*]\s?[a-z]{0,3}))?(?=\W*$|,)|"
    r"(?:(?:unit|shop|suite|flat|blk|block|lot|plot|no)\b\W{0,2})?\d{1,5}\s?[a-z]?(?:\s?[-–/&]\s?\d{1,5}\s?[a-z]?)?[,.]?\s"
    r"(?=\W*[^\W\d_]{2})[^:]{3,60}$",
    re.IGNORECASE,
)
# A company, tax or telephone number: no house number or postcode has so many digits.
_REGISTERED = re.compile(r"\d{7}|\d{3}[ .-]\d{3}[ .-]\d{3}")
# English and French street names end or begin with the street word; between other words it is in a shop's name.
_NAMED_AFTER = re.compile(
    r"\b(?:street|st\.?|road|rd|avenue|ave|lane|drive|boulevard|highway)\s(?!(?:no|[nsew]{1,2}|north|south|east|west)\b)[^\W\d_]{3}",
    re.IGNORECASE,
)
_PRICED = re.compile(r"\d[.,]\d\d\b")
# Any word, a number and, after a comma, where that is: Container 107, Makola Market.
_HOUSED = re.compile(
    r"\A\W*(?:[^\W\d_][^\W\d_'.-]*\.?\s){1,4}\d{1,4}[a-z]?(?:\s(?:p\.?b\.?|\d{1,2}\s?[°º]\s?[a-z]?))?,\s?(?:\d{3}\s)?"
    r"(?!(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|oct|okt|nov|de[cz])[^\W\d_]{0,6}\b)[^\W\d_]{3}",
    re.IGNORECASE,
)
# A place along a road: Rodovia BR-101 Km 314.
_ALONG = re.compile(
    r"\A(?:[^\W\d_][\w.-]{0,30}\s){1,4}(?:km|nos?|nrs?|nros?|n[uú]m|n[º°]|br|[čc]p|kbr|sz)\.?\s?\d{1,4}[a-z]?\W*",
    re.IGNORECASE,
)
# A town after its postcode, whatever the country's: 4030000 Concepción, CEP 40020-000 Salvador BA.
_TOWN_LAST = re.compile(
    r"\A\W{0,3}(?:[A-Z]{2,4}[ .:-]{1,2}|[A-Z](?=\d{4}))?"
    r"(?:\d{4,7}|\d{2,5}[- ]\d{2,4}|\d{3}(?=\s[^\W\d_]{4,40}\W{0,3}\Z))(?:[A-Z]{3})?\)?\s+"
    r"[A-ZÀ-ÞĀ-Ž][^\W\d_]{2,}(?:[ ,/-]{1,3}[A-ZÀ-ÞĀ-Ž][^\W\d_]*){0,3}\W*"
)
# The short name of a state or region, alone below its town: RM, N.L.
_REGION = re.compile(r"\A\W{0,3}(?:[A-Z]{2,3}|(?:[A-Z][a-z]{0,3}\.\s?){1,2}[A-Z]?\.?)\W*")
_CODE_ALONE = re.compile(r"\A\W{0,3}\d{4,6}\W*")
# A town without a postcode: few words, the first written large, no number but a district's.
_TOWN_ALONE = re.compile(r"\A\W{0,3}[A-ZÀ-ÞĀ-Ž][^\W\d_]+(?:[ ,./'-]{1,3}[^\W\d_]+){0,4}(?:\s\d{1,2})?\W*")
_POSTCODE = re.compile(
    r"(?:[A-Z]{1,2}[- ])?(?:\d{5,6}|\d{4}(?: ?[A-Z]{2})?|\d{3} \d{2}|\d{2}-\d{3})\s+[A-ZÀ-ÞĀ-Ž][^\W\d_]+"
)
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
# The registered office; the shop's own address is above it.
_OFFICE = re.compile(r"\A\s*\w{0,12}\.? ?office\b", re.IGNORECASE)
# Trading since 1948: a year, not a house number.
FOUNDED = re.compile(
    r"\b(?:since|est(?:ablished|d)?\.?|founded|seit|depuis)\W{0,2}(?:in\s)?(?:1[6-9]|20)\d\d\b", re.IGNORECASE
)
_BRANCH = re.compile(r"\A\s*(?:\(.*\)\s*$|\d{2,}\s?-\s?[^\W\d])")
_TIMED = re.compile(r"\b\d{1,2}:\d\d\b")
# Ring 719589144: a word and a number too long for a house.
_CALLED = re.compile(r"\A\W*[^\W\d_]+\W*(?:\d[ ./-]?){7,}\W*")
# Two words with numbers: Stand 5 Guests 7, printed by tills and not in addresses.
_COUNTED = re.compile(r"\A\W*(?:[^\W\d_]{3,}\W{0,3}\d{1,9}\b\W*){2,4}")
_UNIT_ALONE = re.compile(
    r"\A\W*(?:shop|stall|stand|kiosk|booth|unit|lot|plot|bay)\s?(?:nos?\.?|#)?\s?[A-Z]?-?\d{1,4}[A-Z]?\W*",
    re.IGNORECASE,
)
# A floor or a shop in a building, before whatever follows it: Level 2 next to lifts.
_UNIT_FIRST = re.compile(
    r"\A\W*(?:shop|stall|stand|kiosk|booth|unit|bay|level|floor|flr|ebene|etage)\s?(?:nos?\.?|#)?\s?[A-Z]?-?\d{1,4}[A-Z]?\b"
    r"|\A\W*(?:\d{1,2}(?:st|nd|rd|th)|ground|upper|lower|first|second|third)\s(?:floor|level)\b",
    re.IGNORECASE,
)
# Spoken, and not written as names of streets are: each word after the first is small, and none is a number.
_SPOKEN = re.compile(r"\A\W*[^\W_]+(?:\s\d{1,3})?(?:\s[a-zß-ÿ']{2,}){2,}\W*")
# One or two words and a year: Dal 1948.
_YEARED = re.compile(r"\A\W*(?:[^\W\d_]+\W{1,3}){1,2}(?:1[6-9]|20)\d\d\W*")
# A house before the town that ends the line: nothing over it is needed.
_WHOLE = re.compile(r"\A\d{1,4}\W?[a-z]?\W{1,2}[^\W\d_]{2}|\A(?:[^\W\d_]+\W{1,3}){1,4}\d{1,5}[a-z]?,", re.IGNORECASE)
# Words and the number of something, alone on its line: Order 563664.
_NUMBER_OF = re.compile(r"\A\W*(?:[^\W\d_]+\W{1,3}){1,3}\d{5,9}\W*")
_HOUSE_NAMED = re.compile(r"\A\W{0,3}(?:blk|block|no|nos|lot|plot|hse|house)\b\W{0,3}\d", re.IGNORECASE)
# The number of a customer or document, not a postcode: Kunde Nr. 58122.
_NUMBER_NAMED = re.compile(r"(?:\b(?:nos?|nrs?|n[º°]|ids?)|\w(?:nr|nummer))\b\W{0,3}\d{4,9}\W*\Z", re.IGNORECASE)
# One word and a small number, as tills count: Window 6.
_ONE_COUNTED = re.compile(r"\A\W{0,3}[^\W\d_]+\W{1,3}\d{1,2}\W*")
_HOUSE_FIRST = re.compile(r"\d{1,4}[a-z]?\b", re.IGNORECASE)
_HOUSE_LAST = re.compile(r"\A(?:[^\W\d_]+\W{1,3}){1,3}\d{1,5}[a-z]?", re.IGNORECASE)
UNIT = re.compile(r"^[A-Z]{0,2}-?\d{1,4}[A-Z]?(?:-\d+)*[A-Z]?\s*,", re.IGNORECASE)
MOST_ROWS = 6
_FOOT = 8  # rows
LONGEST_ROW = 80
_PLACED_POINTS = 1.4
_TOWN_BY_PLACE = 0.6  # of a town that only its position tells


def is_street(text: str) -> bool:
    return bool(STREET.search(text)) or (bool(PLACE.search(text)) and not STOP.search(text) and len(text) > 6)


def is_housed(text: str) -> bool:
    """Return True if a number and a place follow its words, in whatever language: Container 107, Makola Market."""
    return _HOUSED.match(text) is not None


def is_unit(text: str) -> bool:
    """Return True if the text is only the number of a unit in a building."""
    return _UNIT_ALONE.fullmatch(text) is not None


def is_shop_like(text: str) -> bool:
    """Return True if it has no number, and its only street word is one that shops have in their names."""
    return {match[0].casefold() for match in STREET.finditer(text)} <= _SHOP_LIKE and not re.search(r"[\d,]", text)


def is_named_after(text: str) -> bool:
    """Return True for a shop's name that contains a street's: Bay Street Drug Mart."""
    return bool(_NAMED_AFTER.search(text)) and not re.search(r"[\d,]", text)


def _is_other(text: str) -> bool:
    """Return True for other things that are printed beside addresses."""
    if _is_stopped(text) or LABEL.match(text) or is_title(text) or _CALLED.fullmatch(text):
        return True
    if _COUNTED.fullmatch(text) and not STREET.search(text):
        return True
    return bool(_REGISTERED.search(text)) and not (is_street(text) or _TOWN_LAST.fullmatch(text))


def find_address_lines(document: Document) -> set[int]:
    """Return the ids of the lines below the name that are the sender's address."""
    rows = drop_buyer(document.head)
    start = _find_start(rows)
    return set() if start is None else {id(line) for line in _grow_block(rows, start)}


def _find_start(rows: Sequence[Row]) -> int | None:
    """The first row that may begin an address; not what is said over one: Level 2 next to lifts."""
    starts = (number for number in range(len(rows)) if _is_start(rows, number))
    return next((number for number in starts if not _is_said_over(rows, number)), None)


def _is_said_over(rows: Sequence[Row], number: int) -> bool:
    if number + 1 == len(rows) or not _SPOKEN.fullmatch(_first_column(rows[number])):
        return False
    below = rows[number + 1].text
    return bool(re.search(r"\d", below)) and not _POSTCODE.match(below) and _is_start(rows, number + 1)


def find_addresses(document: Document) -> list[Candidate]:
    rows = drop_buyer(document.head)
    found = [*_blocks(rows), *_find_labelled_addresses(document), *_over_window(document)] or _at_foot(document)
    found = found or list(_find_placed_addresses(rows, over_town=True))
    return best_first(spelling.offer_spellings(found, spelling.mend_address, 0.5))


def drop_buyer(rows: Sequence[Row], *, keep_heads: bool = False) -> list[Row]:
    """Remove what is below Bill to, or below the sender's line in a letter's window, and these headings."""
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
    """Yield the lines that are left-aligned with ``head`` and follow closely."""
    above = head
    for row in rows:
        for line in row.lines:
            if line.page == head.page and abs(line.box[0] - head.box[0]) < 0.015:
                if line.box[1] - above.box[3] > 2.5 * max(above.height, line.height):
                    return
                yield line
                above = line


def _sender(line: Line) -> list[str]:
    """Return name, street and place of a sender's line; empty for other lines."""
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
    if start is not None:
        return [_rate_block(rows, start)]
    weak = list(_find_weak_addresses(rows))
    # A line with a comma below a house number is the town: Bv. Oroño 123, over Mendoza, Godoy Cruz.
    return [*(list(_find_placed_addresses(rows)) or _find_placed_addresses(rows, over_town=bool(weak))), *weak]


def _find_placed_addresses(rows: Sequence[Row], *, over_town: bool = False) -> Iterator[Candidate]:
    """Find a house number below the name by where it stands, if no word for a street or postcode is known.

    ``over_town``: also one that only a line like a town's name follows, as other lines have numbers too.
    """
    named = next((number for number, row in enumerate(rows[:5]) if _may_be_name(row.text)), len(rows))
    for number in range(named + 1, min(named + 5, len(rows))):
        if _PRICED.search(rows[number].text):  # the items begin
            return
        text = _first_column(rows[number])
        if _is_placed(text) and (_HOUSED.match(text) or _stands_over_town(rows, number, named=over_town)):
            found = _rate_block(rows, number)
            streets = max(found.evidence["streets"], float(bool(_ALONG.match(text))) / 2)
            evidence = {**found.evidence, "loose": float(not found.evidence["place"]), "streets": streets}
            yield replace(found, points=_PLACED_POINTS - 0.1 * number, evidence=evidence)
            return


def _is_placed(text: str) -> bool:
    said = _is_other(text) or _YEARED.fullmatch(text) or _SPOKEN.fullmatch(text) or _UNIT_FIRST.match(text)
    counted = _COUNTED.fullmatch(text) or is_labelled(text) or _TIMED.search(text) or _PRICED.search(text)
    housed = _NUMBERED.match(text) or _HOUSED.match(text) or _ALONG.fullmatch(text)
    return bool(housed) and not said and not counted


def _stands_over_town(rows: Sequence[Row], number: int, *, named: bool) -> bool:
    """``named``: a name alone is enough of the town; else its postcode is before it."""
    if number + 1 >= len(rows):
        return False
    above, below = rows[number].lines[0], rows[number + 1]
    text = _first_column(below)
    close = below.page == above.page and below.box[1] - above.box[3] < 1.2 * above.height
    counted = _ONE_COUNTED.fullmatch(_first_column(rows[number]))
    town = _TOWN_LAST.fullmatch(text) or (named and not counted and _TOWN_ALONE.fullmatch(text))
    return close and bool(town) and not (_is_other(text) or is_labelled(text) or _PRICED.search(below.text))


def _rate_block(rows: Sequence[Row], number: int) -> Candidate:
    numbered = _is_numbered(rows, number) and not _is_town(rows[number])
    block = [*(_unit_above(rows, number) or _street_above(rows, number)), *_grow_block(rows, number)]
    text = tidy(" ".join(_own(line.text) for line in block))
    usual, _ = spelling.mend_address(text)
    streets = max(numbered, len({match[0].casefold() for match in STREET.finditer(usual)}))
    place = bool(PLACE.search(usual)) or any(_ends(line.text) for line in block)
    points = min(3.0, 1.0 * streets) + 1.5 * place - 0.15 * number
    sure = min(1.0, (streets + numbered) / 2)
    # Two house numbers: one of them may be a slogan, or a unit in a building.
    doubled = float(_count_houses([_own(line.text) for line in block]) > 1)
    town = _TOWN_BY_PLACE * (_ends_with_town(block) and _is_ended(rows, number, block))
    # Neither a place or postcode that is known nor a town that stands last: the end of the address is a guess.
    loose = float(not place and not town and len(block) > 1)
    # A town alone is no street: its street is not read, or has been left out.
    loose = max(loose, float(_is_town(rows[number])))
    evidence = {"doubled": doubled, "loose": loose, "place": float(place) or town}
    return of_lines(block, text, points, streets=sure, early=1 / (1 + number / 4), **evidence)


def _is_ended(rows: Sequence[Row], number: int, block: Sequence[Line]) -> bool:
    """Return True if a gap or what is no address follows: a telephone's or tax number, a title."""
    held = set(map(id, block))
    last = max(place for place in range(number, len(rows)) if any(id(line) in held for line in rows[place].lines))
    if last + 1 == len(rows):
        return False
    following = rows[last + 1]
    gap = following.page != block[-1].page or following.box[1] - block[-1].box[3] > 1.2 * block[0].height
    return gap or _is_other(following.text) or is_labelled(following.text)


def _ends_with_town(block: Sequence[Line]) -> bool:
    """Return True if only words follow the house number: in the last line, or after a comma."""
    parts = _own(block[-1].text).rstrip(" ,.").split(",")
    last = parts[-1].strip()
    said = re.search(r"(?<![-'’])\b[a-zß-ÿ]{4}", last)  # as slogans are written; towns have small words of two letters
    return (len(block) > 1 or len(parts) > 1) and not said and bool(_TOWN_ALONE.fullmatch(last))


def _count_houses(texts: Sequence[str]) -> int:
    """Count lines with a house number; the last one's may belong to the town: Dublin 4."""
    first = sum(bool(_HOUSE_FIRST.match(text)) and not _POSTCODE.match(text) for text in texts)
    first += sum(bool(_HOUSE_NAMED.match(text)) for text in texts[1:])
    first += sum(bool(_UNIT_FIRST.match(text)) and not _HOUSE_FIRST.match(text) for text in texts)
    return first + sum(bool(_HOUSE_LAST.fullmatch(text)) and not _ends(text) for text in texts[:-1])


def _at_foot(document: Document) -> list[Candidate]:
    """Some tills print the address at the bottom; there only lines with a house number count."""
    head = {id(line) for row in document.head for line in row.lines}
    rows = [row for row in document.rows if id(row.lines[0]) not in head][-_FOOT:]
    for number, row in enumerate(rows):
        sure = _names_street(row, sure=True) and re.search(r"\d", row.text) and not _PRICED.search(row.text)
        if sure or _is_numbered(rows, number):
            found = _rate_block(rows, number)
            return [replace(found, evidence={**found.evidence, "early": 0.0})]
    return []


def _own(text: str) -> str:
    """Strip the telephone number."""
    text = spelling.mend_zero(text)
    return TELEPHONE.sub("", text) if len(text) > 12 else text


def _unit_above(rows: Sequence[Row], number: int) -> list[Line]:
    """Return a line above with a unit and an unknown building name: G-08, MENARAPERAK."""
    above = rows[number - 1] if number else None
    close = above and rows[number].box[1] - above.box[3] < 1.2 * rows[number].lines[0].height
    return list(above.lines) if above and close and UNIT.match(above.text) and not STOP.search(above.text) else []


def _is_town(row: Row) -> bool:
    """Return True for nothing but a postcode and its town."""
    text = _first_column(row).rstrip(" ,.")
    return bool(_TOWN_LAST.fullmatch(text)) and not STREET.search(text)


def _street_above(rows: Sequence[Row], number: int) -> list[Line]:
    """Return the line over a town if it has a number, as streets in words that are misread or unknown have."""
    if number < 2 or not _is_town(rows[number]):
        return []
    above, first = rows[number - 1], rows[number].lines[0]
    text = _first_column(above)
    close = above.page == first.page and first.box[1] - above.box[3] < 1.2 * first.height
    return list(_column(above.lines, above.lines[0])) if close and _is_placed(text) else []


def _find_weak_addresses(rows: Sequence[Row]) -> Iterator[Candidate]:
    """Find a line with a comma below the name, as shops in malls print it, if no street is named."""
    for number, row in enumerate(rows[1:8], start=1):
        if "," in row.text and not _is_other(row.text) and not any(char.isdigit() for char in row.text):
            yield of_lines(row.lines, tidy(row.text), 1.0 - 0.1 * number, streets=0.0, place=0.0)


def _is_start(rows: Sequence[Row], number: int) -> bool:
    return _is_numbered(rows, number) or _starts(rows, number)


def _is_numbered(rows: Sequence[Row], number: int) -> bool:
    """Return True if the line begins with a house number and a name, and a postcode follows in it or the next line."""
    first = rows[number].lines[0]
    if not _NUMBERED.match(first.text) or _PRICED.search(rows[number].text) or _is_stopped(_first_column(rows[number])):
        return False
    if has_postcode(first.text):  # a town and its four digits are no beginning: they look like Dal 1948
        return not _YEARED.fullmatch(first.text)
    if number + 1 == len(rows):
        return False
    below = rows[number + 1].lines[0]
    close = below.page == first.page and below.box[1] - first.box[3] < 1.2 * first.height
    said = _is_whole(below.text) and not _UNIT_FIRST.match(first.text)
    return close and _ends(below.text) and not said


def _is_whole(text: str) -> bool:
    return bool(_WHOLE.match(text)) and not _POSTCODE.match(text)


def _ends(text: str) -> bool:
    return bool(_POSTCODE.match(text)) or has_postcode(_own(text))


def _starts(rows: Sequence[Row], number: int) -> bool:
    """Sentences that mention a road, a shop above its address, and the first name are not addresses."""
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
    """``sure``: only by words that shop names do not contain."""
    text = _first_column(row)
    shop = sure and (is_shop_like(text) or is_named_after(text))
    called = shop or _CALLED.fullmatch(text)
    if _is_stopped(text) or len(text) > LONGEST_ROW or is_firm(text) or is_title(text) or called:
        return False
    return bool(STREET.search(text))


def _is_stopped(text: str) -> bool:
    return bool(STOP.search(text) or FOUNDED.search(text))


def _first_column(row: Row) -> str:
    """Strip other columns: the title, or the invoice's number."""
    return _own(" ".join(line.text for line in _column(row.lines, row.lines[0])))


def _grow_block(rows: Sequence[Row], start: int) -> list[Line]:
    """Extend down from the first street line while rows follow closely and nothing else begins."""
    block = list(_column(rows[start].lines, rows[start].lines[0]))
    bottom = rows[start].box[3]
    for row in rows[start + 1 : start + MOST_ROWS]:
        lines = list(_column(row.lines, block[0]))
        ended = any(_own(line.text) != line.text for line in block)
        if ended or row.page != block[0].page or row.box[1] - bottom > 1.2 * block[0].height:
            break
        if not lines and row.box[0] > block[0].box[2]:  # of the next column, between two lines of this one
            continue
        if not lines or _is_item(row, lines):
            break
        bottom = row.box[3]
        text = " ".join(_own(line.text) for line in lines)
        called = _REGION.fullmatch(text) and any(_own(line.text) != line.text for line in lines)  # Mob. tel. 555 0182
        titled = ends_as_title(text) and not STREET.search(text)
        if called or titled or _is_other(text) or not _continues(text, settled=_is_settled(block)):
            break
        block.extend(lines)
    return block


def _is_item(row: Row, block: Sequence[Line]) -> bool:
    """Return True if there is a price beside it, in another column."""
    return any(_PRICED.search(line.text) for line in row.lines if line not in block)


def _is_settled(block: Sequence[Line]) -> bool:
    return bool(PLACE.search(" ".join(line.text for line in block))) or any(_ends(line.text) for line in block)


def _continues(text: str, *, settled: bool) -> bool:
    """``settled``: there was a postcode or a state; then only clear place names continue the address."""
    numbered = _NUMBER_OF.fullmatch(text) and (_NUMBER_NAMED.search(text) or not PLACE.search(text))
    if (is_street(text) or _ends(text)) and not (settled and (numbered or _TIMED.search(text))):
        return True
    if is_labelled(text):
        return False
    if _REGION.fullmatch(text) or (not settled and (_TOWN_LAST.fullmatch(text) or _CODE_ALONE.fullmatch(text))):
        return True
    letters = sum(char.isalpha() for char in text)
    if letters < 4 or re.search(r"\d[.,]\d\d\b", text):
        return False
    # Branches and malls are often named below the postcode: (TESCO TERBAU), 1174-PERMATA MAGNA. Other short lines may
    # be a title, a slogan or a count: COUNTER SALE, Seat 12.
    return not settled or bool(_BRANCH.match(text)) or bool(PLACE.fullmatch(text.strip(" ,.")))


def _column(lines: Sequence[Line], first: Line) -> Iterator[Line]:
    """Yield the lines of a row in the block's column: other columns start after a wide gap."""
    end = None
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        close = end is not None and line.box[0] - end < 0.08
        # A word that the reader parted from its line: COL. before CENTRO, 44100 GUADALAJARA.
        parted = following and _overlaps(following, first) and following.box[0] < line.box[2]
        if _overlaps(line, first) or close or (parted and line.text[:1].isalpha()):
            yield line
            end = line.box[2]


def _overlaps(one: Line, other: Line) -> bool:
    return one.box[0] < other.box[2] and one.box[2] > other.box[0]


def tidy(text: str) -> str:
    return mend_postcodes(" ".join(text.split()).strip(" ,;:-"))
