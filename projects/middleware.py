"""What every request passes: its site, its sign-in, and the answers to domain errors."""

import logging
from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix, set_script_prefix
from django.utils.cache import patch_vary_headers

from config.errors import Conflict, CountersignError, NotAllowed, NotFound, Refused, Unavailable
from config.table import DEFAULT_SITE
from projects import access
from projects.http import wants_fragment

logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]

OFFERED_SITES = frozenset({DEFAULT_SITE})
_SITE_PATH = "/s/"
_STATUS: tuple[tuple[type[CountersignError], int], ...] = (
    (NotFound, 404),
    (NotAllowed, 403),
    (Conflict, 409),
    (Refused, 422),
    (Unavailable, 503),
)
_TABS = (
    ("/", "chart", "Overview"),
    ("/review/", "inbox", "Review"),
    ("/workflows/", "run", "Runs"),
    ("/projects/", "folder", "Projects"),
)


class SiteMiddleware:
    """Names the site of a request; ``/s/<site_id>/`` is taken off the path and put before every reversed URL."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        site, rest = _split(request.path_info)
        request.site = site  # type: ignore[assignment]  # as in DeskRequest
        if rest == request.path_info:
            return self.get_response(request)
        if site not in OFFERED_SITES:
            request.site = DEFAULT_SITE  # type: ignore[assignment]
            return _error_page(request, NotFound("There is no such site here."), 404)
        before = get_script_prefix()
        set_script_prefix(f"{before.rstrip('/')}{_SITE_PATH}{site}/")
        request.path_info = rest
        try:
            return self.get_response(request)
        finally:
            set_script_prefix(before)  # the prefix belongs to the thread, which serves another site next


def _split(path: str) -> tuple[str, str]:
    """``/s/acme/projects/`` → ``("acme", "/projects/")``; any other path is the default site's, as it is."""
    if not path.startswith(_SITE_PATH):
        return DEFAULT_SITE, path
    site, _, rest = path.removeprefix(_SITE_PATH).partition("/")
    return site, f"/{rest}"


class SignedInMiddleware(LoginRequiredMiddleware):
    """Sends people to sign in; htmx gets 401, since it would follow the redirect and swap the form into the page."""

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponse:  # type: ignore[override]
        if not wants_fragment(request):
            return super().handle_no_permission(request, view_func)
        text = "Your session ended. Sign in in another tab, then try again: nothing you typed is lost."
        return render(request, "_message.html", {"tone": "warn", "text": text}, status=401)


class DomainErrorMiddleware:
    """Answers a domain error with its status: a fragment for htmx, a page otherwise."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        for kind, status in _STATUS:
            if isinstance(error, kind):
                if status == 503:
                    logger.warning("unavailable", extra={"error": type(error.__cause__).__name__})
                return _error_page(request, error, status)
        return None  # a fault of ours: Django logs it and answers 500


def _error_page(request: HttpRequest, error: CountersignError, status: int) -> HttpResponse:
    if wants_fragment(request):
        context = {"tone": "warn" if status == 409 else "bad", "text": str(error), "status": status}
        response = render(request, "_message.html", context, status=status)
    else:
        # 422 has no page of its own: it is the bad request's, with the sentence of the refusal.
        template = "400.html" if status == 422 else f"{status}.html"
        response = render(request, template, {"text": str(error), "status": status}, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


def site_context(request: HttpRequest) -> dict[str, Any]:
    """What ``base.html`` shows: where we are, and what this person may do here."""
    user = getattr(request, "user", None)  # absent where an early middleware answers
    if user is None or not user.is_authenticated:
        return {"site": getattr(request, "site", DEFAULT_SITE), "tabs": (), "may": access.NOTHING}
    prefix = get_script_prefix().rstrip("/")
    here = request.path_info
    tabs = [
        {
            "url": prefix + path,
            "icon": icon,
            "label": label,
            "here": here == path or (path != "/" and here.startswith(path)),
        }
        for path, icon, label in _TABS
    ]
    return {"site": getattr(request, "site", DEFAULT_SITE), "tabs": tabs, "may": access.abilities(user)}
