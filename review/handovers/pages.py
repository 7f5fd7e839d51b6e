"""Page images of review requests, which belong to no document."""

from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from config.errors import NotFound
from projects.sites import access
from projects.web.http import DeskRequest
from review.desk.page import MISSING, load_review
from review.identity import ReviewRef
from workflows.runs.views.pages import send_picture
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@require_safe
def show_page(request: DeskRequest, document_id: str, review_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based. Requires access to the review."""
    access.check_can_view(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if not ref.is_handed_over:
        raise NotFound(MISSING)
    body, length = DocumentFiles(ref.site, review.project_id, document_id).open(files.page_image(index))
    return send_picture(body, length, "image/png", request.GET.get("size", ""))
