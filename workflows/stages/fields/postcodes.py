"""Postcodes as countries write them, each with the town or state beside it: where an address ends."""

import re

UNITED_STATES = (
    r"\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|"
    r"W[AIVY])[.,]?\s\d{5}(?:-\d{4})?(?!\d)"
)
# A letter that OCR took for a digit, or a digit for a letter, is taken as the place needs it: YORK Y01 7LZ.
_UNITED_KINGDOM = r"\b[A-Z]{1,2}[\dO][\dA-Z]?\s?[\dO][A-Z]{2}"
_AUSTRALIA = r"\b(?:NSW|VIC|Vic|QLD|Qld|SA|WA|TAS|Tas|ACT|NT)[.,]?\s?\d{4}(?!\d)"
_CANADA = r"\b[A-Z]{2}[.,]?\s[A-Z]\d[A-Z]\s?\d[A-Z]\d\b"
_SINGAPORE = r"(?i:\bsingapore|\bs['’]?pore|\bS)\s?\(?\d{6}\)?(?!\d)"
_INDIA = r"\b[^\W\d_]{4,30}\s?[-–]?\s?\d{3}\s?\d{3}(?!\d)"
_LAST = re.compile(
    rf"(?:{UNITED_STATES}|{_UNITED_KINGDOM}|{_AUSTRALIA}|{_CANADA}|{_SINGAPORE}|{_INDIA})"
    r"(?:\W{1,3}[^\W\d_]{2,}(?:\s[^\W\d_]+){0,2})?\W*$"
)
# Before the town, as the continent and Malaysia write it.
_FIRST = re.compile(
    r"(?:^|,\s?)(?:[A-Z]{1,3}[- ])?(?:\d{5}\s?|\d{4}\s(?:[A-Z]{2}\s)?|\d{3}\s\d{2}\s)[A-ZÀ-Þ]\W?[^\W\d_]"
)


def has_postcode(text: str) -> bool:
    """Whether the line ends an address: a postcode and its place are in it, and no more than a country after them."""
    return bool(_LAST.search(text) or _FIRST.search(text))
