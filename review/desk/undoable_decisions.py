"""Decisions that can still be undone: the page, and the list beside desk and queue."""

import datetime as dt

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import clock
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from review import queries
from review.desk import ticket
from review.desk.ticket import Receipt
from review.desk.undo_window import LONGEST, list_windows, read_window
from review.items.reviews import ReviewDecision
from review.status import SPLIT, Decision

MOST = 100  # on the page
SHOWN = 3  # beside the work


@require_safe
def list_undoable(request: DeskRequest) -> HttpResponse:
    """Show them newest first. ``done``: receipt of the latest decision, which the index may not have yet."""
    access.check_can_review(request)
    shown = list_receipts(request)
    context = {
        "receipts": shown[:SHOWN] if request.htmx else shown,
        "all": len(shown),
        "as_toasts": request.GET.get("as") == "toasts",
        "seconds": read_window(request),
        "windows": list_windows(),
    }
    return render_answer(request, "review/desk/undoable.html", "review/desk/_undoable.html", context)


def list_receipts(request: DeskRequest) -> list[Receipt]:
    """Return decisions that can be undone, newest first, including the one of ``done`` in the URL."""
    person_id = str(request.user.pk)
    since = clock.iso(clock.now() - dt.timedelta(seconds=LONGEST))
    found = queries.list_decisions_since(request.site, person_id, since, limit=MOST).rows
    receipts = [_receipt(request.site, row) for row in found if row.status in {*Decision, SPLIT}]
    just_made = ticket.read_receipt(request.GET.get("done", ""), request.site, person_id)
    if just_made and just_made.decision_id not in {queries.decision_place(request.site, row)[1] for row in found}:
        receipts.insert(0, just_made)
    return [one for one in receipts if one.can_undo or one == just_made]


def _receipt(site: str, row: ReviewDecision) -> Receipt:
    ref, decision_id = queries.decision_place(site, row)
    return Receipt(ref.document_id, ref.review_id, decision_id, row.name or "", row.status or "", row.deadline or "")
