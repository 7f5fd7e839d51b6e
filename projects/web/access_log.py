"""Access log: one line per request with ids, status and cost."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config import clock, logs
from config.aws import count_calls
from projects.web.health import PATHS

logger = logging.getLogger(__name__)


class AccessLogMiddleware:
    """Gives each request an id, sent in the response and logged in all its lines.

    ``Server-Timing`` is sent on laptops only: on a public server it would be a timing side channel.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info in PATHS:  # asked every few seconds
            return self.get_response(request)
        request_id, began, cpu = clock.new_ulid(), time.perf_counter(), time.thread_time()
        with logs.on_request(request_id), count_calls() as count:
            response = self.get_response(request)
            seconds, cpu = time.perf_counter() - began, time.thread_time() - cpu
            match = request.resolver_match
            extra = {
                **logs.ids_of(match.kwargs if match else {}),
                "method": request.method,
                "route": logs.route_of(request),
                "user": _user_id(request),
                "status": response.status_code,
                "calls": count.calls,
                "seconds": round(seconds, 4),
                "cpu_seconds": round(cpu, 4),
            }
            logger.info("request", extra=extra)
        response[logs.REQUEST_HEADER] = request_id
        if settings.ON_LAPTOP:
            response["Server-Timing"] = (
                f'total;dur={seconds * 1000:.1f}, cpu;dur={cpu * 1000:.1f}, aws;desc="{count.calls} calls"'
            )
        return response


def _user_id(request: HttpRequest) -> str:
    """Return the user's id; empty if the view never loaded the user, which would cost a query."""
    user = getattr(request, "_cached_user", None)
    return str(user.pk or "") if user is not None else ""
