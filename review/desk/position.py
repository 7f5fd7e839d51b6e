"""What stands around an open review: asked for after its page, so that opening one costs no more."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from projects.documents import queries as counter_queries
from projects.queues.items import DEFAULT_QUEUE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.desk.page import load_review
from review.desk.undoing import SHOWN, list_receipts
from review.identity import ReviewRef
from review.status import PUT_OFF, UNDECIDED

_MOST_COUNTED = 100


@require_safe
def show_position(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """How many of its queue are due before it, and how many wait there in all; nothing if it does not wait.

    With ``done`` in the address, empty or a receipt, also what this person can still undo: one request for both.
    """
    access.check_can_view(request)
    review = load_review(request, ReviewRef(request.site, document_id, review_id))
    place = ""
    if review.status in UNDECIDED and review.status not in PUT_OFF:
        before = queries.count_before(request.site, review, most=_MOST_COUNTED)
        waiting = counter_queries.count_waiting_by_queue(request.site).get(review.queue or DEFAULT_QUEUE, 0)
        number = f"{_MOST_COUNTED}+" if before >= _MOST_COUNTED else str(before + 1)
        # The counter is another row than the index: for a moment it may know less.
        place = f"{number} of {max(waiting, before + 1):,}"
    context: dict[str, Any] = {"place": place}
    if "done" in request.GET and access.can_review(request):
        receipts = list_receipts(request)
        context |= {"undo": True, "as_toasts": True, "receipts": receipts[:SHOWN], "all": len(receipts)}
    return render_answer(request, "review/desk/_position.html", None, context)
