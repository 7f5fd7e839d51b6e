"""Health checks and metrics for load balancers and collectors."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from config import table
from config.errors import NotFound, Unavailable
from workflows.runs.items import Execution

_PLAIN = "text/plain; charset=utf-8"


@login_not_required
@never_cache
@require_safe
def is_up(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type=_PLAIN)


@login_not_required
@never_cache
@require_safe
def is_ready(_request: HttpRequest) -> HttpResponse:
    """Read a record that never exists: "not found" proves that the table answers."""
    try:
        Execution.load(table.EXECUTION.key(table.DEFAULT_SITE, execution_id="readiness"), consistent=False)
    except NotFound:
        pass
    except Unavailable as error:
        return HttpResponse(f"{error}\n", content_type=_PLAIN, status=503)
    return HttpResponse("ok\n", content_type=_PLAIN)


@login_not_required
@never_cache
@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
