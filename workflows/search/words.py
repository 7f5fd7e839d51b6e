"""Tokenization of texts and queries. Pure functions.

Every index gets words that are split and folded here, so that SQLite and PostgreSQL find the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Sentence

QUERY_LENGTH = 200  # characters
_QUERY_TERMS = 8
_WORD_LENGTH = 64  # characters of a word that count; nobody types longer words
# Scripts without reliable spaces between words: each character is a word, and a sequence of them a phrase.
_SIGN = (
    r"(?=[^\W_])[\u0e00-\u0eff\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)
_SIGNS = re.compile(_SIGN)
_WORD = re.compile(rf"{_SIGN}|(?:(?!{_SIGN})[^\W_])+")
_CHUNK = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_SHORT = Sentence("Enter at least two letters or digits.")


@dataclass(frozen=True)
class Word:
    """One folded word of a text, and its position in the text."""

    folded: str
    start: int
    end: int


@dataclass(frozen=True)
class Term:
    """Consecutive words; with ``begins``, the last one is a prefix."""

    words: tuple[str, ...]
    begins: bool


def clean_text(text: str) -> str:
    """Normalize a text for storage and display: NFC, without characters that databases reject."""
    return unicodedata.normalize("NFC", _UNWRITTEN.sub(" ", text))


def split_words(text: str) -> Iterator[Word]:
    """Yield the words of a cleaned text in order.

    >>> [one.folded for one in split_words("Müller & Söhne, Straße 12,50")]
    ['muller', 'sohne', 'strasse', '12', '50']
    """
    for found in _WORD.finditer(text):
        for part in _WORD.findall(_fold_word(found[0])):  # folding ½ yields two words
            yield Word(part[:_WORD_LENGTH], found.start(), found.end())


def _fold_word(word: str) -> str:
    """Remove case and accents. Only marks of Latin, Greek and Cyrillic letters are removed: が is not か."""
    if word.isascii():
        return word.lower()
    letters = [one for one in unicodedata.normalize("NFKD", word) if not "\u0300" <= one <= "\u036f"]
    return unicodedata.normalize("NFC", "".join(letters)).casefold()


def parse_terms(text: str) -> tuple[Term, ...]:
    """Parse a query. A document matches if it has every term, anywhere.

    A word matches words that begin with it; quoted words match exactly, in this order. There are no other operators.

    Raises:
        Refused: too short, or too long, with what to do.

    """
    if len(text) > QUERY_LENGTH:
        raise Refused(gettext("Use at most %(query_length)s characters.") % {"query_length": QUERY_LENGTH})
    terms = list(dict.fromkeys(_terms(clean_text(text))))
    if len(terms) > _QUERY_TERMS:
        raise Refused(gettext("Use at most %(query_terms)s words.") % {"query_terms": _QUERY_TERMS})
    if not any(_tells(term) for term in terms):
        raise Refused(_SHORT)
    return tuple(terms)


def _terms(text: str) -> Iterator[Term]:
    for quoted, plain in _CHUNK.findall(text):
        if plain == "AND":  # AND is implied
            continue
        found = tuple(word.folded for word in split_words(quoted or plain))
        if found:
            # A prefix of one letter would match every word that begins with it.
            yield Term(found, begins=bool(plain) and _tells(Term(found[-1:], begins=False)))


def _tells(term: Term) -> bool:
    return len("".join(term.words)) > 1 or bool(_SIGNS.search(term.words[0]))
