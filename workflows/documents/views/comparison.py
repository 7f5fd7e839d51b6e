"""Pages that compare two runs of a document and select the result in use."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from config.errors import NotFound
from config.phrase import Phrase, write_moment
from config.table import InvalidKey
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.items import Document
from projects.documents.view_log import record_view
from projects.queues import visibility
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from workflows.definitions import versions
from workflows.definitions.blueprint import FIRST_ANALYSIS, Definition
from workflows.documents import compare
from workflows.documents.actions import reruns
from workflows.documents.compare import Verdict
from workflows.publish.tasks import enqueue_follow_up
from workflows.runs import queries, run_cost, run_settings
from workflows.runs.items import DocumentWorkflow, Outcome, Run
from workflows.runs.views import state_labels
from workflows.runs.views.pages import run_of
from workflows.runs.views.state_labels import Mark
from workflows.stages.base import RunSettings
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_WORDS = {
    Verdict.SAME: Mark("", "check", Phrase("the same")),
    Verdict.CHANGED: Mark("warn", "split", Phrase("differs")),
    Verdict.LEFT: Mark("info", "left", Phrase("left only")),
    Verdict.RIGHT: Mark("info", "right", Phrase("right only")),
}


@dataclass(frozen=True)
class Choice:
    workflow_id: str
    words: str


@dataclass(frozen=True)
class Side:
    """One of the two runs. ``fields`` is None if nothing was extracted; ``counts``: its result is in use."""

    workflow_id: str
    at: Any
    mark: Mark
    fields: Sequence[Mapping[str, Any]] | None
    settings: RunSettings
    cost: str
    counts: bool
    published: bool


@require_safe
def compare_runs(request: DeskRequest, document_id: str) -> HttpResponse:
    document = _document(request, document_id)
    page = queries.document_workflows(request.site, document_id, cursor=request.GET.get("after"))
    choices = [_choice(row) for row in page.rows]
    row = queries.project_document(request.site, document.project_id, document_id)
    names = _requested_pair(request, [one.workflow_id for one in choices], row.counts)
    choices += _further(request, document_id, names, choices)
    left, right = (_side(request, document, name, row.counts) if name else None for name in names)
    context: dict[str, Any] = {
        "may_choose": access.can(request, Permission.WRITE) and (not row.decided or access.can_review(request)),
        "decided": row.decided,
        "document": document, "choices": choices, "next": page.next, "left": left, "right": right,
        "left_id": names[0], "right_id": names[1],
    }  # fmt: skip
    if left and right:
        labels = get_labels(request.site)
        rows = [
            replace(one, label=labels.name_field(one.name, one.label))
            for one in compare.compare_fields(left.fields or (), right.fields or ())
        ]
        context |= {
            "rows": [(one, _WORDS[one.verdict]) for one in rows],
            "changed": sum(one.verdict != Verdict.SAME for one in rows),
            "settings": compare.settings_that_differ(left.settings, right.settings),
        }
    return record_view(request, render_answer(request, "workflows/documents/compare.html", None, context), document_id)


@require_POST
def choose_result(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_upload(request)
    board, _ = run_of(request, document_id, workflow_id)
    run = Run(request.site, str(board.project_id), document_id, workflow_id)
    if reruns.choose_result(run, by=actor_of(request.user), reviews=access.can_review(request)):
        enqueue_follow_up(run)
    messages.success(request, gettext("This result is now in use. Other results are kept."))
    return redirect_after_post(request, reverse("workflows:show-run", args=[document_id, workflow_id]))


def _document(request: DeskRequest, document_id: str) -> Document:
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    return document_queries.get_document(request.site, document_id)


def _requested_pair(request: DeskRequest, known: Sequence[str], in_use: str) -> tuple[str, str]:
    """Return the two run ids: from the URL, else the result in use and the newest other run."""
    left, right = request.GET.get("left", ""), request.GET.get("right", "")
    if left and right:
        return left, right
    one = left or right or in_use or "".join(known[1:2])
    other = next((name for name in (in_use, *known) if name and name != one), "")
    if not left and (other == in_use or (right and one != in_use)):
        return other, one
    return one, other


def _choice(link: DocumentWorkflow) -> Choice:
    name = str(link.SK).partition("#")[2]
    at = state_labels.start_of_run(name)
    began = write_moment(at.astimezone(timezone.get_current_timezone())) if at else str(link.created_at)[:16]
    label = next((one.label for one in _pinned_definition(link).steps if one.name == link.began_at), "")
    said = Phrase("%(began)s · …%(run)s · from %(step)s") if label else Phrase("%(began)s · …%(run)s")
    return Choice(name, said.fill(began=began, run=name[-6:], step=Phrase(label)))


def _further(request: DeskRequest, document_id: str, names: Sequence[str], choices: Sequence[Choice]) -> list[Choice]:
    """Add the two compared runs if they are on a later page of the list. Raises: NotFound."""
    missing = set(filter(None, names)) - {one.workflow_id for one in choices}
    try:
        return [_choice(queries.document_workflow(request.site, document_id, name)) for name in sorted(missing)]
    except InvalidKey as error:
        raise NotFound(gettext("Run not found.")) from error


def _pinned_definition(link: DocumentWorkflow) -> Definition:
    return versions.find_definition(link.definition or FIRST_ANALYSIS.id)


def _side(request: DeskRequest, document: Document, workflow_id: str, current: str) -> Side:
    """Raises: NotFound, also if the run belongs to another document."""
    board, earlier = run_of(request, document.document_id, workflow_id)
    if earlier is not None:
        raise NotFound(gettext("Runs of an earlier system store no settings or fields to compare."))
    try:
        link = queries.document_workflow(request.site, document.document_id, workflow_id)
    except InvalidKey as error:
        raise NotFound(gettext("Run not found.")) from error
    published = board.outcome == Outcome.PUBLISHED
    store = DocumentFiles(request.site, document.project_id, document.document_id)
    waits = not board.outcome and _pinned_definition(link).named(str(board.current_step)).type == "approval"
    return Side(
        workflow_id=workflow_id,
        at=state_labels.start_of_run(workflow_id),
        mark=state_labels.of_run(board.outcome, waits=waits, beside=bool(board.keeps) and workflow_id != current),
        fields=_fields(store, files.output(workflow_id) if published else files.result(workflow_id)),
        settings=run_settings.from_json(link.settings),
        cost=str(run_cost.of_link(link)),
        counts=workflow_id == current,
        published=published,
    )


def _fields(store: DocumentFiles, name: str) -> Sequence[Mapping[str, Any]] | None:
    try:
        return compare.fields_of(json.loads(store.read(name)))
    except NotFound:
        return None
