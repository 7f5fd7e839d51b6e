"""Arabic and Hebrew text in reading order: PDFs keep it as it is seen, from the left, or mix both orders."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

P = TypeVar("P")

_MAY = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_FORMS = re.compile(r"[\ufb1d-\ufdff\ufe70-\ufefc]+")  # letters by their place in a word; not the byte order mark
_MARKS = "،؛؟"  # of no direction by Unicode, but never within a number
_MOSTLY = 2 / 3  # of a page's letters


def has_turned(text: str) -> bool:
    """Whether any letter is written from the right."""
    return bool(_MAY.search(text)) and any(_is_turned(char) for char in text)


def is_mostly_turned(texts: Iterable[str]) -> bool:
    """Whether a page is laid out from the right. Where half is in another language, it is not."""
    turned = others = 0
    for text in texts:
        if _MAY.search(text):
            turned += sum(map(_is_turned, text))
            others += sum(unicodedata.bidirectional(char) == "L" for char in text)
        else:
            others += sum(map(str.isalpha, text))
    return turned > _MOSTLY * (turned + others)


def _is_turned(char: str) -> bool:
    return char in _MARKS or unicodedata.bidirectional(char) in {"R", "AL"}


def order_letters(parts: Sequence[P], text_of: Callable[[P], str], left_of: Callable[[P], float]) -> list[P]:
    """Order the letters of a word; numbers and words of other scripts inside are read from the left."""
    return _order(parts, left_of, lambda part: _class_of_letter(text_of(part)), from_right=True)


def order_words(
    parts: Sequence[P], text_of: Callable[[P], str], left_of: Callable[[P], float], *, from_right: bool
) -> list[P]:
    """Order the words of a line that has any written from the right."""
    return _order(parts, left_of, lambda part: _class_of_word(text_of(part)), from_right=from_right)


def _class_of_word(text: str) -> str:
    if has_turned(text):
        return "turned"
    return "other" if any(map(str.isalnum, text)) else "between"


def plain_letters(text: str) -> str:
    """Replace letters by their place in a word with the plain ones, which labels and searches have."""
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def _class_of_letter(text: str) -> str:
    """Return turned, other, sign or between. Punctuation is part of a number inside it only, a currency always."""
    if any(map(_is_turned, text)):
        return "turned"
    kinds = {unicodedata.bidirectional(char) for char in text}
    if kinds <= {"NSM"}:  # vowels
        return "turned"
    return "other" if kinds & {"L", "EN", "AN", "ET"} else "sign" if kinds <= {"ES"} else "between"


def _order(
    parts: Sequence[P], left_of: Callable[[P], float], class_of: Callable[[P], str], *, from_right: bool
) -> list[P]:
    """Reverse what is read against the line's direction."""
    seen = sorted(parts, key=left_of, reverse=from_right)
    against = "other" if from_right else "turned"
    ordered: list[P] = []
    run: list[P] = []  # read against the direction
    waiting: list[P] = []  # between: part of the run if that goes on
    for part in seen:
        kind = class_of(part)
        if kind == against:
            run += [*waiting, part]
            waiting = []
        elif kind in {"between", "sign"} and run:
            waiting.append(part)
        else:
            ordered += [*reversed(run), *waiting, part]
            run, waiting = [], []
    if from_right and waiting and all(class_of(part) == "sign" for part in waiting):  # a minus before the number
        run, waiting = [*run, *waiting], []
    return [*ordered, *reversed(run), *waiting]
