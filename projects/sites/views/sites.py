"""Pages of sites: list, create, rename, close and reopen; for admins of the default site, and there only."""

from collections.abc import Mapping

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict
from config.table import DEFAULT_SITE
from projects.audit.events import actor_of
from projects.sites import access
from projects.sites.actions import sites as site_actions
from projects.sites.forms import SecondPersonForm, SeparationForm, SiteForm, SiteSlotsForm, SiteTitleForm
from projects.sites.items import Site
from projects.sites.queries import sites as site_queries
from projects.sites.queries.sites import ACTIVE
from projects.sites.separation import SEPARATIONS, Separation
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in

_FORMS: Mapping[str, type[forms.Form]] = {
    "rename": SiteTitleForm,
    "slots": SiteSlotsForm,
    "second_person": SecondPersonForm,
    "separation": SeparationForm,
}


@require_safe
def list_sites(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    cursor = request.GET.get("after")
    page = site_queries.list_sites(cursor)
    rows = list(page.rows)
    if not cursor and not any(one.siteId == DEFAULT_SITE for one in rows):
        rows.insert(0, site_queries.default_site())  # it has no row until something about it is changed
    context = {
        "rows": rows,
        "active": ACTIVE,
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("settings:list-sites"),
    }
    return render_answer(request, "projects/sites/sites.html", None, context)


@require_http_methods(["GET", "POST"])
def create_site(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)
    form = SiteForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST" and form.is_valid():
        site_id, title, group = (form.cleaned_data[name] for name in ("site_id", "title", "group"))
        try:
            made = site_actions.create_site(site_id, title, by=actor_of(request.user), group=group)
        except Conflict as error:
            form.add_error("site_id", str(error))
            status = 409
        else:
            messages.success(request, f"{made.title} created. It is available at /s/{made.siteId}/.")
            return redirect_after_post(request, reverse("settings:list-sites"))
    if form.errors and status == 200:
        status = 422
    return render_answer(
        request, "projects/sites/site.html", "projects/sites/_site.html", {"form": form}, status=status
    )


@require_http_methods(["GET", "POST"])
def edit_site(request: DeskRequest, site_id: str) -> HttpResponse:
    access.check_can_manage_sites(request)
    site = site_queries.get_site(site_id)
    if request.method == "GET":
        return _site_page(request, site)
    order = request.POST.get("order", "rename")
    form = _FORMS.get(order, SiteTitleForm)(request.POST)
    if order in _FORMS and not form.is_valid():
        return _site_page(request, site, form, status=422)
    try:
        words = _carry_out(request, site, order, form)
    except Conflict as error:
        # As typed, over the version that is stored now: sending it again is a decision.
        return _site_page(request, site_queries.get_site(site_id), form, status=409, clash=str(error))
    messages.success(request, words)
    return redirect_after_post(request, reverse("settings:list-sites"))


def _carry_out(request: DeskRequest, site: Site, order: str, form: forms.Form) -> str:
    """Do what the pressed button says; returns it in words. Raises: Conflict, Refused, NotFound."""
    version, by = version_in(request.POST), actor_of(request.user)
    if order == "close":
        return (
            f"{site_actions.close_site(site.siteId, version=version, by=by).title} closed. It can no longer be opened."
        )
    if order == "slots":
        slots = form.cleaned_data["slots"]
        site_actions.set_slots(site.siteId, slots, version=version, by=by)
        return f"{site.title}: concurrency limit set to {slots or settings.SITE_SLOTS}."
    if order == "second_person":
        needed = form.cleaned_data["second_person"]
        site_actions.set_second_person(site.siteId, needed, version=version, by=by)
        people = "a second person confirms" if needed else "one person moves"
        return f"{site.title}: {people} prompts into production."
    if order == "separation":
        chosen = Separation(form.cleaned_data["separation"])
        site_actions.set_separation(site.siteId, chosen, version=version, by=by)
        return f"{site.title}: separation of duties set to “{SEPARATIONS[chosen]}”."
    if order == "rename":
        title = form.cleaned_data["title"]
        return f"Site renamed to {site_actions.rename_site(site.siteId, title, version=version, by=by).title}."
    return f"{site_actions.reopen_site(site.siteId, version=version, by=by).title} reopened."


def _site_page(
    request: DeskRequest, site: Site, typed: forms.Form | None = None, *, status: int = 200, clash: str = ""
) -> HttpResponse:
    titled = typed if isinstance(typed, SiteTitleForm) else None
    slots_typed = typed if isinstance(typed, SiteSlotsForm) else None
    second_typed = typed if isinstance(typed, SecondPersonForm) else None
    separation_typed = typed if isinstance(typed, SeparationForm) else None
    context = {
        "site_row": site,
        "form": titled or SiteTitleForm(initial={"title": site.title}),
        "slots_form": slots_typed or SiteSlotsForm(initial={"slots": site.slots or None}),
        "second_person_form": second_typed or SecondPersonForm(initial={"second_person": bool(site.second_person)}),
        "separation_form": separation_typed
        or SeparationForm(initial={"separation": site.separation or Separation.FOUR_EYES}),
        "clash": clash,
        "open": site.status == ACTIVE,
        "can_close": site.siteId != DEFAULT_SITE,
    }
    return render_answer(request, "projects/sites/site.html", "projects/sites/_site.html", context, status=status)
