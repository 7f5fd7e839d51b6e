"""Pages of runs: the list, the timeline of one, and runs in progress with filters."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from pynamodb.attributes import NumberAttribute

from config import clock, table
from config.errors import NotFound
from config.item import Page
from config.phrase import Figure, Phrase, tell_sentence
from projects.documents import queries as document_queries
from projects.documents.items import Document, DocumentStatus
from projects.documents.queries import Counts
from projects.documents.states import word_of
from projects.personal.access import names_in_document
from projects.queues import queries as queue_queries
from projects.queues import visibility
from projects.queues.items import DEFAULT_QUEUE
from projects.sites import access
from projects.web.http import DeskRequest, page_links, render_answer
from workflows.definitions import versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, FIRST_ANALYSIS, SHIPPED, is_approval, label_of
from workflows.insight import queries as insight_queries
from workflows.insight.report import show_seconds
from workflows.providers.names import LABELS
from workflows.runs import queries, seed_000
from workflows.runs.items import (
    DocumentWorkflow,
    Execution,
    Join,
    ProjectDocument,
    WorkflowSteps,
)
from workflows.runs.views import state_labels
from workflows.runs.views.pages import run_of
from workflows.runs.views.state_labels import Mark
from workflows.runs.views.timeline import list_event_rows, list_step_rows
from workflows.stages import paddleocr_processor


@dataclass(frozen=True)
class RunRow:
    """A row of the list of runs; ``name`` falls back to the run's id if its document is gone."""

    run: Execution
    run_id: str
    name: str
    project_name: str
    definition: str  # the pinned version; empty if its document is gone
    mark: Mark
    started_at: Any


@require_safe
def list_runs(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor, family = request.GET.get("after"), request.GET.get("definition", DOCUMENT_ANALYSIS.name)
    families = versions.list_names()
    if family not in families:
        raise NotFound(gettext("Workflow definition not found."))
    without = versions.list_without_documents()
    if family in without:
        return HttpResponseRedirect(f"{reverse('workflows:list-executions')}?{urlencode({'workflow': family})}")
    page = list_visible_executions(request, family, cursor)
    context = {
        "families": families,
        "family": family,
        "rows": run_rows(request.site, page.rows),
        **page_links(request, page.next, f"{reverse('workflows:list-runs')}?{urlencode({'definition': family})}"),
        "joiner": "&",
    }
    return render_answer(request, "workflows/runs/list.html", None, context)


def list_visible_executions(request: DeskRequest, family: str, cursor: str | None) -> Page[Execution]:
    """List a family's runs, newest first, of documents that the person may see."""
    return visibility.filter_page(
        request,
        lambda place: queries.executions(request.site, family, cursor=place),
        cursor,
        lambda run: run.document_id,
    )


class _Listed(DocumentWorkflow):
    """A run's own row, or of its execution the step at which it is."""

    currentStep = NumberAttribute(null=True)  # noqa: N815


def run_rows(site: str, found: Iterable[Execution]) -> list[RunRow]:
    """The index of runs has no names and no steps: one batch read adds them."""
    runs = [(run, run.workflow_id or _place_of(run)) for run in found]
    keys = [
        table.DOCUMENT_WORKFLOW.key(site, document_id=run.document_id, workflow_id=run_id)
        for run, run_id in runs
        if run.document_id
    ]
    under_way = {table.EXECUTION.key(site, execution_id=run_id): run_id for run, run_id in runs if not run.outcome}
    read = {row.key: row for row in _Listed.load_many([*keys, *under_way])}
    by_run = {key.sk.rpartition("#")[2]: read[key] for key in keys if key in read}
    steps = {run_id: int(read[key].currentStep or 0) for key, run_id in under_way.items() if key in read}
    return [
        RunRow(
            run,
            run_id,
            by_run[run_id].file_name if run_id in by_run else run_id,
            str(by_run[run_id].project_name or "") if run_id in by_run else "",
            str(by_run[run_id].definition or FIRST_ANALYSIS.id) if run_id in by_run else "",
            state_labels.of_run(run.outcome, waits=_waits(steps.get(run_id), by_run.get(run_id))),
            state_labels.start_of_run(_place_of(run)),
        )
        for run, run_id in runs
    ]


def _place_of(run: Execution) -> str:
    return str(run.GSI1SK).rpartition("#")[2]


def _waits(step: int | None, link: DocumentWorkflow | None) -> bool:
    """Return True if it is at an approval of its own definition, which its link names; ``step``: of one under way."""
    pinned = versions.find_definition((link and link.definition) or FIRST_ANALYSIS.id)
    return step in {one.order for one in pinned.steps if one.type == "approval"}


@require_safe
def newest_run(request: DeskRequest, document_id: str) -> HttpResponse:
    """Redirect to a document's newest run, for lists that cannot name it."""
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    try:
        found = seed_000.newest_run(request.site, document_id)
    except table.InvalidKey:
        found = None
    if found is None:
        raise NotFound(
            gettext("There is no document “%(document_id)s”, or it has not been processed yet.")
            % {"document_id": document_id[:60]}
        )
    return HttpResponseRedirect(reverse("workflows:show-run", args=[document_id, found]))


@require_safe
def show_lineage(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    access.check_can_view(request)
    visibility.check_document(request, document_id)
    if not access.can_delete(request) and document_queries.is_gone(request.site, document_id):
        # deleted documents are only visible to those who may restore them
        raise NotFound(gettext("Document not found."))
    page = queries.lineage(request.site, document_id, cursor=request.GET.get("after"))
    hidden = names_in_document(request, document_id)
    rows = list_event_rows(page.rows, hidden, in_full=not hidden or access.can_see_personal(request))
    derived = not rows and seed_000.wrote(workflow_id)
    if derived:  # that system keeps no history: it is derived from its steps
        rows = list_step_rows(*run_of(request, document_id, workflow_id))
    if not rows and not derived:
        raise NotFound(gettext("Document not found."))
    ids = {"document_id": document_id, "workflow_id": workflow_id}
    context = {"rows": rows, "next": page.next, "derived": derived, **ids}
    return render_answer(request, "workflows/runs/lineage.html", "workflows/runs/_lineage.html", context)


RUNNING, WAITING = word_of(DocumentStatus.IN_PROGRESS), word_of(DocumentStatus.WAITING)
STATES: Mapping[str, DocumentStatus] = {RUNNING: DocumentStatus.IN_PROGRESS, WAITING: DocumentStatus.WAITING}
AGES: Mapping[str, tuple[str, int]] = {
    "10m": (Phrase("10 minutes"), 600), "1h": (Phrase("1 hour"), 3600), "1d": (Phrase("1 day"), 86_400),
    "7d": (Phrase("7 days"), 604_800),
}  # fmt: skip
STEPS: Mapping[str, str] = {step.name: Phrase(step.label) for one in SHIPPED.values() for step in one.steps}
MOST_READ = 50  # rows that are read for one page; their queues come in one call
USUAL_SECONDS = 600  # longest usual time of a step without statistics; many pages are judged by their slices
_STUCK_AFTER = 3  # times the p90, which one run in ten exceeds without being stuck
_LEAST_SECONDS = 60  # shortest time after which a step counts as stuck
_DEFAULT = "default"  # in URLs, instead of the stored name
STUCK = Mark("warn", "clock", Phrase("Stuck"))


@dataclass(frozen=True)
class Filters:
    """The query string; invalid values are ignored."""

    state: str = ""
    project: str = ""
    queue: str = ""
    step: str = ""
    older: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> "Filters":
        state = query.get("state", "")
        if state not in STATES:
            return cls()
        step, older = query.get("step", ""), query.get("older", "")
        project, queue = query.get("project", "")[:200], query.get("queue", "")[:200]
        return cls(state, project, queue, step if step in STEPS else "", older if older in AGES else "")

    @property
    def chosen(self) -> bool:
        return bool(self.project or self.queue or self.step or self.older)

    @property
    def url(self) -> str:
        asked = {name: value for name, value in vars(self).items() if value}
        return f"{reverse('workflows:overview')}{f'?{urlencode(asked)}' if asked else ''}"

    @property
    def cleared_url(self) -> str:
        return Filters(self.state).url

    def fits(self, document: ProjectDocument, board: WorkflowSteps | None) -> bool:
        if self.project and document.project_id != self.project:
            return False
        return not self.step or self.step == (board.current_step if board else document.current_step)

    def is_old_enough(self, since: dt.datetime) -> bool:
        return not self.older or (clock.now() - since).total_seconds() >= AGES[self.older][1]


@dataclass(frozen=True)
class Row:
    """``since``: when it reached this state; ``step_since``: this step. ``stuck``: why it makes no progress, if so.

    ``pages``: finished of all if there are slices, else all, as text. ``usual``: the p90 of its step, if known.
    ``owner``: who uploaded the document, a person or a program.
    """

    document: ProjectDocument
    mark: Mark
    since: dt.datetime
    step: str = ""
    step_since: str = ""
    pages: str = "–"
    stuck: str = ""
    usual: str = ""
    owner: str = ""

    @property
    def url(self) -> str:
        if not self.document.workflow_id:  # an email or archive being extracted
            return reverse("documents:show-document", args=[self.document.document_id])
        return reverse("workflows:show-run", args=[self.document.document_id, self.document.workflow_id])


class Found(NamedTuple):
    """``next``: the cursor of the next page."""

    rows: Sequence[Row]
    next: str | None


def read_page(request: DeskRequest, filters: Filters, cursor: str | None) -> Found:
    """One Query, one call for boards and documents, and one for slices if a running document is large.

    With more filters than the state, a page has what matches among the next fifty.
    """
    site, limit = request.site, MOST_READ if filters.chosen else settings.PAGE_SIZE
    page = visibility.filter_page(
        request,
        lambda place: queries.documents_with_status(site, STATES[filters.state], cursor=place, limit=limit),
        cursor,
        lambda row: row.document_id,
    )
    old = [one for one in page.rows if filters.is_old_enough(_since(one))]
    following = page.next if len(old) == len(page.rows) else None  # the rest of the list is more recent
    running = filters.state == RUNNING
    boards, documents, _ = queries.read_around(
        site,
        [str(one.workflow_id) for one in old if one.workflow_id and running],
        [str(one.document_id) for one in old],
        {str(one.current_step) for one in old if one.current_step and running},
    )
    if filters.queue:
        old = _in_queue(filters.queue, old, documents)
    found = [(one, boards.get(str(one.workflow_id))) for one in old]
    fitting = [(one, board) for one, board in found if filters.fits(one, board)]
    joins = queries.first_joins(site, _sliced(board for _, board in fitting if board))
    usual = insight_queries.usual_seconds(site) if fitting and running else {}
    rows = [
        _running(one, board, joins.get(str(one.workflow_id)), usual) if running else _waiting(one)
        for one, board in fitting
    ]
    # an earlier system's documents have no owner
    owners = {name: one.user_name or "" for name, one in documents.items()}
    return Found([replace(row, owner=owners.get(str(row.document.document_id), "")) for row in rows], following)


def _in_queue(queue: str, rows: Sequence[ProjectDocument], documents: Mapping[str, Document]) -> list[ProjectDocument]:
    wanted = DEFAULT_QUEUE if queue == _DEFAULT else queue
    queues = {name: one.queue or DEFAULT_QUEUE for name, one in documents.items()}
    return [one for one in rows if queues.get(str(one.document_id), DEFAULT_QUEUE) == wanted]


def _sliced(boards: Iterable[WorkflowSteps]) -> Sequence[tuple[str, str]]:
    """Return runs of many pages, with their step."""
    large = [one for one in boards if int(one.page_count or 0) > paddleocr_processor.PAGES]
    return [(str(one.workflow_id), str(one.current_step)) for one in large]


def _step_of(board: WorkflowSteps) -> Mapping[str, Any]:
    """Return what the board stores of its current step; nothing if it has moved on since the list was read."""
    steps: Mapping[str, Any] = board.data.as_dict() if board.data is not None else {}
    return steps.get(str(board.current_step)) or {}


def _since(document: ProjectDocument) -> dt.datetime:
    return clock.parse(str(document.GSI2SK).partition("#")[0])


def _waiting(document: ProjectDocument) -> Row:
    step = label_of(str(document.current_step or ""))
    pages = str(document.page_count or "–")
    return Row(document, state_labels.WAITING, _since(document), step, pages=pages)


def _running(
    document: ProjectDocument, board: WorkflowSteps | None, join: Join | None, usual: Mapping[tuple[str, str], float]
) -> Row:
    if board is None:
        return Row(document, state_labels.RUNNING, _since(document))
    at = str(board.current_step or "")
    stored = _step_of(board)
    p90 = usual.get((seed_000.definition_of(board).name, at))
    stuck = find_cause(stored, str(board.updated_at), join, p90)
    return Row(
        document,
        STUCK if stuck else state_labels.RUNNING,
        _since(document),
        label_of(at),
        str(stored.get("started_at") or board.updated_at),
        _pages(board, join),
        stuck,
        "" if p90 is None else show_seconds(p90),
    )


class Stuck(NamedTuple):
    """``since``: when its step started. ``why``: one sentence."""

    since: str
    why: str


@dataclass(frozen=True)
class Detail:
    """What the index of runs in progress does not tell of a run; fields as in ``Row``."""

    step_since: str = ""
    pages: str = ""
    usual: str = ""
    owner: str = ""
    stuck: Stuck | None = None


NO_DETAIL = Detail()


def list_details(site: str, rows: Sequence[WorkflowSteps], moving: Collection[str]) -> Mapping[str, Detail]:
    """Return details by run id: one call, and one a minute for what is usual. ``moving``: runs that machines work on.

    Runs of the earlier system are left out: it repeats none of their steps, and its documents have no owner.
    """
    own = [one for one in rows if one.workflow_id and not seed_000.wrote(str(one.workflow_id))]
    names, documents = [str(one.workflow_id) for one in own], [str(one.document_id) for one in own]
    steps = {str(one.current_step) for one in own if one.current_step}
    around = queries.read_around(site, names, documents, steps, _sliced(own))
    usual = insight_queries.usual_seconds(site) if own else {}
    found = {}
    for name, document_id in zip(names, documents, strict=True):
        document, board = around.documents.get(document_id), around.boards.get(name)
        owner = (document.user_name or "") if document else ""
        if board is None:
            found[name] = Detail(owner=owner)
            continue
        at, join = str(board.current_step or ""), around.joins.get(name)
        stored = _step_of(board)
        since = str(stored.get("started_at") or board.updated_at)
        p90 = usual.get((seed_000.definition_of(board).name, at))
        why = find_cause(stored, str(board.updated_at), join, p90) if name in moving else ""
        found[name] = Detail(
            since,
            _pages(board, join),
            "" if p90 is None else show_seconds(p90),
            owner,
            Stuck(since, why) if why else None,
        )
    return found


def _pages(board: WorkflowSteps, join: Join | None) -> str:
    if not board.page_count:
        return "–"
    if join is None or not int(join.slices):
        return Figure(f"{int(board.page_count):,}")
    done = int(join.planned) * len(join.done or ()) // int(join.slices)
    return Phrase("%(done)s of %(pages)s").fill(done=Figure(f"{done:,}"), pages=Figure(f"{int(join.planned):,}"))


def find_cause(stored: Mapping[str, Any], moved_at: str, join: Join | None, p90: float | None = None) -> str:
    """Return why a step makes no progress, in one sentence; empty if nothing is known to be wrong.

    ``p90``: the seconds that nine of ten runs of its workflow took for the step at most; None if there are too few.
    """
    if stored.get("waits_until"):
        return ""
    if stored.get("waits_why"):
        service = LABELS.get(str(stored.get("waits_for")), str(stored.get("waits_for")))
        return Phrase("Waiting for %(service)s: %(why)s").fill(
            service=service, why=tell_sentence(str(stored["waits_why"]))
        )
    if join is not None:
        return Phrase("None of its pages was finished since the last check.") if int(join.stalls) else ""
    seconds = (clock.now() - clock.parse(str(stored.get("started_at") or moved_at))).total_seconds()
    if seconds <= (USUAL_SECONDS if p90 is None else max(_STUCK_AFTER * p90, _LEAST_SECONDS)):
        return ""
    if stored.get("waits_for"):
        service = LABELS.get(str(stored["waits_for"]), str(stored["waits_for"]))
        return Phrase("Waiting for %(service)s.").fill(service=service)
    usual = "10 min" if p90 is None else f"p90 {show_seconds(p90)}"
    said = Phrase("Longer than a step usually takes (%(usual)s). It is retried automatically; see Operations.")
    return said.fill(usual=usual)


def tabs(filters: Filters, counts: Counts | None) -> list[dict[str, Any]]:
    """``counts``: None if they may not be shown."""
    both = sum(counts.count_of(one) for one in STATES.values()) if counts else None
    found = [{"url": Filters().url, "words": Phrase("All"), "number": both, "here": not filters.state}]
    for state, words in ((RUNNING, Phrase("Running")), (WAITING, Phrase("Needs review"))):
        url, here = replace(filters, state=state, step="").url, filters.state == state
        number = counts.count_of(STATES[state]) if counts else None
        found.append({"url": url, "words": words, "number": number, "here": here})
    return found


def figures(counts: Counts | None, project_id: str = "") -> list[dict[str, Any]]:
    """Count documents by status, with links. ``counts``: None if they may not be shown.

    ``project_id``: of a project's documents; an empty link where no page lists its documents of a status.
    """
    states = {status: Filters(state, project_id).url for state, status in STATES.items()}
    documents = reverse("documents:list-documents")
    return [
        {
            "url": states.get(status, "" if project_id else f"{documents}?status={word_of(status)}"),
            "look": look,
            "number": number,
            "words": words,
        }
        for status, look, number, words in (counts.figures if counts else [])
    ]


def projects_of(rows: Iterable[Row], filters: Filters) -> list[tuple[str, str]]:
    """List the projects on this page, and the selected one."""
    known = {str(row.document.project_id): str(row.document.project_name or row.document.project_id) for row in rows}
    if filters.project:
        known.setdefault(filters.project, filters.project)
    return sorted(known.items(), key=lambda one: one[1].casefold())


def queues_of(request: DeskRequest) -> list[tuple[str, str]]:
    """List the queues that this person may see; one Query."""
    closed = visibility.list_closed_queues(request)
    named = [(one.id, one.name) for one in queue_queries.all_queues(request.site) if one.id not in closed]
    return [(_DEFAULT, Phrase("Review")), *named] if named else []


def steps_of(state: str) -> list[tuple[str, str]]:
    """List the steps to filter by; only approvals for documents in review."""
    return [(name, label) for name, label in STEPS.items() if is_approval(name) == (state == WAITING)]
