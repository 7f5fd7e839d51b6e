"""The page that places a document on legal hold, and releases it."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from config.errors import Conflict, Refused
from projects.audit.events import actor_of
from projects.documents.actions import hold
from projects.documents.queries.documents import get_document
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer


@require_http_methods(["GET", "POST"])
def change_hold(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: release (``since``: of the hold that was shown), else it is placed with a ``reason``."""
    access.check_can_govern(request)
    admission.check_document(request, document_id)
    if request.method == "GET":
        return _page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "release":
            hold.release_hold(request.site, document_id, since=post.get("since", ""), by=by)
            messages.success(request, "The legal hold was released.")
        else:
            hold.place_hold(request.site, document_id, post.get("reason", ""), by=by)
            messages.success(request, "The document is on legal hold.")
    except (Conflict, Refused) as error:
        return _page(request, document_id, error=str(error), status=409 if isinstance(error, Conflict) else 422)
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "document": get_document(request.site, document_id),
        "error": error,
        "typed": request.POST.get("reason", ""),
        "longest": hold.LONGEST_REASON,
    }
    return render_answer(request, "projects/documents/hold.html", None, context, status=status)
