"""An ended run is run again from a stage, or its document is analysed otherwise; what stood before it stays."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from config.errors import Refused
from projects.audit.events import actor_of
from projects.models import queries as model_queries
from projects.schemas import queries as schema_queries
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.documents import reanalysis
from workflows.documents.actions import reruns
from workflows.documents.actions.reruns import Source
from workflows.documents.forms import AnalysisForm, StageForm
from workflows.documents.reruns import ANALYSED
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of
from workflows.stages.base import RunSettings

_BEGUN = "New run started. The earlier run and its result are kept."


@require_safe
def show_reruns(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    return _page(request, _run(request, document_id, workflow_id))


@require_POST
def run_again(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    try:
        went = reruns.run_again(run, request.POST.get("step", ""), by=actor_of(request.user))
    except Refused as error:
        return _page(request, run, stage_error=str(error), status=422)
    same = went == run
    messages.success(request, "The run continues from there." if same else "New run started; this one is kept.")
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
        return _page(request, run, form=form, error=str(error), status=422)
    messages.success(request, _BEGUN)
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, went.workflow_id]))


def _page(
    request: DeskRequest, run: Run, *, form: AnalysisForm | None = None, error: str = "", stage_error: str = "",
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    board = queries.board(run.site, run.workflow_id)
    context = {"board": board, "error": error, "stage_error": stage_error}
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
        "stages": StageForm(source.ended.offered) if source.ended.offered else None,
        "form": (form or AnalysisForm(before, _classifications(request), _models(request))) if analysed else None,
        "pages": int(board.page_count or 0),
        "beside": _is_beside(source),
        "decided": source.decided,
    }
    return render_answer(
        request, "workflows/documents/reruns.html", "workflows/documents/_reruns.html", context, status=status
    )


def _is_beside(source: Source) -> bool:
    """Whether every stage would begin a new run: then the page says that this one stays."""
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
    """Raises: NotFound; Refused, of a run that an earlier system drives."""
    board, earlier = run_of(request, document_id, workflow_id)
    if earlier is not None:
        raise Refused("An earlier system owns this run. Re-run it there.")
    return Run(request.site, str(board.project_id), document_id, workflow_id)
