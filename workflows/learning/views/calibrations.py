"""How sure a project's runs are, and how far that can be relied on: the calibrations its reviews proposed."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.learning import actions, tasks
from workflows.learning.views import page


@require_safe
def show_calibration(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    context = page.build_calibration_page(request.site, project, request.GET.get("version", ""))
    return render_answer(request, "workflows/learning/calibration.html", None, {"project": project, "page": context})


@require_POST
def propose_calibration(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    tasks.order_calibration(request.site, project.id, by=actor_of(request.user))
    messages.success(request, "Learning from the reviews. Reload in a moment to see the proposal.")
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
        return render_answer(
            request, "workflows/learning/calibration.html", None, {"project": now, "page": context}, status=409
        )
    what = f"Calibration {version}" if version else "The default calibration"
    messages.success(request, f"{what} applies to new runs. Started runs keep theirs.")
    return redirect_after_post(request, reverse("workflows:show-calibration", args=[project.id]))
