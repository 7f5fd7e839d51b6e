"""F1 and reliability of a set of papers, with a calibration or after the reviews that their truth would have made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config.errors import CountersignError
from tests.tools.evaluation import reading, scores
from tests.tools.evaluation.scores import Answer, Score
from tests.tools.evaluation.truth import Entry
from workflows.learning import lessons, reliability
from workflows.learning.reliability import Judgement, Level
from workflows.learning.scores import share_interval
from workflows.stages import values
from workflows.stages.base import StageContext
from workflows.stages.calibration import UNCALIBRATED, Calibration

_FEWEST = 10  # documents that something can be learned from


@dataclass(frozen=True)
class Paper:
    """A document that was read, or the sentence that says why not; then each of its fields counts as not found."""

    entry: Entry
    context: StageContext | None
    error: str = ""

    @property
    def id(self) -> str:
        return str(self.entry.path)


@dataclass(frozen=True)
class Measured:
    """``aucs``: by field. ``intervals``: of each level's precision, 95 %."""

    documents: int
    score: Score
    fields: Mapping[str, Score]
    auc: float | None
    aucs: Mapping[str, float | None]
    levels: Sequence[Level]
    intervals: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class AfterReviews:
    """``reviewed``: how many documents each part learned from. ``how``: which documents it was measured on."""

    measured: Measured
    reviewed: int
    how: str


def paper(entry: Entry, readings: Path) -> Paper:
    try:
        return Paper(entry, reading.read(entry.path, readings))
    except CountersignError as error:
        return Paper(entry, None, str(error))


def measured(papers: Sequence[Paper], calibration: Calibration = UNCALIBRATED) -> Measured:
    return _summed(answered(papers, calibration), len(papers))


def answered(papers: Sequence[Paper], calibration: Calibration = UNCALIBRATED) -> list[Answer]:
    return [one for paper in papers for one in _answers(paper, calibration)]


def _answers(paper: Paper, calibration: Calibration) -> list[Answer]:
    if paper.context is None:
        found = {one.name: {"type": one.type, "value": None, "confidence": 0.0} for one in reading.settings().fields}
        return scores.answers(paper.id, found, paper.entry.fields)
    return scores.answers(paper.id, reading.analysed(paper.context, calibration), paper.entry.fields)


def _summed(given: Sequence[Answer], documents: int) -> Measured:
    judged = scores.judgements(given)
    return Measured(
        documents,
        scores.score(given),
        scores.by_field(given),
        reliability.area_under_curve(judged),
        {
            name: reliability.area_under_curve(one for one in judged if one.field == name)
            for name in sorted({one.field for one in judged})
        },
        reliability.reliability_table(judged),
        [_interval(judged, threshold) for threshold in reliability.THRESHOLDS] if judged else [],
    )


def _interval(judged: Sequence[Judgement], threshold: float) -> tuple[float, float]:
    accepted = [one.right for one in judged if one.confidence >= threshold]
    return share_interval(sum(accepted), len(accepted))


def list_seen(papers: Iterable[Paper], fingerprints: Iterable[str]) -> set[str]:
    """Ids of the documents that a fit, or who tuned the rules, has seen."""
    known = set(fingerprints)
    reviews = scores.reviewed(answered([one for one in papers if one.context]))
    return {one.id for one in reviews if one.fingerprint in known}


def by_other_sellers(papers: Sequence[Paper]) -> Measured | None:
    """Each document by what the reviews of other sellers' documents taught; None where there are too few sellers."""
    sellers = sorted({seller_of(one) for one in papers})
    if len(sellers) < lessons.FOLDS:
        return None
    given: list[Answer] = []
    for fold in range(lessons.FOLDS):
        held = set(sellers[fold :: lessons.FOLDS])
        lesson = _learned([one for one in papers if seller_of(one) not in held])
        given += answered([one for one in papers if seller_of(one) in held], lesson)
    return _summed(given, len(papers))


def seller_of(paper: Paper) -> str:
    return values.words(paper.entry.fields.get("company", "")) or paper.id


def after_reviews(papers: Sequence[Paper], reviews: int) -> AfterReviews | None:
    """No document is measured with what its own truth taught: of many the rest are, of few each with the others'.

    None where there are too few to learn from.
    """
    if len(papers) < _FEWEST or reviews < 1:
        return None
    mixed = sorted(papers, key=lambda one: (lessons.shuffle_key(one.entry.path.name), one.id))
    if len(papers) >= 1.3 * reviews:
        rest = mixed[reviews:]
        found = measured(rest, _learned(mixed[:reviews]))
        return AfterReviews(found, reviews, f"on the {len(rest)} other documents")
    given: list[Answer] = []
    for fold in range(lessons.FOLDS):
        others = [one for place, one in enumerate(mixed) if place % lessons.FOLDS != fold]
        given += answered(mixed[fold :: lessons.FOLDS], _learned(others[:reviews]))
    learned_from = min(reviews, len(papers) - len(papers) // lessons.FOLDS)
    return AfterReviews(_summed(given, len(papers)), learned_from, "each document by what the others taught")


def _learned(papers: Sequence[Paper]) -> Calibration:
    return lessons.learn_weights(scores.reviewed(answered(papers)))
