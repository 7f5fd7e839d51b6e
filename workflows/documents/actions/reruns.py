"""Re-runs of an ended run, from one of its stages or with other settings; the earlier result stays.

A run without a result continues itself, as its next attempt. If it has a result or a decided review, a new run of the
same file version starts in the middle (docs/adr/0020).
"""

import dataclasses
import json
import logging
from typing import Any, cast

from django.utils.translation import gettext

from config import clock, table
from config.errors import NotAllowed, NotFound, Refused, Unavailable
from config.phrase import Sentence
from config.transaction import Change, transact
from projects.audit.events import Actor, entity_event
from projects.documents.actions.classification import set_classification
from projects.documents.items import DocumentStatus
from projects.settings import queries as project_queries
from workflows.definitions import versions
from workflows.definitions.blueprint import StepDefinition
from workflows.definitions.stored_rules import read_routing
from workflows.documents.reruns import EndedRun
from workflows.engine import driver, interventions, limits
from workflows.publish import follow_ups
from workflows.publish import queries as publish_queries
from workflows.runs import events, queries, run_files, run_settings, seed_000
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.advance import RunPosition, step_entry
from workflows.runs.actions.document_rows import DocumentState, More
from workflows.runs.events import Trace
from workflows.runs.items import (
    DocumentEvent,
    DocumentWorkflow,
    Execution,
    Outcome,
    ProjectDocument,
    Run,
    RunStatus,
    StepStatus,
    WorkflowSteps,
)
from workflows.runs.new_run import NewRun, Original, Rows
from workflows.runs.preprocess import PREPROCESSORS, plan_preprocess
from workflows.runs.run_files import Layer
from workflows.stages.artifacts import ANALYSED, BUILT
from workflows.stages.base import RunSettings
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

MOST_BESIDE = 50  # runs of one file version: a newer version marks them all in its transaction
UNDER_WAY = Sentence("A run of this document is in progress or needs review. Try again when it has ended.")
_TAKEN = Sentence("Copied from run …%(run)s.")


@dataclasses.dataclass(frozen=True)
class Source:
    """The run to re-run, as it was read; the change is conditional on it."""

    run: Run
    execution: Execution
    link: DocumentWorkflow
    board: WorkflowSteps
    row: ProjectDocument

    @property
    def decided(self) -> str:
        """The run whose result is in use, if a person decided or selected it; else empty."""
        if self.row.decided or self.row.outcome != Outcome.PUBLISHED:
            return str(self.row.decided or "")
        current = str(self.row.workflow_id)
        same = current == self.run.workflow_id
        run = dataclasses.replace(self.run, workflow_id=current)
        execution = self.execution if same else queries.execution(run)
        return current if execution.decision_id else ""

    @property
    def foreign(self) -> bool:
        """Return True for runs of the seed-000 system, which can only restart from the first step."""
        return seed_000.wrote(self.run.workflow_id)

    @property
    def ended(self) -> EndedRun:
        if self.foreign:
            definition = versions.active_definition()
            first = {definition.steps[0].name: {"status": StepStatus.COMPLETED.value}}
            return EndedRun(definition, str(self.execution.outcome or ""), first, foreign=True)
        steps = self.board.data.as_dict()
        named = {name: one for name, one in steps.items() if isinstance(one, dict)}
        layers = run_files.from_json(self.link.layers)
        return EndedRun(queries.definition_of(self.execution), str(self.execution.outcome or ""), named, layers)


def source_of(run: Run) -> Source:
    """Load the run to re-run.

    Raises: NotFound; Refused if it has not ended, a newer file version replaced it, or another run is in progress.
    """
    board = queries.board(run.site, run.workflow_id, consistent=True)
    execution = queries.execution(run)
    if execution.status == RunStatus.RUNNING:
        raise Refused(gettext("This run has not ended. Wait or cancel it first."))
    if board.replaced_by:
        raise Refused(gettext("A newer file version replaced this run's pages. Re-run that version instead."))
    row = queries.project_document(run.site, run.project_id, run.document_id)
    if row.hidden is not None:
        raise NotFound(gettext("This document was deleted."))
    if row.status == StepStatus.IN_PROGRESS:
        raise Refused(UNDER_WAY)
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return Source(run, execution, DocumentWorkflow.load(key), board, row)


def run_again(run: Run, step: str, *, by: Actor) -> Run:
    """Re-run ``step`` and all later ones with the same settings; return the run that does it.

    A new run that analyzes again uses the calibration and the extractor that are active now.

    Raises:
        Refused: the run did not reach that stage, or a run of the document is in progress.
        Conflict: someone else changed the document first; nothing was changed.

    """
    source = source_of(run)
    ended = source.ended
    chosen = next((one for one in ended.offered if one.name == step), None)
    if chosen is None:
        raise Refused(gettext("Select a stage that this run reached."))
    first = ended.first(chosen)
    if source.row.workflow_id in {run.workflow_id, source.execution.keeps} and ended.goes_on(first):
        interventions.resume_from(run, source.execution, first, ended.anew(first), by=by)
        return run
    pinned = _settings_now(source) if source.foreign else _repeat_settings(source, first)
    return _begin_beside(source, first, pinned, by=by, kind="RUN_AGAIN")


def _repeat_settings(source: Source, first: StepDefinition) -> RunSettings:
    pinned = run_settings.from_json(source.link.settings)
    if source.ended.behind(first, ANALYSED):
        return pinned
    return run_settings.with_learned(source.run.site, source.run.project_id, pinned)


def _settings_now(source: Source) -> RunSettings:
    """Return the project's current settings, for a document that another system processed. Raises: Refused."""
    run = source.run
    if not str(source.link.data["file_uri"]).startswith(run_files.files_of(run).uri("")):
        raise Refused(gettext("The file of this document is in another bucket. Upload it here to process it."))
    data = project_queries.get_project(run.site, run.project_id).data.as_dict()
    return run_settings.settings_of(run.site, run.project_id, data)


def analyse_again(run: Run, pinned: RunSettings, *, by: Actor) -> Run:
    """Re-run the analysis with ``pinned`` settings; the run and its result stay beside the new one.

    Raises: Refused, Conflict as ``run_again``.
    """
    source = source_of(run)
    chosen = next((one for one in source.ended.offered if one.name == ANALYSED), None)
    if chosen is None:
        raise Refused(gettext("This run ended before its pages were analyzed. Re-run it from an earlier stage."))
    return _begin_beside(source, source.ended.first(chosen), pinned, by=by, kind="ANALYSED_AGAIN")


@dataclasses.dataclass(frozen=True)
class _Plan:
    """A new run that begins at ``first`` and inherits what ``source`` stored earlier; ``decided`` as in ``Source``."""

    source: Source
    run: Run
    first: StepDefinition
    pinned: RunSettings
    by: Actor
    aside: bool
    decided: str

    @property
    def ended(self) -> EndedRun:
        return self.source.ended

    @property
    def carries(self) -> bool:
        """Return True if the earlier run's decision still applies."""
        return self.ended.behind_decision(self.first) and bool(self.source.execution.decision_id)

    @property
    def keeps(self) -> str:
        """The run whose result stays in use until a person decides the new run; empty if the new run inherits it."""
        return "" if self.carries and self.decided == self.source.run.workflow_id else self.decided


def _begin_beside(source: Source, first: StepDefinition, pinned: RunSettings, *, by: Actor, kind: str) -> Run:
    before, base = source.row, source.run
    beside = {base.workflow_id, *filter(None, [before.workflow_id]), *(before.runs or ())}
    if len(beside) >= MOST_BESIDE:
        raise Refused(
            gettext("This file version already has %(most_beside)s runs. Upload it again to continue.")
            % {"most_beside": MOST_BESIDE}
        )
    run = Run(base.site, base.project_id, base.document_id, clock.new_ulid())
    aside = limits.has_no_slot(run.site, run.project_id, project_slots=limits.set_for_project(run.site, run.project_id))
    plan, now = _Plan(source, run, first, pinned, by, aside, source.decided), clock.iso(clock.now())
    _take_over(plan)
    facts = {"step": first.name, "beside": base.workflow_id, "pages": int(source.board.page_count or 0)}
    if pinned.instruction:
        facts["instruction"] = True  # its text is in the run's settings
    if plan.keeps:
        facts["keeps"] = plan.keeps
    position = RunPosition(
        run, plan.ended.definition, first.order, keeps=plan.keeps, decided=plan.decided
    )  # the document shows the new run at least until it has ended
    all_runs = ProjectDocument.runs.add({*beside, run.workflow_id})
    more = More(project_document=[all_runs], project_document_if=document_rows.if_at_rest_as(before))
    shown = document_rows.state_of_row(before)
    changes = advance.write(shown, position, now, new_rows=_rows(plan, now).all, more=more)
    transact(changes, events.lineage(run, kind, by=by, facts=facts, trace=_trace(plan)))
    _start(plan)
    return run


def _trace(plan: _Plan) -> Trace:
    link = plan.source.link
    store = DocumentFiles(plan.run.site, plan.run.project_id, plan.run.document_id)
    key = store.root + store.name_of(str(link.data["file_uri"]))
    return events.of_begin(plan.run, plan.ended.definition, s3_key=key, s3version=link.s3version)


def _rows(plan: _Plan, now: str) -> Rows:
    """Build the new run's rows at its first step, with the earlier steps inherited."""
    link, board, ended = plan.source.link, plan.source.board, plan.ended
    data = link.data.as_dict()
    project = {"name": link.project_name or "", "language": plan.pinned.language}
    pages = None if board.page_count is None else int(board.page_count)
    original = Original(
        link.file_name, str(data["file_type"]), int(plan.source.row.file_size or 0), str(data["file_uri"]),
        pages, s3version=link.s3version,
    )  # fmt: skip
    routing = read_routing(link.routing)
    new = NewRun(plan.run, project, plan.pinned, original, plan.by, ended.definition, routing, aside=plan.aside)
    rows = new.rows(now)
    layers = run_files.to_json((Layer(plan.run.workflow_id, ended.inherit_folders(plan.first)), *ended.layers))
    _take_over_preprocess(rows, data, plan, now)
    rows.link.beside, rows.link.began_at = plan.source.run.workflow_id, plan.first.name
    rows.link.layers = rows.board.layers = layers
    if ended.behind(plan.first, BUILT):
        for row in filter(None, (rows.link, rows.web)):
            row.data["total_segments"] = data.get("total_segments")
        rows.board.segments_of = board.segments_of or plan.source.run.workflow_id
        rows.execution.failed = plan.source.execution.failed
    _stand_at(rows.board, plan, now)
    rows.execution.currentStep = plan.first.order
    if ended.behind_decision(plan.first):
        for name in ("result_sha256", "routing_sha256", "decision_id", "decision_sha256"):
            setattr(rows.execution, name, getattr(plan.source.execution, name))
    if plan.keeps:
        rows.execution.keeps = rows.board.keeps = plan.keeps
        rows.execution.carried = plan.source.execution.decision_id if plan.carries else None
    return rows


def _take_over_preprocess(rows: Rows, before: dict[str, Any], plan: _Plan, now: str) -> None:
    """Copy what services reported on the steps before the first one."""
    told = before.get("preprocess") or {}
    steps = {step.name: step for step in plan.ended.definition.steps}
    planned = plan_preprocess(plan.ended.definition, frozenset(), first=plan.first.name, now=now)
    for row in (rows.link, rows.web):
        if row is None:
            continue
        for step, name in PREPROCESSORS.items():
            if name in told and step in steps and steps[step].order < plan.first.order:
                row.data["preprocess"][name] = dict(told[name])
            elif step == plan.first.name:
                row.data["preprocess"][name] = planned[name]


def _stand_at(board: WorkflowSteps, plan: _Plan, now: str) -> None:
    reason = _TAKEN.fill(run=plan.source.run.workflow_id[-6:])
    for step in plan.ended.definition.steps:
        if plan.ended.has_visited(step) and step.order < plan.first.order:
            board.data[step.name] = step_entry(step, StepStatus.COMPLETED, reason=reason)
        elif step.order == plan.ended.definition.steps[0].order:
            board.data[step.name] = step_entry(step, StepStatus.PENDING)
    board.data[plan.first.name] = step_entry(plan.first, StepStatus.IN_PROGRESS, started_at=now)
    board.data["current_step"] = board.current_step = plan.first.name


def _take_over(plan: _Plan) -> None:
    """Copy the small files of the run before the rows that refer to them; without the rows they are unreachable."""
    base, run = plan.source.run.workflow_id, plan.run.workflow_id
    names = [(files.result(base), files.result(run))] if plan.ended.behind(plan.first, ANALYSED) else []
    if plan.ended.behind_decision(plan.first):
        names += [
            (files.assessment(base), files.assessment(run)),
            (files.routing_judgement(base), files.routing_judgement(run)),
        ]
        if decision := plan.source.execution.decision_id:
            sha256 = str(plan.source.execution.decision_sha256)
            names.append((files.decision(base, decision, sha256), files.decision(run, decision, sha256)))
    store = DocumentFiles(plan.run.site, plan.run.project_id, plan.run.document_id)
    for there, here in names:
        if store.exists(there):
            store.write(here, store.read(there), "application/json")


def _start(plan: _Plan) -> None:
    try:
        driver.start(
            plan.run,
            plan.ended.definition,
            attempt=1,
            start_at=plan.first.name,
            file_name=plan.source.link.file_name,
            project_name=str(plan.source.link.project_name or ""),
        )
    except Unavailable:
        log.warning("engine did not answer, the sweeper starts the run", extra={"run": plan.run.workflow_id})


def choose_result(run: Run, *, by: Actor, reviews: bool) -> bool:
    """Put another published result of the same file version into use, for lists, search and the API.

    Its document type becomes the document's in the same write. Nothing is published again, and follow-ups of the
    publication (rule actions, attributes) are not repeated. A result that was published beside a decided one had no
    follow-ups: they are ordered now, and True is returned. ``reviews``: whether ``by`` may decide reviews.

    Raises:
        NotAllowed: a person decided the result that counts, and ``by`` may not.
        Refused: it counts already, was not published, or a run of the document is under way.
        Conflict: someone else changed the document first; nothing was changed.

    """
    source = source_of(run)
    before, now = source.row, clock.iso(clock.now())
    if before.workflow_id == run.workflow_id:
        raise Refused(gettext("This result is already in use."))
    if source.execution.outcome != Outcome.PUBLISHED:
        raise Refused(gettext("Only published results can be used. Re-run this one or select another."))
    if source.decided and not reviews:
        raise NotAllowed(gettext("The current result was reviewed. You need the review permission to use another."))
    store, name = run_files.files_of(run), files.output(run.workflow_id)
    body = store.read(name)
    found = {"uri": store.uri(name), "sha256": files.sha256(body)}
    detail = {"outcome": Outcome.PUBLISHED.value, "chosen": True, **found}
    facts = {"before": str(before.workflow_id)}
    event = events.lineage(run, "RESULT_CHOSEN", by=by, facts=facts, bus_type=events.PROCESSED, bus_detail=detail)
    audit = entity_event(
        run.site, "document", run.document_id, "result chosen", by=by,
        payload={"run": {"before": str(before.workflow_id), "after": run.workflow_id}},
    )  # fmt: skip
    kind = json.loads(body).get("type")  # without one, the project determined it
    typed = (
        set_classification(run.site, run.document_id, str(kind["id"]), name=str(kind["name"]), by=by) if kind else None
    )
    also = _plan_follow_ups_of_chosen(source)
    after = DocumentState(DocumentStatus.PUBLISHED, run.workflow_id, decided=run.workflow_id)
    more = More(project_document_if=document_rows.if_at_rest_as(before), classified=typed)
    changes = [*document_rows.write_document(run, document_rows.state_of_row(before), after, now, more=more), *also]
    written = transact(changes, event, audit, *(typed.events if typed else ()))
    events.publish_soon(cast("DocumentEvent", written[0]))
    return bool(also)


def _plan_follow_ups_of_chosen(source: Source) -> list[Change]:
    """Plan the follow-ups of a result that was published beside another and is selected for the first time."""
    if not source.execution.keeps or publish_queries.follow_up(source.run) is not None:
        return []
    return follow_ups.plan_follow_ups(source.run, source.link, source.execution)
