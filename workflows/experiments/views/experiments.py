"""Pages of experiments: the list, a new experiment, and one with its results and actions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import table
from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ProductionMove
from projects.prompts.items import PromptHead, PromptVersion
from projects.prompts.prompt import make_slug
from projects.prompts.queries import PromptRef
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.settings.items import Project
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, page_links, read_number, redirect_after_post, render_answer, wants_fragment
from workflows.experiments import actions, answering, promotion, queries, results, tasks
from workflows.experiments.forms import ExperimentForm, PromotionForm, ResumeForm
from workflows.experiments.items import ExperimentCell
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import PURPOSE, CaseResult
from workflows.experiments.views.rows import ExperimentRow, draw_chart, list_variants
from workflows.runs.items import ProjectDocument
from workflows.stages import results as field_results
from workflows.testsets import queries as testset_queries
from workflows.testsets.cases import HALVES, HELD_BACK, Case
from workflows.testsets.uploads import list_labels
from workflows.trials import comparison
from workflows.trials.outcome import TrialField

HALF_LABELS = {"tuning": Phrase("Tuning"), "held_back": Phrase("Held back")}
_PROMOTED = {
    ProductionMove.MOVED: Phrase("The prompt of variant %(variant)s is in production."),
    ProductionMove.PROPOSED: Phrase(
        "The prompt of variant %(variant)s is proposed. Another person has to confirm it on the page of the prompt."
    ),
    ProductionMove.UNCHANGED: Phrase("The prompt of variant %(variant)s is in production already."),
}


@require_safe
def list_experiments(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    cursor = request.GET.get("after")
    page = queries.list_experiments(request.site, project.id, cursor)
    context = {
        "project": project,
        "rows": [ExperimentRow(one) for one in page.rows],
        **page_links(request, page.next, request.path),
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
    messages.success(request, gettext("Experiment started."))
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
    """Return the newest versions and all with a label, as production is the baseline."""
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
    return _change(request, project, ref, lambda: actions.pause_experiment(ref, by=by), Phrase("Experiment paused."))


@require_POST
def stop_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    by = actor_of(request.user)
    return _change(request, project, ref, lambda: actions.stop_experiment(ref, by=by), Phrase("Experiment stopped."))


@require_POST
def resume_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    return _go_on(request, project, ref, actions.resume_experiment, Phrase("Experiment resumed."))


@require_POST
def retry_experiment(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """Retry only the failed answers."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    return _go_on(request, project, ref, actions.retry_experiment, Phrase("Failed answers are asked for again."))


@require_POST
def promote_variant(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """Put the prompt into production, or make it the candidate for a share of runs."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    form = PromotionForm(request.POST)
    if not form.is_valid():
        first = next(iter(form.errors.values()))[0]
        return _experiment_page(request, project, ref, clash=str(first), status=422)
    typed, by = form.cleaned_data, actor_of(request.user)
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
            return _PROMOTED[done].fill(variant=typed["variant"]).translated()
        promotion.nominate_variant(
            ref,
            typed["variant"],
            expected=typed["candidate"],
            percent=typed["percent"] or 10,
            reason=typed["reason"],
            by=by,
            may_promote=access.can(request, Permission.PROMOTE),
        )
        return gettext("The prompt of variant %(variant)s is the candidate.") % {"variant": typed["variant"]}

    return _change(request, project, ref, promote, shown=f"?variant={typed['variant']}")


def _go_on(
    request: DeskRequest, project: Project, ref: ExperimentRef, act: Callable[..., None], words: str
) -> HttpResponse:
    """Continue within the posted limit."""
    form = ResumeForm(request.POST)
    if not form.is_valid():
        return _experiment_page(request, project, ref, clash=Phrase("Enter a cost limit above 0."), status=422)

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
    """``words``: the message, if ``change`` returns none. ``shown``: the query string of the page that follows."""
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
        "types": [(one, names.get(one, one) if one else Phrase("All documents")) for one in own],
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
        raise NotFound(gettext("An experiment has two halves: tuning and held back."))
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
    """Return the type's name; empty for the general prompt."""
    try:
        return str(schema_queries.get_classification(site, type_id).name) if type_id else ""
    except NotFound:
        return type_id


def _is_in_production(version: int, prompt: Any) -> bool:
    return int(prompt.production) == version


_A_PAGE = 25
_STATUS = {"done": Phrase("Answered"), "failed": Phrase("Failed"), "removed": Phrase("Document removed")}


@dataclass(frozen=True)
class AnswerRow:
    """``name``: empty if the document was deleted."""

    cell: ExperimentCell
    name: str

    @property
    def document_id(self) -> str:
        return str(self.cell.document_id)

    @property
    def status(self) -> str:
        return _STATUS[str(self.cell.status)]

    @property
    def half(self) -> str:
        return HALF_LABELS[str(self.cell.half)]

    @property
    def seconds(self) -> float:
        return int(self.cell.ms) / 1000


@dataclass(frozen=True)
class DifferenceRow:
    """The mistakes of each of the two variants, in words."""

    document_id: str
    name: str
    half: str
    first: str
    second: str


@dataclass(frozen=True)
class ComparedField:
    """A field with its known answer, and what each variant read; None: nothing."""

    name: str
    label: str
    known: str
    is_known: bool
    first: TrialField | None
    second: TrialField | None
    first_is_right: bool
    second_is_right: bool


@require_safe
def list_cells(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """One Query a page, and one BatchGetItem for the names of its documents."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    cursor = request.GET.get("after")
    page = visibility.filter_page(
        request, lambda after: queries.list_cells(ref, after), cursor, lambda one: str(one.document_id)
    )
    names = _names(ref, (str(one.document_id) for one in page.rows))
    context = {
        "project": project,
        "head": head,
        "rows": [AnswerRow(one, names.get(str(one.document_id), "")) for one in page.rows],
        **page_links(request, page.next, request.path),
    }
    return render_answer(request, "workflows/experiments/answers.html", None, context)


@require_safe
def list_differences(request: DeskRequest, project_id: str, experiment_id: str) -> HttpResponse:
    """``?first=`` and ``?second=``: variants; ``?after=``: the number of documents to skip."""
    project = access.project_to_configure(request, project_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    first, second = _two_variants(request, len(plan.variants))
    found: Sequence[CaseResult] = ()
    if head.results_sha256:
        found = results.list_differences(queries.load_results(ref, str(head.results_sha256)), first, second)
    start = read_number(request.GET.get("after"))
    shown = visibility.filter_rows(request, found[start : start + _A_PAGE], lambda one: one.document_id)
    names = _names(ref, (one.document_id for one in shown))
    address = reverse("workflows:list-experiment-differences", args=[project.id, experiment_id])
    labels = list_labels(request.site, project)
    context = {
        "project": project,
        "head": head,
        "variants": plan.variants,
        "first": first,
        "second": second,
        "count": len(found),
        "rows": [_difference(one, names.get(one.document_id, ""), first, second, labels) for one in shown],
        "next_cursor": str(start + _A_PAGE) if len(found) > start + _A_PAGE else None,
        "is_first": not start,
        "first_url": f"{address}?first={first}&second={second}",
        "joiner": "&",
    }
    return render_answer(request, "workflows/experiments/differences.html", None, context)


@require_safe
def compare_document(request: DeskRequest, project_id: str, experiment_id: str, document_id: str) -> HttpResponse:
    """A page of a document beside the values of two variants and the known answers; ``?page=``: 1-based."""
    project = access.project_to_configure(request, project_id)
    visibility.check_document(request, document_id)
    ref = ExperimentRef(request.site, project.id, experiment_id)
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    first, second = _two_variants(request, len(plan.variants))
    cases = testset_queries.load_cases(queries.get_set_ref(ref, plan), plan.testset_sha256)
    case = next((one for one in cases if one.document_id == document_id), None)
    names = _names(ref, [document_id])
    if case is None or document_id not in names:
        raise NotFound(gettext("This document is not in the experiment's test set, or was deleted."))
    outcomes = [answering.load_outcome(ref, document_id, one) for one in (first, second)]
    rows = _compare(ref, case, outcomes)
    pages = comparison.list_pages([_narrow(one, rows) for one in (outcomes if first != second else outcomes[:1])])
    context = {
        "project": project,
        "head": head,
        "name": names[document_id],
        "pages": pages,
        "page": comparison.choose_page(pages, request.GET.get("page", "")),
        "page_address": f"{request.path}?first={first}&second={second}&page=",
        "first_name": Phrase("Variant %(first)s").fill(first=first),
        "second_name": Phrase("Variant %(second)s").fill(second=second) if first != second else "",
        "document_id": document_id,
        "variants": plan.variants,
        "first": first,
        "second": second,
        "problems": [
            (number, one.problem) for number, one in zip((first, second), outcomes, strict=True) if one and one.problem
        ],
        "rows": rows,
    }
    return render_answer(request, "workflows/experiments/document.html", None, context)


def _narrow(one: answering.KeptOutcome | None, rows: Sequence[ComparedField]) -> answering.KeptOutcome | None:
    """Remove the fields without known answers, so that no value of them is shown."""
    names = {row.name for row in rows}
    return one and replace(one, fields=tuple(field for field in one.fields if field.name in names))


def _two_variants(request: DeskRequest, most: int) -> tuple[int, int]:
    first = min(max(read_number(request.GET.get("first"), otherwise=1), 1), most)
    second = min(max(read_number(request.GET.get("second"), otherwise=2), 1), most)
    return first, second


def _names(ref: ExperimentRef, document_ids: Iterable[str]) -> dict[str, str]:
    """Return the names of documents that exist: one BatchGetItem."""
    keys = [
        table.PROJECT_DOCUMENT.key(ref.site, project_id=ref.project_id, document_id=one)
        for one in dict.fromkeys(document_ids)
    ]
    rows = ProjectDocument.load_many(keys)
    return {str(row.document_id): str(row.name or row.document_id) for row in rows if row.hidden is None}


def _difference(one: CaseResult, name: str, first: int, second: int, labels: Mapping[str, str]) -> DifferenceRow:
    described = (_describe(one.mistakes[number], labels) for number in (first, second))
    return DifferenceRow(one.document_id, name, HALF_LABELS[one.half], *described)


def _describe(mistakes: Sequence[str] | None, labels: Mapping[str, str]) -> str:
    if mistakes is None:
        return Phrase("No answer")
    return f"Wrong: {', '.join(labels.get(one, one) for one in mistakes)}" if mistakes else Phrase("All correct")


def _compare(ref: ExperimentRef, case: Case, outcomes: Sequence[answering.KeptOutcome | None]) -> list[ComparedField]:
    try:
        known = testset_queries.load_answers(ref.site, ref.project_id, case).fields
    except NotFound:
        return []
    rows = []
    for one in known:
        read = [outcome.get(one.name) if outcome else None for outcome in outcomes]
        right = [
            field_results.normalise_value(one.type, field.value if field else None)
            == field_results.normalise_value(one.type, one.value)
            for field in read
        ]
        rows.append(
            ComparedField(one.name, one.label, one.value or "", one.value is not None, read[0], read[1], *right)
        )
    return rows
