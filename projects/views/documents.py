"""Pages of documents: those of a day, one of them, what was done with it."""

import datetime as dt
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from config import clock
from config.errors import NotFound
from config.table import InvalidKey
from projects import access, queries
from projects.document_page import activity_of, page_of
from projects.http import DeskRequest, answer, go
from projects.looks import looked


@require_safe
def list_documents(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor, today = request.GET.get("after"), clock.now().date()
    day = _day(request.GET.get("day", ""), today)
    page = queries.documents.documents_of_day(request.site, day, cursor=cursor)
    url = reverse("documents:list-documents")
    context = {
        "rows": page.rows,
        "day": day,
        "today": today,
        "before": day - dt.timedelta(days=1),
        "following": day + dt.timedelta(days=1) if day < today else None,
        "next_cursor": page.next,
        "is_first": not cursor,
        "list_url": url,
        "first_url": f"{url}?day={day.isoformat()}",
    }
    return answer(request, "document/list.html", None, context)


def _day(text: str, today: dt.date) -> dt.date:
    """Today for what is no day; a day that has not come has no documents."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return today
    return min(max(day, dt.date(1970, 1, 2)), today)


@require_safe
def show_document(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    try:
        return looked(request, document_page(request, document_id), document_id)
    except NotFound:
        return _elsewhere(request, document_id)


def _elsewhere(request: DeskRequest, document_id: str) -> HttpResponse:
    """Leads to the deleted document, or to the runs that are all there is of one of the seed-000 system.

    Raises:
        NotFound: neither, or not this person's to see.

    """
    try:
        record = queries.removals.removal(request.site, document_id)
    except NotFound:
        if not queries.documents.is_earlier(request.site, document_id):
            raise
        return HttpResponseRedirect(reverse("workflows:newest-run", args=[document_id]))
    if not access.can_delete(request):
        raise NotFound("This document was deleted. Who may delete documents can look for it among the deleted ones.")
    return go(request, reverse("documents:show-deleted", args=[record.document_id]))


def document_page(
    request: DeskRequest, document_id: str, *, fragment: str | None = None, status: int = 200, **more: Any
) -> HttpResponse:
    """The page, or one of its panels for htmx, as the document is now.

    Raises:
        NotFound: no such document, or it was deleted.

    """
    rows = queries.documents.document_rows(request.site, document_id)
    context = page_of(rows, queries.schemas.attribute_definitions(request.site))
    return answer(request, "document/show.html", fragment, context | more, status=status)


@require_safe
def show_activity(request: DeskRequest, document_id: str) -> HttpResponse:
    access.check_can_view(request)
    try:
        page = queries.documents.activities(request.site, document_id, cursor=request.GET.get("after"))
    except InvalidKey as error:
        raise NotFound("There is no such document here.") from error
    context = {
        "document_id": document_id,
        "rows": [activity_of(row) for row in page.rows],
        "next": page.next,
        "is_first": "after" not in request.GET,
    }
    return answer(request, "document/activity.html", "document/_activity.html", context)
