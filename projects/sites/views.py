"""Pages of sites, group permissions and API keys."""

from collections.abc import Mapping, Sequence

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import clock
from config.errors import Conflict
from config.phrase import Phrase, count_phrase
from config.table import DEFAULT_SITE, InvalidKey
from projects.audit.events import actor_of
from projects.sites import access, actions, api_keys, directory, matrix
from projects.sites import queries as api_key_queries
from projects.sites import queries as site_queries
from projects.sites.forms import (
    KeyForm,
    SecondPersonForm,
    SeparationForm,
    SiteForm,
    SiteSlotsForm,
    SiteTitleForm,
    TokenForm,
)
from projects.sites.items import Site
from projects.sites.matrix import GroupRow
from projects.sites.permissions import NAMES, WORDS, Permission
from projects.sites.queries import ACTIVE, KEY_ACTIVE
from projects.sites.separation import SEPARATIONS, Separation
from projects.web.http import API_PATH, DeskRequest, page_links, redirect_after_post, render_answer, version_in


@require_http_methods(["GET", "POST"])
def edit_keys(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    return _edit_keys(request, KeyForm)


@require_http_methods(["GET", "POST"])
def edit_tokens(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    return _edit_keys(request, TokenForm)


@require_POST
def revoke_key(request: DeskRequest, mask: str) -> HttpResponse:
    access.check_can_configure(request)
    return _revoke(request, mask, "settings:edit-keys", own=False)


@require_POST
def revoke_token(request: DeskRequest, mask: str) -> HttpResponse:
    access.check_can_view(request)
    return _revoke(request, mask, "settings:edit-tokens", own=True)


def _revoke(request: DeskRequest, mask: str, page: str, *, own: bool) -> HttpResponse:
    row = api_keys.revoke_api_key(request.site, mask, by=actor_of(request.user), own=own)
    messages.success(request, gettext("%(name)s revoked. Its requests are now rejected.") % {"name": row.name})
    return redirect_after_post(request, reverse(page))


def _edit_keys(request: DeskRequest, kind: type[KeyForm]) -> HttpResponse:
    held = access.permissions_of(request)
    if request.method == "GET":
        return _keys_page(request, kind(held))
    form = kind(held, request.POST)
    if not form.is_valid():
        return _keys_page(request, form, status=422)
    row, key = api_keys.create_api_key(
        request.site,
        form.cleaned_data["name"],
        form.permissions(),
        by=actor_of(request.user),
        days=form.expiry_days,
        personal=kind is TokenForm,
    )
    # No redirect: the key is only in this response.
    return _keys_page(request, kind(held), made={"name": row.name, "key": key, "mask": row.mask}, status=201)


def _keys_page(
    request: DeskRequest, form: KeyForm, *, made: dict[str, object] | None = None, status: int = 200
) -> HttpResponse:
    cursor, own = request.GET.get("after"), isinstance(form, TokenForm)
    if own:
        page = api_key_queries.list_tokens(request.site, str(request.user.pk), cursor)
    else:
        page = api_key_queries.list_keys(request.site, cursor)
    context = {
        "form": form,
        "own": own,
        "api_path": API_PATH,
        "made": made,
        "rows": page.rows,
        "active": KEY_ACTIVE,
        "now": clock.iso(clock.now()),
        "revoke": "settings:revoke-token" if own else "settings:revoke-key",
        **page_links(request, page.next, reverse("settings:edit-tokens" if own else "settings:edit-keys")),
    }
    return render_answer(request, "projects/sites/keys.html", "projects/sites/_keys.html", context, status=status)


_LOCKED_OUT = Phrase("This would remove your own admin access. Nothing was saved; ask another admin to do it.")


@require_http_methods(["GET", "POST"])
def edit_groups(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    if request.method == "GET":
        cursor = request.GET.get("after")
        page = site_queries.groups_of_site(request.site, cursor)
        rows = matrix.list_group_rows(request.site, page.rows, is_first=not cursor)
        return _groups_page(request, rows, next_cursor=page.next, is_first=not cursor)
    rows = matrix.parse_posted_groups(request.POST)
    changed = [row for row in rows if row.is_changed]
    if problem := _problem(request, rows, changed):
        return _groups_page(request, rows, problem=problem, status=422)
    if not changed:
        messages.info(request, gettext("Nothing was changed."))
        return redirect_after_post(request, request.get_full_path())
    return _save(request, rows, changed)


def _problem(request: DeskRequest, rows: Sequence[GroupRow], changed: Sequence[GroupRow]) -> str:
    """Return why this cannot be saved, or None."""
    if len(changed) > actions.MOST_AT_ONCE:
        return Phrase(
            "You can change up to %(most_at_once)s groups at once. Nothing was saved; save fewer groups."
        ).fill(most_at_once=actions.MOST_AT_ONCE)
    added = next((row.group for row in rows if row.is_new), None)
    if added and added in {row.group for row in rows if not row.is_new}:
        return Phrase("Group %(added)s is already listed. Select its permissions there.").fill(added=added)
    # On a tenant's site, the names of other groups are not revealed: any name is accepted.
    if added and request.site == DEFAULT_SITE and not Group.objects.filter(name=added).exists():
        return Phrase("Group %(added)s does not exist. Check the spelling or create it under Administration.").fill(
            added=added
        )
    mine = access.groups_of(request)
    elsewhere = directory.get_permissions(request.site, mine - {row.group for row in rows})
    if not request.user.is_superuser and matrix.locks_out(rows, mine, elsewhere):
        return _LOCKED_OUT
    return ""


def _save(request: DeskRequest, rows: Sequence[GroupRow], changed: Sequence[GroupRow]) -> HttpResponse:
    try:
        actions.save_grants(request.site, [row.grant() for row in changed], by=actor_of(request.user))
    except Conflict:
        stored = site_queries.get_groups(request.site, [row.group for row in rows])
        return _groups_page(request, matrix.lay_over_stored(rows, stored), clash=True, status=409)
    except InvalidKey as error:
        return _groups_page(request, rows, problem=str(error), status=422)
    many = count_phrase("Permissions of %(count)s group", "Permissions of %(count)s groups", len(changed))
    messages.success(
        request, Phrase("%(many)s saved. Changes take effect within seconds.").fill(many=many).translated()
    )
    return redirect_after_post(request, request.get_full_path())


def _groups_page(
    request: DeskRequest,
    rows: Sequence[GroupRow],
    *,
    next_cursor: str | None = None,
    is_first: bool = True,
    problem: str = "",
    clash: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {
        "rows": [row for row in rows if not row.is_new],
        "new": next((row for row in rows if row.is_new), matrix.new_row()),
        "permissions": [(NAMES[one], WORDS[one]) for one in Permission],
        "problem": problem,
        "clash": clash,
        "next_cursor": next_cursor,
        "is_first": is_first,
        "first_url": reverse("settings:edit-groups"),
    }
    return render_answer(request, "projects/sites/groups.html", "projects/sites/_groups.html", context, status=status)


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
        rows.insert(0, site_queries.default_site())  # it has no row until it is changed
    context = {
        "rows": rows,
        "active": ACTIVE,
        **page_links(request, page.next, reverse("settings:list-sites")),
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
            made = actions.create_site(site_id, title, by=actor_of(request.user), group=group)
        except Conflict as error:
            form.add_error("site_id", str(error))
            status = 409
        else:
            messages.success(
                request,
                gettext("%(title)s created. It is available at /s/%(siteid)s/.")
                % {"title": made.title, "siteid": made.siteId},
            )
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
        # As typed, on top of the current version: sending it again is a deliberate choice.
        return _site_page(request, site_queries.get_site(site_id), form, status=409, clash=str(error))
    messages.success(request, words)
    return redirect_after_post(request, reverse("settings:list-sites"))


def _carry_out(request: DeskRequest, site: Site, order: str, form: forms.Form) -> str:
    """Perform the button's action and return a message. Raises: Conflict, Refused, NotFound."""
    version, by = version_in(request.POST), actor_of(request.user)
    if order == "close":
        return gettext("%(title)s closed. It can no longer be opened.") % {
            "title": actions.close_site(site.siteId, version=version, by=by).title
        }
    if order == "slots":
        slots = form.cleaned_data["slots"]
        actions.set_slots(site.siteId, slots, version=version, by=by)
        return gettext("%(title)s: concurrency limit set to %(site_slots)s.") % {
            "title": site.title,
            "site_slots": slots or settings.SITE_SLOTS,
        }
    if order == "second_person":
        needed = form.cleaned_data["second_person"]
        actions.set_second_person(site.siteId, needed, version=version, by=by)
        two = gettext("%(site)s: a second person confirms prompts into production.")
        one = gettext("%(site)s: one person moves prompts into production.")
        return (two if needed else one) % {"site": site.title}
    if order == "separation":
        chosen = Separation(form.cleaned_data["separation"])
        actions.set_separation(site.siteId, chosen, version=version, by=by)
        return gettext("%(title)s: separation of duties set to “%(chosen)s”.") % {
            "title": site.title,
            "chosen": Phrase(SEPARATIONS[chosen]).translated(),
        }
    if order == "rename":
        title = form.cleaned_data["title"]
        return gettext("Site renamed to %(title)s.") % {
            "title": actions.rename_site(site.siteId, title, version=version, by=by).title
        }
    return gettext("%(title)s reopened.") % {"title": actions.reopen_site(site.siteId, version=version, by=by).title}


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
