"""A person stops a run, or has one go on that ended without a result."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from config.errors import Refused
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from workflows.engine import interventions
from workflows.engine.interventions import ResumeWay
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of

_SAID = {
    ResumeWay.RETRY: "Retrying the failed pages.",
    ResumeWay.ACCEPT: "The run continues without the failed pages.",
    ResumeWay.AGAIN: "The run continues where it stopped.",
}


@require_POST
def cancel_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    interventions.cancel(run, by=actor_of(request.user))
    messages.success(request, "Run cancelled. The uploaded file is kept.")
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, workflow_id]))


@require_POST
def resume_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    if request.POST.get("way") not in set(ResumeWay):
        raise Refused("Choose how to continue the run.")
    way = ResumeWay(request.POST["way"])
    interventions.resume(run, way, by=actor_of(request.user))
    messages.success(request, _SAID[way])
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, workflow_id]))


def _run(request: DeskRequest, document_id: str, workflow_id: str) -> Run:
    """Raises: NotFound."""
    board, earlier = run_of(request, document_id, workflow_id)
    if earlier is not None:
        raise Refused("An earlier system owns this run. Cancel or re-run it there.")
    return Run(request.site, str(board.project_id), document_id, workflow_id)
