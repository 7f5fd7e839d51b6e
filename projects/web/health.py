"""Load balancers and collectors ask a process by its address, which is no host name of the desk."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

PATHS = frozenset({"/healthz", "/readyz", "/metrics"})


class HealthMiddleware:
    """Lets what machines ask pass under any host name: these answers hold no address, so there is none to forge."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in PATHS:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".*") or "localhost"
        return self.get_response(request)
