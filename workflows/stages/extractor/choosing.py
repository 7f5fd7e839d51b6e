"""Choice of a field's value by the learned extractor: options, their features, and their probabilities."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from workflows.stages import results, values
from workflows.stages.extractor import spans
from workflows.stages.extractor.learned import LearnedField
from workflows.stages.extractor.spans import Span
from workflows.stages.extractor.words import NOTHING, Hashes, Words, hash_text, mix_one, shape_of
from workflows.stages.field_spec import FieldSpec
from workflows.stages.pages.layout import Box

HINTS = 3  # values found by rules that are options too
_STARTS = 12  # start words whose ends are scored
_LEAST = 1e-6


@dataclass(frozen=True)
class Hint:
    """A value that the rules found. ``box``: None if its place is unknown."""

    value: str
    raw: str
    page: int | None
    box: Box | None
    confidence: float


@dataclass(frozen=True)
class Choice:
    """``share``: its probability, 0–1; ``span``: None if only the rules' place is known."""

    value: str
    raw: str
    share: float
    page: int | None
    box: Box | None


@dataclass(frozen=True)
class Options:
    """The options of a field. ``ids``: features of each, in this order: spans or starts, the rules' values, nothing.

    ``starts``: the first token of each of the first options.
    """

    ids: Hashes
    hits: Sequence[Span]
    starts: Sequence[int]
    hints: Sequence[Hint]

    @property
    def by_type(self) -> bool:
        return bool(self.hits) or not self.starts


def list_options(words: Words, spec: FieldSpec, hints: Sequence[Hint]) -> Options:
    hints = hints[:HINTS]
    if spans.is_read_by_type(spec):
        hits = spans.list_hits(words, spec)
        starts = [one.first for one in hits]
    else:
        hits = []
        starts = [number for number, one in enumerate(words.tokens) if any(map(str.isalnum, one.text))]
    own = _start_ids(words, spec, hints)
    parts = [own[starts]] if starts else []
    if hits:
        ends = words.end_features[[one.last for one in hits]]
        parts = [np.concatenate([parts[0], ends, _hit_ids(hits, spec, hints)], axis=1)]
    rules = [_hint_ids(words, own, number, one) for number, one in enumerate(hints)]
    surest = int(hints[0].confidence * 5) if hints else 9
    nothing = np.array([[mix_one("none"), mix_one("none at", surest)]], dtype=np.int64)
    return Options(_stack([*parts, *rules, nothing]), hits, starts, hints)


def _stack(parts: Sequence[Hashes]) -> Hashes:
    width = max(part.shape[1] for part in parts)
    return np.concatenate(
        [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=NOTHING) for part in parts]
    )


def _start_ids(words: Words, spec: FieldSpec, hints: Sequence[Hint]) -> Hashes:
    """Return the features of every token."""
    if not len(words):
        return np.zeros((0, 1), dtype=np.int64)
    marked = np.zeros((len(words), HINTS), dtype=np.int64)
    for number, one in enumerate(hints):
        if (first := _first_inside(words, one)) is not None:
            marked[first, number] = mix_one("begins rule", number)
    return np.concatenate(
        [words.start_features, words.likeness((spec.label, spec.name.replace("_", " "))), marked], axis=1
    )


def _first_inside(words: Words, hint: Hint) -> int | None:
    """Return the first word inside of a rule's value."""
    if hint.box is None:
        return None
    x0, y0, x1, y1 = hint.box
    for number, one in enumerate(words.tokens):
        middle = ((one.box[0] + one.box[2]) / 2, (one.box[1] + one.box[3]) / 2)
        if words.lines[one.line].page == hint.page and x0 <= middle[0] <= x1 and y0 <= middle[1] <= y1:
            return number
    return None


def _hint_ids(words: Words, own: Hashes, number: int, hint: Hint) -> Hashes:
    sure = int(hint.confidence * 10)
    ids = np.array([[mix_one("rule", number), mix_one("rule at", number, sure), mix_one("any rule")]], dtype=np.int64)
    first = _first_inside(words, hint)
    return ids if first is None else np.concatenate([own[first : first + 1], ids], axis=1)


def _hit_ids(hits: Sequence[Span], spec: FieldSpec, hints: Sequence[Hint]) -> Hashes:
    """Return features of a hit relative to others: its order, its rank by value, its frequency."""
    keys = [results.normalise_value(spec.type, one.value) for one in hits]
    ranked = sorted(set(keys), key=lambda key: _sortable(spec, key))
    rank = {key: place for place, key in enumerate(ranked)}
    counts = {key: keys.count(key) for key in ranked}
    known = [results.normalise_value(spec.type, one.value) for one in hints]
    rows = []
    for place, (one, key) in enumerate(zip(hits, keys, strict=True)):
        low, high = min(rank[key], 4), min(len(ranked) - 1 - rank[key], 4)
        seen = min(keys[:place].count(key), 3)
        shape = hash_text(shape_of(one.raw))
        rows.append(
            [
                mix_one("low", low), mix_one("high", high), mix_one("place", min(place, 6)),
                mix_one("from end", min(len(hits) - 1 - place, 4)), mix_one("often", min(counts[key], 4), seen),
                mix_one("shape", shape), mix_one("variant", hash_text(one.variant)),
                mix_one("high often", high, min(counts[key], 3)),
                mix_one("value", hash_text(key)) if spec.allowed else NOTHING,
                *_mark_same("is rule", key, known),
            ]
        )  # fmt: skip
    return np.array(rows, dtype=np.int64)


def _mark_same(template: str, key: str, known: Sequence[str]) -> list[int]:
    """Return a feature for each rule's value that equals it."""
    return [
        mix_one(template, number) if number < len(known) and known[number] == key else NOTHING
        for number in range(HINTS)
    ]


def _sortable(spec: FieldSpec, key: str) -> tuple[float, str]:
    if spec.type in {"amount", "number"}:
        try:
            return float(key), key
        except ValueError:
            return 0.0, key
    return 0.0, key


def end_ids(words: Words, found: Sequence[Span], hints: Sequence[Hint]) -> Hashes:
    """Return features of spans with the same start: their end, length and shape, and agreement with rules."""
    known = [values.words(one.value) for one in hints[:HINTS]]
    shape_at = {number: int(words.shapes[number]) for one in found for number in one.numbers}
    ends = words.end_features[[one.last for one in found]]
    rows = []
    for one in found:
        tokens = [words.tokens[number] for number in one.numbers]
        count, lines = len(tokens), len({token.line for token in tokens})
        line = tokens[-1].line
        whole = int(one.first == words.first[tokens[0].line]) + 2 * int(one.last == words.first[line + 1] - 1)
        shapes = [shape_at[number] for number in one.numbers]
        upper = sum(token.text[:1].isupper() or token.text[:1].isdigit() for token in tokens) * 4 // count
        closed = int(one.raw.count("(") == one.raw.count(")"))
        key = values.words(one.value)
        rows.append(
            [
                mix_one("length", min(count, 14)), mix_one("lines", lines, whole), mix_one("whole", whole),
                mix_one("first last", shapes[0], shapes[-1]), mix_one("upper", upper, min(count, 4)),
                mix_one("digits", int(any(map(str.isdigit, one.raw))), min(count, 4)), mix_one("closed", closed),
                mix_one("last", shapes[-1], whole), mix_one("form", *shapes) if count < 5 else NOTHING,
                *_mark_same("ends rule", key, known),
            ]
        )  # fmt: skip
    return np.concatenate([ends, np.array(rows, dtype=np.int64)], axis=1)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = raised / raised.sum()
    return shares


def choose_values(words: Words, spec: FieldSpec, hints: Sequence[Hint], learned: LearnedField) -> list[Choice]:
    """Return every likely value, likeliest first; one without words (``value`` empty) means no value."""
    options = list_options(words, spec, hints)
    shares = softmax(learned.weigh(options.ids))
    possible = [
        Choice(one.value, one.raw, float(share), one.page, one.box)
        for one, share in zip(options.hints, shares[len(options.starts) : -1], strict=True)
    ]
    for span, share in _list_spans(words, options, shares, learned):
        page = words.lines[words.tokens[span.first].line].page
        possible.append(Choice(span.value, span.raw, share, page, spans.box_of(words, span)))
    found = [_add_up(alike) for alike in _group_by_value(spec, possible)]
    return sorted([*found, Choice("", "", float(shares[-1]), None, None)], key=lambda one: -one.share)


def _group_by_value(spec: FieldSpec, possible: Sequence[Choice]) -> Collection[list[Choice]]:
    groups: dict[str, list[Choice]] = {}
    for one in possible:
        groups.setdefault(results.normalise_value(spec.type, one.value), []).append(one)
    return groups.values()


def _add_up(alike: Sequence[Choice]) -> Choice:
    """Return the likeliest place, with the probabilities of all."""
    best = max(alike, key=lambda one: (one.box is not None, one.share))
    return replace(best, share=sum(one.share for one in alike))


def _list_spans(
    words: Words, options: Options, shares: NDArray[np.float64], learned: LearnedField
) -> list[tuple[Span, float]]:
    if options.hits:
        return [(one, float(shares[place])) for place, one in enumerate(options.hits)]
    found = []
    of_starts = shares[: len(options.starts)]
    for place in np.argsort(-of_starts, kind="stable")[:_STARTS]:
        if of_starts[place] < 1e-4:
            break
        ends = spans.list_ends(words, options.starts[int(place)])
        if ends:
            parts = softmax(learned.weigh(end_ids(words, ends, options.hints)))
            found += [(one, float(of_starts[place] * part)) for one, part in zip(ends, parts, strict=True)]
    return found


def confidence_of(share: float, learned: LearnedField) -> float:
    """0–1."""
    held = min(1 - _LEAST, max(_LEAST, share))
    return 1 / (1 + exp(-(learned.slope * log(held / (1 - held)) + learned.shift)))
