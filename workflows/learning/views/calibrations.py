"""The page of calibrations: how reliable a project's confidences are, and which calibration is active."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.learning import actions, tasks
from workflows.learning.views import page

_PAGE = ("workflows/learning/calibration.html", "workflows/learning/_publishing.html")


@require_safe
def show_calibration(request: DeskRequest, project_id: str) -> HttpResponse:
    """As a fragment, for the project's page: what is published without review."""
    project = access.project_to_configure(request, project_id)
    context = page.build_calibration_page(request.site, project, request.GET.get("version", ""))
    return render_answer(request, *_PAGE, {"project": project, "page": context})


@require_POST
def propose_calibration(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    tasks.order_calibration(request.site, project.id, by=actor_of(request.user))
    messages.success(request, gettext("Learning from the reviews. Reload in a moment to see the proposal."))
    return redirect_after_post(request, reverse("workflows:show-calibration", args=[project.id]))


@require_POST
def activate_calibration(request: DeskRequest, project_id: str, version: int) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    seen = version_in(request.POST, "seen")
    try:
        actions.activate_calibration(request.site, project.id, version, seen=seen, by=actor_of(request.user))
    except Conflict as error:
        now = access.project_to_configure(request, project_id)
        context = page.build_calibration_page(request.site, now, str(version), clash=str(error))
        return render_answer(request, _PAGE[0], None, {"project": now, "page": context}, status=409)
    learned = gettext("Calibration %(version)s applies to new runs. Started runs keep theirs.")
    default = gettext("The default calibration applies to new runs. Started runs keep theirs.")
    messages.success(request, learned % {"version": version} if version else default)
    return redirect_after_post(request, reverse("workflows:show-calibration", args=[project.id]))
