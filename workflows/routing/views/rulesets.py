"""Pages of rulesets under the settings: the list, one with its rules."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.queues.actions import queue_id_from
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.routing import pinned_rules
from workflows.routing.actions import rulesets
from workflows.routing.forms.rules import RulesetForm, ruleset_form
from workflows.routing.items import Ruleset
from workflows.routing.views.rules import rule_rows

STEP = 10  # between two that are made one after the other, so that another fits between them


@require_safe
def list_rulesets(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    context = {"rulesets": pinned_rules.list_rulesets(request.site), "most": pinned_rules.MOST_RULESETS}
    return render_answer(request, "workflows/routing/rulesets.html", None, context)


@require_http_methods(["GET", "POST"])
def create_ruleset(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    ruleset_id = queue_id_from(request.POST.get("ruleset_id", ""))
    if request.method == "GET":
        priority = STEP + max((int(one.priority) for one in pinned_rules.list_rulesets(request.site)), default=0)
        form = RulesetForm(initial={"priority": priority, "on": True})
        return _page(request, form, {"ruleset_id": ruleset_id})
    form = RulesetForm(request.POST)
    if not form.is_valid():
        return _page(request, form, {"ruleset_id": ruleset_id}, status=422)
    rulesets.create_ruleset(request.site, form.draft(), by=actor_of(request.user), ruleset_id=ruleset_id)
    messages.success(request, "Ruleset created. Add a rule to it.")
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


@require_http_methods(["GET", "POST"])
def edit_ruleset(request: DeskRequest, ruleset_id: str) -> HttpResponse:
    access.check_can_govern(request)
    ruleset = pinned_rules.get_ruleset(request.site, ruleset_id)
    if request.method == "GET":
        return _page(request, ruleset_form(ruleset), _with_rules(request, ruleset))
    form = RulesetForm(request.POST)
    if not form.is_valid():
        return _page(request, form, _with_rules(request, ruleset), status=422)
    try:
        rulesets.update_ruleset(
            request.site, ruleset_id, form.draft(), version=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        now = pinned_rules.get_ruleset(request.site, ruleset_id)
        return _page(request, form, _with_rules(request, now) | {"clash": str(error)}, status=409)
    messages.success(request, "Ruleset saved. Started runs keep the earlier version.")
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


def _with_rules(request: DeskRequest, ruleset: Ruleset) -> dict[str, Any]:
    found = pinned_rules.list_rules(request.site, ruleset.documentId)
    return {"ruleset": ruleset, "rules": rule_rows(request.site, found), "most": pinned_rules.MOST_RULES}


def _page(request: DeskRequest, form: RulesetForm, more: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render_answer(
        request,
        "workflows/routing/ruleset.html",
        "workflows/routing/_ruleset.html",
        {"form": form, **more},
        status=status,
    )
