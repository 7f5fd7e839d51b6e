"""Whether an open page still holds its claim: asked while it is looked at, so that a loss is told at once."""

import json

from django.http import HttpResponse
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
