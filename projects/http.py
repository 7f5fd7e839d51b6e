"""What a view gets and gives: the desk's request, and one answer for page and fragment."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

API_PATH = "/api/v1/"  # of every site: the key says which


class DeskRequest(HttpRequest):
    """A request behind our middleware: signed in, on one site."""

    site: str  # type: ignore[assignment]  # the stubs think of django.contrib.sites
    htmx: HtmxDetails
    user: User


def wants_fragment(request: HttpRequest) -> bool:
    """A boosted link or a restored history entry asks for a page, though htmx sends it."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)  # absent where an earlier middleware answers
    return bool(htmx) and htmx is not None and not htmx.boosted and not htmx.history_restore_request


def answer(
    request: HttpRequest, page: str, fragment: str | None, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render ``fragment`` for htmx and ``page`` for everybody else; never stored, since it shows people's documents."""
    template = fragment if fragment and wants_fragment(request) else page
    response = render(request, template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    patch_cache_control(response, private=True, no_store=True)
    return response


def go(request: HttpRequest, url: str) -> HttpResponse:
    """Redirect after a POST; htmx would swap the redirect's page into the form, so it is told to navigate."""
    return HttpResponseClientRedirect(url) if wants_fragment(request) else HttpResponseRedirect(url)
