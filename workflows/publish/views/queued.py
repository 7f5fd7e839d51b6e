"""Documents that rules put into a queue: a person looks at each and says when it is done."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from config.errors import Conflict, NotFound
from projects.audit.events import actor_of
from projects.queues import admission
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.publish import queries as publish_queries
from workflows.publish.actions import document_actions
from workflows.publish.items import DocumentAction
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs.run import ActionType, Run


@dataclass(frozen=True)
class QueuedRow:
    """A document that waits; ``number`` is its action's place among the document's."""

    action: DocumentAction
    number: int
    since: str


@require_safe
def list_queued(request: DeskRequest, queue_id: str) -> HttpResponse:
    access.check_can_view(request)
    queue = access.check_admitted(request, queue_id)
    cursor = request.GET.get("after")
    page = admission.filter_page(
        request,
        lambda place: publish_queries.list_queued_documents(request.site, queue_id, cursor=place),
        cursor,
        lambda action: action.document_id,
    )
    context = {
        "queue": queue,
        "rows": [QueuedRow(one, one.idx, one.updated_at or "") for one in page.rows],
        "next_cursor": page.next,
        "is_first": not cursor,
        "first_url": reverse("workflows:list-queued", args=[queue_id]),
    }
    return render_answer(request, "workflows/publish/queued_documents.html", None, context)


@require_POST
def settle_document(request: DeskRequest, queue_id: str, document_id: str, number: int) -> HttpResponse:
    access.check_can_review(request)
    access.check_admitted(request, queue_id)
    action = publish_queries.document_action(request.site, document_id, number, ActionType.QUEUE)
    if action.queueId != queue_id:
        raise NotFound("Document not found in this queue.")
    run = Run(request.site, str(action.project_id), document_id, str(action.workflowId))
    try:
        document_actions.settle_action(run, action, by=actor_of(request.user))
    except Conflict as error:
        raise Conflict(f"{action.name} was already taken out of this queue.") from error
    enqueue_follow_up(run)
    messages.success(request, f"{action.name} is done. Remaining actions continue.")
    return redirect_after_post(request, reverse("workflows:list-queued", args=[queue_id]))
