"""Candidate spans of a field's value: hits of its type; for texts, parts of lines, whole lines, and blocks."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from workflows.stages import results, values
from workflows.stages.extractor.words import Words
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields import dates
from workflows.stages.pages.layout import Box, union

LONGEST = 12  # words of a part of a line
_MOST_LINES = 5  # lines of a block
_MOST_HITS = 600  # hits of a field, in reading order
_SHORTEST_WRAPPED, _LONGEST_DATE = 40, 30  # characters of a wrapped line, and of a date
_LONGEST_LINE = 400  # characters of a line that are searched for hits
_ENDS = " \t,;:\"“”„'’|*_"
_SIGN = re.compile(r"^[^\W\d_]{0,3}[€$£¥₹₪]|[€$£¥₹₪]$")


@dataclass(frozen=True)
class Span:
    """Tokens ``numbers`` in reading order and their value. ``variant``: an unusual reading of a date."""

    numbers: tuple[int, ...]
    value: str
    raw: str
    variant: str = ""

    @property
    def first(self) -> int:
        return self.numbers[0]

    @property
    def last(self) -> int:
        return self.numbers[-1]


def box_of(words: Words, span: Span) -> Box:
    return union(words.tokens[number].box for number in span.numbers)


def is_read_by_type(spec: FieldSpec) -> bool:
    """Return True if values are recognized by their form; texts may be any words."""
    return spec.type != "text" or bool(spec.allowed)


def list_hits(words: Words, spec: FieldSpec) -> list[Span]:
    """List hits of a type with a recognizable form, or of a list of allowed values."""
    found: list[Span] = []
    for one in _list_hits(words, spec):
        value = results.to_allowed_form(spec, one.value)
        if value is not None:
            found.append(Span(one.numbers, value, one.raw, one.variant))
        if len(found) == _MOST_HITS:
            break
    return found


def _list_hits(words: Words, spec: FieldSpec) -> Iterator[Span]:
    match spec.type:
        case "date":
            return _find_dates(words)
        case "amount":
            return _find_in_lines(words, values.amounts_in)
        case "text":
            return _find_allowed(words, spec)
        case kind:
            read = {"number": values.number, "boolean": values.boolean, "currency": _currency}[kind]
            return (
                Span((number,), value, one.text)
                for number, one in enumerate(words.tokens)
                if (value := read(one.text.strip(_ENDS)))
            )


def _currency(text: str) -> str | None:
    """Also matches a sign directly at its amount."""
    found = values.currency(text)
    sign = _SIGN.search(text)
    return found or (values.currency(sign[0]) if sign else None)


def _find_dates(words: Words) -> Iterator[Span]:
    """Yield both readings of an ambiguous day and month, as reviews may tell which one is right."""
    day_first = dates.is_day_first(words.document.text)
    usual = list(_find_in_lines(words, _dates_by(day_first), wrapped=True))
    yield from usual
    known = {(one.numbers, one.value) for one in usual}
    for one in _find_in_lines(words, _dates_by(not day_first)):
        if (one.numbers, one.value) not in known:
            yield Span(one.numbers, one.value, one.raw, "month first" if day_first else "day first")


def _dates_by(day_first: bool) -> Callable[[str], Iterable[values.Hit]]:
    return lambda text: values.dates_in(text, day_first=day_first)


def _find_in_lines(
    words: Words, find: Callable[[str], Iterable[values.Hit]], *, wrapped: bool = False
) -> Iterator[Span]:
    """``wrapped``: also across a line break."""
    for index, line in enumerate(words.lines):
        text = line.text[:_LONGEST_LINE]
        for hit in find(text):
            if own := _tokens_in(words, index, hit.start, hit.end):
                yield Span(own, hit.value, hit.raw)
        below = words.below[index] if wrapped and len(text) > _SHORTEST_WRAPPED else None
        if below is None:
            continue
        begin, end = text[-_LONGEST_DATE:], words.lines[below].text[:_LONGEST_DATE]
        for hit in find(f"{begin} {end}"):
            if hit.start < len(begin) < hit.end - 1:
                above = _tokens_in(words, index, len(text) - len(begin) + hit.start, len(text))
                own = above + _tokens_in(words, below, 0, hit.end - len(begin) - 1)
                yield Span(own, hit.value, hit.raw)


def _tokens_in(words: Words, line: int, start: int, end: int) -> tuple[int, ...]:
    tokens = range(words.first[line], words.first[line + 1])
    return tuple(one for one in tokens if words.tokens[one].start < end and words.tokens[one].end > start)


def _find_allowed(words: Words, spec: FieldSpec) -> Iterator[Span]:
    plain = [values.words(one.text) for one in words.tokens]
    for value in spec.allowed:
        for numbers in find_text(words, value, plain):
            yield Span(numbers, value, _raw(words, numbers))


def list_ends(words: Words, start: int) -> list[Span]:
    """List texts that begin with this word: parts of its line, continuing below, and blocks of lines."""
    found: list[Span] = []
    numbers: list[int] = []
    line: int | None = words.tokens[start].line
    for count in range(_MOST_LINES):
        if line is None:
            break
        begin = start if not count else words.first[line]
        end = words.first[line + 1]
        for number in range(begin, end):
            numbers.append(number)
            is_last = number == end - 1
            if (len(numbers) <= LONGEST and count < 2) or (is_last and len(numbers) <= _MOST_LINES * LONGEST):
                found.append(_text_span(words, tuple(numbers)))
        line = words.below[line]
    return [one for one in found if one.value]


def _text_span(words: Words, numbers: tuple[int, ...]) -> Span:
    raw = _raw(words, numbers)
    return Span(numbers, clean_text(raw), raw)


def clean_text(raw: str) -> str:
    """Strip punctuation of the surrounding sentence; a bracket stays if it is balanced."""
    text = raw.strip(_ENDS)
    if text.endswith((")", "]")) and text.count("(") + text.count("[") < text.count(")") + text.count("]"):
        text = text[:-1]
    if text.startswith(("(", "[")) and text.count("(") + text.count("[") > text.count(")") + text.count("]"):
        text = text[1:]
    return text.strip(_ENDS)[: results.LONGEST] if any(map(str.isalnum, text)) else ""


def _raw(words: Words, numbers: Sequence[int]) -> str:
    parts: list[str] = []
    for place, number in enumerate(numbers):
        one, before = words.tokens[number], words.tokens[numbers[place - 1]] if place else None
        glued = before is not None and before.line == one.line and before.end == one.start
        parts.append(one.text if glued or not place else f" {one.text}")
    return "".join(parts)


def find_text(words: Words, text: str, plain: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Find all occurrences of ``text``, ignoring case and punctuation. ``plain``: normalized tokens."""
    wanted = values.words(text)
    if not wanted:
        return
    for start, begin in enumerate(plain):
        if not begin or not wanted.startswith(begin):
            continue
        for numbers in list_runs(words, start, len(wanted), plain):
            if "".join(plain[number] for number in numbers) == wanted:
                yield numbers
                break


def list_runs(words: Words, start: int, length: int, plain: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield runs from this word, each a word longer, across line breaks; up to ``length`` characters."""
    numbers: list[int] = []
    letters = 0
    line: int | None = words.tokens[start].line
    while line is not None and letters < length:
        for number in range(start if not numbers else words.first[line], words.first[line + 1]):
            numbers.append(number)
            letters += len(plain[number])
            yield tuple(numbers)
            if letters >= length:
                return
        line = words.below[line]
