"""Settings pages of the access policy: versions, trial, activation.

They are exempt from the policy, so that admins can always fix it (ADR 0058).
"""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, CountersignError, Refused
from projects.audit.events import actor_of
from projects.policies import actions, queries
from projects.policies.decision import Case, Decision
from projects.policies.examples import TITLES, load_example
from projects.policies.forms import PolicyForm, TrialForm
from projects.policies.items import PolicyVersion
from projects.policies.language import KNOWN
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer, version_in


@require_http_methods(["GET", "POST"])
def list_versions(request: DeskRequest) -> HttpResponse:
    """POST saves the next version. ``?example=`` or ``?version=``: the initial text."""
    access.check_can_configure(request)
    if request.method == "GET":
        return _versions_page(request)
    form = PolicyForm(request.POST)
    if not form.is_valid():
        return _versions_page(request, form, status=422)
    typed = form.cleaned_data
    try:
        made = actions.save_version(
            request.site, typed["policy"], typed["note"], newest=typed["newest"], by=actor_of(request.user)
        )
    except Refused as error:
        form.add_error("policy", str(error))
        return _versions_page(request, form, status=422)
    except Conflict as error:
        return _versions_page(request, form, error=str(error), status=409)
    messages.success(
        request, gettext("Version %(number)s saved. Try it on an example, then activate it.") % {"number": made.number}
    )
    return redirect_after_post(request, reverse("policies:show-version", args=[made.number]))


def _versions_page(
    request: DeskRequest, form: PolicyForm | None = None, *, error: str = "", status: int = 200
) -> HttpResponse:
    head, page = queries.get_policy(request.site), queries.list_versions(request.site, request.GET.get("after"))
    newest, active = int(head.newest or 0), int(head.index or 0)
    if form is None:
        form = PolicyForm(initial={"policy": _first_text(request, newest), "newest": newest})
    elif error:  # as typed, over the version that is the last now: saving again is a decision
        form = PolicyForm({**form.data.dict(), "newest": newest})  # type: ignore[attr-defined]  # a QueryDict
    context = {
        "form": form,
        "error": error,
        "head": head,
        "active": active,
        "rows": page.rows,
        **page_links(request, page.next, reverse("policies:list-versions")),
        "examples": TITLES.items(),
        "known": _list_known(),
    }
    return render_answer(request, "projects/policies/list.html", None, context, status=status)


def _first_text(request: DeskRequest, newest: int) -> str:
    asked = request.GET.get("version", "")
    if asked.isdecimal():
        return queries.get_version(request.site, int(asked)).policy
    if "example" in request.GET:
        return load_example(request.GET["example"])
    return queries.get_version(request.site, newest).policy if newest else ""


def _list_known() -> list[str]:
    return [".".join(("input", part, *([name] if name else []))) for part, of in KNOWN.items() for name in of or ("",)]


@require_safe
def show_version(request: DeskRequest, policy_version: int) -> HttpResponse:
    access.check_can_configure(request)
    return _version_page(request, queries.get_version(request.site, policy_version))


def _version_page(
    request: DeskRequest,
    version: PolicyVersion,
    form: TrialForm | None = None,
    *,
    tried: tuple[Case, Decision] | None = None,
    error: CountersignError | None = None,
) -> HttpResponse:
    head = queries.get_policy(request.site)
    active = int(head.index or 0)
    context = {
        "version": version,
        "number": version.number,
        "newest": int(head.newest or 0),
        "active": active,
        "is_active": version.number == active,
        "form": form or TrialForm(initial={"action": "READ"}),
        "decision": tried[1] if tried else None,
        "asked": _show_input(tried[0]) if tried else "",
        "error": str(error or ""),
    }
    status = 409 if isinstance(error, Conflict) else 422 if error or (form and form.errors) else 200
    return render_answer(request, "projects/policies/version.html", None, context, status=status)


def _show_input(case: Case) -> str:
    found: Mapping[str, Any] = {"action": case.action, "user": case.subject.words, "document": case.document}
    return json.dumps(found, indent=2, ensure_ascii=False)


@require_POST
def try_version(request: DeskRequest, policy_version: int) -> HttpResponse:
    """Evaluate this version on an example."""
    access.check_can_configure(request)
    version, form = queries.get_version(request.site, policy_version), TrialForm(request.POST)
    if not form.is_valid():
        return _version_page(request, version, form)
    try:
        case = form.case(request)
        found = actions.try_version(request.site, policy_version, [case], by=actor_of(request.user), at=form.moment)
    except Refused as error:
        return _version_page(request, version, form, error=error)
    return _version_page(request, queries.get_version(request.site, policy_version), form, tried=(case, found[0]))


@require_POST
def activate_version(request: DeskRequest, policy_version: int) -> HttpResponse:
    """``version``: the version shown as active, 0 for none."""
    access.check_can_configure(request)
    version = queries.get_version(request.site, policy_version)
    try:
        active = version_in(request.POST)
        actions.activate_version(request.site, policy_version, active=active, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _version_page(request, version, error=error)
    messages.success(
        request,
        gettext("Version %(policy_version)s is active. Other servers follow within seconds.")
        % {"policy_version": policy_version},
    )
    return redirect_after_post(request, reverse("policies:show-version", args=[policy_version]))


@require_POST
def deactivate_policy(request: DeskRequest) -> HttpResponse:
    """``version``: the number that the page showed as active."""
    access.check_can_configure(request)
    try:
        actions.deactivate_policy(request.site, active=version_in(request.POST), by=actor_of(request.user))
    except Conflict as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, gettext("No access policy is active. Groups alone decide who sees documents."))
    return redirect_after_post(request, reverse("policies:list-versions"))
