"""Interface texts kept in constants or rows: stored in English, translated when a page shows them.

A row and an error keep only a sentence's English words; ``tell_sentence`` finds the sentence again by them.
"""

import datetime as dt
import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import ClassVar, NamedTuple

from config import clock

_SENTENCES = Path(__file__).resolve().parents[1] / "locale" / "sentences.json"
_PLACE = re.compile(r"%\((\w+)\)s")
_LONGEST = 2000  # characters; a longer text is no sentence of ours
_NESTED = 4  # sentences within sentences; what a person wrote may look like hundreds


class Phrase(str):
    """A string that is English when compared, stored or sent to programs; its HTML, in templates, is the translation.

    Formatting it in Python yields English: use ``fill`` for values, or ``gettext``.
    """

    __slots__ = ()
    # Django's, once it has started: the stages and the program that inspects files know no Django.
    in_language: ClassVar[Callable[[str], str]] = staticmethod(str)
    in_number: ClassVar[Callable[[str, str, int], str]] = staticmethod(
        lambda one, many, count: one if count == 1 else many
    )

    def fill(self, **values: object) -> "Phrase":
        """Fill the named placeholders; values that are phrases are translated too.

        >>> Phrase("%(step)s completed").fill(step="Assessment")
        'Assessment completed'
        """
        return _Filled(self, self, 0, values)

    def translated(self, language: str | None = None) -> str:
        """``language``: the active one, if the caller knows it; asking Django takes longer than finding the words."""
        return _say(self, self, 0, language) if language else Phrase.in_language(self)

    def __html__(self) -> str:
        return escape(self.translated())


class Figure(Phrase):
    """A number with its unit, with the separators of English; a page writes those of its language.

    >>> Figure("1,234.5 s")
    '1,234.5 s'
    """

    __slots__ = ()
    in_digits: ClassVar[Callable[[str, str | None], str]] = staticmethod(lambda text, _language: text)

    def translated(self, language: str | None = None) -> str:
        return Figure.in_digits(str(self), language)


class Day(Phrase):
    """A day as English writes it; a page writes it as its language does.

    >>> Day("25 Nov 2026")
    '25 Nov 2026'
    """

    __slots__ = ()
    in_order: ClassVar[Callable[[int, int, int], str]]  # of year, month and day
    MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

    def translated(self, language: str | None = None) -> str:  # noqa: ARG002 - the active one
        day, month, year = self.split()
        return Day.in_order(int(year), Day.MONTHS.index(month) + 1, int(day))


class FullDay(Day):
    """The same with the whole name of its month.

    >>> FullDay("25 November 2026")
    '25 November 2026'
    """

    __slots__ = ()
    in_full: ClassVar[Callable[[int, int, int], str]]
    MONTHS = (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    )  # fmt: skip

    def translated(self, language: str | None = None) -> str:  # noqa: ARG002 - the active one
        day, month, year = self.split()
        return FullDay.in_full(int(year), FullDay.MONTHS.index(month) + 1, int(day))


def write_day(at: dt.date) -> Day:
    """Of an instant, in its time zone.

    >>> write_day(dt.date(2026, 11, 5))
    '5 Nov 2026'
    """
    return Day(f"{at.day} {Day.MONTHS[at.month - 1]} {at.year}")


def write_full_day(at: dt.date) -> FullDay:
    """Unambiguous: the month is a word.

    >>> write_full_day(dt.date(2025, 4, 3))
    '3 April 2025'
    """
    return FullDay(f"{at.day} {FullDay.MONTHS[at.month - 1]} {at.year}")


def write_moment(at: dt.datetime, *, seconds: bool = False) -> Phrase:
    """Day and time of day, in the instant's time zone, which the sentence around it names.

    >>> write_moment(dt.datetime(2026, 11, 5, 9, 30, 7, tzinfo=dt.UTC), seconds=True)
    '5 Nov 2026, 09:30:07'
    """
    return Phrase("%(day)s, %(time)s").fill(day=write_day(at), time=f"{at:%H:%M:%S}" if seconds else f"{at:%H:%M}")


def tell_who_was_first(told: Phrase, bare: Phrase, *, by: str | None, at: str | None) -> Phrase:
    """Name who changed a row first. ``told`` takes who and time, ``bare`` only who, for a row without a time."""
    who = by or Phrase("Another user")
    return told.fill(who=who, time=write_moment(clock.parse(at), seconds=True)) if at else bare.fill(who=who)


class _Filled(Phrase):
    __slots__ = ("many", "number", "one", "values")
    one: str
    many: str
    number: int
    values: Mapping[str, object]

    def __new__(cls, one: str, many: str, count: int, values: Mapping[str, object]) -> "_Filled":
        made = super().__new__(cls, (one if one is many or count == 1 else many) % values)
        made.one, made.many, made.number, made.values = one, many, count, values
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return _Filled, (self.one, self.many, self.number, self.values)

    def translated(self, language: str | None = None) -> str:
        say = _say if language else _say.__wrapped__
        return say(self.one, self.many, self.number, language) % {
            name: one.translated(language) if isinstance(one, Phrase) else one for name, one in self.values.items()
        }


@functools.lru_cache(maxsize=8192)
def _say(one: str, many: str, number: int, _language: str | None) -> str:
    """Cached for the life of the process, like its catalogues."""
    return Phrase.in_language(one) if one is many else Phrase.in_number(one, many, number)


def count_phrase(one: str, many: str, count: int, **values: object) -> Phrase:
    """Return the singular or plural phrase with ``count`` filled in as ``%(count)s``.

    >>> count_phrase("%(count)s page", "%(count)s pages", 1), count_phrase("%(count)s page", "%(count)s pages", 1200)
    ('1 page', '1,200 pages')
    """
    return _Filled(one, many, count, {"count": Figure(f"{count:,}") if count >= 1000 else str(count), **values})


class _Capital(Phrase):
    __slots__ = ("said",)
    said: Phrase

    def __new__(cls, said: Phrase) -> "_Capital":
        made = super().__new__(cls, said[:1].upper() + said[1:])
        made.said = said
        return made

    def translated(self, language: str | None = None) -> str:
        told = self.said.translated(language)
        return told[:1].upper() + told[1:]


def begin_sentence(said: Phrase) -> Phrase:
    """Begin with a capital letter, in the translation too."""
    return _Capital(said)


def join_phrases(parts: Iterable[str]) -> Phrase:
    """Join parts to a list within a sentence, separated as the language does; a part may be a plain value.

    >>> join_phrases(["1 page", Phrase("after review")])
    '1 page, after review'
    """
    told = None
    for part in parts:
        told = Phrase("%(first)s, %(rest)s").fill(first=told, rest=part) if told is not None else part
    return told if isinstance(told, Phrase) else Phrase("%(value)s").fill(value=told or "")


class Sentence(Phrase):
    """A phrase that is stored or raised in English, with its values, and that pages find again by its words.

    `make messages` lists it in ``locale/sentences.json``, which ``tell_sentence`` reads.
    """

    __slots__ = ()


def count_sentence(one: str, many: str, count: int, **values: object) -> Phrase:
    """``count_phrase`` for what is stored or raised."""
    return count_phrase(one, many, count, **values)


_TIMES = {"day", "time"}  # names of values that are days
_MOMENT = re.compile(rf"(\d{{1,2}} (?:{'|'.join(Day.MONTHS)}) \d{{4}})(?:, (\d\d:\d\d(?::\d\d)?))?")
PHRASES = (Phrase, _Filled, _Capital, Sentence, Figure, Day, FullDay)


class _Pattern(NamedTuple):
    """``parts``: the fixed text; between two of them stands a value of ``names``. ``number``: 1 singular, 2 plural."""

    longest: str
    parts: tuple[str, ...]
    names: tuple[str, ...]
    one: str
    many: str
    number: int

    def find_values(self, text: str) -> dict[str, str] | None:
        """Return None if the text is another. Linear time, as a regular expression with several values is not."""
        first, *between, last = self.parts
        at, end = len(first), len(text) - len(last)
        if at > end or not (text.startswith(first) and text.endswith(last)):
            return None
        values: dict[str, str] = {}
        for name, part in zip(self.names, (*between, None), strict=True):
            until = end if part is None else text.find(part, at, end)
            if until < 0 or values.setdefault(name, text[at:until]) != text[at:until]:
                return None
            at = until + len(part or "")
        return values


@functools.cache
def _patterns() -> tuple[frozenset[str], tuple[_Pattern, ...]]:
    """Return the sentences without values, and those with values, those with the most fixed text first."""
    known = json.loads(_SENTENCES.read_text())
    whole = frozenset(one for one, _ in known if not _PLACE.search(one))
    filled = [
        (said, one, many, number)
        for one, many in known
        for number, said in ((1, one), (2, many))
        if _PLACE.search(said)
    ]
    filled.sort(key=lambda found: -len(_PLACE.sub("", found[0])))
    return whole, tuple(_Pattern(*_split(said), *rest) for said, *rest in filled)


def _split(sentence: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    found = _PLACE.split(sentence)
    parts = tuple(part.replace("%%", "%") for part in found[::2])
    return max(parts, key=len), parts, tuple(found[1::2])


@functools.lru_cache(maxsize=4096)
def tell_sentence(text: str, nested: int = _NESTED) -> Phrase:
    """Return the text as a phrase that pages translate; a text that is none of our sentences stays as it is."""
    whole, patterns = _patterns()
    if text in whole or not text or not nested or len(text) > _LONGEST:
        return Phrase(text)
    for one in patterns:
        if one.longest in text and (found := one.find_values(text)) is not None:
            values = {
                name: _tell_time(value) if name in _TIMES else _tell_value(value, nested - 1)
                for name, value in found.items()
            }
            return _Filled(one.one, one.many or one.one, one.number, values)
    return Phrase(text)


def _tell_value(value: str, nested: int) -> str:
    """Tell a sentence or a list of sentences; anything else is what a person wrote."""
    parts = [tell_sentence(part, nested) for part in value.split(", ")]
    if len(parts) > 1 and any(map(_is_ours, parts)):
        return join_phrases(parts)
    told = tell_sentence(value, nested)
    return told if _is_ours(told) or value.endswith(".") else value


def _tell_time(value: str) -> str:
    """Tell a day, with or without a time of day. Other values are what people wrote, which may be a day too."""
    found = _MOMENT.fullmatch(value)
    if found is None:
        return value
    day = Day(found[1])
    return Phrase("%(day)s, %(time)s").fill(day=day, time=found[2]) if found[2] else day


def _is_ours(told: Phrase) -> bool:
    return type(told) is not Phrase or told in _patterns()[0]
