"""Common words of names and addresses with likely OCR errors: Jaian for Jalan.

Values are not changed, since names and towns are often one letter from a common word (BARU and BATU): the usual
spelling is offered as an alternative, and lowers confidence. Only two-word legal forms are a closed set, and are
corrected.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from workflows.stages.fields.candidates import SPELLED, Candidate

ADDRESS = frozenset(
    "jalan taman lorong persiaran lebuh lebuhraya kawasan perindustrian bandar seksyen floor wisma menara kompleks "  # noqa: SIM905 - as a list it takes forty lines
    "bangunan kampung mukim selangor malaysia kuala lumpur street avenue building block road batu darul ehsan takzim "
    "industrial singapore straße strasse deutschland boulevard".split()
)
COMPANY = frozenset(
    "enterprise trading stationery hardware machinery restaurant restoran market supermarket hypermarket electrical "  # noqa: SIM905 - as above
    "pharmacy marketing industries services solutions holdings limited gesellschaft company carry perniagaan".split()
)
# Groups of letters that are confused in print; JAPAN is not a misread JALAN.
_ALIKE = ("il1jtfr", "oceqdgas069", "bhkr83rp0", "nmhurwvk", "sz52", "yv", "gq9y")
_WORD = re.compile(r"[^\W_]+")
_SDN_BHD = re.compile(r"\b[S5$][DO0]N(\.?\s*)(?:[B83R][HMN][DO0]|8HD)\b(?!\w)", re.IGNORECASE)
_ZERO = re.compile(r"(?<!\w)0(?=['’][^\W\d_]{3})")
_DOUBLED, _LONG = 5, 7  # word lengths from which one of a double letter, or any letter, may be lost


MISREAD = "misread"  # evidence: a value with words that look misread
Mend = Callable[[str], tuple[str, int]]
_BEHIND = 0.1  # points by which an alternative spelling ranks lower


def offer_spellings(found: Iterable[Candidate], mend: Mend, doubt: float = 1.0) -> Iterator[Candidate]:
    """Yield ``found`` as read, with misread words counted by ``doubt``, each followed by its usual spelling, if any."""
    for candidate in found:
        usual, misread = mend(candidate.value)
        known = candidate.evidence.get(MISREAD, 0.0)
        yield candidate.stronger(0, **{MISREAD: max(known, min(1.0, misread * doubt))})
        if misread:
            yield replace(candidate, value=usual).stronger(-_BEHIND, **{SPELLED: 1.0})


def mend_address(text: str) -> tuple[str, int]:
    return mend_words(text, ADDRESS)


def mend_words(text: str, known: Iterable[str]) -> tuple[str, int]:
    """Return the text with known words corrected in its own case, and the number of corrections."""
    lexicon = frozenset(known)
    count = 0

    def mend_word(match: re.Match[str]) -> str:
        nonlocal count
        word = match[0]
        meant = _closest_word(word.casefold(), lexicon)
        if meant is None:
            return word
        count += 1
        return meant.upper() if word.isupper() else meant.capitalize() if word[0].isupper() else meant

    return _WORD.sub(mend_word, text), count


def mend_legal_form(text: str) -> str:
    """Correct legal forms, the one exception: no firm is called SON BHD, or SDN 3HD."""
    return _SDN_BHD.sub(_spell_legal_form, text)


def mend_zero(text: str) -> str:
    """Correct a leading zero: 0'Shea."""
    return _ZERO.sub("O", text)


def _spell_legal_form(match: re.Match[str]) -> str:
    if match[0].casefold() == f"sdn{match[1]}bhd".casefold():
        return match[0]
    capitals = sum(char.isupper() for char in match[0]) > 2
    return f"SDN{match[1]}BHD" if capitals else f"Sdn{match[1]}Bhd"


def mend_company(text: str) -> tuple[str, int]:
    return mend_words(text, COMPANY)


def _closest_word(word: str, lexicon: frozenset[str]) -> str | None:
    if word in lexicon or len(word) < 4:
        return None
    near = [one for one in lexicon if abs(len(one) - len(word)) < 2 and _is_reading(word, one)]
    return near[0] if len(near) == 1 else None


def _is_reading(word: str, meant: str) -> bool:
    """Return True if one letter looks like another, a digit replaces a letter, or one letter is missing or extra."""
    if len(word) == len(meant):
        differing = [(a, b) for a, b in zip(word, meant, strict=True) if a != b]
        return len(differing) == 1 and (differing[0][0].isdigit() or look_alike(*differing[0]))
    short, long = sorted((word, meant), key=len)
    lost = [i for i in range(len(long)) if long[:i] + long[i + 1 :] == short]
    return bool(lost) and (len(meant) >= _LONG or (len(meant) >= _DOUBLED and len(lost) > 1))


def is_one_letter_off(word: str, meant: str) -> bool:
    """Return True if one letter differs, is missing or is extra; for places with a closed set of words."""
    if len(word) == len(meant):
        return sum(a != b for a, b in zip(word, meant, strict=True)) == 1
    short, long = sorted((word, meant), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def look_alike(one: str, other: str) -> bool:
    """Return True if the letters are confused in print, or equal."""
    return one == other or any(one in group and other in group for group in _ALIKE)
