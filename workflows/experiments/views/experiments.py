"""Experiments: the list, a new one, one with its results, and what a person may do to it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, NotFound, Refused
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ProductionMove
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.purposes import make_slug
from projects.prompts.queries import PromptRef
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer, wants_fragment
from workflows.experiments import actions, promotion, queries, tasks
from workflows.experiments.forms import ExperimentForm, PromotionForm, ResumeForm
from workflows.experiments.plan import PURPOSE
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.views.rows import ExperimentRow, draw_chart, list_variants
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HALVES, HELD_BACK
from workflows.testsets.uploads import list_labels

HALF_LABELS = {"tuning": "Tuning", "held_back": "Held back"}
_PROMOTED = {
    ProductionMove.MOVED: "is in production.",
    ProductionMove.PROPOSED: "is proposed. Another person has to confirm it on the page of the prompt.",
    ProductionMove.UNCHANGED: "is in production already.",
}


@require_safe
def list_experiments(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    cursor = request.GET.get("after")
    page = queries.list_experiments(request.site, project.id, cursor)
    context = {
        "project": project,
        "rows": [ExperimentRow(one) for one in page.rows],
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": request.path,
    }
    return render_answer(request, "workflows/experiments/list.html", None, context)


@require_http_methods(["GET", "POST"])
def create_experiment(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    form = _experiment_form(request, project)
    if request.method == "GET":
        return _new_page(request, project, form)
    if not form.is_valid():
        return _new_page(request, project, form, status=422)
    try:
        ref = actions.create_experiment(request.site, project.id, form.draft(), by=actor_of(request.user))
    except (Refused, NotFound) as error:
        form.add_error(None, str(error))
        return _new_page(request, project, form, status=422)
    tasks.order_lanes(ref)
    messages.success(request, "Experiment started.")
    return redirect_after_post(request, _address(ref))


def _experiment_form(request: DeskRequest, project: Project) -> ExperimentForm:
    """``type``: the document type whose prompts are offered. Raises: NotFound."""
    type_id = str((request.POST or request.GET).get("type", ""))
    prompt = prompt_queries.get_ref(request.site, project.id, make_slug(PURPOSE, type_id))
    head = prompt_queries.get_head(prompt)
    offered = (
        testset_queries.list_test_sets(request.site, project.id).rows,
        _list_offered_versions(prompt, head),
        head,
        model_queries.list_models(request.site),
    )
    if request.method == "POST":
        return ExperimentForm(*offered, request.POST)
    threshold = round(project.settings.default_threshold * 100)
    chosen = {str(int(head.production)), str(int(head.version))}
    initial = {
        "testset": request.GET.get("testset"),
        "type": type_id,
        "prompts": list(chosen),
        "thresholds": f"{threshold}",
    }
    return ExperimentForm(*offered, initial=initial)


def _list_offered_versions(prompt: PromptRef, head: PromptHead) -> list[PromptVersion]:
    """The newest, and those with a label however old they are: production is what the others are measured against."""
    versions = list(prompt_queries.list_versions(prompt).rows)
    shown = {int(one.version) for one in versions}
    labelled = {int(head.candidate), int(head.production)} - {0} - shown
    return versions + [prompt_queries.get_version(prompt, one) for one in sorted(labelled, reverse=True)]


@require_safe
def show_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """``?half=``: tuning or held_back; ``?variant=``: whose fields are listed."""
    project = access.project_to_configure(request, project_id)
    return _experiment_page(request, project, ExperimentRef(request.site, project.id, experiment_id))


@require_POST
def pause_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    by = actor_of(request.user)
    return _change(request, project, ref, lambda: actions.pause_experiment(ref, by=by), "Experiment paused.")


@require_POST
def stop_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    by = actor_of(request.user)
    return _change(request, project, ref, lambda: actions.stop_experiment(ref, by=by), "Experiment stopped.")


@require_POST
def resume_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    return _go_on(request, project, ref, actions.resume_experiment, "Experiment resumed.")


@require_POST
def retry_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """Only what failed is asked again."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    return _go_on(request, project, ref, actions.retry_experiment, "Failed answers are asked for again.")


@require_POST
def promote_variant(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """Its prompt goes into production, or becomes the candidate for a share of runs."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    form = PromotionForm(request.POST)
    if not form.is_valid():
        first = next(iter(form.errors.values()))[0]
        return _experiment_page(request, project, ref, clash=str(first), status=422)
    typed, by = form.cleaned_data, actor_of(request.user)
    variant = f"The prompt of variant {typed['variant']}"
    if typed["label"] == "production":
        access.project_to_promote(request, project_id)

    def promote() -> str:
        if typed["label"] == "production":
            done = promotion.promote_variant(
                ref,
                typed["variant"],
                expected=typed["expected"],
                reason=typed["reason"],
                despite=typed["despite"],
                by=by,
            )
            return f"{variant} {_PROMOTED[done]}"
        promotion.nominate_variant(
            ref,
            typed["variant"],
            expected=typed["candidate"],
            percent=typed["percent"] or 10,
            reason=typed["reason"],
            by=by,
            may_promote=access.can(request, Permission.PROMOTE),
        )
        return f"{variant} is the candidate."

    return _change(request, project, ref, promote, shown=f"?variant={typed['variant']}")


def _go_on(
    request: DeskRequest, project: Project, ref: ExperimentRef, act: Callable[..., None], words: str
) -> HttpResponse:
    """Within the posted limit."""
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return _experiment_page(request, project, ref, clash="Enter a cost limit above 0.", status=422)

    def go_on() -> None:
        act(ref, limit=form.cleaned_data["limit"], by=actor_of(request.user))
        tasks.order_lanes(ref)

    return _change(request, project, ref, go_on, words)


def _change(
    request: DeskRequest,
    project: Project,
    ref: ExperimentRef,
    change: Callable[[], str | None],
    words: str = "",
    *,
    shown: str = "",
) -> HttpResponse:
    """``words``: what is said afterwards if ``change`` does not say it. ``shown``: the query of the page after it."""
    try:
        words = change() or words
    except (Conflict, Refused) as error:
        status = 409 if isinstance(error, Conflict) else 422
        return _experiment_page(request, project, ref, clash=str(error), status=status)
    messages.success(request, words)
    return redirect_after_post(request, f"{_address(ref)}{shown}")


def _address(ref: ExperimentRef) -> str:
    return reverse("workflows:show-experiment", args=[ref.project_id, ref.experiment_id])


def _new_page(request: DeskRequest, project: Project, form: ExperimentForm, *, status: int = 200) -> HttpResponse:
    names = {one.id: one.name for one in schema_queries.all_classifications(request.site)}
    own = [ref.type_id for ref, _ in prompt_queries.list_prompts(request.site, project.id) if ref.purpose == PURPOSE]
    context = {
        "project": project,
        "form": form,
        "types": [(one, names.get(one, one) if one else "All documents") for one in own],
    }
    return render_answer(request, "workflows/experiments/new.html", None, context, status=status)


def _experiment_page(
    request: DeskRequest, project: Project, ref: ExperimentRef, *, clash: str = "", status: int = 200
) -> HttpResponse:
    head = queries.get_experiment(ref)
    row = ExperimentRow(head)
    if request.method == "GET" and wants_fragment(request):
        return render_answer(
            request, "workflows/experiments/_progress.html", None, {"project": project, "row": row, "is_polled": True}
        )
    context = {
        "project": project,
        "row": row,
        "clash": clash,
        "typed": request.POST,
        "resume_form": ResumeForm(initial={"limit": f"{int(head.limit_micros) / 1_000_000:.2f}"}),
        **_results_context(request, project, ref, row),
    }
    return render_answer(request, "workflows/experiments/show.html", None, context, status=status)


def _results_context(request: DeskRequest, project: Project, ref: ExperimentRef, row: ExperimentRow) -> dict[str, Any]:
    head = row.head
    plan = queries.load_plan(ref, str(head.plan_sha256))
    results = queries.load_results(ref, str(head.results_sha256)) if head.results_sha256 else None
    half = request.GET.get("half", HELD_BACK)
    if half not in HALVES:
        raise NotFound("An experiment has two halves: tuning and held back.")
    variants = list_variants(plan, results, half, list_labels(request.site, project))
    best = next((one.variant.number for one in variants if one.is_best), 1)
    shown = read_number(request.GET.get("variant")) or read_number(request.POST.get("variant")) or best
    if not 1 <= shown <= len(variants):
        shown = best
    prompt = prompt_queries.get_head(queries.get_prompt_ref(ref, plan))
    judged = None
    if results and not _is_in_production(plan.variant(shown).prompt_version, prompt):
        judged = promotion.judge_promotion(ref, plan, results, shown, production=int(prompt.production))
    return {
        "plan": plan,
        "has_results": results is not None,
        "half": half,
        "halves": [(name, label, name == half) for name, label in HALF_LABELS.items()],
        "variants": variants,
        "shown": variants[shown - 1],
        "chart": draw_chart(variants),
        "prompt": prompt,
        "type_name": _name_type(ref.site, plan.type_id),
        "promotion": judged,
        "pair": sorted({next((one.variant.number for one in variants if one.variant.number != shown), shown), shown}),
    }


def _name_type(site: str, type_id: str) -> str:
    """Empty for the general prompt."""
    try:
        return str(schema_queries.get_classification(site, type_id).name) if type_id else ""
    except NotFound:
        return type_id


def _is_in_production(version: int, prompt: Any) -> bool:
    return int(prompt.production) == version
