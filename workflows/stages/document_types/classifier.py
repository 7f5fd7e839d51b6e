"""Classification by rules: a document's title, its vocabulary, and its labels.

Each type gets points (log-odds), and so does "none of them"; the softmax over all is the confidence. The points were
tuned by hand on documents that are not part of the tree (docs/adr/0021-types-of-documents.md).
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from workflows.stages.document_types.types import RatedType, TypeRanking, TypeSpec
from workflows.stages.document_types.vocabulary import CONCEPTS, Concept, whole_word_pattern
from workflows.stages.fields import labels
from workflows.stages.fields.candidates import Document

_HEAD = 14  # rows in which a title may be
_MOST_TEXT = 60_000  # characters that are searched
_NONE = 1.8  # points of "none of them": a single word is not enough
_IN_HEAD, _NAMED, _WORD, _MOST_WORDS = 2.4, 0.9, 0.6, 6
_LABEL = 1.6  # points of all of a type's labels, proportional for some
_SHORT, _LONG = 4_000, 6_000  # characters: no receipt is longer, no contract much shorter
_SLIP = 2.2  # points of narrow till paper
_XML = 6.0
_NARROW = 1.5  # aspect ratio that no office paper has
_AMOUNT = re.compile(r"\d[.,]\d{2}\b|(?:[$€£¥₹₪]|\b(?:rs|rm|eur|usd|gbp|chf)\b\.?) ?\d", re.IGNORECASE)
_TITLE_WORDS = 6  # a row with more words is a sentence, not a title


def rank_types(document: Document, types: Sequence[TypeSpec], *, is_invoice: bool = False) -> TypeRanking:
    """Return every type with its share, likeliest first; ties keep the order of ``types``.

    ``is_invoice``: the file contains an XML invoice, which only invoices do.
    """
    text = document.text[:_MOST_TEXT]
    titles = [line.text for row in document.rows[:_HEAD] for line in row.lines]
    known = {name: _score_type(concept, text, titles) for name, concept in CONCEPTS.items()}
    known["receipt"] += _SLIP if _is_slip(document, text) else 0.0
    known["invoice"] += _XML if is_invoice else 0.0
    mine = {one.id: concept_of(one) for one in types}
    points = {one.id: _of_type(one, known.get(mine[one.id], 0.0), text, titles, mine[one.id]) for one in types}
    # A document of a known kind without a type on the site has none of the site's types.
    others = [value for name, value in known.items() if name not in mine.values()]
    return _share_points(points, [_NONE, *(value for value in others if value > _NONE)])


def concept_of(one: TypeSpec) -> str:
    """Return the concept that its name equals or contains; empty if only the site knows the type."""
    name = one.name.replace("_", " ").replace("-", " ")
    hits = {key: len(hit[0]) for key, concept in CONCEPTS.items() if (hit := _name_pattern(concept).search(name))}
    return max(hits, key=lambda key: hits[key], default="")


def _is_slip(document: Document, text: str) -> bool:
    """Many tills print "tax invoice", so the paper format counts more."""
    first = document.pages[0] if document.pages else None
    narrow = first is not None and first.height > _NARROW * first.width
    return narrow and len(text) < _SHORT and _AMOUNT.search(text) is not None


def _share_points(points: Mapping[str, float], none: Sequence[float]) -> TypeRanking:
    top = max([*points.values(), *none])
    parts = {key: math.exp(value - top) for key, value in points.items()}
    left = sum(math.exp(value - top) for value in none)
    whole = sum(parts.values()) + left
    rated = sorted(
        (RatedType(key, round(part / whole, 4)) for key, part in parts.items()), key=lambda one: -one.confidence
    )
    return TypeRanking(tuple(rated), none=round(left / whole, 4))


def _of_type(one: TypeSpec, known: float, text: str, titles: Sequence[str], concept: str) -> float:
    own = 0.0 if concept else _name_points(_own_name_pattern(one.name), text, titles)
    shown = [spec for spec in one.fields if labels.label_pattern(spec).search(text)]
    share = len(shown) / len(one.fields) if one.fields else 0.0
    return known + own + _LABEL * share * (0.5 if concept else 1.0)


def _score_type(concept: Concept, text: str, titles: Sequence[str]) -> float:
    named = _name_points(_name_pattern(concept), text, titles)
    words = {" ".join(hit[0].casefold().split()) for hit in _word_pattern(concept).finditer(text)}
    points = named + _WORD * min(len(words), _MOST_WORDS)
    amounts = len(_AMOUNT.findall(text))
    if concept.money:
        points -= 2.0 if amounts == 0 else 0.0
        points -= 1.0 if len(text) > 4 * _LONG else 0.0
    if concept.long:
        points -= 1.5 if len(text) < _SHORT / 4 or amounts > len(text) / 200 else 0.0
    return points


def _name_points(name: re.Pattern[str], text: str, titles: Sequence[str]) -> float:
    """A match in a title counts more than one in a sentence."""
    for row in titles:
        if len(row.split()) <= _TITLE_WORDS and name.search(row):
            return _IN_HEAD
    return _NAMED if name.search(text) else 0.0


@lru_cache(maxsize=64)
def _name_pattern(concept: Concept) -> re.Pattern[str]:
    return whole_word_pattern(concept.names)


@lru_cache(maxsize=64)
def _word_pattern(concept: Concept) -> re.Pattern[str]:
    return whole_word_pattern(concept.words)


@lru_cache(maxsize=256)
def _own_name_pattern(name: str) -> re.Pattern[str]:
    return whole_word_pattern((r"\W+".join(map(re.escape, name.split())) or r"(?!)",))
