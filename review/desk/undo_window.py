"""How long a person can undo a decision before it is submitted: their own choice, kept in their browser."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post

LONGER = (15, 30, 60)  # seconds; the longest fits into REVIEW_MARGIN_SECONDS with the queue and a sweep
LONGEST = LONGER[-1]
_KEPT_DAYS = 365


def list_windows() -> list[int]:
    """In seconds, the shortest first."""
    return sorted({settings.REVIEW_UNDO_SECONDS, *LONGER})


def read_window(request: DeskRequest) -> int:
    """In seconds. Another person's choice in the same browser, or one that was tampered with, is none."""
    chosen = request.get_signed_cookie(_name(request), default="", salt=_salt(request)) or ""
    return int(chosen) if chosen in map(str, list_windows()) else settings.REVIEW_UNDO_SECONDS


@require_POST
def change_window(request: DeskRequest) -> HttpResponse:
    access.check_can_review(request)
    chosen = request.POST.get("seconds", "")
    response = redirect_after_post(request, reverse("review:list-undoable"))
    if chosen not in map(str, list_windows()):
        messages.error(request, "Select one of the listed times.")
        return response
    response.set_signed_cookie(
        _name(request), chosen, salt=_salt(request), max_age=_KEPT_DAYS * 86_400, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip
    messages.success(request, f"You can now undo a decision for {chosen} seconds.")
    return response


def _name(request: DeskRequest) -> str:
    return f"undo-{request.user.pk}"


def _salt(request: DeskRequest) -> str:
    return f"review.undo-window.{request.user.pk}"
