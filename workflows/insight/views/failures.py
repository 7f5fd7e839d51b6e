"""The runs that failed at one step for one reason, linked from the numbers of Insight."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config.errors import NotFound
from config.table import InvalidKey
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer
from workflows.insight import queries
from workflows.insight.views.insight import name_error, name_step
from workflows.runs import queries as run_queries


@require_safe
def list_failures(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    step, error = request.GET.get("step", "")[:100], request.GET.get("error", "")[:200]
    cursor = request.GET.get("after")
    if not step or not error:
        raise NotFound(gettext("Open this list from Insight."))
    try:
        page = visibility.filter_page(
            request,
            lambda place: queries.list_failures(request.site, step, error, cursor=place),
            cursor,
            lambda row: row.document_id,
        )
    except InvalidKey as wrong:
        raise NotFound(gettext("No runs failed for this reason.")) from wrong
    url = f"{reverse('workflows:list-failures')}?{urlencode({'step': step, 'error': error})}"
    boards = run_queries.boards_of(request.site, [str(row.workflow_id) for row in page.rows])
    context = {
        "step": name_step(step),
        "error": name_error(error),
        "rows": [(boards[row.workflow_id], row.failed_at) for row in page.rows if row.workflow_id in boards],
        **page_links(request, page.next, url),
    }
    return render_answer(request, "workflows/insight/failures.html", None, context)
