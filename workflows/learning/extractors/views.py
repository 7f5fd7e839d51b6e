"""The page of a project's extractors: how well each one extracts each field, and which is active."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import Conflict, Refused
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.learning.extractors import actions, page, tasks

_PAGE = "workflows/learning/extractors/show.html"


@require_safe
def show_extractors(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    context = page.build_extractors_page(request.site, project, request.GET.get("version", ""))
    return render_answer(request, _PAGE, None, {"project": project, "page": context})


@require_POST
def train_extractor(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    tasks.order_training(request.site, project.id, by=actor_of(request.user))
    messages.success(request, gettext("Learning from the reviews. Reload in a few minutes to see the extractor."))
    return redirect_after_post(request, reverse("workflows:show-extractors", args=[project.id]))


@require_POST
def activate_extractor(request: DeskRequest, project_id: str, version: int) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    seen, reason = version_in(request.POST, "seen"), str(request.POST.get("reason", ""))
    try:
        actions.activate_extractor(
            request.site, project.id, version, seen=seen, reason=reason, by=actor_of(request.user)
        )
    except (Conflict, Refused) as error:
        now = access.project_to_configure(request, project_id)
        shown = str(version) if version else ""
        context = page.build_extractors_page(request.site, now, shown, problem=str(error), reason=reason)
        status = 409 if isinstance(error, Conflict) else 422
        return render_answer(request, _PAGE, None, {"project": now, "page": context}, status=status)
    learned = gettext("Extractor %(version)s applies to new runs. Started runs keep theirs.")
    built_in = gettext("Built-in rules apply to new runs. Started runs keep theirs.")
    messages.success(request, learned % {"version": version} if version else built_in)
    return redirect_after_post(request, reverse("workflows:show-extractors", args=[project.id]))
