"""Views that re-run a document: from a stage, with other settings, or imported from another system."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.schemas import queries as schema_queries
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.definitions import versions
from workflows.documents import reanalysis
from workflows.documents.actions import imports, reruns
from workflows.documents.actions.reruns import Source
from workflows.documents.forms import AnalysisForm, StageForm
from workflows.documents.tasks import order_import
from workflows.runs import queries, run_settings, seed_000
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of
from workflows.stages.artifacts import ANALYSED
from workflows.stages.base import RunSettings

_BEGUN = Phrase("New run started. The earlier run and its result are kept.")


@require_safe
def show_reruns(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run, _ = _any_run(request, document_id, workflow_id)
    return _rerun_page(request, run)


@require_POST
def run_again(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run, foreign = _any_run(request, document_id, workflow_id)
    try:
        if foreign:
            imports.open_run(run, request.POST.get("step", ""), by=actor_of(request.user))
        went = reruns.run_again(run, request.POST.get("step", ""), by=actor_of(request.user))
    except Refused as error:
        return _rerun_page(request, run, stage_error=str(error), status=422)
    same = went == run
    messages.success(
        request, gettext("The run continues from there.") if same else gettext("New run started; this one is kept.")
    )
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, went.workflow_id]))


@require_POST
def analyse_again(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    before = _settings(run)
    form = AnalysisForm(before, _classifications(request), _models(request), request.POST)
    try:
        pinned = reanalysis.merge_wish(run.site, run.project_id, before, form.wish())
        went = reruns.analyse_again(run, pinned, by=actor_of(request.user))
    except Refused as error:
        return _rerun_page(request, run, form=form, error=str(error), status=422)
    messages.success(request, _BEGUN)
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, went.workflow_id]))


def _rerun_page(
    request: DeskRequest, run: Run, *, form: AnalysisForm | None = None, error: str = "", stage_error: str = "",
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    board = queries.board(run.site, run.workflow_id)
    foreign = bool(seed_000.fill_boards(run.site, [board]))
    context = {"board": board, "error": error, "stage_error": stage_error, "foreign": foreign}
    if foreign:
        offered = StageForm(versions.active_definition().steps[:1])
        return render_answer(
            request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html",
            context | {"stages": offered, "beside": True}, status=status,
        )  # fmt: skip
    try:
        source = reruns.source_of(run)
    except Refused as refused:
        context["refused"] = str(refused)
        return render_answer(
            request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html", context, status=status
        )
    before = run_settings.from_json(source.link.settings)
    analysed = any(one.name == ANALYSED for one in source.ended.offered)
    context |= {
        "stages": StageForm(source.ended.offered, initial={"step": request.GET.get("step")})
        if source.ended.offered
        else None,
        "form": (form or AnalysisForm(before, _classifications(request), _models(request))) if analysed else None,
        "pages": int(board.page_count or 0),
        "beside": _is_beside(source),
        "decided": source.decided,
        "learned": _describe_learned(run_settings.with_learned(run.site, run.project_id, before)),
        "learned_then": _describe_learned(before),
        "analysis": Phrase(source.ended.definition.named(ANALYSED).label) if analysed else "",
    }
    return render_answer(
        request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html", context, status=status
    )


def _describe_learned(pinned: RunSettings) -> str:
    """What judges and reads the values: ``calibration version 3 and extractor version 2``."""
    number = pinned.calibration_version
    if not number:
        calibration = Phrase("no calibration")
    elif pinned.calibration_paused:
        calibration = Phrase("calibration version %(number)s (paused)").fill(number=number)
    else:
        calibration = Phrase("calibration version %(number)s").fill(number=number)
    extractor = Phrase("no learned extractor")
    if pinned.extractor_version:
        extractor = Phrase("extractor version %(number)s").fill(number=pinned.extractor_version)
    return Phrase("%(calibration)s and %(extractor)s").fill(calibration=calibration, extractor=extractor)


def _is_beside(source: Source) -> bool:
    """Return True if every stage would start a new run; the page then says that this one stays."""
    ended = source.ended
    return not any(ended.goes_on(ended.first(one)) for one in ended.offered)


def _settings(run: Run) -> RunSettings:
    return run_settings.from_json(queries.document_workflow(run.site, run.document_id, run.workflow_id).settings)


def _classifications(request: DeskRequest) -> dict[str, str]:
    rows, _ = schema_queries.list_classifications(request.site)
    return {one.id: one.name for one in rows if not one.archived}


def _models(request: DeskRequest) -> dict[str, str]:
    return {one.id: one.name for one in model_queries.list_models(request.site)}


def _run(request: DeskRequest, document_id: str, workflow_id: str) -> Run:
    """Raises: NotFound; Refused for a run of another system."""
    run, foreign = _any_run(request, document_id, workflow_id)
    if foreign:
        raise Refused(gettext("Another system made this run. Re-run it from its first step."))
    return run


def _any_run(request: DeskRequest, document_id: str, workflow_id: str) -> tuple[Run, bool]:
    """Return the run and whether another system made it. Raises: NotFound."""
    board, foreign = run_of(request, document_id, workflow_id)
    return Run(request.site, str(board.project_id), document_id, workflow_id), foreign is not None


@require_POST
def import_documents(request: DeskRequest, project_id: str) -> HttpResponse:
    access.project_to_view(request, project_id)
    access.check_can_upload(request)
    order_import(request.site, project_id, by=actor_of(request.user))
    messages.success(request, gettext("Import started. Documents appear in all lists as they are imported."))
    return redirect_after_post(request, reverse("workflows:list-documents", args=[project_id]))
