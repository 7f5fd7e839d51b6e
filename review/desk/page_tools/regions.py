"""Views for OCR of a marked region: a worker reads it, the page polls for the text."""

import re

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from config import clock
from config.errors import NotFound, Refused
from config.phrase import Phrase
from projects.sites import access
from projects.web.http import DeskRequest
from review.desk.page import load_review, person_of
from review.desk.page_tools.region_reading import Region, find_reading
from review.desk.tasks import order_reading
from review.desk.viewer_state import viewer_state_of
from review.identity import ReviewRef
from review.items.reviews import Review

_MOST_A_MINUTE = 20  # regions per person; each costs seconds of a worker or a paid call
_ASKED = "regions_asked"  # session key of the times of requests, in epoch seconds
_NAME = re.compile(r"[0-9a-f]{32}")


@require_http_methods(["GET", "HEAD", "POST"])
def read_region(request: DeskRequest, document_id: str, review_id: str, index: int) -> HttpResponse:
    """``index`` is 0-based. 200 with the text if it was read, otherwise 202 with the name to poll (``?name=``)."""
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if not viewer_state_of(review, person_of(request)).mine:
        return _answer({"problem": Phrase("You no longer hold this claim.")}, 409)
    if request.method == "POST":
        return _ask(request, ref, review, index)
    name = request.GET.get("name", "")
    if not _NAME.fullmatch(name):
        raise NotFound(gettext("Region not found."))
    return _answer_of(ref, review, name) or _answer({"name": name}, 202)


def _ask(request: DeskRequest, ref: ReviewRef, review: Review, index: int) -> HttpResponse:
    try:
        region = _region_of(request, index)
    except Refused as error:
        return _answer({"problem": str(error)}, 422)
    name = region.name(review)
    if known := _answer_of(ref, review, name):
        return known
    if not _may_ask(request):
        return _answer({"problem": Phrase("Too many regions in one minute. Wait a moment, then try again.")}, 422)
    if not order_reading(ref, region):
        return _answer({"problem": Phrase("No worker is available. Try again in a moment.")}, 422)
    return _answer({"name": name}, 202)


def _answer_of(ref: ReviewRef, review: Review, name: str) -> HttpResponse | None:
    try:
        return _answer(find_reading(ref, review, name), 200)
    except NotFound:
        return None


def _region_of(request: DeskRequest, index: int) -> Region:
    """Raises: Refused."""
    try:
        edges = [float(request.POST.get(name, "")) for name in ("left", "top", "right", "bottom")]
    except ValueError as error:
        raise Refused(gettext("Select a region of the page.")) from error
    region = Region(index, *edges)
    region.check()
    return region


def _may_ask(request: DeskRequest) -> bool:
    """Check the person's limit, counted in the session; readings that exist already are free."""
    now = clock.now().timestamp()
    recent = [at for at in request.session.get(_ASKED, ()) if at > now - 60]
    if len(recent) >= _MOST_A_MINUTE:
        return False
    request.session[_ASKED] = [*recent, now]
    return True


def _answer(found: dict[str, str], status: int) -> HttpResponse:
    return JsonResponse(found, status=status, headers={"Cache-Control": "private, no-store"})
