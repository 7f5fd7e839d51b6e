"""Middleware: site, sign-in, and responses to domain errors."""

import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseServerError
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.urls import get_script_prefix, set_script_prefix
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext

from config import logs
from config.errors import CountersignError, NotFound
from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.audit.api_calls import note_api_call
from projects.shares.queries import NO_LINK
from projects.sites import access, directory
from projects.sites.people import list_people
from projects.sites.permissions import Permission
from projects.sites.rate_limit import Rate
from projects.web.http import API_PATH, PROBLEM, problem_response, status_of, wants_fragment
from projects.web.time_zone import chosen_zone

logger = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]
# Not around the middleware: Django logs a refusal when all of them have answered.
request_finished.connect(lambda **_: logs.set_site(""), weak=False, dispatch_uid="projects.web.middleware.site")

_MOST_NAMED = 3  # admins on a page that someone may not see
_API = re.compile(r"/api(?:/|$)")
_API_OF_A_SITE = re.compile(r"/s/[^/]*/api(?:/|$)")
_TABS = (
    ("/", "chart", Phrase("Overview")),
    ("/review/", "inbox", Phrase("Review")),
    ("/documents/", "page", Phrase("Documents")),
    ("/workflows/", "run", Phrase("Runs")),
    ("/projects/", "folder", Phrase("Projects")),
    ("/insight/", "gauge", Phrase("Insight")),
)
_LINK = "/shared/"
_SHARED = (_LINK, "/published/")  # whoever has a link is on its site without signing in
_CASES = ("/cases/", "flag", Phrase("Cases"))  # on a site that has one
_SETTINGS = ("/settings/", "gear", Phrase("Settings"))  # for those who may set anything up
# A project's uploads, documents, batches and costs are its pages; schemas are reached from the settings.
_PAGES_OF = {
    "/workflows/projects/": "/projects/",
    "/batches/": "/projects/",
    "/executions/": "/workflows/",
    "/entities/": "/documents/",
    "/settings/costs/projects/": "/projects/",
    "/schemas/": _SETTINGS[0],
}


class SiteMiddleware:
    """Sets the site of a request; ``/s/<site_id>/`` is removed from the path and prefixed to reversed URLs.

    Unknown, closed and inaccessible sites answer alike, so that nobody learns which sites exist.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        site, rest = _split(request.path_info)
        request.site = DEFAULT_SITE  # type: ignore[assignment]  # as in DeskRequest
        logs.set_site(DEFAULT_SITE)
        if rest == request.path_info:
            return self.get_response(request)
        by_link = rest.startswith(_SHARED)
        if not by_link and not request.user.is_authenticated:
            return ask_to_sign_in(request)
        try:
            may_enter = directory.is_open(site) if by_link else bool(access.permissions_on(request, site))
        except CountersignError as error:
            return error_page(request, error, 503)
        if not may_enter and site != DEFAULT_SITE:
            return error_page(request, NotFound(NO_LINK if by_link else gettext("Site not found.")), 404)
        request.site = site  # type: ignore[assignment]
        before = get_script_prefix()
        set_script_prefix(f"{before.rstrip('/')}{access.SITE_PATH}{site}/")
        request.path_info = rest
        logs.set_site(site)
        try:
            return self.get_response(request)
        finally:
            set_script_prefix(before)  # the prefix belongs to the thread, which serves another site next


def _split(path: str) -> tuple[str, str]:
    """``/s/acme/projects/`` → ``("acme", "/projects/")``; any other path is the default site's, as it is."""
    if not path.startswith(access.SITE_PATH):
        return DEFAULT_SITE, path
    site, _, rest = path.removeprefix(access.SITE_PATH).partition("/")
    return site, f"/{rest}"


class SignedInMiddleware(LoginRequiredMiddleware):
    """Redirects anonymous people to sign-in."""

    def process_view(self, request: HttpRequest, view_func: Any, *args: Any) -> HttpResponseBase | None:
        # The API asks for a key itself, and a session is none.
        return None if _API.match(request.path_info) else super().process_view(request, view_func, *args)

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponse:  # type: ignore[override] # noqa: ARG002 - Django's signature
        return ask_to_sign_in(request)


def ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to sign-in and back; htmx gets 401, since it would swap the form into the page."""
    if not wants_fragment(request):
        return redirect_to_login(_page_of(request), resolve_url(settings.LOGIN_URL))
    text = Phrase("Your session expired. Sign in in another tab, then try again. Your input is kept.")
    return render(request, "_message.html", {"tone": "warn", "text": text}, status=401)


def _page_of(request: HttpRequest) -> str:
    """Return where to go after sign-in: the page, or for a posted form the page that contains it."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    came_from = request.headers.get("referer", "")
    if not url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure()):
        return "/"
    return urlsplit(came_from)._replace(scheme="", netloc="").geturl()


class DomainErrorMiddleware:
    """Renders domain errors with their status: a fragment for htmx, a page otherwise."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        status = status_of(error)
        if status is None or not isinstance(error, CountersignError):
            return None  # a fault of ours: Django logs it and answers 500
        if status == 503:
            logger.warning("unavailable", extra={"error": type(error.__cause__).__name__})
        return error_page(request, error, status)


class ProblemMiddleware:
    """Gives programs problem details, never pages or sign-in redirects, even for unmatched URLs and crashes."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if _API_OF_A_SITE.match(path):
            return problem_response(404, f"Use {API_PATH} without a site prefix. The API key determines the site.")
        response = self._answer(path, request)
        rate: Rate | None = getattr(request, "rate", None)  # of a program whose key is known
        if rate is not None:
            response["RateLimit-Limit"] = str(rate.limit)
            response["RateLimit-Remaining"] = str(max(rate.remaining, 0))
            response["RateLimit-Reset"] = str(rate.seconds)
            if response.status_code == 429:
                response["Retry-After"] = str(rate.seconds)
        if response.status_code < 300 and hasattr(request, "etag"):
            response["ETag"] = request.etag
        note_api_call(request, response)
        return response

    def _answer(self, path: str, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not _API.match(path) or response.status_code < 300 or response.get("Content-Type") == PROBLEM:
            return response
        status = response.status_code if response.status_code >= 400 else 404
        answer = problem_response(status, _PROBLEMS.get(status, "This request is not supported here."))
        if "Allow" in response:
            answer["Allow"] = response["Allow"]
        return answer


_PROBLEMS = {
    400: Phrase("Bad request. Check the URL, headers and content length."),
    404: f"Not found. See {API_PATH}openapi.json for available endpoints.",
    405: Phrase("Method not allowed for this endpoint."),
    500: Phrase("Internal error. Saved data is safe; retry in a moment."),
}


def error_page(request: HttpRequest, error: CountersignError, status: int) -> HttpResponse:
    if wants_fragment(request):
        # What people can mend needs no reference; of the rest the log says more.
        reference = logs.request_id() if status >= 500 else ""
        tone = "warn" if status == 409 else "bad"
        context = {"tone": tone, "text": str(error), "status": status, "reference": reference}
        response = render(request, "_message.html", context, status=status)
    else:
        # These have no page of their own: they are the bad request's, with the sentence of the refusal.
        template = "400.html" if status in (422, 429) else f"{status}.html"
        if status == 404 and _split(request.path_info)[1].startswith(_LINK):
            template = "projects/web/link_gone.html"  # the same for a link that was revoked and one that never was
        request.unanswered = status == 503  # type: ignore[attr-defined] # read by site_context
        response = render(request, template, {"text": str(error), "status": status}, status=status)
    patch_vary_headers(response, ["HX-Request"])
    response["Cache-Control"] = "no-store"
    return response


def server_error(_request: HttpRequest) -> HttpResponse:
    """Django's handler of unexpected errors; the page is static and shows the id to find in the log."""
    return HttpResponseServerError(render_to_string("500.html", {"request_id": logs.request_id()}))


def site_context(request: HttpRequest) -> dict[str, Any]:
    """Context of ``base.html``: site, permissions and other sites."""
    user = getattr(request, "user", None)  # absent if an early middleware answers
    here: dict[str, Any] = {
        "site": getattr(request, "site", DEFAULT_SITE),
        "tabs": (),
        "may": access.NO_ABILITIES,
        "request_id": logs.request_id(),
        "policy_failed": getattr(request, "policy_failed", ""),
        "counts_left_out": getattr(request, "counts_left_out", False),
    }
    if user is None or not user.is_authenticated:
        return here
    here["zone"] = chosen_zone(request)
    if getattr(request, "unanswered", False):  # the page that says so waits for no other answer
        may = access.abilities(request) if hasattr(request, "permissions") else access.NO_ABILITIES
        return here | {"tabs": _tabs(request, may), "may": may}
    try:
        may = access.abilities(request)
    except CountersignError:  # the page that says so is on its way
        return here
    # Asked for by the app bar only: a fragment costs nothing for it.
    tabs = _tabs(request, may) if access.permissions_of(request) else ()
    more = {"switcher": lambda: _switcher(request), "way_out": lambda: access.way_out(request)}
    more["whom_to_ask"] = lambda: _name_admins(request)
    more["missing"] = lambda: access.find_missing(request)
    return here | {"tabs": tabs, "may": may, **more}


def _name_admins(request: HttpRequest) -> list[str]:
    """Return the site's admins, for people with a role there; strangers get no names."""
    if not access.permissions_of(request):
        return []
    return [one.name for one in list_people(str(request.site), Permission.ADMIN)[:_MOST_NAMED]]


def _tabs(request: HttpRequest, may: access.Abilities) -> list[dict[str, Any]]:
    prefix = get_script_prefix().rstrip("/")
    path_here = request.path_info
    here = next((tab for head, tab in _PAGES_OF.items() if path_here.startswith(head)), path_here)
    used = [_CASES] if _has_cases(request, may) else []
    return [
        {
            "url": prefix + path,
            "icon": icon,
            "label": label,
            "here": here == path or (path != "/" and here.startswith(path)),
        }
        for path, icon, label in (*_TABS, *used, *([_SETTINGS] if may.set_up else []))
    ]


def _has_cases(request: HttpRequest, may: access.Abilities) -> bool:
    """Not asked by the page that says that nothing answers."""
    try:
        return may.view and not getattr(request, "unanswered", False) and directory.has_cases(str(request.site))
    except CountersignError:
        return False


def _switcher(request: HttpRequest) -> dict[str, Any]:
    """Return the person's sites, if there are several."""
    try:
        places = access.places_of(request)
    except CountersignError:
        return {}
    here = str(request.site)
    if all(one.site_id == here for one in places):
        return {}
    title = next((one.title for one in places if one.site_id == here), "")  # empty on the main site for who has no role
    return {
        "title": title or Phrase("Sites"),
        "label": Phrase("Switch site (current: %(title)s)").fill(title=title) if title else Phrase("Select a site"),
        "places": [
            {"title": one.title, "url": access.home(one.site_id), "here": one.site_id == here} for one in places
        ],
    }
