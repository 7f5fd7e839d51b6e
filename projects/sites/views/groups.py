"""The page of what groups may do on a site: one form, saved together or not at all."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from config.errors import Conflict
from config.table import DEFAULT_SITE, InvalidKey
from projects.audit.events import actor_of
from projects.sites import access, directory, matrix
from projects.sites.actions import groups as group_actions
from projects.sites.matrix import GroupRow
from projects.sites.permissions import WORDS, Permission
from projects.sites.queries import sites as site_queries
from projects.web.http import DeskRequest, redirect_after_post, render_answer

_LOCKED_OUT = "This would remove your own admin access. Nothing was saved; ask another admin to do it."


@require_http_methods(["GET", "POST"])
def edit_groups(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    if request.method == "GET":
        cursor = request.GET.get("after")
        page = site_queries.groups_of_site(request.site, cursor)
        rows = matrix.list_group_rows(request.site, page.rows, is_first=not cursor)
        return _page(request, rows, next_cursor=page.next, is_first=not cursor)
    rows = matrix.parse_posted_groups(request.POST)
    changed = [row for row in rows if row.is_changed]
    if problem := _problem(request, rows, changed):
        return _page(request, rows, problem=problem, status=422)
    if not changed:
        messages.info(request, "Nothing was changed.")
        return redirect_after_post(request, request.get_full_path())
    return _save(request, rows, changed)


def _problem(request: DeskRequest, rows: Sequence[GroupRow], changed: Sequence[GroupRow]) -> str:
    """Why this cannot be saved, or nothing."""
    if len(changed) > group_actions.MOST_AT_ONCE:
        return (
            f"You can change up to {group_actions.MOST_AT_ONCE} groups at once. Nothing was saved; save fewer groups."
        )
    added = next((row.group for row in rows if row.is_new), None)
    if added and added in {row.group for row in rows if not row.is_new}:
        return f"Group {added} is already listed. Select its permissions there."
    # On a tenant's site the names of others' groups are not told: there any name is taken.
    if added and request.site == DEFAULT_SITE and not Group.objects.filter(name=added).exists():
        return f"Group {added} does not exist. Check the spelling or create it under Users and roles."
    mine = access.groups_of(request)
    elsewhere = directory.get_permissions(request.site, mine - {row.group for row in rows})
    if not request.user.is_superuser and matrix.locks_out(rows, mine, elsewhere):
        return _LOCKED_OUT
    return ""


def _save(request: DeskRequest, rows: Sequence[GroupRow], changed: Sequence[GroupRow]) -> HttpResponse:
    try:
        group_actions.save_grants(request.site, [row.grant() for row in changed], by=actor_of(request.user))
    except Conflict:
        stored = site_queries.get_groups(request.site, [row.group for row in rows])
        return _page(request, matrix.lay_over_stored(rows, stored), clash=True, status=409)
    except InvalidKey as error:
        return _page(request, rows, problem=str(error), status=422)
    many = "Permissions of 1 group" if len(changed) == 1 else f"Permissions of {len(changed)} groups"
    messages.success(request, f"{many} saved. Changes take effect within seconds.")
    return redirect_after_post(request, request.get_full_path())


def _page(
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
        "permissions": [(one.value, WORDS[one]) for one in Permission],
        "problem": problem,
        "clash": clash,
        "on_main_site": request.site == DEFAULT_SITE,
        "next_cursor": next_cursor,
        "is_first": is_first,
        "first_url": reverse("settings:edit-groups"),
    }
    return render_answer(request, "projects/sites/groups.html", "projects/sites/_groups.html", context, status=status)
