"""Sentence selection for extractive summaries."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

_END = re.compile(r"(?<=[.!?…])[\"”’)]?\s+(?=[\"“‘(A-ZÄÖÜÀ-Þ\d])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FEWEST, _LONGEST = 6, 60  # fewest and most words of a sentence
# Stop words.
_COMMON = frozenset(
    """the and for that with this from are was were has have had not but you your our their they will shall may can
    all any been its into than then there these those which who whom whose what when where also such more other one two
    der die das und ist ein eine einen einem einer nicht mit auf für von dem den des sich auch als wie aus bei nach wird
    werden sind war oder zum zur sie wir ihr ihre les des est une pour dans que qui par sur pas vous nous avec plus del
    los las una con por para como""".split()  # noqa: SIM905 - as a list it takes a hundred lines
)


def words(text: str) -> Counter[str]:
    """Count lowercase words without stop words."""
    return Counter(word for one in _WORD.finditer(text) if (word := one[0].casefold()) not in _COMMON)


def sentences(text: str) -> Iterator[str]:
    """Yield sentences, without table rows and single words, each on one line."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[#|-])|(?<=[|:])\n", text):
        if paragraph.startswith(("|", "#")):
            continue
        for one in _END.split(" ".join(paragraph.split())):
            if _FEWEST <= len(one.split()) <= _LONGEST and one[-1:] in ".!?…" and not _is_shouted(one):
                yield one


def _is_shouted(text: str) -> bool:
    """Headings of receipts are capitals and numbers; one that ends in "No." is not a sentence."""
    return 2 * sum(letter.islower() for letter in text) < sum(not letter.isspace() for letter in text)


def best(found: Iterable[tuple[int, str]], counts: Counter[str], *, most: int, letters: int) -> list[tuple[int, str]]:
    """Return the (place, sentence) pairs that score highest by ``counts``, without near-duplicates, in order."""
    chosen: list[tuple[int, str]] = []
    held: list[set[str]] = []
    room = letters
    for place, sentence in sorted(found, key=lambda one: (-_weight(one[1], counts), one)):
        mine = set(words(sentence))
        alike = any(len(mine & other) > 0.6 * min(len(mine), len(other)) for other in held)
        if len(chosen) < most and mine and not alike and len(sentence) <= room:
            chosen.append((place, sentence))
            held.append(mine)
            room -= len(sentence)
    return sorted(chosen)


def _weight(sentence: str, counts: Counter[str]) -> float:
    found = words(sentence)
    return sum(counts[word] for word in found) / max(len(found), 8)
