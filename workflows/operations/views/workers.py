"""The page of workers: what waits in each queue, and whether workers of it stood still."""

from django.conf import settings
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.operations import workers


@require_safe
def list_workers(request: DeskRequest) -> HttpResponse:
    access.check_can_manage_sites(request)  # a queue holds every site's work
    context = {"rows": workers.list_queues(), "limit": settings.WORKER_STALLED_SECONDS}
    return render_answer(request, "workflows/operations/workers.html", None, context)
