"""Postcodes by country, each with its town or state: the end of an address."""

import re

UNITED_STATES = (
    r"(?<!-)\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|"
    r"W[AIVY])[.,]?\s\d{5}(?:-\d{4})?(?!\d)"
)
# Letters and digits confused by OCR are accepted by position: YORK Y01 7LZ.
UNITED_KINGDOM = r"\b[A-Z]{1,2}[\dO][\dA-Z]?\s?[\dO][A-Z]{2}"
AUSTRALIA = r"\b(?:NSW|VIC|Vic|QLD|Qld|SA|WA|TAS|Tas|ACT|NT)[.,]?\s?\d{4}(?!\d)"
_CANADA = r"\b[A-Z]{2}[.,]?\s[A-Z]\d[A-Z85]\s?\d[A-Z85]\d\b"
SINGAPORE = r"(?i:\bsingapore|\bs['’]?pore|\bS)\s?\(?\d{6}\)?(?!\d)"
_INDIA = r"\b[^\W\d_]{4,30}\s?[-–]?\s?\d{3}\s?\d{3}(?!\d)"
_LAST = re.compile(
    rf"(?:{UNITED_STATES}|{UNITED_KINGDOM}|{AUSTRALIA}|{_CANADA}|{SINGAPORE}|{_INDIA})"
    r"(?:\W{1,3}[^\W\d_]{2,}(?:\s[^\W\d_]+){0,2})?\W*$"
)
# Four digits after the town, as in New Zealand and South Africa; after other words they are a year or a number.
_TOWN = re.compile(
    r"(?:^|[,\s])(?!(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|oct|okt|nov|de[cz]|est|since|seit|depuis|till|staff|trans|"
    r"slip|branch|order|table|store|shop|unit|room|op|auth|check|no|bill|ref)[^\W\d_]{0,6}\.?\s)[^\W\d_]{4,20}(?:\s|\s?[-–]\s?)\d{4}[.,]?$",
    re.IGNORECASE,
)
# Before the town, as in continental Europe and Malaysia.
_FIRST = re.compile(
    r"(?:^|,\s?)(?:[A-Z]{1,3}[- ])?(?:\d{5}\s?|\d{6}\s|\d{2}-\d{3}\s|\d{4}\s(?:[A-Z]{2}\s)?|\d{3}\s\d{2}\s)"
    r"[A-ZÀ-ÞĀ-Ž]\W?[^\W\d_]"
    # A letter for the province before the digits, or these in brackets: C1008AAB CABA, S2000 Rosario, (5000) Córdoba.
    r"|(?:^|,\s?)(?:[A-Z]\d{4}(?:[A-Z]{3})?|\(\d{4,5}\))\s[A-ZÀ-ÞĀ-Ž][^\W\d_]{2}"
)


def has_postcode(text: str) -> bool:
    """Return True if the line ends an address: a postcode and its place, with at most a country after them."""
    return bool(_LAST.search(text) or _FIRST.search(text) or _TOWN.search(text))


# No district of a one-letter area begins with a zero, so these are CO, PO, SO and YO.
_AREA_WITH_ZERO = re.compile(r"\b([CPSY])0(?=\d{1,2}\s?\d[A-Z]{2}\b)")
# Canadian, after a province: letter, digit, letter, digit, letter, digit.
_CANADIAN = re.compile(
    r"(?<=\b(?:AB|BC|MB|NB|NL|NS|NT|NU|ON|PE|QC|SK|YT)[., ])(\s?[A-Z]\d)([A-Z85])(\s?\d)([A-Z85])(\d)(?!\w)"
)
_LETTERS = str.maketrans("85", "BS")


def mend_postcodes(text: str) -> str:
    """Correct letters and digits that OCR confused, by their position in the code."""
    text = _AREA_WITH_ZERO.sub(r"\1O", text)
    return _CANADIAN.sub(
        lambda code: f"{code[1]}{code[2].translate(_LETTERS)}{code[3]}{code[4].translate(_LETTERS)}{code[5]}", text
    )
