"""The page of a site's API keys: make one and see it once, see what there is, revoke."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from projects.audit.events import actor_of
from projects.sites import access
from projects.sites.actions import api_keys as api_key_actions
from projects.sites.forms import KeyForm
from projects.sites.queries import api_keys as api_key_queries
from projects.sites.queries.api_keys import ACTIVE
from projects.web.http import API_PATH, DeskRequest, redirect_after_post, render_answer


@require_http_methods(["GET", "POST"])
def edit_keys(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    if request.method == "GET":
        return _page(request, KeyForm(access.permissions_of(request)))
    form = KeyForm(access.permissions_of(request), request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    made = api_key_actions.create_api_key(
        request.site, form.cleaned_data["name"], form.permissions(), by=actor_of(request.user)
    )
    # No redirect: the key is in this answer and nowhere else.
    row, key = made
    return _page(
        request,
        KeyForm(access.permissions_of(request)),
        made={"name": row.name, "key": key, "mask": row.mask},
        status=201,
    )


@require_POST
def revoke_key(request: DeskRequest, mask: str) -> HttpResponse:
    access.check_can_configure(request)
    row = api_key_actions.revoke_api_key(request.site, mask, by=actor_of(request.user))
    messages.success(request, f"{row.name} revoked. Its requests are now rejected.")
    return redirect_after_post(request, reverse("settings:edit-keys"))


def _page(
    request: DeskRequest, form: KeyForm, *, made: dict[str, object] | None = None, status: int = 200
) -> HttpResponse:
    cursor = request.GET.get("after")
    page = api_key_queries.list_keys(request.site, cursor)
    context = {
        "form": form,
        "api_path": API_PATH,
        "made": made,
        "rows": page.rows,
        "active": ACTIVE,
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("settings:edit-keys"),
    }
    return render_answer(request, "projects/sites/keys.html", "projects/sites/_keys.html", context, status=status)
