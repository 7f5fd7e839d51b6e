"""Views that cancel a run, resume one that ended without a result, or take the notice of a service's ended job."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from config.brokers import queues
from config.errors import Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from workflows.engine import interventions
from workflows.providers import sns
from workflows.runs.items import ResumeWay, Run
from workflows.runs.views.pages import run_of

TAKE_JOB_NOTICE = "workflows.tasks.take_job_notice"
_SAID = {
    ResumeWay.RETRY: Phrase("Retrying the failed pages."),
    ResumeWay.ACCEPT: Phrase("The run continues without the failed pages."),
    ResumeWay.AGAIN: Phrase("The run continues where it stopped."),
}


# SNS has no session: its signature says who it is.
@csrf_exempt
@login_not_required
@require_POST
def take_job_notice(request: DeskRequest) -> HttpResponse:
    message = sns.verify_message(request.body, topic_arn=settings.TEXTRACT_TOPIC_ARN)
    if message["Type"] == sns.CONFIRMATION:
        sns.confirm_subscription(message)
    else:
        # A worker takes it: the web process reads no token.
        queues.enqueue(TAKE_JOB_NOTICE, settings.DESK_QUEUE, {"notice": message.get("Message", "")})
    return HttpResponse(status=204)


@require_POST
def cancel_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    run = _run(request, document_id, workflow_id)
    interventions.cancel(run, by=actor_of(request.user))
    messages.success(request, gettext("Run cancelled. The uploaded file is kept."))
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
