"""Position in the queue, loaded after the page so that opening a review stays cheap."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.phrase import Figure
from projects.documents import queries as counter_queries
from projects.policies.gate import shows_counts
from projects.queues.items import DEFAULT_QUEUE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.desk.page import load_review
from review.desk.undoable_decisions import SHOWN, list_receipts
from review.identity import ReviewRef
from review.status import PUT_OFF, UNDECIDED

_MOST_COUNTED = 100


@require_safe
def show_position(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Show how many reviews of its queue are due earlier and how many wait in all; empty if it does not wait, and
    while an access policy may hide some of them.

    With ``done`` in the URL (empty or a receipt), also list what this person can undo, in the same request.
    """
    access.check_can_view(request)
    review = load_review(request, ReviewRef(request.site, document_id, review_id))
    place: dict[str, str] = {}
    if review.status in UNDECIDED and review.status not in PUT_OFF and shows_counts(request):
        before = queries.count_before(request.site, review, most=_MOST_COUNTED)
        waiting = counter_queries.count_waiting_by_queue(request.site).get(review.queue or DEFAULT_QUEUE, 0)
        number = f"{_MOST_COUNTED}+" if before >= _MOST_COUNTED else str(before + 1)
        # The counter lags behind the index for a moment.
        place = {"number": number, "count": Figure(f"{max(waiting, before + 1):,}")}
    context: dict[str, Any] = {"place": place}
    if "done" in request.GET and access.can_review(request):
        receipts = list_receipts(request)
        context |= {"undo": True, "as_toasts": True, "receipts": receipts[:SHOWN], "all": len(receipts)}
    return render_answer(request, "review/desk/_position.html", None, context)
