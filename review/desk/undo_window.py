"""The undo window before a decision is submitted: each person's choice, on all sites and computers."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from projects.accounts.preferences import UNDO_SESSION_KEY, find_undo_window, save_undo_window
from projects.sites import access
from projects.web.api import ApiRequest
from projects.web.http import DeskRequest, redirect_after_post

LONGER = (15, 30, 60)  # seconds; the longest, a queue's delay and a sweep fit into REVIEW_MARGIN_SECONDS
LONGEST = LONGER[-1]


def list_windows() -> list[int]:
    """Return the choices in seconds, shortest first."""
    return sorted({settings.REVIEW_UNDO_SECONDS, *LONGER})


def read_window(request: DeskRequest) -> int:
    """Return the window in seconds, as the session had it at sign-in or has been told since."""
    return _known(request.session.get(UNDO_SESSION_KEY))


def find_window(request: ApiRequest) -> int:
    """Return the window in seconds of the person whose token this is; a request of the API has no session."""
    return _known(find_undo_window(str(request.auth.person_id)))


def _known(chosen: int | None) -> int:
    """A choice that is offered no more is none."""
    return chosen if chosen in list_windows() else settings.REVIEW_UNDO_SECONDS


@require_POST
def change_window(request: DeskRequest) -> HttpResponse:
    """Save one's own window; other sessions use it from their next sign-in."""
    access.check_can_review(request)
    chosen = request.POST.get("seconds", "")
    if chosen not in map(str, list_windows()):
        messages.error(request, gettext("Select one of the listed times."))
    else:
        save_undo_window(str(request.user.pk), int(chosen))
        request.session[UNDO_SESSION_KEY] = int(chosen)
        messages.success(request, gettext("You can now undo a decision for %(chosen)s seconds.") % {"chosen": chosen})
    return redirect_after_post(request, reverse("review:list-undoable"))
