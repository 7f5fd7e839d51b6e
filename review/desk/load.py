"""The current workload of each reviewer, for those who assign reviews."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.identity import queue_id
from review.items.reviews import Review
from review.status import ReviewStatus

_MOST = 400  # held reviews that are read: a Query and four calls


@dataclass(frozen=True)
class Load:
    """One reviewer's open work. ``due``: the first deadline, a stored instant."""

    name: str
    claimed: int
    assigned: int
    due: str


@require_safe
def show_load(request: DeskRequest) -> HttpResponse:
    """Show the loads of a project or the site, without reviews in queues closed to this person."""
    access.check_can_configure(request)
    closed, project_id = visibility.list_closed_queues(request), request.GET.get("project", "")
    held, is_all = queries.list_held(request.site, most=_MOST)
    shown = [one for one in held if queue_id(one.queue) not in closed and project_id in ("", one.project_id)]
    context = {"rows": list_loads(shown), "most": None if is_all else _MOST}
    return render_answer(request, "review/desk/load.html", "review/desk/_load.html", context)


def list_loads(held: Iterable[Review]) -> list[Load]:
    """Return loads, most work first. A question counts for its asker, but not as work to do while it is unanswered."""
    by_holder: dict[str, list[Review]] = {}
    for one in held:
        if one.status != ReviewStatus.ASKED:
            by_holder.setdefault(str(one.holder), []).append(one)
    found = [
        Load(
            mine[0].holder_name or holder,
            sum(one.status == ReviewStatus.CLAIMED for one in mine),
            sum(one.status == ReviewStatus.ASSIGNED for one in mine),
            min(one.deadline for one in mine),
        )
        for holder, mine in by_holder.items()
    ]
    return sorted(found, key=lambda one: (-one.claimed - one.assigned, one.name.casefold()))
