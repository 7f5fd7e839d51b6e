"""The API of trials: try a prompt on a document before saving it, and compare OCR models on a page."""

from typing import Any

from ninja import Field, Router, Schema, Status

from config.errors import NotFound, Refused
from projects.models import queries as model_queries
from projects.models.setup import check_model_is_set_up, find_setup_problem
from projects.models.spec import OcrSpec
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import LONGEST, Prompt, make_slug
from projects.prompts.queries import PromptRef
from projects.queues import visibility
from projects.settings.items import Project
from projects.sites import access
from projects.web.api import FAILURES, ApiRequest, Body, with_example
from workflows.trials import actions, queries, tasks
from workflows.trials.actions import LONGEST_QUESTION
from workflows.trials.documents import load_read_document
from workflows.trials.forms import LEAST_READERS, MOST_READERS
from workflows.trials.items import Trial, TrialStatus
from workflows.trials.queries import Draft, PageRef, TrialRef
from workflows.trials.trying import open_page

router = Router(tags=["trials"])
_LOST = f"No result after {queries.LONGEST_SECONDS // 60} minutes: its worker was lost. Try again."


class TrialWish(Body):
    """``question``: about the first page, for prompts with the purpose answer. ``model_id``: in the catalogue."""

    model_config = with_example(
        instructions="Extract the fields of an invoice.", message="{{page_text}}", document_id="01K0", model_id="nova"
    )

    instructions: str = Field(min_length=1, max_length=LONGEST)
    message: str = Field(min_length=1, max_length=LONGEST)
    document_id: str = Field(min_length=1, max_length=60)
    model_id: str = Field(min_length=1, max_length=60)
    question: str = Field("", max_length=LONGEST_QUESTION)


class TriedField(Schema):
    """``confidence``: 0–1. ``page``: 0-based. ``problem``: why it would need review."""

    name: str
    value: str | None
    confidence: float
    page: int | None
    problem: str


class TriedSide(Schema):
    """``reasons``: why the document would need review. ``text``: the output of a prompt that writes text.

    ``problem``: why there is no answer, or not for all pages.
    """

    fields: list[TriedField]
    text: str
    reasons: list[str]
    problem: str
    seconds: float
    tokens_in: int
    tokens_out: int
    usd: float


class TrialShape(Schema):
    """``status``: asked, running, done or failed. ``production``: the version that the draft is compared with.

    ``draft``, ``in_production``: null until they have answered.
    """

    id: str
    status: str
    document_id: str
    model_id: str
    production: int
    draft: TriedSide | None
    in_production: TriedSide | None
    error: str | None
    created_at: str
    created_by: str


class ReadingWish(Body):
    """``page``: 0-based. ``models``: IDs of OCR models."""

    model_config = with_example(document_id="01K0", page=0, models=["pp-ocrv5", "tesseract"])

    document_id: str = Field(min_length=1, max_length=60)
    page: int = Field(ge=0, lt=10**5, strict=True)
    models: list[str] = Field(
        min_length=LEAST_READERS, max_length=MOST_READERS, json_schema_extra={"uniqueItems": True}
    )


class ModelReading(Schema):
    """``lines``: top to bottom; null until the model has read the page. ``confidence``: 0–1, of its words."""

    model_id: str
    lines: list[str] | None
    confidence: float | None
    seconds: float | None
    usd: float | None
    problem: str


class ReadingShape(Schema):
    """``status``: as in a prompt's trial."""

    id: str
    status: str
    document_id: str
    page: int
    models: list[ModelReading]
    error: str | None
    created_at: str
    created_by: str


@router.post(
    "/{project_id}/prompts/{purpose}/trials",
    response={202: TrialShape, **FAILURES},
    operation_id="try_prompt",
    summary="Try a prompt on a document",
)
def try_prompt(request: ApiRequest, project_id: str, purpose: str, wish: TrialWish, classification_id: str = "") -> Any:
    """Runs draft and production side by side; saves nothing. Kept for a week. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    ref = _prompt(request, project, purpose, classification_id)
    visibility.check_document(request, wish.document_id)
    check_model_is_set_up(model_queries.get_model(request.site, wish.model_id))
    load_read_document(request.site, project.id, wish.document_id, type_id=ref.type_id)
    prompt = Prompt(ref.purpose, wish.instructions.strip() + "\n", wish.message.strip() + "\n")
    trial = actions.start_trial(
        ref, Draft(prompt, wish.question), wish.document_id, wish.model_id, by=request.auth.actor
    )
    tasks.order_trial(trial)
    return Status(202, _shape(trial, queries.get_trial(trial)))


@router.get(
    "/{project_id}/prompts/{purpose}/trials/{trial_id}",
    response={200: TrialShape, **FAILURES},
    operation_id="show_trial",
    summary="Get a trial of a prompt",
)
def show_trial(
    request: ApiRequest, project_id: str, purpose: str, trial_id: str, classification_id: str = ""
) -> TrialShape:
    """404 after a week. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    prompt, ref = _prompt(request, project, purpose, classification_id), TrialRef(request.site, project.id, trial_id)
    trial = queries.get_trial(ref)
    if (trial.purpose, trial.scope) != (prompt.purpose, prompt.scope):
        raise NotFound(queries.MISSING)
    visibility.check_document(request, trial.document_id)
    return _shape(ref, trial)


def _prompt(request: ApiRequest, project: Project, purpose: str, classification_id: str) -> PromptRef:
    """Raises: NotFound."""
    name = prompt_queries.get_purpose(purpose).name
    return prompt_queries.get_ref(request.site, project.id, make_slug(name, classification_id))


def _shape(ref: TrialRef, trial: Trial) -> TrialShape:
    return TrialShape(
        id=ref.trial_id,
        status=_status(trial),
        document_id=trial.document_id,
        model_id=trial.model_id,
        production=int(trial.production),
        draft=_side(ref, trial, trial.draft_answer),
        in_production=_side(ref, trial, trial.production_answer),
        error=_error(trial),
        created_at=trial.created_at,
        created_by=trial.user_name,
    )


def _side(ref: TrialRef, trial: Trial, name: str | None) -> TriedSide | None:
    if not name:
        return None
    found = queries.read_answer(ref.site, ref.project_id, trial.document_id, name).outcome
    fields = [
        TriedField(name=one.name, value=one.value, confidence=one.confidence, page=one.page, problem=one.problem)
        for one in found.fields
    ]
    return TriedSide(
        fields=fields,
        text=found.text,
        reasons=list(found.reasons),
        problem=found.problem,
        seconds=found.seconds,
        tokens_in=found.tokens_in,
        tokens_out=found.tokens_out,
        usd=found.micros / 1_000_000,
    )


def _status(trial: Trial) -> str:
    return TrialStatus.FAILED.value if queries.is_lost(trial) else str(trial.status)


def _error(trial: Trial) -> str | None:
    return _LOST if queries.is_lost(trial) else trial.error


@router.post(
    "/{project_id}/readings",
    response={202: ReadingShape, **FAILURES},
    operation_id="read_page_anew",
    summary="Have OCR models read a page",
)
def read_page_anew(request: ApiRequest, project_id: str, wish: ReadingWish) -> Any:
    """Side by side, for comparison; changes no run. Kept for a week. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    visibility.check_document(request, wish.document_id)
    page = PageRef(wish.document_id, wish.page)
    open_page(request.site, project.id, page)
    trial = actions.start_reading(
        request.site, project.id, page, _models(request.site, wish.models), by=request.auth.actor
    )
    tasks.order_trial(trial)
    return Status(202, _shape_reading(trial, queries.get_trial(trial)))


def _models(site: str, ids: list[str]) -> list[OcrSpec]:
    """Raises: Refused."""
    known = {one.id: one for one in model_queries.list_ocr_models(site)}
    for one in ids:
        if one not in known or find_setup_problem(known[one]):
            raise Refused(f"OCR model {one[:60]} is not set up. List the OCR models.", field="models")
    if len(set(ids)) < len(ids):
        raise Refused("Name each model once.", field="models")
    return [known[one] for one in ids]


@router.get(
    "/{project_id}/readings/{trial_id}",
    response={200: ReadingShape, **FAILURES},
    operation_id="show_reading",
    summary="Get a reading",
)
def show_reading(request: ApiRequest, project_id: str, trial_id: str) -> ReadingShape:
    """404 after a week. Requires ADMIN."""
    project = access.project_to_configure(request, project_id)
    ref = TrialRef(request.site, project.id, trial_id)
    trial = queries.get_trial(ref)
    if trial.purpose != queries.READ:
        raise NotFound(queries.MISSING)
    visibility.check_document(request, trial.document_id)
    return _shape_reading(ref, trial)


def _shape_reading(ref: TrialRef, trial: Trial) -> ReadingShape:
    names = trial.readings.as_dict()
    models = [
        _shape_model(ref, trial, one.id, names.get(one.id)) for one in queries.read_models(ref, trial.document_id)
    ]
    return ReadingShape(
        id=ref.trial_id,
        status=_status(trial),
        document_id=trial.document_id,
        page=int(trial.page_index),
        models=models,
        error=_error(trial),
        created_at=trial.created_at,
        created_by=trial.user_name,
    )


def _shape_model(ref: TrialRef, trial: Trial, model_id: str, name: str | None) -> ModelReading:
    found = queries.read_reading(ref, trial.document_id, name) if name else None
    return ModelReading(
        model_id=model_id,
        lines=[" ".join(word.text for word in line.words) for line in found.lines] if found else None,
        confidence=found.confidence if found else None,
        seconds=found.seconds if found else None,
        usd=found.micros / 1_000_000 if found and found.micros is not None else None,
        problem=found.problem if found else "",
    )
