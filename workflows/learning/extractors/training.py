"""Training of an extractor on reviewed documents, and its evaluation on unseen sellers. Pure functions.

Each document is read twice, so that only the fitting data of all documents is held in memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, hypot, log
from typing import Any
from zlib import crc32

import numpy as np

from projects.settings.columns import TABLE
from workflows.learning.extractors import fitting
from workflows.learning.extractors.fitting import Choosing, Known
from workflows.learning.scores import Interval, Score, estimate_f1
from workflows.stages import fields as rules
from workflows.stages import results
from workflows.stages.extractor.learned import SOURCE, UNLEARNED, Extractor, LearnedField
from workflows.stages.extractor.merging import add_learned_values, describe_candidates, list_hints
from workflows.stages.extractor.words import Words
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields.candidates import RULES, Document

FEWEST = 10  # reviewed documents of a type; with fewer, it is not trained
FOLDS = 5
_BY_CHANCE = 0.1  # significance level of an improvement of a field
_DRAWS = 1_000  # bootstrap samples of documents, for the interval of a difference
_LEAST = 1e-6


@dataclass(frozen=True)
class Example:
    """A reviewed document. ``truths``: field → stored form; None if the document does not have it.

    ``group``: its seller, or itself. ``read``: its pages; None if they are gone.
    """

    id: str
    fingerprint: str
    group: str
    type_id: str
    specs: tuple[FieldSpec, ...]
    truths: Mapping[str, str | None]
    read: Callable[[], Document | None]

    @property
    def fold(self) -> int:
        return crc32(self.group.encode()) % FOLDS


@dataclass(frozen=True)
class Answer:
    """A field of a held-out document, as it is extracted now and as it would be."""

    document: str
    group: str
    field: str
    type: str
    truth: str | None
    before: str | None
    after: str | None
    share: float  # 0 if the value is not from the learned model

    def is_right(self, value: str | None) -> bool:
        found = results.normalise_value(self.type, value)
        return bool(found) and found == results.normalise_value(self.type, self.truth)


@dataclass(frozen=True)
class FieldOutcome:
    """``kept``: whether the extractor extracts the field; otherwise the rules alone do."""

    type_id: str
    name: str
    before: Score
    after: Score
    kept: bool


@dataclass(frozen=True)
class Outcome:
    """``gain``: of F1 over all fields, with its 95 % interval over documents, grouped by seller."""

    extractor: Extractor
    documents: int
    groups: int
    fields: tuple[FieldOutcome, ...]
    gain: Interval

    @property
    def before(self) -> Score:
        return add_scores(one.before for one in self.fields)

    @property
    def after(self) -> Score:
        return add_scores(one.after if one.kept else one.before for one in self.fields)


def add_scores(scores: Iterable[Score]) -> Score:
    held = list(scores)
    return Score(sum(one.right for one in held), sum(one.answered for one in held), sum(one.expected for one in held))


def train_extractor(
    examples: Sequence[Example], present: Extractor = UNLEARNED, keep: Callable[[], None] = lambda: None
) -> Outcome:
    """``present``: the active extractor. It is compared on documents that it has not seen, else the rules replace it.

    ``keep`` is called repeatedly: training takes minutes.
    """
    by_type: dict[str, list[Example]] = {}
    for one in examples:
        by_type.setdefault(one.type_id, []).append(one)
    types: dict[str, dict[str, LearnedField]] = {}
    fields: list[FieldOutcome] = []
    answers: list[Answer] = []
    for type_id, held in sorted(by_type.items()):
        if len(held) < FEWEST:
            continue
        learned, found = _learn_type(held, present, keep)
        told = [_judge_field(type_id, name, found) for name in sorted({one.field for one in found})]
        kept = {one.name for one in told if one.kept and one.name in learned}
        if kept:
            types[type_id] = {name: learned[name] for name in sorted(kept)}
        fields += told
        answers += [one if one.field in kept else replace(one, after=one.before) for one in found]
    seen = tuple(sorted({one.fingerprint for one in examples})) if types else ()
    groups = len({one.group for one in examples})
    return Outcome(Extractor(0, types, seen), len(examples), groups, tuple(fields), estimate_gain(answers))


def _learn_type(
    examples: Sequence[Example], present: Extractor, keep: Callable[[], None]
) -> tuple[dict[str, LearnedField], list[Answer]]:
    taught: dict[str, list[tuple[Example, Choosing]]] = {}
    for example in examples:
        keep()
        for name, choices in _teach(example).items():
            taught.setdefault(name, []).extend((example, one) for one in choices)
    folds = [_fit_fields(taught, keep, without=fold) for fold in range(FOLDS)]
    answers: list[Answer] = []
    for one in examples:
        keep()
        answers += answer_fields(one, folds[one.fold], _present_for(one, present))
    slope, shift = fit_confidence(answers)
    whole = _fit_fields(taught, keep)
    return {name: replace(one, slope=slope, shift=shift) for name, one in whole.items()}, answers


def _present_for(example: Example, present: Extractor) -> Mapping[str, LearnedField]:
    return {} if example.fingerprint in present.seen else present.types.get(example.type_id, {})


def _fit_fields(
    taught: Mapping[str, Sequence[tuple[Example, Choosing]]], keep: Callable[[], None], without: int | None = None
) -> dict[str, LearnedField]:
    """``without``: the fold that is held out, if any."""
    found: dict[str, LearnedField] = {}
    for name, held in taught.items():
        keep()
        if fitted := fitting.fit_choices([(one.group, choice) for one, choice in held if one.fold != without]):
            found[name] = fitted
    return found


def _teach(example: Example) -> dict[str, tuple[Choosing, ...]]:
    document = example.read()
    if document is None:
        return {}
    words = Words(document)
    read = {one["name"]: list_hints(one) for one in read_by_rules(document, example.specs)}
    return {
        spec.name: Known(example.id, example.group, words, spec, read[spec.name], example.truths[spec.name]).choices
        for spec in example.specs
        if spec.name in example.truths and spec.name in read
    }


def read_by_rules(document: Document, specs: Iterable[FieldSpec]) -> list[dict[str, Any]]:
    """Extract fields as the analysis does before anything learned is added, without confirmed sellers."""
    found = []
    for spec in specs:
        if spec.type == TABLE:
            continue
        candidates = rules.find_candidates(document, spec)
        best = candidates[0] if candidates else None
        found.append(
            {
                "name": spec.name, "label": spec.label, "type": spec.type, "required": spec.required,
                "threshold": spec.threshold, "allowed": list(spec.allowed), "value": best.value if best else None,
                "confidence": best.confidence if best else 0.0, "source": RULES,
                "candidates": describe_candidates(candidates[:5]),
            }
        )  # fmt: skip
    return found


def answer_fields(
    example: Example, learned: Mapping[str, LearnedField], present: Mapping[str, LearnedField]
) -> list[Answer]:
    document = example.read()
    if document is None:
        return []
    ruled = read_by_rules(document, example.specs)
    before = {one["name"]: one for one in add_learned_values(ruled, document, present)}
    after = {one["name"]: one for one in add_learned_values(ruled, document, learned)}
    return [
        Answer(
            example.id, example.group, name, one["type"], example.truths[name], before[name]["value"], one["value"],
            _share_of(one),
        )
        for name, one in after.items()
        if name in example.truths
    ]  # fmt: skip


def _share_of(field: Mapping[str, Any]) -> float:
    if field["source"] != SOURCE:
        return 0.0
    return float(field["candidates"][0]["evidence"][SOURCE])


def score_answers(answers: Iterable[Answer], which: str) -> Score:
    """``which``: before or after."""
    held = list(answers)
    values = [getattr(one, which) for one in held]
    right = sum(one.is_right(value) for one, value in zip(held, values, strict=True))
    return Score(right, sum(bool(value) for value in values), sum(bool(one.truth) for one in held))


def _judge_field(type_id: str, name: str, answers: Sequence[Answer]) -> FieldOutcome:
    """Keep the field if it fixes more values than it breaks, significantly."""
    own = [one for one in answers if one.field == name]
    mended = sum(one.is_right(one.after) and not one.is_right(one.before) for one in own)
    broken = sum(one.is_right(one.before) and not one.is_right(one.after) for one in own)
    before, after = score_answers(own, "before"), score_answers(own, "after")
    kept = after.f1 > before.f1 and mended > broken and _by_chance(mended, mended + broken) <= _BY_CHANCE
    return FieldOutcome(type_id, name, before, after, kept)


def _by_chance(mended: int, changed: int) -> float:
    """Return the probability of so many improvements among the changes if each had even odds."""
    return float(sum(comb(changed, count) for count in range(mended, changed + 1)) / 2**changed)


def estimate_gain(answers: Sequence[Answer]) -> Interval:
    """Return the difference of F1 with its 95 % interval, by a deterministic bootstrap over sellers."""
    groups: dict[str, list[Answer]] = {}
    for one in answers:
        groups.setdefault(one.group, []).append(one)
    counts = np.array(
        [[*_counts(score_answers(held, "before")), *_counts(score_answers(held, "after"))] for held in groups.values()]
        or [[0, 0, 0, 0]],
        dtype=np.float64,
    )
    dice = np.random.default_rng(0)
    drawn = [_difference(counts[dice.integers(0, len(counts), len(counts))].sum(axis=0)) for _ in range(_DRAWS)]
    low, high = (float(one) for one in np.quantile(drawn, [0.025, 0.975]))
    gain = _difference(counts.sum(axis=0))
    if low < high:
        return Interval(gain, low, high)
    # No spread, as with few documents: then combine the intervals of both scores (Newcombe).
    before, after = (estimate_f1(score_answers(answers, which)) for which in ("before", "after"))
    if before is None or after is None or gain == 0:
        return Interval(gain, gain, gain)
    down = hypot(after.share - after.low, before.high - before.share)
    up = hypot(after.high - after.share, before.share - before.low)
    return Interval(gain, gain - down, gain + up)


def _counts(score: Score) -> tuple[int, int]:
    return 2 * score.right, score.answered + score.expected


def _difference(counts: Any) -> float:
    before, of_before, after, of_after = (float(one) for one in counts)
    return after / max(of_after, 1.0) - before / max(of_before, 1.0)


def fit_confidence(answers: Sequence[Answer]) -> tuple[float, float]:
    """Fit slope and shift from a share's logit to that of being right, regularized towards the share itself."""
    from scipy.optimize import minimize  # noqa: PLC0415 - a second and 60 MB, which only learning needs

    own = [one for one in answers if one.share > 0]
    shares = np.clip(np.array([one.share for one in own]), _LEAST, 1 - _LEAST)
    logits = np.log(shares / (1 - shares))
    right = np.array([float(one.is_right(one.after)) for one in own])

    def penalty(at: Any) -> float:
        scores = at[0] * logits + at[1]
        return float(np.sum(np.logaddexp(0, scores) - right * scores) + (at[0] - 1) ** 2 * 8 + at[1] ** 2 * 2)

    best = minimize(penalty, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.1, 3.0), (-log(50), log(50))])
    return float(best.x[0]), float(best.x[1])
