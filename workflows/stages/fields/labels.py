"""The generic finder: the value beside or below the label in the project's schema."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from workflows.stages import values
from workflows.stages.base import FieldSpec
from workflows.stages.fields import dates
from workflows.stages.fields.candidates import Candidate, Document, best_first, of_line
from workflows.stages.fields.places import Place, by_labels

_READ = {"currency": values.currency}
# Identifiers contain digits; their label may continue: purchase order no.
_IDENTIFIER = re.compile(r"(?:^|[\W_])(?:number|no|nr|num|id|iban|nummer|order)$", re.IGNORECASE)
_NUMBERED = r"(?:(?:no|nr|num|number|nummer)\b\W*|#\W*)?"
# Alternative labels of fields; the field's own label takes precedence.
_ALSO: Mapping[str, tuple[str, ...]] = {"net_total": ("Sub total", "Net amount", "Zwischensumme", "Nettobetrag")}
_ALSO_COSTS = 0.5  # points
Found = tuple[int, Place, values.Hit]  # distance from the label, place, value
_REGISTERED = re.compile(r"\d{9,}")  # of an authority, as VAT/TIN: 29670869006; an amount so large has separators
_RATE = re.compile(r"\s{0,3}(?:%|per ?cent|v\. ?H\.)", re.IGNORECASE)


# A number is often printed with what it counts: 412.5 kg, 12 pcs, 3 m².
_UNIT = re.compile(
    r"(?<=\d)\s?(?:[kmµ]?g|t|lbs?|oz|[kcmµ]?m[²³23]?|[cdm]?l|ft|in|pcs?\.?|pieces?|units?|ea|boxe?s?|Stk\.?|Stück|"
    r"h|hrs?|hours?|min|s|sec|days?|Tage|Std\.?|°C|°F|k?Wh?|kW)$",
    re.IGNORECASE,
)


def find_by_label(document: Document, spec: FieldSpec) -> list[Candidate]:
    return best_first(_candidates(document, spec))


def _candidates(document: Document, spec: FieldSpec) -> Iterator[Candidate]:
    yield from _find_labelled_values(document, spec, label_pattern(spec), 3.0)
    if also := _ALSO.get(spec.name):
        yield from _find_labelled_values(document, spec, _printed_pattern(also), 3.0 - _ALSO_COSTS)


def _find_labelled_values(
    document: Document, spec: FieldSpec, label: re.Pattern[str], most: float
) -> Iterator[Candidate]:
    read = _reader(document, spec)
    for again, places in enumerate(by_labels(document, label)):
        found = [(distance, place, hit) for distance, place in enumerate(places) if (hit := read(place))]
        if not found:
            continue
        distance, place, hit = _after_rate(found, places) if spec.type == "amount" else found[0]
        points = most - 0.3 * distance - 0.1 * min(again, 5)
        strength = 1.0 if place.beside else 0.6
        one = of_line(place.line, hit.value, hit.start, hit.end, points, label=strength)
        yield from dates.offer_orders([one], document.text) if spec.type == "date" else [one]


def label_pattern(spec: FieldSpec) -> re.Pattern[str]:
    """Match the label or the field's name with any separators: "Contract No." for contract_no."""
    return _printed_pattern((spec.label, spec.name), _NUMBERED if is_identifier(spec) else "")


def _printed_pattern(labels: Iterable[str], after: str = "") -> re.Pattern[str]:
    spellings = {
        "".join(f"{re.escape(word)}\\W*" for word in re.findall(r"\w+", text.replace("_", " "))) for text in labels
    }
    spelled = "|".join(sorted(filter(None, spellings), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{spelled}){after}(?!\w)", re.IGNORECASE)


def is_identifier(spec: FieldSpec) -> bool:
    return spec.type == "text" and any(_IDENTIFIER.search(text.strip(" .:")) for text in (spec.label, spec.name))


def field_spellings(specs: Iterable[FieldSpec]) -> frozenset[str]:
    """Return the possible labels of the fields on a page."""
    return frozenset(
        text.replace("_", " ").casefold()
        for spec in specs
        for text in (spec.label, spec.name)
        if re.search(r"\w", text)
    )


def _reader(document: Document, spec: FieldSpec) -> Callable[[Place], values.Hit | None]:
    match spec.type:
        case "date":
            return partial(_date, day_first=dates.is_day_first(document.text))
        case "amount":
            return _amount
        case "boolean":
            return _boolean
        case "number":
            return _number
        case kind:
            return partial(_words, read=_READ.get(kind, str), digits=is_identifier(spec))


def _date(place: Place, *, day_first: bool) -> values.Hit | None:
    """Return the nearest date: others in the line belong to something else."""
    found = [hit for hit in values.dates_in(place.text, day_first=day_first) if hit.start >= place.start]
    return min(found, key=lambda hit: hit.start, default=None)


def _amounts(place: Place) -> list[values.Hit]:
    """Exclude percentages and numbers of registration."""
    found = (hit for hit in values.amounts_in(place.text) if hit.start >= place.start)
    return [hit for hit in found if not _RATE.match(place.text, hit.end) and not _REGISTERED.fullmatch(hit.raw)]


def _amount(place: Place) -> values.Hit | None:
    return next(iter(_amounts(place)), None)


def _after_rate(found: Sequence[Found], places: Sequence[Place]) -> Found:
    """Return the first amount, or the last in a row with a rate: VAT 20 % of 425.20 is 85.04."""
    beside = [place for place in places if place.beside]
    if not found[0][1].beside or not any(_RATE.search(place.text, place.start) for place in beside):
        return found[0]
    distance, place, _ = [one for one in found if one[1].beside][-1]
    return distance, place, _amounts(place)[-1]


def _boolean(place: Place) -> values.Hit | None:
    word = (place.text[place.start :].strip(" :：.#-–").split() or [""])[0].rstrip(",;")
    value = values.boolean(word)
    return _hit(place, word, value)


def _number(place: Place) -> values.Hit | None:
    words = _UNIT.sub("", place.text[place.start :].strip(" :：.#–"))
    return _hit(place, words, values.number(words))


def _words(place: Place, *, read: Callable[[str], str | None], digits: bool) -> values.Hit | None:
    rest = place.text[place.start : place.until if digits else None].strip(" :：.#-–")
    if digits and not any(char.isdigit() for char in rest):
        return None
    return _hit(place, rest, read(rest))


def _hit(place: Place, words: str, value: str | None) -> values.Hit | None:
    begin = place.text.find(words, place.start)
    return values.Hit(value, words, begin, begin + len(words)) if value else None
