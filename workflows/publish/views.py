"""Pages of follow-ups: a run's actions with retries, and documents that rules put into a queue."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config import clock
from config.errors import Conflict, NotFound
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.documents.queries import get_document
from projects.queues import visibility
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from workflows.definitions import stored_rules
from workflows.definitions.rules import Decision
from workflows.publish import actions, syncs, webhooks
from workflows.publish import queries as publish_queries
from workflows.publish.items import DocumentAction, FollowUp
from workflows.publish.tasks import enqueue_follow_up, enqueue_sending
from workflows.routing import judge
from workflows.runs import queries
from workflows.runs.items import (
    ACTION_WORDS,
    ActionStatus,
    ActionType,
    DocumentSync,
    FollowUpStatus,
    Run,
    SyncService,
    SyncStatus,
)
from workflows.runs.views.pages import run_of
from workflows.runs.views.state_labels import Mark

_SOON = dt.timedelta(minutes=1)  # later retries are not polled for: one may be two hours away
_MARKS: dict[str, Mark] = {
    ActionStatus.PENDING: Mark("", "clock", Phrase("Pending")),
    ActionStatus.RUNNING: Mark("info", "run", Phrase("Running")),
    ActionStatus.WAITING_FOR_RETRY: Mark("warn", "refresh", Phrase("Retrying")),
    ActionStatus.IN_QUEUE: Mark("warn", "user", Phrase("Needs review")),
    ActionStatus.COMPLETE: Mark("good", "check", Phrase("Done")),
    ActionStatus.FAILED: Mark("bad", "alert", Phrase("Failed")),
    ActionStatus.SKIPPED: Mark("", "skip", Phrase("Skipped")),
}
_LISTED = (ActionStatus.FAILED, ActionStatus.WAITING_FOR_RETRY, ActionStatus.IN_QUEUE, ActionStatus.PENDING)
_AGAIN = (ActionStatus.FAILED, ActionStatus.WAITING_FOR_RETRY)


class RuleDecision(NamedTuple):
    """A rule that decided, and when it was evaluated."""

    when: str
    decision: Decision


@dataclass(frozen=True)
class ActionRow:
    action: DocumentAction
    mark: Mark
    words: str
    target: str
    again: bool

    @property
    def retry_url(self) -> str:
        run = (self.action.document_id, self.action.workflowId)
        return reverse("workflows:retry-action", args=[*run, int(self.action.idx), self.action.kind])


@require_safe
def show_follow_up(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    follow_up = publish_queries.follow_up(run)
    context = {
        "board": board,
        "decided": list(_list_decided_rules(run)),
        "rows": [_row(one) for one in publish_queries.actions_of(run)] if follow_up else [],
        "follow_up": follow_up,
        "next_at": follow_up.due_at if follow_up and follow_up.status == FollowUpStatus.OPEN else "",
        "moving": follow_up is not None and _is_moving(follow_up),
    }
    return render_answer(request, "workflows/publish/follow_up.html", "workflows/publish/_follow_up.html", context)


def _list_decided_rules(run: Run) -> Iterable[RuleDecision]:
    """Empty for a run of an earlier system, which evaluated no rules."""
    try:
        link = queries.document_workflow(run.site, run.document_id, run.workflow_id)
        execution = queries.execution(run)
    except NotFound:
        return
    for decision in stored_rules.read_routing(link.routing).judgement.decisions:
        yield RuleDecision(Phrase("On upload"), decision)
    for decision in judge.judgement_of(run, execution.routing_sha256).decisions:
        yield RuleDecision(Phrase("After the analysis"), decision)


def _is_moving(follow_up: FollowUp) -> bool:
    return follow_up.status == FollowUpStatus.OPEN and clock.parse(follow_up.due_at) < clock.now() + _SOON


def _row(action: DocumentAction) -> ActionRow:
    parameters: dict[str, Any] = action.parameters.as_dict() if action.parameters is not None else {}
    mark = _MARKS.get(action.status, Mark("", "info", action.status.capitalize()))
    target = str(parameters.get("to") or parameters.get("url") or "")
    words = ACTION_WORDS.get(action.kind, action.kind.capitalize())
    return ActionRow(action, mark, words, target, action.status in _AGAIN)


@require_safe
def list_actions(request: DeskRequest) -> HttpResponse:
    """List actions that need attention, over all documents: failed ones by default."""
    access.check_can_view(request)
    asked = request.GET.get("state", "")
    state = ActionStatus(asked) if asked in _LISTED else ActionStatus.FAILED
    cursor = request.GET.get("after")
    page = visibility.filter_page(
        request, lambda place: publish_queries.actions_with(request.site, state, cursor=place), cursor,
        lambda action: action.document_id,
    )  # fmt: skip
    here = reverse("workflows:list-actions")
    context = {
        "rows": [_row(one) for one in page.rows],
        "mark": _MARKS[state],
        "states": [(f"{here}?state={one}", _MARKS[one].words, one == state) for one in _LISTED],
        "next_url": f"{here}?{urlencode({'state': state, 'after': page.next})}" if page.next else "",
        "is_first": not cursor,
        "first_url": f"{here}?state={state}",
    }
    return render_answer(request, "workflows/publish/actions.html", None, context)


@require_POST
def retry_action(request: DeskRequest, document_id: str, workflow_id: str, number: int, kind: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    action = publish_queries.document_action(request.site, document_id, number, kind)
    if action.workflowId != workflow_id:
        raise NotFound(gettext("Action not found."))
    run = Run(request.site, str(action.project_id), document_id, workflow_id)
    try:
        actions.retry_action(run, action, by=actor_of(request.user))
    except Conflict as error:
        raise Conflict(gettext("This action is running or already done. Reload to see its state.")) from error
    enqueue_follow_up(run)
    messages.success(request, gettext("Retrying the action."))
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, workflow_id]))


@dataclass(frozen=True)
class QueuedRow:
    """A waiting document; ``number`` is its action's place among the document's."""

    action: DocumentAction
    number: int
    since: str


@require_safe
def list_queued(request: DeskRequest, queue_id: str) -> HttpResponse:
    access.check_can_view(request)
    queue = access.check_admitted(request, queue_id)
    cursor = request.GET.get("after")
    page = visibility.filter_page(
        request,
        lambda place: publish_queries.list_queued_documents(request.site, queue_id, cursor=place),
        cursor,
        lambda action: action.document_id,
    )
    context = {
        "queue": queue,
        "rows": [QueuedRow(one, one.idx, one.updated_at or "") for one in page.rows],
        **page_links(request, page.next, reverse("workflows:list-queued", args=[queue_id])),
    }
    return render_answer(request, "workflows/publish/queued_documents.html", None, context)


@require_POST
def settle_document(request: DeskRequest, queue_id: str, document_id: str, number: int) -> HttpResponse:
    access.check_can_review(request)
    access.check_admitted(request, queue_id)
    action = publish_queries.document_action(request.site, document_id, number, ActionType.QUEUE)
    if action.queueId != queue_id:
        raise NotFound(gettext("Document not found in this queue."))
    run = Run(request.site, str(action.project_id), document_id, str(action.workflowId))
    try:
        actions.settle_action(run, action, by=actor_of(request.user))
    except Conflict as error:
        raise Conflict(gettext("%(name)s was already taken out of this queue.") % {"name": action.name}) from error
    enqueue_follow_up(run)
    messages.success(request, gettext("%(name)s is done. Remaining actions continue.") % {"name": action.name})
    return redirect_after_post(request, reverse("workflows:list-queued", args=[queue_id]))


@require_safe
def list_deliveries(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    cursor = request.GET.get("after")
    page = webhooks.list_deliveries(request.site, cursor=cursor)
    context = {
        "rows": page.rows,
        **page_links(request, page.next, reverse("workflows:list-deliveries")),
    }
    return render_answer(request, "workflows/publish/deliveries.html", None, context)


@dataclass(frozen=True)
class SyncRow:
    sync: DocumentSync
    mark: Mark
    words: str


_SYNC_MARKS: dict[str, Mark] = {
    SyncStatus.COMPLETE: Mark("good", "check", Phrase("Delivered")),
    SyncStatus.FAILED: Mark("bad", "alert", Phrase("Not delivered")),
    SyncStatus.PENDING: Mark("info", "refresh", Phrase("Sending again")),
}
_SETTLED = Mark("", "check", Phrase("Failed, delivered later"))
_SERVICES = {
    SyncService.WEBHOOK: Phrase("Webhook"),
    SyncService.EVENTBRIDGE: Phrase("Event bus"),
    SyncService.SEARCH: Phrase("Search index"),
}


def name_target(sync: DocumentSync) -> str:
    """Return only the host of a webhook: the rest of its URL may be a secret."""
    host = urlsplit(sync.target).hostname if sync.target else ""
    words = _SERVICES[SyncService(str(sync.service))]
    return f"{words} {host}" if host else words


@require_safe
def list_syncs(request: DeskRequest, document_id: str) -> HttpResponse:
    """Show where a document was sent and whether it arrived; htmx gets the panel of the document's page."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    cursor = request.GET.get("after")
    document = get_document(request.site, document_id)
    page = queries.list_syncs(request.site, document_id, cursor=cursor)
    context = {
        "document": document,
        "rows": [
            SyncRow(one, _SETTLED if one.delivered_at else _SYNC_MARKS[one.status], name_target(one))
            for one in page.rows
        ],
        **page_links(request, page.next, reverse("workflows:list-syncs", args=[document_id])),
    }
    return render_answer(request, "workflows/publish/syncs.html", "workflows/publish/_syncs.html", context)


@require_POST
def ask_sync_again(request: DeskRequest, document_id: str, at: str) -> HttpResponse:
    access.check_can_upload(request)
    visibility.check_document(request, document_id)
    syncs.ask_again(request.site, document_id, at, by=actor_of(request.user))
    enqueue_sending(request.site, document_id, at)
    messages.success(request, gettext("Sending again."))
    return redirect_after_post(request, reverse("workflows:list-syncs", args=[document_id]))
