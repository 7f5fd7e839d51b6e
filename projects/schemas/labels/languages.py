"""Known languages by BCP 47 tag, and matching a person's language with a site's."""

import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from django.conf.global_settings import LANGUAGES, LANGUAGES_BIDI
from django.utils.translation import gettext, to_locale

from config.errors import Refused
from config.phrase import Phrase


@dataclass(frozen=True)
class Language:
    """``name``: translated by Django's own catalogues. ``direction``: ltr or rtl."""

    tag: str
    name: Phrase
    direction: str = "ltr"


@functools.cache
def known_languages() -> Mapping[str, Language]:
    """Return the known languages by tag, ordered by name.

    >>> known_languages()["pt-BR"].name, known_languages()["ar"].direction
    ('Brazilian Portuguese', 'rtl')
    """
    return {one.tag: one for one in sorted(_read_languages(), key=lambda one: one.name)}


def _read_languages() -> Iterator[Language]:
    for code, name in LANGUAGES:
        yield Language(to_locale(code).replace("_", "-"), Phrase(name), "rtl" if code in LANGUAGES_BIDI else "ltr")


def find_language(tag: str) -> Language:
    """Whatever letters are capitals. Raises: Refused."""
    plain = tag.strip().replace("_", "-").lower()
    found = next((one for one in known_languages().values() if one.tag.lower() == plain), None)
    if found is None:
        raise Refused(
            gettext("“%(tag)s” is not a known language. Choose one from the list, such as de or pt-BR.")
            % {"tag": tag[:20]}
        )
    return found


def match_language(wanted: str | None, tags: Collection[str]) -> str:
    """The one of ``tags`` that a person with ``wanted`` reads; empty if none.

    >>> match_language("de-at", ["de", "ar"]), match_language("pt", ["pt-BR"]), match_language("en", ["de"])
    ('de', 'pt-BR', '')
    """
    known = {tag.lower(): tag for tag in sorted(tags)}
    parts = (wanted or "").replace("_", "-").lower().split("-")
    for end in range(len(parts), 0, -1):
        if found := known.get("-".join(parts[:end])):
            return found
    alone = len(parts) == 1 and bool(parts[0])  # a person of a region does not read another region's unasked
    return next((tag for plain, tag in known.items() if alone and plain.startswith(f"{parts[0]}-")), "")
