"""Redirect from a run to its open review."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from projects.web.http import DeskRequest
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.runs.views.pages import run_of
from workflows.runs.waiting_review import find_waiting_review


@require_safe
def open_review(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """Redirect to the review, so that no page reads a review only to link to it."""
    board, link = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    waiting = None if link is not None else find_waiting_review(run, queries.execution(run))
    if waiting is None or waiting.decision is not None:
        messages.info(request, gettext("This run no longer waits for a review."))
        return HttpResponseRedirect(reverse("workflows:show-run", args=[document_id, workflow_id]))
    return HttpResponseRedirect(reverse("review:show-review", args=[document_id, waiting.review_id]))
