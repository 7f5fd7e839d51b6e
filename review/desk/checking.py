"""Checks what is typed while it is typed, by the code that judges it when it is sent; nothing is kept."""

from dataclasses import asdict

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from config.errors import Refused
from projects.sites import access
from projects.web.http import DeskRequest
from review.desk import forms, ticket
from review.desk.page import check_waits_for, load_review, person_of
from review.identity import ReviewRef


@require_POST
def check_fields(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """No read of the table: the page's ticket has the fields, their rules and what was found.

    Raises: Refused, for a page of someone else's; NotFound, where there is no such review for this person.
    """
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    try:
        carried = ticket.read_ticket(request.POST.get("ticket", ""), ref, person_of(request).id)
    except Refused:
        load_review(request, ref)
        raise
    check_waits_for(request, carried.queue)
    found = forms.check_typed(request.POST.dict(), carried)
    answer = {"fields": {name: asdict(one) for name, one in found.items()}}
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})
