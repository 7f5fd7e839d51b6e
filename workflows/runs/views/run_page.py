"""The page of a run: its steps in one table with diagram and waterfall, fields, pages, inputs, outputs and timeline.

One request. A call each for the run's rows, its pages, its timeline and its result, which before the publication is
one more if it was decided; one more if there were decisions, if slices did a stage, or if another run's result stays in
use.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from config import table
from config.errors import NotFound, Unavailable
from config.item import Item
from config.phrase import Figure, Phrase
from projects.documents.view_log import record_view
from projects.models.builtin import list_builtin_models
from projects.personal.queries import get_personal_fields
from projects.queues import visibility
from projects.settings.values import ANALYZERS, BY_MODEL, EXTRACT, QUORUMS, SUMMARIZERS, TRANSCRIBERS, TYPINGS
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, render_answer
from workflows.definitions.blueprint import Definition, is_approval
from workflows.publish.items import FollowUp
from workflows.runs import queries, run_cost, run_settings, seed_000
from workflows.runs.items import (
    PARTIAL_AT,
    RESUMABLE,
    DocumentOcr,
    DocumentWorkflow,
    Execution,
    FollowUpStatus,
    Join,
    Outcome,
    ResumeWay,
    StepStatus,
    WorkflowSteps,
)
from workflows.runs.seed_000 import Link
from workflows.runs.views import state_labels
from workflows.runs.views.pages import Shown, run_of, segments_of
from workflows.runs.views.results import load_result
from workflows.runs.views.state_labels import Mark, StepRow
from workflows.runs.views.timeline import EventRow, list_event_rows
from workflows.runs.views.waterfall import list_lines
from workflows.stages import paddleocr_processor
from workflows.stages.base import RunSettings

_ANALYSED = "segment_analyzer"  # from this step on there is a result to show
_READ_BY_MACHINE = ("reviewer", "default", "embedded_xml")  # sources to which no threshold applies
_FOLLOW_UPS: Mapping[str, Mark] = {
    FollowUpStatus.OPEN: Mark("info", "run", Phrase("Running")),
    FollowUpStatus.WAITING: Mark("warn", "user", Phrase("Needs attention")),
    FollowUpStatus.DONE: Mark("good", "check", Phrase("Done")),
    FollowUpStatus.CANCELLED: Mark("", "x", Phrase("Cancelled")),
}


_OCR_WORDS = {
    "requested": Phrase("Reading pages"),
    "successful": Phrase("Pages read"),
    "skipped": Phrase("Not needed"),
    "failed": Phrase("Failed"),
}
_VERSION = Phrase("%(name)s, version %(version)s")
_PAGE_STATES = {
    "read": Mark("good", "check", Phrase("read")),
    "unsure": Mark("warn", "gauge", Phrase("with a value below its threshold")),
    "failed": Mark("bad", "alert", Phrase("failed")),
}


@dataclass(frozen=True)
class RunRows:
    """The rows of a run. For an earlier system's run, only ``told``, its own row, exists.

    ``link``: with what the run pinned; ``follow_up``: of its publication; ``ocr``: the document's, if it is from this
    run.
    """

    board: WorkflowSteps
    told: Link | None = None
    link: DocumentWorkflow | None = None
    follow_up: FollowUp | None = None
    ocr: DocumentOcr | None = None
    execution: Execution | None = None


@require_safe
def show_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    rows = read_rows(request, document_id, workflow_id)
    return record_view(request, _answer(request, rows), document_id)


@require_safe
def poll_run(request: DeskRequest, document_id: str, workflow_id: str) -> HttpResponse:
    """204 if nothing has changed since ``seen``; the fragment of an ended run stops polling."""
    board, _ = run_of(request, document_id, workflow_id)
    joins = list_run_joins(board) if not board.outcome else {}
    if request.GET.get("seen") == _make_poll_token(board, joins.get(str(board.current_step))):
        return HttpResponse(status=204)
    if seed_000.wrote(workflow_id):
        return _answer(request, read_rows(request, document_id, workflow_id))
    return _answer(request, _load_rows(request.site, document_id, workflow_id))  # access was checked above


def read_rows(request: DeskRequest, document_id: str, workflow_id: str) -> RunRows:
    """Read the rows in one strongly consistent call; in three for an earlier system's run.

    Raises: NotAllowed; NotFound as ``run_of``.
    """
    access.check_can_view(request)
    if seed_000.wrote(workflow_id):
        return RunRows(*run_of(request, document_id, workflow_id))
    try:
        visibility.check_document(request, document_id)
    except NotFound as error:
        raise NotFound(gettext("Run not found.")) from error
    return _load_rows(request.site, document_id, workflow_id)


def _load_rows(site: str, document_id: str, workflow_id: str) -> RunRows:
    """Does not check access. Raises: NotFound."""
    try:
        board_key = table.WORKFLOW_STEPS.key(site, workflow_id=workflow_id)
        link_key = table.DOCUMENT_WORKFLOW.key(site, document_id=document_id, workflow_id=workflow_id)
        follow_up_key = table.FOLLOW_UP.key(site, document_id=document_id, workflow_id=workflow_id)
        ocr_key = table.DOCUMENT_OCR.key(site, document_id=document_id)
        execution_key = queries.execution_key(site, workflow_id)
    except table.InvalidKey as error:
        raise NotFound(gettext("Run not found.")) from error
    kinds: Sequence[type[Item]] = (WorkflowSteps, DocumentWorkflow, FollowUp, DocumentOcr, Execution)
    names = {one.attr_name for kind in kinds for one in kind.get_attributes().values()}
    found = Item.together([board_key, link_key, follow_up_key, ocr_key, execution_key], only=sorted(names))
    if board_key not in found:
        raise NotFound(gettext("Run not found."))
    board = WorkflowSteps.from_raw_data(found[board_key])
    if board.document_id != document_id:
        raise NotFound(gettext("Run not found."))
    if board.hidden is not None:
        raise NotFound(gettext("The document for this run was deleted."))
    read = DocumentOcr.from_raw_data(found[ocr_key]) if ocr_key in found else None
    return RunRows(
        board,
        ocr=read if read and read.jobId == workflow_id else None,
        link=DocumentWorkflow.from_raw_data(found[link_key]) if link_key in found else None,
        follow_up=FollowUp.from_raw_data(found[follow_up_key]) if follow_up_key in found else None,
        execution=Execution.from_raw_data(found[execution_key]) if execution_key in found else None,
    )


def list_run_joins(board: WorkflowSteps) -> Mapping[str, Join]:
    """Return the fan-outs of a run, which only documents of many pages have."""
    if int(board.page_count or 0) <= paddleocr_processor.PAGES:
        return {}
    return queries.list_joins(table.site_of(board.PK), str(board.workflow_id))


def _make_poll_token(board: WorkflowSteps, join: Join | None) -> str:
    return f"{board.updated_at} {len(join.done or ())}" if join and not board.outcome else str(board.updated_at)


class Failure(NamedTuple):
    """``step``: its name, if it happened at one; its row has the error."""

    label: str
    error: str
    step: str = ""


class Timeline(NamedTuple):
    """``next``: the cursor of later events, if any."""

    events: Sequence[EventRow]
    next: str | None


class Fact(NamedTuple):
    """A line of a panel; ``url``: its link, if any."""

    label: str
    words: str
    url: str = ""
    mark: Mark | None = None


def _answer(request: DeskRequest, rows: RunRows) -> HttpResponse:
    board = rows.board
    waits = is_approval(str(board.current_step)) and not board.outcome
    definition = seed_000.definition_of(board)
    steps = state_labels.step_rows(definition, board, rows.told)
    failed = next((Failure(step.label, step.error, step.name) for step in steps if step.error), None)
    if failed is None and rows.told and rows.told.error:
        failed = Failure(Phrase("The analysis"), rows.told.error)
    kept = queries.run_kept_instead(board)
    joins = list_run_joins(board)
    timeline = _load_timeline(request, rows)
    result = _load_result(request, rows)
    shown, following = segments_of(request, board, rows.told)
    segments = _mark_unsure(shown, result.get("fields") or ())
    context = {
        "board": board,
        "document_id": board.document_id,
        "workflow_id": board.workflow_id,
        "seen": _make_poll_token(board, joins.get(str(board.current_step))),
        "ways": _ways(board, rows.told),
        "earlier": rows.told is not None,
        "mark": state_labels.of_run(board.outcome, waits=waits, beside=bool(kept)),
        "kept": kept,
        "stands_beside": kept and board.outcome == Outcome.PUBLISHED,
        "published": board.outcome == Outcome.PUBLISHED,
        "waits": waits,
        "moving": not board.outcome and not waits,  # a review may take days: no polling until then
        "aside": board.aside and not board.outcome and not waits,
        "failed": failed,
        "partial": board.outcome == Outcome.PARTIAL and board.data[PARTIAL_AT]["reason"],
        "cancelled": board.outcome == Outcome.CANCELLED,
        "definition": definition,
        "table": list_lines(definition, steps, joins, [one for one in timeline.events if one.run == board.workflow_id]),
        "repeatable": _list_repeatable(request, rows, definition, steps),
        "prompt_unused": (board.data.as_dict().get(_ANALYSED) or {}).get("prompt_unused"),
        "paused": next((Failure(step.label, step.paused, step.name) for step in steps if step.paused), None),
        "cost": (str(run_cost.of_link(rows.link)) if rows.link else "") or str(run_cost.of_board(board)),
        "segments": segments,
        "page_states": _count_states(segments),
        "next_segments": following,
        "inputs": _list_inputs(rows),
        "outputs": _list_outputs(request, rows),
        "pinned": _list_pinned(request, rows, definition),
    }
    context |= result | {"rows": _list_rest(timeline.events, rows, failed), "next": timeline.next}
    return render_answer(request, "workflows/runs/show.html", "workflows/runs/_run.html", context)


def _load_result(request: DeskRequest, rows: RunRows) -> dict[str, Any]:
    """Return the fields, masked if necessary. If S3 is unavailable, the page still renders and says what is missing."""
    board = rows.board
    analysis = (board.data.as_dict().get(_ANALYSED) or {}).get("status")
    if rows.told is not None or not (board.outcome or analysis in {StepStatus.COMPLETED, StepStatus.SKIPPED}):
        return {"fields": None}
    ids = str(board.project_id), str(board.document_id), str(board.workflow_id)
    try:
        return load_result(request, *ids, published=board.outcome == Outcome.PUBLISHED, execution=rows.execution)
    except Unavailable as error:
        return {"fields": None, "unread": str(error)}


def _load_timeline(request: DeskRequest, rows: RunRows) -> Timeline:
    """An earlier system keeps no history beside its steps."""
    board = rows.board
    page = queries.lineage(request.site, str(board.document_id))
    hidden = get_personal_fields(request.site, str(board.project_id)).names if board.project_id else frozenset()
    events = list_event_rows(page.rows, hidden, in_full=not hidden or access.can_see_personal(request))
    return Timeline(events, page.next)


def _list_rest(events: Sequence[EventRow], rows: RunRows, failed: Failure | None) -> list[EventRow]:
    """Return what the table of steps does not tell: no ends of this run's steps, and the error only there."""
    mine = rows.board.workflow_id
    rest = [one for one in events if one.run != mine or not one.step or one.ended_run]
    return [
        replace(one, details="") if one.run == mine and failed and one.details == failed.error else one for one in rest
    ]


def _ways(board: WorkflowSteps, told: Link | None) -> Sequence[tuple[ResumeWay, str]]:
    """Return the ways to resume the run, with button labels; the default first."""
    if told is not None or board.replaced_by or board.outcome not in RESUMABLE:
        return ()
    if board.outcome == Outcome.PARTIAL:
        return ((ResumeWay.RETRY, Phrase("Retry failed pages")), (ResumeWay.ACCEPT, Phrase("Continue without them")))
    return () if _has_ended_in_review(board) else ((ResumeWay.AGAIN, Phrase("Retry")),)


def _has_ended_in_review(board: WorkflowSteps) -> bool:
    steps = board.data.as_dict()
    return any(is_approval(name) and (one or {}).get("status") == StepStatus.FAILED for name, one in steps.items())


def _list_repeatable(
    request: DeskRequest, rows: RunRows, definition: Definition, steps: Sequence[StepRow]
) -> frozenset[str]:
    """Return the names of the steps that this person may re-run; empty while the run is in progress."""
    board = rows.board
    if rows.told is not None or not board.outcome or board.replaced_by or not access.can_upload(request):
        return frozenset()
    stages = {step.name for step in definition.steps if step.type == "stage"}
    return frozenset(step.name for step in steps if step.name in stages and step.started_at)


def _mark_unsure(segments: Sequence[Shown], fields: Sequence[Mapping[str, Any]]) -> list[Shown]:
    """Mark the pages that have a value below its threshold."""
    unsure = {
        int(one["page"])
        for one in fields
        if one.get("page") is not None
        and not one.get("masked")
        and one.get("source") not in _READ_BY_MACHINE
        and float(one.get("confidence") or 0) < float(one.get("threshold") or 0)
    }
    return [Shown(one.index, one.failed, one.index in unsure) for one in segments]


def _count_states(segments: Sequence[Shown]) -> list[Mark]:
    """Count the shown pages by state, in words."""
    numbers = Counter(one.state for one in segments)
    shown = [(number, _PAGE_STATES[state]) for state in _PAGE_STATES if (number := numbers[state])]
    return [
        mark._replace(words=Phrase("%(number)s %(state)s").fill(number=number, state=mark.words))
        for number, mark in shown
    ]


def _list_inputs(rows: RunRows) -> list[Fact]:
    board, link = rows.board, rows.link
    if rows.told is not None:
        return []
    document = reverse("documents:show-document", args=[board.document_id])
    found = [Fact(Phrase("Document"), str(board.name or Phrase("Document")), document)]
    if link is None:
        return found
    file_name = str(link.data.as_dict().get("file_name") or "")
    if file_name and file_name != board.name:
        found.append(Fact(Phrase("File"), file_name))
    if rows.ocr:
        state, engine = _OCR_WORDS.get(rows.ocr.ocrStatus, rows.ocr.ocrStatus), rows.ocr.ocrEngine
        words = Phrase("%(state)s with %(engine)s").fill(state=state, engine=engine) if engine else state
        found.append(Fact("OCR", words))
    for label, other in ((Phrase("Pages and text from"), link.beside), (Phrase("Follows"), link.follows)):
        if other:
            found.append(Fact(label, Phrase("run …%(run)s").fill(run=other[-6:]), _url("show-run", board, other)))
    if link.beside:
        compare = reverse("workflows:compare-runs", args=[board.document_id])
        found.append(Fact(Phrase("Differences"), Phrase("Compare both runs"), f"{compare}?right={board.workflow_id}"))
    return found


def _list_outputs(request: DeskRequest, rows: RunRows) -> list[Fact]:
    board = rows.board
    if rows.told is not None:
        return [Fact(Phrase("Result"), Phrase("Extracted content"), _url("show-result", board))]
    found = [Fact(Phrase("Content"), Phrase("Summary and graph"), _url("show-about", board))]
    mark = _FOLLOW_UPS.get(str(rows.follow_up.status)) if rows.follow_up else None
    found.append(Fact(Phrase("Post-processing"), Phrase("Rules and actions"), _url("show-follow-up", board), mark))
    if access.can(request, Permission.ADMIN) and _has_asked_models(board):
        found.append(Fact(Phrase("Models"), Phrase("Prompts and answers"), _url("show-model-calls", board)))
    found.append(Fact(Phrase("Transitions"), Phrase("Step history"), _url("show-history", board)))
    return found


def _url(name: str, board: WorkflowSteps, workflow_id: str | None = None) -> str:
    return reverse(f"workflows:{name}", args=[board.document_id, workflow_id or board.workflow_id])


def _has_asked_models(board: WorkflowSteps) -> bool:
    """Return True if the run itself reached such a step, rather than inheriting it."""
    steps = board.data.as_dict()
    return any((steps.get(name) or {}).get("started_at") for name in board.asks_at or ())


def _list_pinned(request: DeskRequest, rows: RunRows, definition: Definition) -> list[Fact]:
    """List what the run froze at its start, which an earlier system's runs do not have."""
    if rows.told is not None or rows.link is None or not rows.link.settings:
        return []
    pinned, may = run_settings.from_json(rows.link.settings), access.can(request, Permission.ADMIN)
    project = [rows.board.project_id]
    shown = reverse("definitions:show-definition", args=[definition.id]) if may else ""
    found = [
        Fact(Phrase("Workflow definition"), _VERSION.fill(name=definition.name, version=definition.version), shown),
        Fact(Phrase("Document type"), _describe_type(pinned)),
        Fact(Phrase("Field extraction"), _describe_doer(ANALYZERS, pinned.analyzer, pinned, EXTRACT)),
        Fact("OCR", Phrase(pinned.ocr_spec.name)),
        Fact(Phrase("Transcription"), TRANSCRIBERS.get(pinned.transcriber, pinned.transcriber)),
        Fact(Phrase("Summary"), _describe_doer(SUMMARIZERS, pinned.summarizer, pinned, "summarize")),
        _describe_prompt(rows.board, pinned, may=may),
        *list_policy(pinned),
    ]
    learned = reverse("workflows:show-calibration", args=project) if may else ""
    words = (
        Phrase("version %(number)s").fill(number=pinned.calibration_version)
        if pinned.calibration_version
        else Phrase("Not calibrated")
    )
    found.append(Fact(Phrase("Confidence"), words, learned if pinned.calibration_version else ""))
    if pinned.extractor_version:
        where = reverse("workflows:show-extractors", args=project) if may else ""
        found.append(
            Fact(Phrase("Extractor"), Phrase("version %(number)s").fill(number=pinned.extractor_version), where)
        )
    if pinned.instruction:
        found.append(Fact(Phrase("Prompt for this document"), Phrase("given when it was re-run")))
    return found


def _describe_prompt(board: WorkflowSteps, pinned: RunSettings, *, may: bool) -> Fact:
    if not run_settings.asks_models(pinned):
        return Fact(Phrase("Prompt"), Phrase("Not used: no language model"))
    return Fact(
        Phrase("Prompt"),
        Phrase("as it was sent"),
        _url("show-model-calls", board) if may and _has_asked_models(board) else "",
    )


def list_policy(pinned: RunSettings) -> Iterator[Fact]:
    """Describe when a review is required, and how many reviewers."""
    yield Fact(Phrase("Review threshold"), _percent(pinned.default_threshold))
    if pinned.most_wrong:
        yield Fact(Phrase("Error limit"), _percent(pinned.most_wrong))
    required = [one.label for one in pinned.fields if one.required]
    yield Fact(Phrase("Required"), ", ".join(required) or Phrase("No field"))
    if pinned.audit_share:
        yield Fact(Phrase("Audit sample"), _percent(pinned.audit_share))
    if pinned.check_share:
        yield Fact(Phrase("Second reviews"), _percent(pinned.check_share))
    if pinned.quorum:
        yield Fact(Phrase("Blind agreement"), QUORUMS[pinned.quorum])


def _percent(share: float) -> str:
    return Figure(f"{round(share * 100, 2):g} %")


def _describe_type(pinned: RunSettings) -> str:
    if pinned.classification_id:
        return _VERSION.fill(name=pinned.classification_name, version=pinned.classification_version)
    return TYPINGS.get(pinned.typing, Phrase("none: the project’s own fields"))


def _describe_doer(known: Mapping[str, str], doer: str, pinned: RunSettings, purpose: str) -> str:
    """A language model by its name; one of the site's own by its id, which costs no call."""
    if doer == BY_MODEL and (model := pinned.models.get(purpose) or pinned.models.get(EXTRACT)):
        return next((Phrase(one.name) for one in list_builtin_models() if one.id == model), str(model))
    return known.get(doer, doer)
