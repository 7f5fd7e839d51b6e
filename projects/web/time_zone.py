"""The time zone of a page: the person's choice, else the browser's, else UTC."""

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
    """Return the names to choose from: places, and UTC."""
    return tuple(sorted(one for one in zoneinfo.available_timezones() if "/" in one and not one.startswith("Etc/")))


def find_zone(name: str) -> zoneinfo.ZoneInfo | None:
    """Return the zone; None if the name, which comes from a browser, is invalid."""
    return zoneinfo.ZoneInfo(name) if name == "UTC" or name in list_zones() else None


def current_zone() -> zoneinfo.ZoneInfo:
    """Return the page's zone, whose text is its name."""
    zone = timezone.get_current_timezone()
    return zone if isinstance(zone, zoneinfo.ZoneInfo) else zoneinfo.ZoneInfo("UTC")


def chosen_zone(request: HttpRequest) -> str:
    """Return the chosen zone's name; empty for the browser's."""
    return str(request.session.get(SESSION_KEY, ""))


class TimeZoneMiddleware:
    """Sets the time zone of pages; API responses use UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path_info.startswith(API_PATH):
            return self.get_response(request)
        zone = find_zone(chosen_zone(request)) or find_zone(request.COOKIES.get(COOKIE, ""))
        with timezone.override(zone or "UTC"):
            return self.get_response(request)
