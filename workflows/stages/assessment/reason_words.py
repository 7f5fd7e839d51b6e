"""Translation of stored reasons and warnings: they are stored in English, and parsed here for other languages."""

import functools
import re
from collections.abc import Mapping

from config.phrase import FullDay, Phrase, tell_sentence

_KINDS: Mapping[str, Phrase] = {
    one: one
    for one in (
        Phrase("text"), Phrase("date"), Phrase("amount"), Phrase("currency"), Phrase("number"), Phrase("boolean"),
        Phrase("table"),
    )
}  # fmt: skip
# The first match counts: specific and longer sentences come before shorter ones.
_SENTENCES = (
    Phrase("Audit sample: randomly selected for review"),
    Phrase("The same file was received before"),
    Phrase("Another document has the same supplier, number and total"),
    Phrase("Document type: no match"),
    Phrase("Document type: %(type)s or %(other)s?"),
    Phrase("Document type %(type)s, needs %(needed)s"),
    Phrase("%(field)s not found"),
    Phrase("%(field)s “%(value)s” is not a valid %(kind)s"),
    Phrase("%(field)s “%(value)s” is not an allowed value"),
    Phrase("%(field)s is not verified; too few reviews to rely on its confidence"),
    Phrase("%(field)s is not verified"),
    Phrase("%(field)s has no confidence"),
    Phrase("%(field)s %(rated)s, needs %(needed)s to keep the error limit"),
    Phrase("%(field)s %(rated)s, needs %(needed)s"),
    Phrase("%(field)s could be %(day)s or %(other)s"),
    Phrase("%(field)s %(day)s is in the future"),
    Phrase("%(field)s %(day)s is more than %(years)s years ago"),
    Phrase("%(field)s %(day)s is more than %(years)s years ahead"),
    Phrase("%(field)s is not a valid IBAN: its check digits do not match"),
    Phrase("%(field)s is not a valid VAT ID for its country"),
)
_SHAPES = {"kind": "|".join(_KINDS), "rated": r"\d+ %", "needed": r"\d+ %", "years": r"\d+", "day": r"\S.{0,59}?"}


def _compile(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", sentence)
    named = (f"(?P<{name}>{_SHAPES.get(name, '.+')})" for name in parts[1::2])
    return re.compile(r"\A" + "".join(re.escape(text) + next(named, "") for text in parts[::2]), re.DOTALL)


_DAY = re.compile(rf"\d{{1,2}} (?:{'|'.join(FullDay.MONTHS)}) \d{{4}}")
_PATTERNS = tuple((_compile(one), one) for one in _SENTENCES)

# What an approval asks, as ``workflows.definitions.composition`` writes it: the step's name, and its conditions.
_ASKED = re.compile(
    r"(?P<step>.{1,200}?)(?P<again>, by one more person)?: (?P<why>Field .+”|every document|every execution)", re.DOTALL
)
_AND = re.compile(r"(?<=”) and (?=Field )")


@functools.lru_cache(maxsize=1024)
def tell_reason(text: str) -> str:
    """Return the same sentence as a translatable phrase; sentences of other versions or of people stay as they are.

    >>> tell_reason("Total 7 %, needs 80 %"), tell_reason("Looks odd")
    ('Total 7 %, needs 80 %', 'Looks odd')
    """
    for pattern, sentence in _PATTERNS:
        if found := pattern.fullmatch(text):
            return sentence.fill(**{name: _tell_value(name, value) for name, value in found.groupdict().items()})
    if found := _ASKED.fullmatch(text):
        why = functools.reduce(_and, map(tell_sentence, _AND.split(found["why"])))
        sentence = Phrase("%(step)s, by one more person: %(why)s") if found["again"] else Phrase("%(step)s: %(why)s")
        return sentence.fill(step=found["step"], why=why)
    return tell_sentence(text)


def _and(first: Phrase, second: Phrase) -> Phrase:
    return Phrase("%(first)s and %(second)s").fill(first=first, second=second)


def _tell_value(name: str, value: str) -> str:
    if name in {"day", "other"} and _DAY.fullmatch(value):
        return FullDay(value)
    return _KINDS.get(value, value)
