"""Asked while a page is looked at: whether it still holds its claim, or whether another person's has ended."""

import json

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from projects.sites import access
from projects.web.http import DeskRequest
from review.desk.page import load_review, person_of, render_lost_page
from review.desk.viewer_state import viewer_state_of
from review.identity import ReviewRef


@require_safe
def watch_claim(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """204 with the end of the claim while it is this page's (``?version=``); otherwise 409 with the review as it is."""
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    state = viewer_state_of(review, person_of(request))
    if not state.mine or request.GET.get("version") != str(review.version):
        return render_lost_page(request, ref)
    news = {"lease": state.at}
    return HttpResponse(status=204, headers={"HX-Trigger": json.dumps(news), "Cache-Control": "no-store"})


@require_safe
def watch_free(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """204 while another person has it; then what became of it, in words, for whoever waits for that."""
    access.check_can_review(request)
    review = load_review(request, ReviewRef(request.site, document_id, review_id))
    state = viewer_state_of(review, person_of(request))
    if state.kind in {"held", "assigned", "postponed", "asked"}:
        return HttpResponse(status=204, headers={"Cache-Control": "no-store"})
    told = (
        "It is free now." if state.open_to_me else f"{state.who} {state.did} it." if state.did else "It is closed now."
    )
    return JsonResponse({"told": told}, headers={"Cache-Control": "no-store"})
