"""Names by which an entity is known, whatever their case and width."""

import unicodedata
from collections.abc import Iterable, Sequence

LONGEST_KEY = 120  # characters of a key; a sort key has 1,024 bytes, and what is found is compared by whole names


def fold_name(text: str) -> str:
    """Return what all spellings of a name have in common.

    >>> fold_name(" ACME  GmbH"), fold_name("Ａｃｍｅ gmbh"), fold_name("Groß & Söhne")
    ('acme gmbh', 'acme gmbh', 'gross & söhne')
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", " ".join(text.split())).casefold())


def to_key(name: str) -> str:
    """Return the part of a key for a name."""
    return fold_name(name)[:LONGEST_KEY].strip()


def keys_of(names: Iterable[str]) -> Sequence[str]:
    return list(dict.fromkeys(map(to_key, names)))


def without_repeats(name: str, others: Iterable[str]) -> list[str]:
    """Return the other names that differ from ``name`` and from each other by more than case.

    >>> without_repeats("Acme GmbH", ["ACME GMBH", "Acme", "acme"])
    ['Acme']
    """
    found = {fold_name(name): name}
    for one in others:
        found.setdefault(fold_name(one), one)
    return list(found.values())[1:]
