"""In whose days a page thinks: the time zone that the person chose, else their browser's, else UTC."""

import zoneinfo
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from projects.web.http import API_PATH

SESSION_KEY = "time_zone"
COOKIE = "time-zone"  # js/app.js writes the browser's own


@cache
def list_zones() -> tuple[str, ...]:
    """Names that people choose from: places, and UTC."""
    return tuple(sorted(one for one in zoneinfo.available_timezones() if "/" in one and not one.startswith("Etc/")))


def find_zone(name: str) -> zoneinfo.ZoneInfo | None:
    """None of a name that is no time zone; it comes from a browser."""
    return zoneinfo.ZoneInfo(name) if name == "UTC" or name in list_zones() else None


def chosen_zone(request: HttpRequest) -> str:
    """The name of the one that the person chose; empty if they leave it to their browser."""
    return str(request.session.get(SESSION_KEY, ""))


class TimeZoneMiddleware:
    """Every page shows its times, and begins its days, in the person's time zone; programs are told UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path_info.startswith(API_PATH):
            return self.get_response(request)
        zone = find_zone(chosen_zone(request)) or find_zone(request.COOKIES.get(COOKIE, ""))
        with timezone.override(zone or "UTC"):
            return self.get_response(request)
