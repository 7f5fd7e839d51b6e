"""Views of legal hold and checkout."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from config.errors import Conflict, Refused
from projects.audit.events import actor_of
from projects.documents.actions import hold, locks
from projects.documents.queries import get_document
from projects.queues import visibility
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer

_HOURS = 8  # that a form offers


@require_http_methods(["GET", "POST"])
def change_hold(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: release (``since``: of the hold that was shown), else it is placed with a ``reason``."""
    access.check_can_govern(request)
    visibility.check_document(request, document_id)
    if request.method == "GET":
        return _page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "release":
            hold.release_hold(request.site, document_id, since=post.get("since", ""), by=by)
            messages.success(request, gettext("The legal hold was released."))
        else:
            hold.place_hold(request.site, document_id, post.get("reason", ""), by=by)
            messages.success(request, gettext("The document is on legal hold."))
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


@require_http_methods(["GET", "POST"])
def change_checkout(request: DeskRequest, document_id: str) -> HttpResponse:
    """``op``: check-in (``since``: of the checkout that was shown), else it is checked out for some ``hours``."""
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    if request.method == "GET":
        return _checkout_page(request, document_id)
    post, by = request.POST, actor_of(request.user)
    try:
        if post.get("op") == "check-in":
            admin = access.can(request, Permission.ADMIN)
            locks.check_in(request.site, document_id, since=post.get("since", ""), by=by, admin=admin)
            messages.success(request, gettext("The document is checked in."))
        else:
            locks.check_out(request.site, document_id, read_number(post.get("hours")), by=by)
            messages.success(request, gettext("The document is checked out. Others cannot change it."))
    except (Conflict, Refused) as error:
        return _checkout_page(
            request, document_id, error=str(error), status=409 if isinstance(error, Conflict) else 422
        )
    return redirect_after_post(request, reverse("documents:show-document", args=[document_id]))


def _checkout_page(request: DeskRequest, document_id: str, *, error: str = "", status: int = 200) -> HttpResponse:
    document = get_document(request.site, document_id)
    is_own = document.lock_by == str(request.user.pk)
    context = {
        "document": document,
        "is_own": is_own,
        "may_check_in": is_own or access.can(request, Permission.ADMIN),
        "error": error,
        "hours": request.POST.get("hours", _HOURS),
        "most_hours": locks.MOST_HOURS,
    }
    return render_answer(request, "projects/documents/checkout.html", None, context, status=status)
