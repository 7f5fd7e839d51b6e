"""Text as the words that an index keeps, and what someone typed as the words that are looked for; pure.

Every index gets words that are cut and folded here, so that SQLite and PostgreSQL find the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from config.errors import Refused

QUERY_LENGTH = 200  # characters
_QUERY_TERMS = 8
_WORD_LENGTH = 64  # characters of a word that count; what is longer is no word that anybody types
# Scripts without spaces between words, or with none that can be relied on: each sign is a word, a run of them a phrase.
_SIGN = (
    r"(?=[^\W_])[\u0e00-\u0eff\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
_SIGNS = re.compile(_SIGN)
_WORD = re.compile(rf"{_SIGN}|(?:(?!{_SIGN})[^\W_])+")
_CHUNK = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_SHORT = "Enter at least two letters or digits."


@dataclass(frozen=True)
class Word:
    """One word of a text, folded, and where in the text it stands."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True)
class Term:
    """Words that stand one after the other; with ``begins``, the last is the beginning of one."""

    words: tuple[str, ...]
    begins: bool


def clean_text(text: str) -> str:
    """As it is stored and shown: composed letters, and none of the signs that no database takes."""
    return unicodedata.normalize("NFC", _UNWRITTEN.sub(" ", text))


def split_words(text: str) -> Iterator[Word]:
    """The words of a cleaned text in their order.

    >>> [one.folded for one in split_words("Müller & Söhne, Straße 12,50")]
    ['muller', 'sohne', 'strasse', '12', '50']
    """
    for found in _WORD.finditer(text):
        for part in _WORD.findall(_fold_word(found[0])):  # folding ½ makes two words
            yield Word(part[:_WORD_LENGTH], found.start(), found.end())


def _fold_word(word: str) -> str:
    """Without case and accents. Only the marks of Latin, Greek and Cyrillic letters go: が is not か."""
    if word.isascii():
        return word.lower()
    letters = [one for one in unicodedata.normalize("NFKD", word) if not "\u0300" <= one <= "\u036f"]
    return unicodedata.normalize("NFC", "".join(letters)).casefold()


def parse_terms(text: str) -> tuple[Term, ...]:
    """What is looked for: all of it has to be in a document, in any place of it.

    A word finds what begins with it; words in quotation marks stand exactly so. No sign has another meaning.

    Raises:
        Refused: too short, or too long, with what to do.

    """
    if len(text) > QUERY_LENGTH:
        raise Refused(f"Use at most {QUERY_LENGTH} characters.")
    terms = list(dict.fromkeys(_terms(clean_text(text))))
    if len(terms) > _QUERY_TERMS:
        raise Refused(f"Use at most {_QUERY_TERMS} words.")
    if not any(_tells(term) for term in terms):
        raise Refused(_SHORT)
    return tuple(terms)


def _terms(text: str) -> Iterator[Term]:
    for quoted, plain in _CHUNK.findall(text):
        if plain == "AND":  # which is meant anyway
            continue
        found = tuple(word.folded for word in split_words(quoted or plain))
        if found:
            # The beginning of a single letter would be every word with it.
            yield Term(found, begins=bool(plain) and _tells(Term(found[-1:], begins=False)))


def _tells(term: Term) -> bool:
    return len("".join(term.words)) > 1 or bool(_SIGNS.search(term.words[0]))
