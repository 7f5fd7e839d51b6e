"""What each part of what is learned is worth: the same documents with it and without, by folds, with 95 % intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from config import clock
from projects.settings.values import DEFAULT_FIELDS
from tests.tools.evaluation import measuring, reading, scores
from tests.tools.evaluation.learned import make_example
from tests.tools.evaluation.measuring import Paper
from workflows.learning import lessons, reliability
from workflows.learning.extractors.training import train_extractor
from workflows.learning.reliability import Judgement
from workflows.learning.scores import Interval, Score, estimate_share
from workflows.stages.assessment import needs_review
from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.extractor.learned import UNLEARNED, Extractor
from workflows.stages.fields.confidence import READ

MOST_WRONG = 0.01
_DRAWS = 200
_ENGINE = Calibration(weights={one.name: {READ: 1.0} for one in DEFAULT_FIELDS})


@dataclass(frozen=True)
class Taught:
    """What reviews taught: how sure each value is, who the sellers are, and where values stand."""

    calibration: Calibration
    extractor: Extractor


# What is left of all that reviews taught. The first has no prior either: the OCR engine's own score.
PARTS: Mapping[str, Callable[[Taught], Taught]] = {
    "OCR score alone": lambda _: Taught(_ENGINE, UNLEARNED),
    "prior": lambda _: Taught(UNCALIBRATED, UNLEARNED),
    "prior, seller memory": lambda learned: Taught(replace(learned.calibration, weights={}), UNLEARNED),
    "calibration": lambda learned: Taught(replace(learned.calibration, vendors=()), UNLEARNED),
    "calibration, seller memory": lambda learned: Taught(learned.calibration, UNLEARNED),
    "these and the extractor": lambda learned: learned,
}


@dataclass(frozen=True)
class Rated:
    """``judgement``: None of what was not found. ``passed``: it would be published unseen under the error limit."""

    judgement: Judgement | None
    expected: bool
    seller: str
    passed: bool
    fold: int

    @property
    def is_right(self) -> bool:
        return self.judgement is not None and self.judgement.right


@dataclass(frozen=True)
class Ablation:
    """``passed``: the share of values that no one looks at. ``right``: of those; None of none."""

    part: str
    f1: Interval
    auc: Interval | None
    passed: float
    right: Interval | None


def measure_parts(papers: Sequence[Paper]) -> dict[str, list[Ablation]]:
    """By how documents are held back: each seller's together, or any; none if there are too few to learn from."""
    held = [one for one in papers if one.context]
    sellers = sorted({measuring.seller_of(one) for one in held})
    if len(sellers) < lessons.FOLDS:
        return {}
    places = {seller: place % lessons.FOLDS for place, seller in enumerate(sellers)}
    return {
        "seller": _measure_folds(held, lambda one: places[measuring.seller_of(one)]),
        "mixed": _measure_folds(held, lambda one: lessons.fold_of(one.entry.path.name)),
    }


def _measure_folds(papers: Sequence[Paper], fold_of: Callable[[Paper], int]) -> list[Ablation]:
    found: dict[str, list[Rated]] = {part: [] for part in PARTS}
    for fold in range(lessons.FOLDS):
        others = [one for one in papers if fold_of(one) != fold]
        calibration = lessons.learn_calibration(scores.reviewed(measuring.answered(others))).calibration
        extractor = train_extractor([made for one in others if (made := make_example(one))]).extractor
        learned = Taught(calibration, extractor)
        for part, leave in PARTS.items():
            for paper in papers:
                if fold_of(paper) == fold:
                    found[part] += rate(paper, leave(learned), fold)
    return [_sum_up(part, rated) for part, rated in found.items()]


def rate(paper: Paper, taught: Taught, fold: int) -> list[Rated]:
    if paper.context is None:
        return []
    settings = replace(paper.context.settings, most_wrong=MOST_WRONG)
    limited = replace(paper.context, settings=settings, extractor=taught.extractor)
    fields = reading.analysed(limited, taught.calibration)
    today = clock.now().date().isoformat()
    reasons = needs_review.find_review_reasons({"fields": list(fields.values())}, limited.settings.fields, today=today)
    asked = {one.field for one in reasons}
    seller = measuring.seller_of(paper)
    return [
        Rated(
            one.judgement if one.value else None,
            bool(one.truth),
            seller,
            bool(one.value) and one.field not in asked,
            fold,
        )
        for one in scores.answers(paper.id, fields, paper.entry.fields)
    ]


def _sum_up(part: str, rated: Sequence[Rated]) -> Ablation:
    passed = [one.is_right for one in rated if one.passed]
    answered = sum(one.judgement is not None for one in rated)
    return Ablation(
        part,
        resample(rated, count_f1) or Interval(0.0, 0.0, 0.0),
        resample(rated, rank_within_folds),
        len(passed) / answered if answered else 0.0,
        estimate_share(sum(passed), len(passed)),
    )


def count_f1(rated: Sequence[Rated]) -> float:
    right, answered = sum(one.is_right for one in rated), sum(one.judgement is not None for one in rated)
    return Score(right, answered, sum(one.expected for one in rated)).f1


def rank_within_folds(rated: Sequence[Rated]) -> float | None:
    """AUC over pairs of one fold: confidences of two calibrations never compete.

    One that is learned without the worst sellers is surer of all that it judges, these among them.
    """
    of_fold: dict[int, list[Judgement]] = {}
    for one in rated:
        if one.judgement:
            of_fold.setdefault(one.fold, []).append(one.judgement)
    pairs = above = 0.0
    for judged in of_fold.values():
        right = sum(one.right for one in judged)
        count = right * (len(judged) - right)
        pairs, above = pairs + count, above + count * (reliability.area_under_curve(judged) or 0.0)
    return above / pairs if pairs else None


def resample(rated: Sequence[Rated], measure: Callable[[Sequence[Rated]], float | None]) -> Interval | None:
    """The measure, and the middle 95 of 100 of it where sellers are drawn again: papers of one are alike."""
    whole = measure(rated)
    if whole is None:
        return None
    of_seller: dict[str, list[Rated]] = {}
    for one in rated:
        of_seller.setdefault(one.seller, []).append(one)
    groups, random = list(of_seller.values()), Random(1)
    drawn = [measure([one for group in random.choices(groups, k=len(groups)) for one in group]) for _ in range(_DRAWS)]
    held = sorted(one for one in drawn if one is not None)
    edge = len(held) // 40
    return Interval(whole, held[edge], held[-1 - edge])
