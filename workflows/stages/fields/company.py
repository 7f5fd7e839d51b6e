"""The issuer: a name with a legal form or trade near the top, or after a seller's label."""

import itertools
import re
from collections.abc import Iterator, Sequence, Set
from statistics import median

from workflows.stages.fields import address, spelling
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_lines
from workflows.stages.fields.legal_forms import LEGAL, is_firm
from workflows.stages.fields.places import is_labelled
from workflows.stages.fields.titles import is_title
from workflows.stages.pages.layout import Line

LONGEST = 70  # characters; longer text is a sentence about the company
_FIRST = 0.2  # points
_PRICED = re.compile(r"\d[.,]\d\d\b(?!\s?%)")  # the items begin here
TRADE = re.compile(
    r"\b(restaurant|restoran|cafe|café|kafe|bistro|bakery|bäckerei|kedai|kopitiam|stores?|shop|mart|market|supermarkt|"
    r"supermarket|hypermarket|hardware|machinery|pharmacy|farmasi|apotheke|clinic|klinik|hotel|resort|trading|enterprise|"
    r"perniagaan|stationery|bookshop|books?tore|petrol?|station|cash & carry|electronics?|electrical|services?|"
    r"industries|industri|holdings?|group|partners|associates|realt(y|ies)|motors?|auto|garage|studio|foods?|"
    r"catering|textiles?|fashion|optical|supplies|supply|solutions|systems|consulting|hospital|university|bank|"
    r"bakers?|butchers?|grocers?|greengrocers?|fishmongers?|ironmongers?|florists?|chemists?|(dry )?cleaners|"
    r"laund(ry|erette)|barbers?|salon|bar|pub|inn|tavern|grill|diner|deli|pizz(a|eria)|kitchen|coffee|steakhouse|"
    r"seafood|brewery|jewell?ers?|toys|books|shoes|cycles|tyres?|furniture|carpets|paints?|tools|gardens?|pets?|dental|outfitters|photo|"
    r"hire|travel|tours|mini ?mart|wholesale|emporium|guest ?house|building materials|metzgerei|gaststätte|gasthaus|"
    r"drogerie|boulangerie|brasserie|pharmacie|librairie)\b",
    re.IGNORECASE,
)
REGISTRATION = re.compile(
    r"[\[(]\s*(?:co(?:mpany)?\.?\s*(?:reg)?\.?\s*(?:no)?\.?\s*:?\s*)?(?:reg\.?\s*no\.?\s*:?\s*)?"
    r"[A-Z]{0,3}\s?[\dO]{2,12}\s?[\dO]{2,12}\s?[-–]?\s?[A-Z]{0,2}\s*[\])]|\b\d{5,7}\s?-\s?[A-Z]\b",
    re.IGNORECASE,
)
SELLER = re.compile(
    r"^\s*(sold by|seller|supplier|vendor|issued by|bill from|from|verkäufer|lieferant|rechnungssteller|"
    r"vendeur|fournisseur|proveedor)\s*[:：]\s*",
    re.IGNORECASE,
)
# A heading above the seller's lines, beside the buyer's.
_SELLER_HEAD = re.compile(
    r"\A\s*(sold by|seller|supplier|vendor|issued by|bill(?:ed)? from|from|verkäufer|lieferant|rechnungssteller|"
    r"vendeur|fournisseur|proveedor)\s*[:：]?\s*",
    re.IGNORECASE,
)
# The payee, at the bottom.
_PAYEE = re.compile(
    r"\b(?:in favou?r of|payable to|pay to|account (?:name|holder)|beneficiary|kontoinhaber|empfänger|titulaire)\b"
    r"[^\w\n]{0,4}$",
    re.IGNORECASE,
)
_OFFICE = re.compile(r"^\W*(?:registered|regd\.?|corporate|head)\s{0,2}(?:office|address)\b", re.IGNORECASE)
# The firm behind a brand name.
_OPERATOR = re.compile(
    r"^\W*(?:(?:a )?trading (?:name|style) of|(?:owned and )?operated by|managed by|run (?:by|under)|"
    r"(?:an? )?(?:business|company|concept|division|subsidiary|part|unit) of|"
    r"inhaber|inh\.|betreiber|exploité par|gérée? par|gestione|titolare|razón social|razão social)"
    r"\s{0,2}[:：]?\s{1,3}(?=\w)",
    re.IGNORECASE,
)
# A shop of, In the hands of; but Bank of, The House of.
_OF_FIRM = re.compile(r"^\W*[A-Z]?[a-z]{0,9}(?:\s[a-z]{2,12}){1,3}\s(?:of|by)\s{1,3}(?=[A-Z])")
_BY = re.compile(r"^\W*([^\W_]{6,9})\s{1,3}by\s{1,3}(?=\w)", re.IGNORECASE)
_SAID = re.compile(
    r"^\W*(?:[^\W\d_]+\s){1,3}(?:by|of|for|from|under|as|von|par|de|door|av|af|di|do|da|por|przez)\s{1,3}(?=\w)",
    re.IGNORECASE,
)
# Trading names; they do not tell whether the document is the firm's or the shop's.
_TRADING_AS = re.compile(
    r"\b(?:trading as|doing business as|also known as|t/as?|d[./]?b[./]?a)(?!\w)[.:：]?\s{0,3}", re.IGNORECASE
)
_OPERATED = ("operated", "managed")  # also matched with one letter misread or lost
# Slogans: Your friendly store.
_SAYING = re.compile(r"\b(your|our|we|you|us|unser|unsere|ihr|ihre|votre|notre)\b", re.IGNORECASE)
# Two parts, and all words after the first are small: Honest food, honest prices.
_SPOKEN = re.compile(r"\A\W{0,3}[^\W\d_]+(?:\s[a-zß-ÿ']+)*,(?:\s[a-zß-ÿ']+)+\W*")
_NUMBERED = re.compile(
    r"[\[(]?\s{0,3}\b(?:company|co\.?)\s{0,3}(?:reg(?:istration)?\.?)?\s{0,3}(?:no\.?)?\s{0,3}[:.]{0,3}\s{0,3}"
    r"[A-Z]{0,2}\d{4,12}\s?[-–]?\s?[A-Z]?\b\s{0,3}[\])]?",
    re.IGNORECASE,
)
# A name does not begin with its trade: the line above is the name's first half.
_SECOND_HALF = re.compile(
    r"^(?:&\s*)?(?:mini\s)?(?:market|mart|carry|trading|hardware|enterprise|stationery|store|machinery|parts|supplies|supply|"
    r"services?|holdings?|industries|deco|solutions|marketing|electrical|bakery|pharmacy|restaurant)\b",
    re.IGNORECASE,
)
# Trades in names without a legal form: HOME DECO below SYARIKAT LIM.
_TRADE_ALONE = re.compile(
    r"(?:(?:&|and|auto|bakery|bookshop|bookstore|carry|cash|deco|electrical|electronics|enterprise|hardware|home|"
    r"machinery|market|mart|mini|parts|pharmacy|restaurant|stationery|store|supplies|supply|trading)\b\W*){1,4}",
    re.IGNORECASE,
)
BUYER = re.compile(
    r"\b(bill(ed)? to|ship(ped)? to|sold to|deliver(y|ed)? (to|address)|customer|buyer|attn|invoice to|owned by|"
    r"käufer|kunde|rechnung an|rechnungsempfänger|lieferanschrift|client|guest name|member|cashier|salesperson|"
    r"operator|served by|facturé à|destinataire|facturar a|cliente|fatturare a|factuur aan)\b",
    re.IGNORECASE,
)
NEVER = re.compile(
    r"\b(company no|co\.? ?reg|(gst|vat|tax|registration) (id|no|reg)|ref(erence)? no|goods sold|returnable|tel|fax)\b",
    re.IGNORECASE,
)
# Beginnings of rows about the sale: Table 26, Guests: 4, Issued 25-Feb-2013.
_OF_SALE = re.compile(
    r"^\W*(?:(?:table|tbl|till|lane|pos|slip|trans(?:action)?|order|bon|staff|server|guests|covers|pax|counter|terminal)\b"
    r"\W{0,3}(?:no\b\W{0,3})?(?:\d|$)|(?:staff|server|guests|covers|pax|counter|terminal|till)\s?[:：]|"
    r"(?:issued|printed|items?|description|d[ée]signation|artikel|qty|price|amt|particulars)\b\W*(?:on\b|$))",
    re.IGNORECASE,
)
NO_NAME = re.compile(
    r"\b(tax invoice|invoice|receipt|rechnung|quittung|facture|factura|cash sales?|cash bill|bill|welcome|thank|"
    r"(kunden|händler|kassen)?(beleg|bon)|(customer|merchant) copy|"
    r"tel|phone|fax|e-?mail|gst|vat|sst|reg(istration)?|date|datum|total|amount|order|page|seite|company no|www|"
    r"http|hours?|open|duplicate|copy(?! (?:cent|shop|house))|"
    r"original|statement|contract|agreement|report|posted|payment)\b|@|\.com\b|\d{2}[/-]\d{2}",
    re.IGNORECASE,
)


def find_companies(document: Document) -> list[Candidate]:
    found = [
        *_find_labelled_companies(document),
        *_find_operating_companies(document),
        *_find_heading_companies(document),
        *_find_foot_companies(document),
    ]
    return best_first(spelling.offer_spellings(found, spelling.mend_company))


def _find_labelled_companies(document: Document) -> Iterator[Candidate]:
    lines = document.lines
    for number, line in enumerate(lines):
        if _SELLER_HEAD.fullmatch(line.text):
            yield from _find_headed_companies(document, line, lines[number + 1 : number + 5])
            continue
        label = SELLER.match(line.text)
        if not label:
            continue
        name = clean_company_name(line.text[label.end() :])
        if is_labelled(name) or BUYER.match(name):  # left blank, followed by another field
            continue
        if name:
            yield of_lines([line], name, _worth_labelled(name), label=1.0, legal=float(bool(LEGAL.search(name))))


def _worth_labelled(name: str) -> float:
    """Return points. Sold by: Anna, who is the cashier, gets fewer."""
    return 6.0 if " " in name or LEGAL.search(name) or TRADE.search(name) else 0.5


def _find_headed_companies(document: Document, head: Line, following: Sequence[Line]) -> Iterator[Candidate]:
    """Find the first line below the heading in its column, else the first firm that follows."""
    rows = [row for row in document.rows if row.page == head.page and row.box[3] > head.box[3]]
    under = next(iter(address.list_lines_under(head, rows[: address.MOST_ROWS])), None)
    if under and _may_name(under.text) and not (BUYER.search(under.text) or is_labelled(under.text)):
        legal = bool(LEGAL.search(under.text))
        beside = any(address.BUYER_HEAD.fullmatch(one.text) for row in document.rows for one in row.lines)
        if legal or beside:
            yield of_lines([under], clean_company_name(under.text), 6.0, label=1.0, legal=float(legal))
            return
    for below in following:
        if BUYER.search(below.text):
            return
        if LEGAL.search(below.text) and not (address.is_street(below.text) or is_labelled(below.text)):
            yield of_lines([below], clean_company_name(below.text), 6.0, label=1.0, legal=1.0)
            return


def _find_foot_companies(document: Document) -> Iterator[Candidate]:
    """Find a firm above its registered office, or as payee; used if the head has none."""
    head = {id(line) for row in document.head for line in row.lines}
    lines = [line for line in document.lines if id(line) not in head]
    for above, line, below in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        office = below is not None and _OFFICE.match(below.text)
        paid = above is not None and _PAYEE.search(above.text)
        if (office or paid) and is_firm(line.text) and len(line.text) <= LONGEST:
            yield of_lines([line], clean_company_name(line.text), 1.2 if office else 1.0, legal=1.0, early=0.0)


def _find_operating_companies(document: Document) -> Iterator[Candidate]:
    for row in document.head:
        for line in row.lines:
            label = _find_operator(line.text) or _find_owner(line.text, document)
            name = clean_company_name(line.text[label.end() :]) if label else ""
            if len(name) > 3 and not is_labelled(name):
                yield of_lines([line], name, 5.0, label=1.0, legal=float(bool(LEGAL.search(name))))


def _find_owner(text: str, document: Document) -> re.Match[str] | None:
    """Match a firm whose name begins with the one above it, whatever the wording: ALDER, Member of Alder Foods Ltd."""
    said = _SAID.match(text)
    if not said:
        return None
    above = itertools.takewhile(lambda line: line.text != text, (line for row in document.head for line in row.lines))
    return said if any(_begins(one.text, text[said.end() :]) for one in above) else None


def _begins(brand: str, name: str) -> bool:
    return (
        len(brand.strip()) > 2
        and re.match(rf"{re.escape(brand.strip())}\s+\W{{0,2}}\w", name, re.IGNORECASE) is not None
    )


def _find_operator(text: str) -> re.Match[str] | None:
    """Match the words before the firm that operates the shop."""
    if label := _OPERATOR.match(text):
        return label
    if (label := _OF_FIRM.match(text)) and is_firm(text[label.end() :]):
        return label
    said = _BY.match(text)
    return said if said and any(spelling.is_one_letter_off(said[1].casefold(), one) for one in _OPERATED) else None


def _find_heading_companies(document: Document) -> Iterator[Candidate]:
    rows = address.drop_buyer(document.head, keep_heads=True)
    lines = [line for row in itertools.takewhile(lambda row: not _PRICED.search(row.text), rows) for line in row.lines]
    usual = median(line.height for line in lines) if lines else 0.0
    placed = address.find_address_lines(document)
    place = following = 0
    for number, line in enumerate(lines):
        if BUYER.search(line.text) and not is_title(line.text):
            return
        if number < following or id(line) in placed or _find_operator(line.text) or not _may_name(line.text):
            continue
        name, used = _join_legal_form(lines, number)
        following = number + len(used)
        points, evidence = _worth(name, lines[following : following + 3], placed, line.height / usual if usual else 1.0)
        evidence["prefaced"] = float(any(_is_prefaced(one.text) for one in used))
        evidence[spelling.MISREAD] = float(any(spelling.mend_legal_form(one.text) != one.text for one in used))
        if line.text.islower():  # a handwritten note: the document is printed in capitals
            points -= 2.5
        if _SPOKEN.fullmatch(line.text) and not evidence["legal"]:
            points -= 2.0
        if _is_brand(line.text, lines[number + 1 : number + 3]):
            points -= 2.5
        if not place and not line.text.rstrip().endswith((":", "：")):  # the only evidence is that it comes first
            points += _FIRST
        yield of_lines(used, name, points - 0.25 * place, **evidence, early=1 / (1 + place))
        place += 1


def _is_prefaced(text: str) -> bool:
    """Whether what is said before a firm may or may not be of its name, or a firm and its shop are named both."""
    said = _SAID.match(text)
    return bool(_TRADING_AS.search(text) or (said and is_firm(text[said.end() :])))


def _is_brand(text: str, below: Sequence[Line]) -> bool:
    """Return True if the line is the beginning of the full name below."""
    return any(_begins(text, line.text.strip()) for line in below)


def _may_name(text: str) -> bool:
    text = clean_company_name(REGISTRATION.sub("", _NUMBERED.sub("", text)))
    letters = sum(char.isalpha() for char in text)
    digits = sum(char.isdigit() for char in text)
    if len(text) > LONGEST or letters < 4 or digits > letters / 2 or NEVER.search(text) or is_title(text):
        return False
    if _OF_SALE.match(text) or address.is_unit(text) or _SELLER_HEAD.fullmatch(text) or address.FOUNDED.search(text):
        return False
    if is_firm(text):
        return True
    if address.is_housed(text) and not LEGAL.search(text):
        return False
    return _names_no_place(text)


def _names_no_place(text: str) -> bool:
    """Whether it is none of an address, a label, a greeting or a saying."""
    if address.STREET.search(text) and not (address.is_shop_like(text) or address.is_named_after(text)):
        return False
    if LEGAL.search(text):
        return True
    return not (NO_NAME.search(text) or _SAYING.search(text) or is_labelled(text) or address.PLACE.search(text))


_KIND_OF_FORM = re.compile(r"\b(?:private|public|proprietary)\b", re.IGNORECASE)  # Private Limited


def _join_legal_form(lines: Sequence[Line], number: int) -> tuple[str, list[Line]]:
    """Join a legal form on its own line, or at the end of the line below, to the name above."""
    line, name = lines[number], clean_company_name(lines[number].text)
    following = lines[number + 1] if number + 1 < len(lines) else None
    if following and not LEGAL.search(name) and not _find_operator(following.text):
        rest = clean_company_name(following.text)
        form = LEGAL.search(rest)
        alone = form and len(_KIND_OF_FORM.sub("", LEGAL.sub("", rest)).strip()) < 4
        second = _SECOND_HALF.match(rest) if form else _TRADE_ALONE.fullmatch(rest)
        if alone or (second and _same_print(line, following)):
            return f"{name} {rest}", [line, following]
    return name, [line]


def _same_print(one: Line, other: Line) -> bool:
    return 0.7 < one.height / max(other.height, 1e-6) < 1.4


def _worth(
    name: str, below: Sequence[Line], placed: Set[int], relative_height: float
) -> tuple[float, dict[str, float]]:
    legal, trade = bool(LEGAL.search(name)), bool(TRADE.search(name))
    registered = any(REGISTRATION.search(line.text) for line in below[:1])
    addressed = any(id(line) in placed or address.is_street(line.text) for line in below)
    points = 3.0 * legal + 1.5 * trade + 1.0 * registered + 0.7 * addressed + min(1.0, max(0.0, relative_height - 1))
    evidence = {
        "legal": float(legal),
        "trade": float(trade),
        "registered": float(registered),
        "addressed": float(addressed),
    }
    return points, evidence


def clean_company_name(text: str) -> str:
    """Strip registration number, till number, and the rest of a sender's line."""
    text = spelling.mend_zero(spelling.mend_legal_form(text))
    text = address.SEPARATED.split(text, maxsplit=1)[0]
    as_shop = _TRADING_AS.match(text)
    text = _NUMBERED.sub(" ", text[as_shop.end() :] if as_shop else text)
    text = re.split(REGISTRATION, text, maxsplit=1)[0] if REGISTRATION.search(text[4:]) else text
    text = re.sub(r"^\s{0,3}[#*>•]?\s{0,3}\d{3,}\s+|^[\W_]+(?=\w)", "", text) if not re.match(r"\d+\s", text) else text
    return " ".join(text.split()).strip(" ,;:*-–_[(/")
