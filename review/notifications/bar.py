"""The number of unread notifications in the app bar."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

from config.errors import CountersignError
from projects.sites import access
from review.notifications import queries


def notification_context(request: HttpRequest) -> dict[str, Callable[[], int]]:
    """``unread``: evaluated only by the app bar, so fragments do not pay for it."""
    return {"unread": lambda: _count(request)}


def _count(request: HttpRequest) -> int:
    user: Any = getattr(request, "user", None)
    if user is None or not user.is_authenticated or getattr(request, "unanswered", False):
        return 0
    try:
        return queries.count_unread(str(request.site), str(user.pk)) if access.permissions_of(request) else 0
    except CountersignError:
        return 0
