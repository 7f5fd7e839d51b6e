"""Fitting of one field's feature weights to reviewed documents, by two conditional logits. Pure functions.

The first decides where a value begins (or which hit it is, that a rule is right, or that there is none), the second
where it ends. A document with several occurrences of the value counts once: their probabilities are added up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from workflows.stages import results, values
from workflows.stages.extractor import spans
from workflows.stages.extractor.choosing import Hint, Options, end_ids, list_options
from workflows.stages.extractor.learned import LearnedField
from workflows.stages.extractor.words import BUCKETS, NOTHING, Hashes, Words
from workflows.stages.field_spec import FieldSpec

# documents that have a feature; with one alone, it would identify the document and not generalize
FEWEST_OF_FEATURE = 2
SPREAD = 1.0  # standard deviation of the prior of a weight, around 0
_MOST_OPTIONS = 500  # options of a document in the fit; more are sampled
_LEAST_ALIKE = 0.86  # similarity (0–1) of a correction and the text that was read
_SHORTEST_ALIKE = 6  # characters


@dataclass(frozen=True)
class Known:
    """A field of a document as reviewed. ``truth``: stored form; None: the document does not have it.

    ``group``: documents that look alike, such as those of one seller.
    """

    document: str
    group: str
    words: Words
    spec: FieldSpec
    hints: Sequence[Hint]
    truth: str | None

    @cached_property
    def choices(self) -> "tuple[Choosing, ...]":
        """Return what can be learned from it; empty if the value is not on its pages."""
        return tuple(_list_choices(self))


@dataclass(frozen=True)
class Choosing:
    """Options of which at least one is right.

    ``offsets``: log of the number of sampled-out options that each stands for.
    """

    ids: NDArray[np.integer[Any]]
    right: NDArray[np.bool_]
    offsets: NDArray[np.float64]
    weight: float = 1.0


def _list_choices(known: Known) -> "list[Choosing]":
    options = list_options(known.words, known.spec, known.hints)
    wanted = results.normalise_value(known.spec.type, known.truth)
    right = np.zeros(len(options.ids), dtype=bool)
    hints = [results.normalise_value(known.spec.type, one.value) == wanted and bool(wanted) for one in options.hints]
    ends: list[Choosing] = []
    if not wanted:
        right[-1] = True
    elif spans.is_read_by_type(known.spec):
        right[: len(options.hits)] = [
            results.normalise_value(known.spec.type, one.value) == wanted for one in options.hits
        ]
    else:
        ends = _mark_starts(known, options, right)
    right[len(options.starts) : len(options.starts) + len(hints)] |= np.array(hints, dtype=bool)
    if not right.any():
        return []
    return [_draw(options.ids, right, known.document), *ends]


def _mark_starts(known: Known, options: Options, right: NDArray[np.bool_]) -> list[Choosing]:
    place_of = {number: place for place, number in enumerate(options.starts)}
    found = locate_truth(known.words, str(known.truth))
    ends = []
    for numbers in found:
        if numbers[0] not in place_of:
            continue
        possible = spans.list_ends(known.words, numbers[0])
        is_end = np.array([one.numbers == numbers for one in possible], dtype=bool)
        if is_end.any():
            right[place_of[numbers[0]]] = True
            ids = end_ids(known.words, possible, options.hints)
            ends.append(Choosing(ids, is_end, np.zeros(len(possible)), 1 / len(found)))
    return ends


def locate_truth(words: Words, truth: str) -> list[tuple[int, ...]]:
    """Find the occurrences of a text, else of the closest match: people correct what was misread."""
    plain = [values.words(one.text) for one in words.tokens]
    found = list(spans.find_text(words, truth, plain))
    wanted = values.words(truth)
    if found or len(wanted) < _SHORTEST_ALIKE:
        return found
    best, likeness = None, _LEAST_ALIKE
    for start, begin in enumerate(plain):
        if not begin or len(set(begin[:3]) & set(wanted[:3])) < min(2, len(begin)):
            continue
        for numbers in spans.list_runs(words, start, len(wanted) + 2, plain):
            read = "".join(plain[number] for number in numbers)
            if abs(len(read) - len(wanted)) > 2 + len(wanted) // 10:
                continue
            matcher = SequenceMatcher(None, wanted, read, autojunk=False)
            if (
                matcher.real_quick_ratio() > likeness
                and matcher.quick_ratio() > likeness
                and (alike := matcher.ratio()) > likeness
            ):
                best, likeness = numbers, alike
    return [best] if best else []


def _draw(ids: Hashes, right: NDArray[np.bool_], document: str) -> Choosing:
    """Return all options, or the right ones, the last ones and a sample of the others."""
    must = right.copy()
    must[-4:] = True
    others = np.flatnonzero(~must)
    if len(ids) <= _MOST_OPTIONS:
        return Choosing(ids.astype(np.int32), right, np.zeros(len(ids)))
    drawn = np.random.default_rng(crc32(document.encode())).choice(others, _MOST_OPTIONS, replace=False)
    kept = np.sort(np.concatenate([np.flatnonzero(must), drawn]))
    offsets = np.where(must[kept], 0.0, np.log(len(others) / _MOST_OPTIONS))
    return Choosing(ids[kept].astype(np.int32), right[kept], offsets)


def fit_field(known: Sequence[Known]) -> LearnedField | None:
    """Return None if no value occurs on its document's pages."""
    return fit_choices([(one.group, choice) for one in known for choice in one.choices])


def fit_choices(choices: Sequence[tuple[str, Choosing]]) -> LearnedField | None:
    """``choices``: each with the group of its document. None if no feature occurs in several groups."""
    if not choices:
        return None
    buckets = _list_features(choices)
    if not len(buckets):
        return None
    weights = _fit([choice for _, choice in choices], buckets)
    kept = np.abs(weights) >= 0.002
    return LearnedField(buckets[kept], np.round(weights[kept], 3))


def _list_features(choices: Sequence[tuple[str, Choosing]]) -> Hashes:
    """List the features that occur in documents of several groups."""
    shown: dict[str, list[Hashes]] = {}
    for group, one in choices:
        shown.setdefault(group, []).append(np.unique(one.ids))
    counts = np.zeros(BUCKETS, dtype=np.int64)
    for found in shown.values():
        counts[np.unique(np.concatenate(found))] += 1
    counts[NOTHING] = 0
    return np.flatnonzero(counts >= FEWEST_OF_FEATURE).astype(np.int64)


def _fit(choices: Sequence[Choosing], buckets: Hashes) -> NDArray[np.float64]:
    """Return the MAP weights under a normal prior around 0, by SciPy's L-BFGS-B, which cannot diverge."""
    from scipy.optimize import minimize  # noqa: PLC0415 - a second and 60 MB, which only learning needs

    rows, sizes = _make_matrix(choices, buckets), [len(one.ids) for one in choices]
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    right = np.concatenate([one.right for one in choices])
    offsets = np.concatenate([one.offsets for one in choices])
    weight = np.array([one.weight for one in choices])
    each = np.repeat(weight, sizes)

    def penalty(weights: NDArray[np.float64]) -> tuple[float, Any]:
        scores = rows @ weights + offsets
        total, shares = _share(scores, begins, sizes)
        held, among = _share(np.where(right, scores, -1e9), begins, sizes)
        loss = float(np.sum(weight * (total - held)) + np.sum(weights**2) / (2 * SPREAD**2))
        return loss, rows.T @ (each * (shares - among)) + weights / SPREAD**2

    best = minimize(penalty, np.zeros(len(buckets)), jac=True, method="L-BFGS-B", options={"maxiter": 60, "ftol": 1e-6})
    found: NDArray[np.float64] = best.x
    return found


def _share(
    scores: NDArray[np.float64], begins: NDArray[np.int64], sizes: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log of each choice's sum, and each option's share."""
    highest = np.maximum.reduceat(scores, begins)
    raised = np.exp(scores - np.repeat(highest, sizes))
    sums = np.add.reduceat(raised, begins)
    return highest + np.log(sums), raised / np.repeat(sums, sizes)


def _make_matrix(choices: Sequence[Choosing], buckets: Hashes) -> Any:
    from scipy.sparse import csr_matrix, vstack  # noqa: PLC0415 - as above

    column = np.full(BUCKETS, -1, dtype=np.int64)
    column[buckets] = np.arange(len(buckets))
    parts = []
    for one in choices:
        where = column[one.ids]
        there = where >= 0
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        data = np.ones(int(starts[-1]))
        parts.append(csr_matrix((data, where[there], starts), shape=(len(one.ids), len(buckets))))
    return vstack(parts, format="csr")
