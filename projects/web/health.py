"""Health checks and metrics under any host name, since load balancers call processes by address."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

PATHS = frozenset({"/healthz", "/readyz", "/metrics"})


class HealthMiddleware:
    """Lets machine endpoints pass under any host name; their responses contain no URLs that could be forged."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in PATHS:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".*") or "localhost"
        return self.get_response(request)
