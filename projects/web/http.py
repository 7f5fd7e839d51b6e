"""Requests and responses: the desk's request class, pages and fragments, problem details."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from config.errors import (
    Conflict,
    CountersignError,
    KeyRefused,
    NotAllowed,
    NotFound,
    Outdated,
    Refused,
    TooManyTries,
    Unavailable,
)
from config.table import InvalidKey

API_PATH = "/api/v1/"  # of every site: the key says which
PROBLEM = "application/problem+json"  # RFC 9457
_STATUS: tuple[tuple[type[CountersignError], int], ...] = (
    (NotFound, 404),
    (InvalidKey, 404),  # an id in the address that no record can have
    (KeyRefused, 401),
    (NotAllowed, 403),
    (Conflict, 409),
    (Outdated, 412),
    (Refused, 422),
    (TooManyTries, 429),
    (Unavailable, 503),
)


class DeskRequest(HttpRequest):
    """A request after our middleware: signed in, on one site."""

    site: str  # type: ignore[assignment]  # the stubs think of django.contrib.sites
    htmx: HtmxDetails
    user: User


def status_of(error: Exception) -> int | None:
    """Return the HTTP status of a domain error; None for unexpected errors."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), None)


def problem_response(status: int, detail: str, **more: Any) -> JsonResponse:
    """Build problem details with the message that a person would see."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    response = JsonResponse(body, status=status, content_type=PROBLEM)
    response["Cache-Control"] = "no-store"
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def make_inert(response: HttpResponseBase) -> HttpResponseBase:
    """Set headers for untrusted content, so that nothing in it runs, loads or is framed."""
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"  # in place of the pages' policy
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def wants_fragment(request: HttpRequest) -> bool:
    """Return whether a fragment is wanted; boosted links and restored history want a page."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)  # absent if an earlier middleware answers
    return bool(htmx) and htmx is not None and not htmx.boosted and not htmx.history_restore_request


def render_answer(
    request: HttpRequest, page: str, fragment: str | None, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render ``fragment`` for htmx and ``page`` otherwise; never cached, since it shows documents."""
    template = fragment if fragment and wants_fragment(request) else page
    response = render(request, template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    patch_cache_control(response, private=True, no_store=True)
    return response


def page_links(request: HttpRequest, following: str | None, url: str) -> dict[str, Any]:
    """Return the context of ``_pagination.html``. ``following``: next cursor; ``url``: start of the list."""
    return {"next_cursor": following, "is_first": not request.GET.get("after"), "first_url": url}


def redirect_after_post(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect after a POST; htmx is told to navigate instead of swapping the page into the form."""
    return HttpResponseClientRedirect(url) if wants_fragment(request) else HttpResponseRedirect(url)


_DIGITS = 9  # what no count of ours reaches; longer texts are slow to read and refused by the table


def read_number(text: str | None, *, otherwise: int = 0) -> int:
    """Parse a number of up to nine digits; ``otherwise`` if invalid.

    >>> read_number("12"), read_number("²"), read_number("-1"), read_number(None, otherwise=1)
    (12, 0, 0, 1)
    """
    # not isdigit: it takes superscripts, which int() does not
    return int(text) if text and len(text) <= _DIGITS and text.isdecimal() else otherwise


def version_in(data: Mapping[str, Any], name: str = "version") -> int:
    """Return the version that the page showed; -1, which never matches, if it was lost."""
    return read_number(str(data.get(name, "")), otherwise=-1)
