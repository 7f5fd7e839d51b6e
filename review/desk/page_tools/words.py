"""The words of a page, loaded by the desk's script when the pointer enters the page."""

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from projects.sites import access
from projects.web.http import DeskRequest
from review.desk.page import load_review
from review.desk.page_tools import page_words
from review.identity import ReviewRef


@require_safe
def list_words(request: DeskRequest, document_id: str, review_id: str, index: int) -> HttpResponse:
    """``index`` is 0-based. Each word with its edges in thousandths of the page: left, top, right, bottom."""
    access.check_can_view(request)
    ref = ReviewRef(request.site, document_id, review_id)
    found = page_words.list_words(ref, load_review(request, ref), index)
    words = [[text, *(round(edge * 1000, 1) for edge in box)] for text, box in found]
    return JsonResponse({"words": words}, headers={"Cache-Control": "private, no-store"})
