"""Live validation while typing, with the code that validates the submitted form; nothing is saved."""

from dataclasses import asdict

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from config.errors import Refused
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.web.http import DeskRequest
from review.desk import forms, ticket
from review.desk.page import check_waits_for, load_review, person_of
from review.identity import ReviewRef


@require_POST
def check_fields(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Validate typed fields. Only the site's row is read: the ticket holds fields, rules and values found.

    Raises: Refused for another person's ticket; NotFound if this person has no such review.
    """
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    try:
        carried = ticket.read_ticket(request.POST.get("ticket", ""), ref, person_of(request).id)
    except Refused:
        load_review(request, ref)
        raise
    check_waits_for(request, carried.queue)
    found = forms.check_typed(request.POST.dict(), carried.in_language(get_labels(request.site)))
    answer = {"fields": {name: asdict(one) for name, one in found.items()}}
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})
