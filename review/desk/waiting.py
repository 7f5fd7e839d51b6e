"""Waiting reviews by queue: total, oldest, overdue and due today, each linked to its list."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import clock
from config.phrase import Phrase
from projects.documents import queries as counter_queries
from projects.policies.gate import shows_counts
from projects.queues import queries as queue_queries
from projects.queues import visibility
from projects.queues.items import DEFAULT_QUEUE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.desk.queue import queue_url
from review.desk.queue_filters import MOST_READ, Filters, end_of_today
from review.identity import queue_id

_LOOKED_INTO = 3  # queues with the most reviews: one Query each


@dataclass(frozen=True)
class QueueLine:
    """``oldest``: a stored instant, among those due first. ``counted``: whether the queue was read.

    ``overdue`` and ``today`` end in ``+`` if there may be more than were read.
    """

    name: str
    url: str
    waiting: int
    counted: bool = False
    oldest: str = ""
    overdue: str = ""
    today: str = ""

    @property
    def oldest_url(self) -> str:
        return self._url_of(Filters(sort="received"))

    @property
    def overdue_url(self) -> str:
        return self._url_of(Filters(due="over"))

    @property
    def today_url(self) -> str:
        return self._url_of(Filters(due="today"))

    def _url_of(self, filters: Filters) -> str:
        return f"{self.url}?{filters.query}"


@require_safe
def show_waiting(request: DeskRequest) -> HttpResponse:
    """Show waiting reviews with at most five calls: counts, queue names, and due reviews of the fullest queues.

    Empty while an access policy may hide some of them.
    """
    access.check_can_view(request)
    waiting = counter_queries.count_waiting_by_queue(request.site) if shows_counts(request) else {}
    names = _list_names(request, waiting)
    fullest = sorted((one for one in waiting if one in names), key=lambda one: (-waiting[one], names[one]))
    lines = [
        _look_into(request.site, names[queue], queue_id(queue), waiting[queue])
        if place < _LOOKED_INTO
        else QueueLine(names[queue], queue_url(queue_id(queue)), waiting[queue])
        for place, queue in enumerate(fullest)
    ]
    return render_answer(request, "review/desk/waiting.html", "review/desk/_waiting.html", {"lines": lines})


def _list_names(request: DeskRequest, waiting: Mapping[str, int]) -> dict[str, str]:
    """Return the names of the queues open to this person, by their stored ids."""
    names: dict[str, str] = {DEFAULT_QUEUE: Phrase("Review")}
    if waiting.keys() - names.keys():
        closed = visibility.list_closed_queues(request)
        names |= {one.id: one.name for one in queue_queries.all_queues(request.site) if one.id not in closed}
    return names


def _look_into(site: str, name: str, queue: str, waiting: int) -> QueueLine:
    now, end = clock.iso(clock.now()), clock.iso(end_of_today())
    page = queries.list_ahead(site, queue, limit=MOST_READ)
    due = [row.deadline for row in page.rows]
    overdue, today = sum(one <= now for one in due), sum(now < one < end for one in due)
    more = "+" if page.next and due[-1] < end else ""
    return QueueLine(
        name,
        queue_url(queue),
        waiting,
        counted=True,
        oldest=min((row.created_at for row in page.rows), default=""),
        overdue=f"{overdue}{more if not today else ''}",
        today=f"{today}{more}",
    )
