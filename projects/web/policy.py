"""The Content Security Policy: the same on every page, our own origin only."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse


class PolicyMiddleware:
    """``django-csp`` builds the text once; its own middleware does so for each answer, for nonces, which no page has.

    An answer that brings a policy of its own keeps it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault(HEADER, self.policy)
        return response
