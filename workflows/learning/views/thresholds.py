"""The threshold simulator: the effect of another review policy on past reviews."""

from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from config.errors import Conflict
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.settings import actions as project_actions
from projects.settings import merging
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, wants_fragment
from projects.web.polled_banner import PolledBanner
from workflows.learning import collecting, history, tasks
from workflows.learning.collecting import Collecting
from workflows.learning.forms import ThresholdForm, ThresholdRow
from workflows.learning.history import FieldSimulation

_FIRST, _AGAIN = "first", "again"  # whether the page has something to show
_PAGE = ("workflows/learning/thresholds.html", "workflows/learning/_thresholds.html")


@require_safe
def show_thresholds(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?threshold=``, ``?field-<name>=`` and ``?seconds=``; by default the project's own policy.

    ``?collecting=``: the polling of a page that waits for the collected reviews.
    """
    project = access.project_to_configure(request, project_id)
    if "collecting" in request.GET and wants_fragment(request):
        return _show_collecting(request, project)
    form = ThresholdForm(request.GET, project.settings)
    status = 200 if form.is_valid() else 422
    return render_answer(request, *_PAGE, _build(request, project, form), status=status)


@require_POST
def collect_reviews(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    tasks.order_history(request.site, project.id)
    return redirect_after_post(request, reverse("workflows:show-thresholds", args=[project.id]))


def _show_collecting(request: DeskRequest, project: Project) -> HttpResponse:
    """Keep what was typed and link to the collected reviews. A page without a simulation reloads."""
    found = collecting.find_collecting(request.site, project.id)
    waits_for = _FIRST if request.GET["collecting"] == _FIRST else _AGAIN
    if waits_for == _FIRST and not found.is_under_way:
        return HttpResponseClientRefresh()
    banner = _describe_collecting(project, found, waits_for, done=Phrase("Reviews collected."))
    return render_answer(request, "_polled_banner.html", None, {"banner": banner})


def _describe_collecting(project: Project, found: Collecting, waits_for: str, *, done: str = "") -> PolledBanner:
    address = reverse("workflows:show-thresholds", args=[project.id])
    return PolledBanner(
        "collecting",
        poll_url=f"{address}?collecting={waits_for}",
        page_url=address,
        is_under_way=found.is_under_way,
        waiting=Phrase("Collecting reviews. Runs started earlier go first."),
        problem=found.problem,
        done=done,
    )


@require_POST
def save_thresholds(request: DeskRequest, project_id: str) -> HttpResponse:
    """Save as the settings page does: concurrent changes to other places stay."""
    project = access.project_to_configure(request, project_id)
    if "threshold" not in request.POST:
        form = ThresholdForm({"threshold": ""}, project.settings)
        return render_answer(request, _PAGE[0], None, _build(request, project, form), status=422)
    form = ThresholdForm(request.POST, project.settings)
    if not form.is_valid():
        return render_answer(request, _PAGE[0], None, _build(request, project, form), status=422)
    own = form.thresholds()
    fields = tuple(replace(one, threshold=own.get(one.name)) for one in project.settings.fields)
    wanted = replace(project.settings, default_threshold=form.default(), fields=fields)
    seen = merging.unsign_seen(str(request.POST.get("seen", "")), request.site, project.id)
    try:
        project_actions.update_project(request.site, project.id, wanted, seen=seen, by=actor_of(request.user))
    except Conflict as error:
        form.add_error(None, str(error))
        return render_answer(request, _PAGE[0], None, _build(request, project, form), status=409)
    messages.success(request, gettext("Saved. Runs that start from now on use these thresholds."))
    return redirect_after_post(request, reverse("workflows:show-thresholds", args=[project.id]))


@dataclass(frozen=True)
class _Row:
    """``input``: None if the field is not in the project's own list."""

    label: str
    found: FieldSimulation
    input: ThresholdRow | None


def _build(request: DeskRequest, project: Project, form: ThresholdForm) -> dict[str, Any]:
    past = history.load_history(request.site, project.id)
    settings = project.settings
    found = collecting.find_collecting(request.site, project.id)
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "past": past,
        "banner": _describe_collecting(project, found, _AGAIN if past and past.documents else _FIRST),
        "most": history.MOST,
        "seen": merging.sign_seen(merging.digest_settings(settings, project.version), request.site, project.id),
    }
    if past is None or not past.documents or not form.is_valid():
        return context
    stored = {one.name: one.threshold for one in settings.fields if one.threshold is not None}
    before = history.simulate_thresholds(past, settings.default_threshold, stored)
    after = history.simulate_thresholds(past, form.default(), form.thresholds())
    hours = history.save_hours(before, after, form.cleaned_data["seconds"])
    labels = {one.name: one.label for one in settings.fields}
    inputs = form.rows()
    rows = [_Row(labels.get(one.name, one.name), one, inputs.get(one.name)) for one in after.fields]
    return context | {"before": before, "after": after, "hours": abs(round(hours, 1)), "more": hours < 0, "rows": rows}
