"""Polling from an open page: whether it still holds its claim, or another person's claim has ended."""

import json

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config.errors import NotFound
from config.phrase import Phrase
from config.table import InvalidKey
from projects.sites import access
from projects.web.http import DeskRequest
from review import queries
from review.desk.page import MISSING, load_review, person_of, render_lost_page
from review.desk.viewer_state import viewer_state_of
from review.identity import ReviewRef

_DID = {"approved": Phrase("%(name)s approved it."), "rejected": Phrase("%(name)s rejected it.")}


@require_safe
def watch_claim(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """204 with the claim's end while this page (``?version=``) holds it; otherwise 409 with the current state.

    Every open page polls it every few seconds, so it costs one read. Its queue is checked for the state, which says
    more than the holder's page knows.
    """
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    try:
        review = queries.get_review(ref)
    except (NotFound, InvalidKey) as error:
        raise NotFound(MISSING) from error
    state = viewer_state_of(review, person_of(request))
    if not state.mine or request.GET.get("version") != str(review.version):
        return render_lost_page(request, ref)
    news = {"lease": state.at}
    return HttpResponse(status=204, headers={"HX-Trigger": json.dumps(news), "Cache-Control": "no-store"})


@require_safe
def watch_free(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """204 while another person holds it; then the outcome in words, for whoever waits."""
    access.check_can_review(request)
    review = load_review(request, ReviewRef(request.site, document_id, review_id))
    state = viewer_state_of(review, person_of(request))
    if state.kind in {"held", "assigned", "postponed", "asked"}:
        return HttpResponse(status=204, headers={"Cache-Control": "no-store"})
    told = (
        Phrase("It is free now.")
        if state.open_to_me
        else _DID[state.did].fill(name=state.who)
        if state.did
        else Phrase("It is closed now.")
    )
    return JsonResponse({"told": told.translated()}, headers={"Cache-Control": "no-store"})
