"""The API of experiments: start, follow, pause, resume and retry them, read results and promote the winner."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from ninja import Field, Router, Schema, Status

from projects.models import queries as model_queries
from projects.prompts.api import check_alone
from projects.sites import access
from projects.web.api import FAILURES, REFUSALS, ApiRequest, Body, with_example
from workflows.experiments import actions, promotion, queries, tasks
from workflows.experiments.actions import Draft
from workflows.experiments.items import Experiment
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import FieldScore, HalfResult, Variant
from workflows.learning.scores import Interval

router = Router(tags=["experiments"])
_MOST = 999_999
_Share = Annotated[float, Field(ge=0, le=1)]


class ExperimentWish(Body):
    """``prompts``: versions of the extraction prompt. ``models``: IDs in the catalogue. Thresholds: 0–1; limit: USD.

    ``classification_id``: the document type whose prompts these are, empty for the general one. All documents of the
    test set must be of this type, and 0 among ``prompts`` is the general prompt in production.
    """

    model_config = with_example(
        name="Shorter prompt", test_set="01M89RES7JCGYS7T4S8WHAJW46", prompts=[1], models=["embedded"]
    )

    name: str = Field(min_length=1, max_length=100)
    test_set: str = Field(min_length=1, max_length=40)
    classification_id: str = Field("", max_length=100)
    prompts: list[Annotated[int, Field(ge=0, le=_MOST)]] = Field(min_length=1, max_length=24)
    models: list[str] = Field(min_length=1, max_length=24)
    temperatures: list[Annotated[float, Field(ge=0, le=2)]] = Field(default_factory=list, max_length=10)
    thresholds: list[_Share] = Field(default_factory=lambda: [0.8], min_length=1, max_length=10)
    limit: float = Field(5, gt=0, le=10_000)


class LimitWish(Body):
    """``limit``: the new cost limit in USD."""

    model_config = with_example(limit=20)

    limit: float = Field(gt=0, le=10_000)


class PromotionWish(Body):
    """``expected``: the prompt version in production, 0 if the document type uses the general prompt.

    ``despite``: the reason, if it is worse on the held-back half.
    """

    model_config = with_example(variant=1, expected=1, reason="F1 0.91 instead of 0.88")

    variant: int = Field(ge=1, le=999)
    expected: int = Field(ge=0, le=_MOST)
    reason: str = Field(min_length=1, max_length=200)
    despite: str = Field("", max_length=200)


class ExperimentShape(Schema):
    """``status``: queued, running, paused, over_limit, stopped or done. Counts are answers; money in USD.

    ``requests``: sent to models; cached answers cost nothing.
    """

    id: str
    name: str
    status: str
    message: str | None
    test_set: str
    test_set_version: int
    classification_id: str
    variants: int
    total: int
    answered: int
    failed: int
    removed: int
    requests: int
    spent: float
    limit: float
    created_at: str
    updated_at: str
    ended_at: str | None


class ExperimentList(Schema):
    items: list[ExperimentShape]
    next: str | None


class IntervalShape(Schema):
    """A share, 0–1, with its 95 % interval."""

    share: float
    low: float
    high: float


class FieldScoreShape(Schema):
    name: str
    expected: int
    precision: IntervalShape | None
    recall: IntervalShape | None
    f1: IntervalShape | None


class HalfShape(Schema):
    """Shares 0–1, cost in USD, seconds per document; null if there is nothing to measure."""

    documents: int
    failed: int
    removed: int
    f1: IntervalShape | None
    exact: IntervalShape | None
    auc: float | None
    review_rate: float | None
    accepted_precision: float | None
    safe_threshold: float | None
    safe_review_rate: float | None
    tokens_in: int
    tokens_out: int
    cost: float
    seconds_p50: float | None
    seconds_p95: float | None
    fields: list[FieldScoreShape]


class VariantShape(Schema):
    """``takeover``: the model that is used if `model` is not confident enough; empty for none."""

    number: int
    prompt_version: int
    model: str
    takeover: str
    temperature: float
    threshold: float
    tuning: HalfShape | None
    held_back: HalfShape | None


class ResultsShape(Schema):
    """``answers``: the number of answers in these results."""

    answers: int
    variants: list[VariantShape]


class PromotedShape(Schema):
    version: int


@router.get(
    "/{project_id}/experiments",
    response={200: ExperimentList, **FAILURES},
    operation_id="list_experiments",
    summary="List experiments",
)
def list_experiments(request: ApiRequest, project_id: str, after: str | None = None) -> ExperimentList:
    """Newest first. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    page = queries.list_experiments(request.site, project.id, after)
    return ExperimentList(items=[_shape(one) for one in page.rows], next=page.next)


@router.post(
    "/{project_id}/experiments",
    response={201: ExperimentShape, **FAILURES},
    operation_id="create_experiment",
    summary="Start an experiment",
)
def create_experiment(request: ApiRequest, project_id: str, wish: ExperimentWish) -> Any:
    """Runs every prompt with every model and setting, on the newest version of the test set. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    draft = Draft(
        wish.name,
        wish.test_set,
        tuple(dict.fromkeys(wish.prompts)),
        tuple(model_queries.get_model(request.site, one) for one in dict.fromkeys(wish.models)),
        tuple(dict.fromkeys(wish.temperatures)),
        tuple(dict.fromkeys(wish.thresholds)),
        Decimal(str(wish.limit)),
        wish.classification_id,
    )
    ref = actions.create_experiment(request.site, project.id, draft, by=request.auth.actor)
    tasks.order_lanes(ref)
    return Status(201, _shape(queries.get_experiment(ref)))


@router.get(
    "/{project_id}/experiments/{experiment_id}",
    response={200: ExperimentShape, **FAILURES},
    operation_id="show_experiment",
    summary="Get an experiment",
)
def show_experiment(request: ApiRequest, project_id: str, experiment_id: str) -> ExperimentShape:
    """Cheap enough to poll. Requires ADMIN."""
    return _shape(queries.get_experiment(_ref(request, project_id, experiment_id)))


@router.get(
    "/{project_id}/experiments/{experiment_id}/results",
    response={200: ResultsShape, **FAILURES},
    operation_id="show_experiment_results",
    summary="Get results",
)
def show_results(request: ApiRequest, project_id: str, experiment_id: str) -> ResultsShape:
    """Results of the answers so far, on each half of the test set. Requires ADMIN."""
    ref = _ref(request, project_id, experiment_id)
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    results = queries.load_results(ref, str(head.results_sha256)) if head.results_sha256 else None
    return ResultsShape(
        answers=results.cells if results else 0,
        variants=[_variant_shape(one, dict(results.halves[one.number]) if results else {}) for one in plan.variants],
    )


@router.post(
    "/{project_id}/experiments/{experiment_id}/pause",
    response={200: ExperimentShape, **REFUSALS},
    operation_id="pause_experiment",
    summary="Pause an experiment",
)
def pause_experiment(request: ApiRequest, project_id: str, experiment_id: str) -> ExperimentShape:
    """409 if it is not in progress. Requires ADMIN."""
    return _change(_ref(request, project_id, experiment_id), request, actions.pause_experiment)


@router.post(
    "/{project_id}/experiments/{experiment_id}/stop",
    response={200: ExperimentShape, **REFUSALS},
    operation_id="stop_experiment",
    summary="Stop an experiment for good",
)
def stop_experiment(request: ApiRequest, project_id: str, experiment_id: str) -> ExperimentShape:
    """409 if it has ended. Requires ADMIN."""
    return _change(_ref(request, project_id, experiment_id), request, actions.stop_experiment)


@router.post(
    "/{project_id}/experiments/{experiment_id}/resume",
    response={200: ExperimentShape, **REFUSALS},
    operation_id="resume_experiment",
    summary="Resume an experiment",
)
def resume_experiment(request: ApiRequest, project_id: str, experiment_id: str, wish: LimitWish) -> ExperimentShape:
    """409 if it is neither paused nor over its limit. Requires ADMIN."""
    return _go_on(_ref(request, project_id, experiment_id), request, wish, actions.resume_experiment)


@router.post(
    "/{project_id}/experiments/{experiment_id}/retry",
    response={200: ExperimentShape, **REFUSALS},
    operation_id="retry_experiment",
    summary="Retry failed answers",
)
def retry_experiment(request: ApiRequest, project_id: str, experiment_id: str, wish: LimitWish) -> ExperimentShape:
    """Retries failed answers. 409 if the experiment is not done, 422 if nothing failed. Requires ADMIN."""
    return _go_on(_ref(request, project_id, experiment_id), request, wish, actions.retry_experiment)


@router.post(
    "/{project_id}/experiments/{experiment_id}/promote",
    response={200: PromotedShape, **REFUSALS},
    operation_id="promote_variant",
    summary="Put a variant's prompt into production",
)
def promote_variant(request: ApiRequest, project_id: str, experiment_id: str, wish: PromotionWish) -> PromotedShape:
    """422 without `despite` if it is worse on the held-back half than production, or was not measured beside it.

    409 if another version is in production than expected. Requires ADMIN and PROMOTE; 422 if the site requires two
    people.
    """
    ref = _ref(request, project_id, experiment_id)
    access.project_to_promote(request, project_id)
    check_alone(request.site)
    plan = queries.load_plan(ref, str(queries.get_experiment(ref).plan_sha256))
    promotion.promote_variant(
        ref,
        wish.variant,
        expected=wish.expected,
        reason=wish.reason,
        despite=wish.despite,
        by=request.auth.actor,
    )
    return PromotedShape(version=plan.variant(wish.variant).prompt_version)


def _ref(request: ApiRequest, project_id: str, experiment_id: str) -> ExperimentRef:
    """Raises: NotAllowed, NotFound."""
    return ExperimentRef(request.site, access.project_to_configure(request, project_id).id, experiment_id)


def _change(ref: ExperimentRef, request: ApiRequest, act: Callable[..., None]) -> ExperimentShape:
    queries.get_experiment(ref)
    act(ref, by=request.auth.actor)
    return _shape(queries.get_experiment(ref))


def _go_on(ref: ExperimentRef, request: ApiRequest, wish: LimitWish, act: Callable[..., None]) -> ExperimentShape:
    act(ref, limit=Decimal(str(wish.limit)), by=request.auth.actor)
    tasks.order_lanes(ref)
    return _shape(queries.get_experiment(ref))


def _shape(head: Experiment) -> ExperimentShape:
    return ExperimentShape(
        id=head.experiment_id,
        name=head.name,
        status=head.status,
        message=head.message,
        test_set=head.testset_id,
        test_set_version=int(head.testset_version),
        classification_id=head.classification_id or "",
        variants=int(head.variants),
        total=int(head.total),
        answered=int(head.answered),
        failed=int(head.failed),
        removed=int(head.removed),
        requests=int(head.asked),
        spent=int(head.spent) / 1_000_000,
        limit=int(head.limit_micros) / 1_000_000,
        created_at=head.created_at,
        updated_at=head.updated_at,
        ended_at=head.ended_at,
    )


def _variant_shape(one: Variant, halves: dict[str, HalfResult]) -> VariantShape:
    return VariantShape(
        number=one.number,
        prompt_version=one.prompt_version,
        model=one.model.id,
        takeover=one.takeover.id if one.takeover else "",
        temperature=one.model.temperature,
        threshold=one.threshold,
        tuning=_half_shape(halves.get("tuning")),
        held_back=_half_shape(halves.get("held_back")),
    )


def _half_shape(one: HalfResult | None) -> HalfShape | None:
    if one is None:
        return None
    return HalfShape(
        documents=one.documents,
        failed=one.failed,
        removed=one.removed,
        f1=_interval_shape(one.f1),
        exact=_interval_shape(one.exact),
        auc=one.auc,
        review_rate=one.review_rate,
        accepted_precision=one.accepted,
        safe_threshold=one.safe_threshold,
        safe_review_rate=one.safe_review_rate,
        tokens_in=one.tokens_in,
        tokens_out=one.tokens_out,
        cost=one.micros / 1_000_000,
        seconds_p50=one.p50,
        seconds_p95=one.p95,
        fields=[_field_shape(field) for field in one.fields],
    )


def _field_shape(one: FieldScore) -> FieldScoreShape:
    return FieldScoreShape(
        name=one.name,
        expected=one.expected,
        precision=_interval_shape(one.precision),
        recall=_interval_shape(one.recall),
        f1=_interval_shape(one.f1),
    )


def _interval_shape(one: Interval | None) -> IntervalShape | None:
    return IntervalShape(share=one.share, low=one.low, high=one.high) if one else None
