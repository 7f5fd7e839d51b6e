"""Saved views of the queue, private to a person."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from config import clock, table
from config.errors import NotFound
from config.table import InvalidKey
from config.transaction import Delete, Put, transact
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from review import queries
from review.desk.queue import queue_url
from review.desk.queue_filters import Filters
from review.items.saved_views import SavedView

MOST = 20
LONGEST_NAME = 40
_DIGITS = 9


@dataclass(frozen=True)
class Choice:
    """A saved view to open. ``digit``: its shortcut key, for the first nine. ``is_open``: the page shows it."""

    id: str
    name: str
    url: str
    digit: str
    is_open: bool = False


def list_choices(site: str, user_id: str, *, open_url: str = "") -> list[Choice]:
    """By name. ``open_url``: of the queue that the page shows, with its filters."""
    rows = sorted(queries.list_saved_views(site, user_id), key=lambda one: one.name.casefold())
    urls = (f"{queue_url(row.queue)}?{row.filters}" for row in rows)
    return [
        Choice(row.id, row.name, url, str(number) if number <= _DIGITS else "", url == open_url)
        for number, (row, url) in enumerate(zip(rows, urls, strict=True), start=1)
    ]


@require_POST
def save_view(request: DeskRequest) -> HttpResponse:
    """Save the filters of ``query`` under a name, replacing a view of the same name."""
    access.check_can_view(request)
    queue, user_id = request.POST.get("queue", ""), str(request.user.pk)
    access.check_admitted(request, queue)
    filters = Filters.from_query(QueryDict(request.POST.get("query", "")))
    name = " ".join(request.POST.get("name", "").split())[:LONGEST_NAME]
    view_id = hashlib.sha256(name.casefold().encode()).hexdigest()[:24]
    if not filters.chosen or not name:
        messages.error(request, gettext("Filter or sort the queue, then enter a name for the view."))
    elif _is_full(queries.list_saved_views(request.site, user_id), view_id):
        messages.error(
            request,
            gettext("You have %(most)s saved views. Delete one under Lists, then save this one.") % {"most": MOST},
        )
    else:
        row = SavedView(
            *table.SAVED_VIEW.key(request.site, user_id=user_id, view_id=view_id),
            name=name,
            queue=queue,
            filters=filters.query,
            created_at=clock.iso(clock.now()),
        )
        transact([Put(row, overwrite=True)])
        messages.success(request, gettext("View “%(name)s” saved.") % {"name": name})
    return redirect_after_post(request, f"{queue_url(queue)}?{filters.query}" if filters.chosen else queue_url(queue))


@require_POST
def delete_view(request: DeskRequest, view_id: str) -> HttpResponse:
    """Delete a view of the person's own; idempotent."""
    access.check_can_view(request)
    try:
        key = table.SAVED_VIEW.key(request.site, user_id=str(request.user.pk), view_id=view_id)
    except InvalidKey as error:
        raise NotFound(gettext("View not found.")) from error
    transact([Delete(key)])
    messages.success(request, gettext("View deleted."))
    return redirect_after_post(request, reverse("review:list-views"))


def _is_full(rows: Iterable[SavedView], view_id: str) -> bool:
    others = [row for row in rows if row.id != view_id]
    return len(others) >= MOST
