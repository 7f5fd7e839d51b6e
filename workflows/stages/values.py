"""Parsing of dates, amounts and currencies as printed or typed, to one stored form. Pure functions."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

# Prefixes of month names in the languages that the local OCR supports.
_MONTHS = {
    1: "jan gen ene", 2: "feb fév fev", 3: "mar mär maa mrz mac", 4: "apr avr abr", 5: "may mai mei mag",
    6: "jun juin giu jui", 7: "jul juil lug", 8: "aug aoû ago ogo ogos agu", 9: "sep set", 10: "oct 0ct okt ott out",
    11: "nov", 12: "dec dez déc dic dis des",
}  # fmt: skip
_MONTH_OF = {name: number for number, names in _MONTHS.items() for name in names.split()}
# A date ends before a non-digit, or before an adjacent time of day: 2018/02/2213:34:14.
_TIME = r"(?=[T.,-]?\d{1,2}:\d{2})"
_END = rf"(?:(?![\d/-]|[.,]\d)|{_TIME})"
# Or it begins right after the time: 14:4631-Jul-2015.
_AFTER_TIME = r"(?<=\d:\d\d)"
_YEAR_MONTH_DAY = re.compile(
    rf"(?:(?<![\d.,/-])|{_AFTER_TIME})(\d{{4}})\s?([./-])\s?(\d{{1,2}})\s?\2\s?(\d{{2}}){_END}"
)
_NUMERIC = re.compile(
    rf"(?:(?<![\d.,/-])|{_AFTER_TIME})(\d{{1,2}})\s?([./-])\s?(\d{{1,2}})\s?\2\s?((?:19|20)\d{{2}}(?!:\d)|\d{{2}}){_END}"
)
_DAY_NAMED = re.compile(
    rf"(?:(?<!\d)(?<!\d:)|{_AFTER_TIME})(\d{{1,2}})(?:st|nd|rd|th|\.)?[\s/.-]*(?:(?:day )?of )?"
    rf"([^\W\d_]{{3,10}}|0ct(?:ober)?)\.?[\s,/.-]*((?:19|20)\d{{2}}|\d{{2}})(?:(?!\d)|{_TIME})"
)
_NAMED_DAY = re.compile(r"(?<!\w)([^\W\d_]{3,10}|0ct(?:ober)?)\.?\s*(\d{1,2})(?:st|nd|rd|th)?[,\s]+(\d{4})(?!\d)")
_CJK = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日")
_COMPACT = re.compile(r"(?<![\d.,/-])(\d{8})(?![\d/-]|[.,]\d)")
_AMOUNT = re.compile(
    # A few blanks only: unbounded ones would backtrack cubically, for hours.
    r"(?<![\w.,])(?P<before>[-–(]?\s{0,4}(?:[A-Z]{1,3}\$|[A-Z]{2,3}|[€$£¥₹₱₦₫₺฿₪]|R[sMp]\.?|"
    r"R(?=\s?\d[\d., ]{0,12}[.,]\d\d\b))?\s{0,4}[-–]?\s{0,4})"  # rand, not an aisle
    r"(?P<number>\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,4})?)"
    r"(?![.,]?\d)(?P<after>-(?!\d)|\))?",
    re.IGNORECASE,
)
# Labels of amounts that may be negative, or are deducted.
_LESSENS = re.compile(
    r"\b(round\w*|rnd|adj\w*|disc\w*|less|sav(?:ed|ings?)|rebate|voucher|coupon|promo\w*|change|refund\w*|return\w*|"
    r"credit\w*|off|void|balance|deposit|rundung\w*|rabatt|skonto|gutschrift|remise|avoir|descuento|sconto)\b",
    re.IGNORECASE,
)
CURRENCIES = {
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "rm": "MYR", "rs": "INR", "us$": "USD",
    "s$": "SGD", "a$": "AUD", "hk$": "HKD", "c$": "CAD", "kr": "SEK", "fr": "CHF", "sfr": "CHF", "euro": "EUR",
    "₪": "ILS", 'ש"ח': "ILS", "ש״ח": "ILS", "₱": "PHP", "₫": "VND", "₺": "TRY", "฿": "THB",
}  # fmt: skip
# Traded currencies only: a complete list would match capitalized words.
ISO_CURRENCIES = frozenset(
    "AED AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PEN PHP PLN "  # noqa: SIM905 - as a list it takes forty lines
    "RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR".split()
)


_YES = frozenset("true yes y ja oui si sí sim tak x ✓ ✔ ☑ ☒ 1".split())  # noqa: SIM905 - as a list it takes many lines
_NO = frozenset("false no n nein non não nie ☐ 0".split())  # noqa: SIM905 - as above


@dataclass(frozen=True)
class Hit:
    """A value inside a longer text, with its characters."""

    value: str
    raw: str
    start: int
    end: int


def date(text: str, *, day_first: bool = True) -> str | None:
    """Parse a date to ISO, 2019-01-12; ``day_first`` decides 3/4/2019 and nothing else."""
    hits = list(dates_in(text, day_first=day_first))
    return hits[0].value if len({hit.value for hit in hits}) == 1 else None


def dates_in(text: str, *, day_first: bool = True) -> Iterator[Hit]:
    """Yield every complete date, by pattern, one per place."""
    taken: list[tuple[int, int]] = []
    for pattern, read in (
        (_CJK, _year_first),
        (_YEAR_MONTH_DAY, lambda match: _iso(int(match[1]), int(match[3]), int(match[4]))),
        (_NUMERIC, lambda match: _numeric(match, day_first=day_first)),
        (_DAY_NAMED, lambda match: _date_with_month_name(match[1], match[2], match[3])),
        (_NAMED_DAY, lambda match: _date_with_month_name(match[2], match[1], match[3])),
        (_COMPACT, _compact),
    ):
        for match in pattern.finditer(text):
            value = read(match)
            if value and not any(match.start() < end and start < match.end() for start, end in taken):
                taken.append(match.span())
                yield Hit(value, match[0].strip(), *match.span())


def _year_first(match: re.Match[str]) -> str | None:
    return _iso(int(match[1]), int(match[2]), int(match[3]))


def _numeric(match: re.Match[str], *, day_first: bool) -> str | None:
    first, second, year = int(match[1]), int(match[3]), _year(match[4])
    day_first = day_first or match[2] == "."  # dates with points are never month first
    day, month = (first, second) if day_first else (second, first)
    # If the month is invalid, the other order is meant: 10/28/2024.
    return _iso(year, month, day) or _iso(year, day, month)


def _date_with_month_name(day: str, month: str, year: str) -> str | None:
    name = month.casefold()
    number = _MONTH_OF.get(name[:4]) or _MONTH_OF.get(name[:3])
    return _iso(_year(year), number, int(day)) if number else None


def _compact(match: re.Match[str]) -> str | None:
    digits = match[1]
    for year, month, day in ((digits[4:], digits[2:4], digits[:2]), (digits[:4], digits[4:6], digits[6:])):
        if 1990 <= int(year) <= 2099:
            return _iso(int(year), int(month), int(day))
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else int(text) + (1900 if int(text) >= 70 else 2000)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return dt.date(year, month, day).isoformat() if 1900 <= year <= 2099 else None
    except ValueError:
        return None


def amount(text: str) -> str | None:
    """Parse an amount to a plain decimal: "RM1,007.50" is "1007.50", "33,90 €" is "33.90"."""
    hits = list(amounts_in(text))
    if len(hits) != 1:
        return None
    # Only a currency is allowed beside the digits: "12.3O" is a misreading and "about 12" is not an amount.
    rest = re.sub(r"[\W\d]", " ", re.sub(r"[€$£¥₹₱₦₫₺฿₪]", "", text)).split()
    return hits[0].value if all(currency(word) for word in rest) else None


def amounts_in(text: str) -> Iterator[Hit]:
    for match in _AMOUNT.finditer(text):
        value = _decimal(match["number"])
        if value is None:
            continue
        before, after = match["before"], match["after"]
        negative = after == "-" or ("(" in before and after == ")")
        negative |= ("-" in before or "–" in before) and not _is_mark(text, match.start(), value)
        yield Hit(plain(-value if negative else value), match[0].strip(), match.start(), match.end())


def _is_mark(text: str, start: int, value: Decimal) -> bool:
    """Return whether a dash separates label and amount, ``Total :-51.88``, and is not a sign, ``Rounding:-0.02``."""
    label = text[:start]
    if text[start] not in "-–" or not label.endswith((":", "：")):
        return False
    # The label may be in another column: roundings are below one.
    return value >= 1 if re.search(r"[^\W\d_]", label) is None else not _LESSENS.search(label)


def number(text: str) -> str | None:
    """Return a plain decimal without added digits: "1,5" is "1.5", "12" is "12"."""
    match = re.fullmatch(r"(-?) ?(\d[\d.,' ]*)%?", " ".join(text.split()))
    value = _decimal(match[2].strip()) if match else None
    return None if match is None or value is None else f"{match[1]}{value}"


def plain(value: Decimal) -> str:
    """Format with at least two decimals, more only if printed and not zero."""
    exact = value.normalize()
    exponent = exact.as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{value:.{places}f}"


def _decimal(text: str) -> Decimal | None:
    """The last separator is the decimal one, unless three digits follow and nothing else decides: 1.007 is 1007."""
    digits = re.sub(r"[\s'’]", "", text)
    marks = [char for char in digits if char in ".,"]
    if marks:
        whole, _, fraction = digits.rpartition(marks[-1])
        if len(fraction) == 3 and len(set(marks)) == 1 and len(whole.replace(marks[-1], "")) <= 3 * len(marks):
            whole, fraction = digits, ""
        digits = re.sub(r"[.,]", "", whole) + (f".{fraction}" if fraction else "")
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


def currency(text: str) -> str | None:
    """Return the ISO code of a code, symbol or common abbreviation."""
    word = text.strip().rstrip(".").casefold()
    return CURRENCIES.get(word) or (word.upper() if word.upper() in ISO_CURRENCIES else None)


def boolean(text: str) -> str | None:
    """Return true or false for yes and no in several languages, or a checkbox."""
    word = text.strip(" .:").casefold()
    return "true" if word in _YES else "false" if word in _NO else None


def words(text: str) -> str:
    """Normalize names and addresses for comparison: ignore case, accents, spaces and punctuation."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())
