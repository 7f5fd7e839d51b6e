"""Results of experiments: the variants, and the accuracy, confidence, cost and latency of each."""

import dataclasses
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from django.utils.translation import gettext

from config.errors import NotFound, Refused
from config.phrase import Figure, Phrase, Sentence, begin_sentence
from projects.models.spec import ModelSpec, spec_from
from projects.prompts.book import PinnedPrompt, PromptBook, make_shipped_book
from projects.prompts.items import describe_version
from projects.prompts.prompt import GENERAL, Prompt, make_slug
from workflows.learning import reliability
from workflows.learning.reliability import Judgement
from workflows.learning.scores import Interval, Score, estimate_f1, estimate_share

SAFE = 0.99  # precision required of values that are not reviewed
_DRAWS, _SEED = 1_000, 20
_FEWEST = 20  # documents needed for a bootstrap
DONE, FAILED, REMOVED = "done", "failed", "removed"


@dataclass(frozen=True)
class Judged:
    """One field of one answer. ``confidence``: 0–1. ``expected``: the document has it; ``right``: it was found."""

    name: str
    confidence: float
    expected: bool
    answered: bool
    right: bool
    required: bool = False

    @property
    def is_mistaken(self) -> bool:
        return not self.right and (self.expected or self.answered)


@dataclass(frozen=True)
class Cell:
    """A variant's answer for one document. ``micros``: its cost in millionths of a dollar, whether paid or cached."""

    document_id: str
    half: str
    variant: int
    status: str
    judged: tuple[Judged, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    micros: int = 0
    ms: int = 0


@dataclass(frozen=True)
class FieldScore:
    """None: nothing to measure it on."""

    name: str
    expected: int
    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


@dataclass(frozen=True)
class HalfResult:
    """A variant on one half of the documents; shares 0–1, seconds, None if there is nothing to measure.

    ``exact``: documents without mistakes. ``auc``: how well confidence ranks right values above wrong ones.
    ``review_rate``: documents below the threshold; ``accepted``: precision of values that are not reviewed;
    ``safe_threshold``: the lowest threshold that makes it 99 %, with the review rate that it costs.
    """

    documents: int
    failed: int
    removed: int
    exact: Interval | None
    f1: Interval | None
    fields: tuple[FieldScore, ...]
    auc: float | None
    review_rate: float | None
    accepted: float | None
    safe_threshold: float | None
    safe_review_rate: float | None
    tokens_in: int
    tokens_out: int
    micros: int
    p50: float | None
    p95: float | None

    @property
    def merit(self) -> tuple[int, float] | None:
        """The sort key of the best variant. A failed answer is not in F1, so fewer of them count first."""
        return (-self.failed, self.f1.share) if self.f1 else None


@dataclass(frozen=True)
class CaseResult:
    """``mistakes``: variant → names of wrong fields; None if it has no answer."""

    document_id: str
    half: str
    mistakes: Mapping[int, tuple[str, ...] | None]


@dataclass(frozen=True)
class Results:
    """``halves``: variant → half → result. ``cells``: the number of answers."""

    cells: int
    halves: Mapping[int, Mapping[str, HalfResult]]
    cases: tuple[CaseResult, ...] = field(default_factory=tuple)

    @property
    def progress(self) -> int:
        """Increases with each cell, and with each failed one that a retry answered."""
        failed = sum(half.failed for halves in self.halves.values() for half in halves.values())
        return 2 * self.cells - failed

    def to_bytes(self) -> bytes:
        return json.dumps({"version": 1, **asdict(self)}, sort_keys=True, separators=(",", ":")).encode()


def judge_cells(cells: Iterable[Cell], thresholds: Mapping[int, float], halves: Sequence[str]) -> Results:
    """``thresholds``: variant → review threshold."""
    held = list(cells)
    return Results(
        len(held),
        {
            number: {
                half: judge_half([one for one in held if (one.variant, one.half) == (number, half)], threshold)
                for half in halves
            }
            for number, threshold in thresholds.items()
        },
        _list_cases(held),
    )


def judge_half(cells: Sequence[Cell], threshold: float) -> HalfResult:
    """Score one variant's answers for one half of the documents.

    >>> right = Judged("total", 0.9, expected=True, answered=True, right=True)
    >>> wrong = Judged("total", 0.4, expected=True, answered=True, right=False)
    >>> found = judge_half([Cell("a", "tuning", 1, DONE, (right,)), Cell("b", "tuning", 1, DONE, (wrong,))], 0.8)
    >>> found.f1.share, found.review_rate, found.accepted, found.safe_threshold, found.auc
    (0.5, 0.5, 1.0, 0.9, 1.0)
    """
    answers = [one for one in cells if one.status == DONE]
    names = sorted({one.name for cell in answers for one in cell.judged})
    judgements = [judgement for cell in answers for judgement in _judgements(cell)]
    level = next(iter(reliability.reliability_table(judgements, [threshold])), None)
    safe = find_safe_threshold(judgements)
    safe_level = next(iter(reliability.reliability_table(judgements, [safe])), None) if safe is not None else None
    seconds = sorted(one.ms / 1000 for one in answers)
    return HalfResult(
        documents=len(answers),
        failed=sum(one.status == FAILED for one in cells),
        removed=sum(one.status == REMOVED for one in cells),
        exact=estimate_share(sum(not any(one.is_mistaken for one in cell.judged) for cell in answers), len(answers)),
        f1=_estimate_overall_f1(answers),
        fields=tuple(_score_field(name, answers) for name in names),
        auc=reliability.area_under_curve(
            Judgement(cell.document_id, one.name, one.confidence, one.right)
            for cell in answers
            for one in cell.judged
            if one.answered
        ),
        review_rate=level.documents if level else None,
        accepted=level.precision if level else None,
        safe_threshold=safe,
        safe_review_rate=safe_level.documents if safe_level else None,
        tokens_in=sum(one.tokens_in for one in answers),
        tokens_out=sum(one.tokens_out for one in answers),
        micros=sum(one.micros for one in answers),
        p50=_find_percentile(seconds, 0.5),
        p95=_find_percentile(seconds, 0.95),
    )


def _judgements(cell: Cell) -> list[Judgement]:
    """List what is published without review; a missing required field sends its document to review."""
    return [
        Judgement(cell.document_id, one.name, one.confidence if one.answered else 0.0, one.right)
        for one in cell.judged
        if one.answered or one.required
    ]


def count_score(judged: Iterable[Judged]) -> Score:
    held = list(judged)
    return Score(sum(one.right for one in held), sum(one.answered for one in held), sum(one.expected for one in held))


def _score_field(name: str, answers: Sequence[Cell]) -> FieldScore:
    score = count_score(one for cell in answers for one in cell.judged if one.name == name)
    return FieldScore(
        name,
        score.expected,
        estimate_share(score.right, score.answered),
        estimate_share(score.right, score.expected),
        estimate_f1(score),
    )


def _estimate_overall_f1(answers: Sequence[Cell]) -> Interval | None:
    """Return F1 over all fields, with an interval by a deterministic bootstrap over documents.

    A bootstrap of few documents, or of identical ones, shows no spread: then each counts as one trial.
    """
    counts = np.array([_count(cell) for cell in sorted(answers, key=lambda one: one.document_id)])
    if not len(counts) or not counts[:, 1].sum():
        return None
    share = float(2 * counts[:, 0].sum() / counts[:, 1].sum())
    drawn = np.random.default_rng(_SEED).integers(0, len(counts), (_DRAWS, len(counts)))
    right, given = counts[:, 0][drawn].sum(axis=1), counts[:, 1][drawn].sum(axis=1)
    low, high = (float(one) for one in np.quantile(2 * right / np.maximum(given, 1), [0.025, 0.975]))
    if len(counts) < _FEWEST or low == high:
        trials = estimate_share(share * len(counts), len(counts))
        return trials and Interval(share, min(low, trials.low), max(high, trials.high))
    return Interval(share, min(low, share), max(high, share))


def _count(cell: Cell) -> tuple[int, int]:
    score = count_score(cell.judged)
    return score.right, score.answered + score.expected


def find_safe_threshold(judgements: Sequence[Judgement], share: float = SAFE) -> float | None:
    """Return the lowest threshold at which ``share`` of unreviewed values are right; None if there is none.

    >>> made = [Judgement("a", "f", 0.9, True), Judgement("b", "f", 0.8, False), Judgement("c", "f", 0.7, True)]
    >>> find_safe_threshold(made)
    0.9
    """
    ranked = sorted(judgements, key=lambda one: -one.confidence)
    right, best = 0, None
    for count, one in enumerate(ranked, 1):
        right += one.right
        ends = count == len(ranked) or ranked[count].confidence < one.confidence
        if ends and one.confidence > 0 and right >= share * count:
            best = one.confidence
    return best


def _find_percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the percentile by nearest rank.

    >>> _find_percentile([1.0, 2.0, 3.0, 4.0], 0.5), _find_percentile([], 0.5)
    (2.0, None)
    """
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None


def _list_cases(cells: Iterable[Cell]) -> tuple[CaseResult, ...]:
    found: dict[tuple[str, str], dict[int, tuple[str, ...] | None]] = {}
    for cell in cells:
        wrong = tuple(one.name for one in cell.judged if one.is_mistaken) if cell.status == DONE else None
        found.setdefault((cell.document_id, cell.half), {})[cell.variant] = wrong
    return tuple(CaseResult(document_id, half, mistakes) for (document_id, half), mistakes in found.items())


def list_differences(results: Results, first: int, second: int) -> list[CaseResult]:
    """List the documents on which two variants make different mistakes."""
    return [
        one
        for one in results.cases
        if first in one.mistakes and second in one.mistakes and one.mistakes[first] != one.mistakes[second]
    ]


def results_from(body: bytes) -> Results:
    """Invert ``to_bytes``."""
    stored: Any = json.loads(body)
    halves = {
        int(number): {half: _half_from(one) for half, one in of.items()} for number, of in stored["halves"].items()
    }
    cases = tuple(
        CaseResult(
            one["document_id"],
            one["half"],
            {int(number): None if wrong is None else tuple(wrong) for number, wrong in one["mistakes"].items()},
        )
        for one in stored["cases"]
    )
    return Results(int(stored["cells"]), halves, cases)


def _half_from(stored: Mapping[str, Any]) -> HalfResult:
    fields = tuple(
        FieldScore(one["name"], one["expected"], *(_interval(one[name]) for name in ("precision", "recall", "f1")))
        for one in stored["fields"]
    )
    return HalfResult(
        **{**stored, "fields": fields, "exact": _interval(stored["exact"]), "f1": _interval(stored["f1"])}
    )


def _interval(stored: Sequence[float] | None) -> Interval | None:
    return Interval(*stored) if stored else None


@dataclass(frozen=True)
class Promotion:
    """How a variant compares with production on the held-back half. ``loss``: of F1, 0–1; None: unknown."""

    loss: float | None
    sentence: str
    is_safe: bool


def compare_with_production(
    candidate: HalfResult, production: HalfResult | None, *, version: int, allowed: Decimal
) -> Promotion:
    """``production``: the same model and settings with the production prompt; None if not measured.

    ``version``: of the prompt in production, 0 if that is the general one; ``allowed``: F1 that may be lost, in
    percentage points.
    """
    if candidate.f1 is None:
        return Promotion(None, Phrase("It was not measured on the held-back half."), is_safe=False)
    if production is None or production.f1 is None:
        said = Sentence("%(version)s, which is in production, was not measured here with it.")
        words = begin_sentence(said.fill(version=describe_version(version)))
        return Promotion(None, words, is_safe=False)
    loss = production.f1.share - candidate.f1.share
    words = Sentence("F1 on the held-back half is %(share)s %%, in production %(production)s %%.").fill(
        share=Figure(f"{candidate.f1.share * 100:.1f}"), production=Figure(f"{production.f1.share * 100:.1f}")
    )
    if candidate.failed > production.failed:
        words = Sentence("%(judged)s %(failed)s of its answers failed, in production %(production)s.").fill(
            judged=words, failed=candidate.failed, production=production.failed
        )
        return Promotion(loss, words, is_safe=False)
    return Promotion(loss, words, is_safe=loss * 100 <= float(allowed))


PURPOSE = "extract"  # the purpose whose answers a test set has
MOST_VARIANTS = 24
_LABEL = "experiment"


@dataclass(frozen=True)
class Variant:
    """``number``: from 1, as pages show it. ``threshold``: the review threshold, 0–1.

    ``prompt_version`` 0: the general prompt, among those of a document type. ``takeover``: used if ``model`` is less
    confident than its ``takeover_below``, as in runs.
    """

    number: int
    prompt_version: int
    model: ModelSpec
    threshold: float
    takeover: ModelSpec | None = None

    @property
    def settings(self) -> tuple[object, ...]:
        """Return everything but the prompt: variants are comparable by prompt if these are equal."""
        after = (self.model.takeover_below, self.takeover.sha256) if self.takeover else ()
        return (self.model.sha256, self.threshold, *after)

    @property
    def version_words(self) -> str:
        return describe_version(self.prompt_version)

    @property
    def prompt_words(self) -> str:
        return (
            Phrase("Prompt %(prompt_version)s").fill(prompt_version=self.prompt_version)
            if self.prompt_version
            else Phrase("General prompt")
        )

    @property
    def words(self) -> str:
        """
        >>> Variant(1, 3, ModelSpec("nova", "Nova Lite", "bedrock", "m", temperature=0.2), 0.8).words
        'Prompt 3 · Nova Lite · temperature 0.2 · threshold 80 %'
        """
        settings = Phrase("temperature %(temperature)s · threshold %(threshold)s %%").fill(
            temperature=Figure(f"{self.model.temperature:g}"), threshold=round(self.threshold * 100)
        )
        return Phrase("%(prompt)s · %(models)s · %(settings)s").fill(
            prompt=self.prompt_words, models=describe_models(self.model, self.takeover), settings=settings
        )


def describe_models(model: ModelSpec, takeover: ModelSpec | None) -> str:
    """Describe the models for people.

    >>> describe_models(ModelSpec("a", "Nova Lite", "bedrock", "m"), ModelSpec("b", "Nova Pro", "bedrock", "n"))
    'Nova Lite, then Nova Pro below 70 %'
    """
    if takeover is None:
        return model.name
    return Phrase("%(name)s, then %(name_2)s below %(takeover_below)s %%").fill(
        name=model.name, name_2=takeover.name, takeover_below=round(model.takeover_below * 100)
    )


@dataclass(frozen=True)
class Plan:
    """``prompts``: version → its text; ``classify``: the prompt that determines document types.

    ``documents``: the number of documents in the test set's version, all of which each variant reads. ``type_id``: the
    document type whose prompts these are, empty for the general one. ``general``: the version of the general prompt
    that 0 stands for among a type's.
    """

    testset_id: str
    testset_version: int
    testset_sha256: str
    documents: int
    prompts: Mapping[int, Prompt]
    variants: tuple[Variant, ...]
    classify: PinnedPrompt
    type_id: str = ""
    general: int = 0

    @property
    def cells(self) -> int:
        return self.documents * len(self.variants)

    def variant(self, number: int) -> Variant:
        """Raises: NotFound."""
        if not 1 <= number <= len(self.variants):
            raise NotFound(gettext("This experiment has no variant %(number)s.") % {"number": number})
        return self.variants[number - 1]

    def book(self, variant: Variant) -> PromptBook:
        prompt = self.prompts[variant.prompt_version]
        pinned = PinnedPrompt(prompt, variant.prompt_version, _LABEL, self.type_id or GENERAL)
        prompts = make_shipped_book().prompts
        return PromptBook({**prompts, make_slug(PURPOSE, self.type_id): pinned, "classify": self.classify})

    def to_bytes(self) -> bytes:
        told = self.classify
        stored = {
            "version": 1,
            "type": [self.type_id, self.general],
            "classify": [told.version, told.prompt.instructions, told.prompt.message],
            "testset": [self.testset_id, self.testset_version, self.testset_sha256, self.documents],
            "prompts": {number: [one.instructions, one.message] for number, one in self.prompts.items()},
            "variants": [
                [
                    one.prompt_version,
                    one.model.to_json(),
                    one.threshold,
                    one.takeover.to_json() if one.takeover else None,
                ]
                for one in self.variants
            ],
        }
        return json.dumps(stored, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def plan_from(body: bytes) -> Plan:
    """Invert ``to_bytes``."""
    stored: Any = json.loads(body)
    testset_id, version, sha256, documents = stored["testset"]
    prompts = {int(number): Prompt(PURPOSE, *texts) for number, texts in stored["prompts"].items()}
    variants = tuple(
        Variant(number, int(prompt), spec_from(model), float(threshold), spec_from(takeover) if takeover else None)
        for number, (prompt, model, threshold, takeover) in enumerate(stored["variants"], 1)
    )
    number, *texts = stored["classify"]
    classify = PinnedPrompt(Prompt("classify", *texts), int(number))
    type_id, general = stored["type"]
    return Plan(testset_id, int(version), sha256, int(documents), prompts, variants, classify, type_id, int(general))


def combine_variants(
    prompts: Sequence[int],
    models: Sequence[ModelSpec],
    temperatures: Sequence[float],
    thresholds: Sequence[float],
    catalogue: Iterable[ModelSpec] = (),
) -> tuple[Variant, ...]:
    """Combine every prompt with every model and setting; without temperatures each model keeps its own.

    ``catalogue``: the models that may take over; they keep their own temperature.

    >>> nova = ModelSpec("nova", "Nova", "bedrock", "m", temperature=0.2)
    >>> [(one.prompt_version, one.model.temperature) for one in combine_variants([3, 4], [nova], [], [0.8])]
    [(3, 0.2), (4, 0.2)]

    Raises:
        Refused: there are none, or too many.

    """
    asked = [
        dataclasses.replace(model, temperature=temperature)
        for model in models
        for temperature in (temperatures or [model.temperature])
    ]
    known = {one.id: one for one in catalogue}
    variants = tuple(
        Variant(number, prompt, model, threshold, known.get(model.takeover))
        for number, (prompt, model, threshold) in enumerate(itertools.product(prompts, asked, thresholds), 1)
    )
    if not variants:
        raise Refused(gettext("Choose at least one prompt version and one model."))
    if len(variants) > MOST_VARIANTS:
        raise Refused(
            gettext("These are %(count)s variants. Choose at most %(most_variants)s.")
            % {"count": len(variants), "most_variants": MOST_VARIANTS}
        )
    return variants


@dataclass(frozen=True)
class Place:
    """One variant on one document.

    ``case``: 0-based, in the order of the test set's version; ``position``: in its lane.
    """

    case: int
    variant: Variant
    position: int

    def number(self, plan: Plan) -> int:
        """The number of the cell, 0-based: by document, then variant."""
        return self.case * len(plan.variants) + self.variant.number - 1


def locate_cell(plan: Plan, lanes: int, number: int) -> tuple[int, int]:
    """Return the lane and position of a cell: the inverse of ``find_place``.

    >>> variants = combine_variants([1, 2], [ModelSpec("n", "N", "bedrock", "m")], [], [0.8])
    >>> plan = Plan("t", 1, "", 3, {}, variants, make_shipped_book()["classify"])
    >>> [locate_cell(plan, 2, number) for number in range(6)]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3)]
    """
    case, variant = divmod(number, len(plan.variants))
    step, lane = divmod(case, lanes)
    return lane, step * len(plan.variants) + variant


def find_place(plan: Plan, lanes: int, lane: int, position: int) -> Place | None:
    """Return the cell at a lane's ``position``, or None after the last.

    A document belongs to one lane with all its variants, so two variants with identical requests, such as those that
    differ only in their threshold, never send them at the same time.

    >>> variants = combine_variants([1, 2], [ModelSpec("n", "N", "bedrock", "m")], [], [0.8])
    >>> plan = Plan("t", 1, "", 3, {}, variants, make_shipped_book()["classify"])
    >>> [one and (one.case, one.variant.number) for one in (find_place(plan, 2, 0, at) for at in range(5))]
    [(0, 1), (0, 2), (2, 1), (2, 2), None]
    """
    step, variant = divmod(position, len(plan.variants))
    case = lane + step * lanes
    return Place(case, plan.variants[variant], position) if case < plan.documents else None
