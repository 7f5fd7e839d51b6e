"""A document enters: its rows and its first run come into being together, or not at all."""

import datetime as dt
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from django.conf import settings

from config import clock, table
from config.errors import Unavailable
from config.transaction import Change, EventAt, Put, transact
from projects.audit.events import Actor
from projects.documents.actions.documents import Content, NewDocument, create_document
from projects.documents.activity import ActivityType, record_activity
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, Definition, DocumentFacts
from workflows.engine import driver
from workflows.rules.routing import UNROUTED, Routing
from workflows.runs import engine_choice, events, executions, run_settings, traces
from workflows.runs.actions import advance, document_rows
from workflows.runs.actions.document_rows import DocumentState, More
from workflows.runs.actions.run_rows import RunPosition
from workflows.runs.items.documents import DocumentWorkflow, ProjectDocument, ProjectWorkflow
from workflows.runs.items.runs import Execution, WorkflowSteps
from workflows.runs.run import Run
from workflows.runs.status import RunStatus, StepStatus
from workflows.stages.base import RunSettings
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Original:
    """A stored upload: its name as people know it, MIME type, bytes, S3 key, and what else is known of it.

    ``sha256`` (hexadecimal) was verified by S3; ``s3version`` is the version that the run reads.
    """

    name: str
    file_type: str
    file_size: int
    s3_key: str
    page_count: int | None = None
    sha256: str | None = None
    s3version: str | None = None


def start(
    *,
    site: str,
    by: Actor,
    project_id: str,
    project: Mapping[str, Any],
    pinned: RunSettings,
    document_id: str,
    original: Original,
    definition: Definition = DOCUMENT_ANALYSIS,
    routing: Routing = UNROUTED,
    parent_id: str = "",
    chosen: Mapping[str, str] = MappingProxyType({}),
    also: Sequence[Change] = (),
    batch_line: str = "",
    aside: bool = False,
) -> Run:
    """Create document, links, run, board and first event in one transaction, then start the engine.

    ``project`` is the project's ``data`` map, ``pinned`` what ``frozen`` makes of it and of the site's schemas,
    ``routing`` what the site's rules said. Where the engine does not answer, the run stands and the sweeper starts it;
    nothing has to be uploaded again. ``parent_id`` is the mail or archive that it came out of; ``chosen`` is kept with
    the document for its later contents; ``also`` is written with it or not at all; ``batch_line``: whose slot it holds;
    ``aside``: its site has so many under way that its steps are done where nobody else's page waits for them.

    Raises:
        Conflict: the document exists, or one of ``also`` did not hold.
        Unavailable: the table does not answer; nothing was created.

    """
    run = Run(site, project_id, document_id, clock.new_ulid())
    beginning = Beginning(
        run, project, pinned, original, definition, by, routing, None, parent_id, chosen, batch_line, aside
    )
    changes, told = beginning.entering(clock.now())
    transact([*changes, *also], *told)
    beginning.start_engine()
    return run


class Rows(NamedTuple):
    in_project: ProjectWorkflow
    link: DocumentWorkflow
    board: WorkflowSteps
    execution: Execution


@dataclass(frozen=True)
class Beginning:
    """A run that comes into being. ``follows``: the document's run before it, whose pages it replaces."""

    run: Run
    project: Mapping[str, Any]
    pinned: RunSettings
    original: Original
    definition: Definition
    by: Actor
    routing: Routing = UNROUTED
    follows: str | None = None
    parent_id: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)
    batch_line: str = ""
    aside: bool = False

    def rows(self, now: str) -> "Rows":
        """Its links, its board and its execution, for one transaction."""
        run, project, original, definition = self.run, self.project, self.original, self.definition
        link = _document_workflow(run, project, original, definition, now, pinned=self.pinned)
        link.routing, link.follows = self.routing.to_json(), self.follows
        execution = _execution(
            run, self.by.name, definition, now, left_out=self._left_out, pages=self.original.page_count
        )
        execution.batch_line = self.batch_line or None
        board = _board(run, project, original, definition, now, left_out=self._left_out)
        execution.aside = board.aside = self.aside or None
        return Rows(_project_workflow(run, original, now), link, board, execution)

    @property
    def position(self) -> RunPosition:
        """Where the run is when it begins."""
        return RunPosition(self.run, self.definition, self.definition.steps[0].order)

    @property
    def _left_out(self) -> frozenset[int]:
        return self.definition.left_out(DocumentFacts(self.original.file_type, use_bda=self.pinned.use_bda))

    @property
    def ingested(self) -> EventAt:
        """That the run begins, and on which object."""
        original = self.original
        trace = traces.of_begin(self.run, self.definition, s3_key=original.s3_key, s3version=original.s3version)
        return events.lineage(self.run, "INGESTED", by=self.by, facts=self.routing.judgement.facts, trace=trace)

    def entering(self, at: dt.datetime) -> tuple[list[Change], list[EventAt]]:
        """All that the document comes into being by together with this run, and the events of it."""
        run, by, now = self.run, self.by, clock.iso(at)
        new = new_document(run, self.project, self.original, parent_id=self.parent_id)
        row = project_document(run, self.project, self.original, self.position.document, now, chosen=self.chosen)
        more = More(classification_id=new.classification_id)
        changes = advance.write(None, self.position, now, new_rows=self.rows(now), more=more)
        told = [
            self.ingested,
            record_activity(run.site, run.document_id, ActivityType.CREATE, by=by, name=self.original.name),
        ]
        return [Put(row), *changes, *create_document(run.site, new, by=by, at=at)], told

    def start_engine(self) -> None:
        """Once the rows are written; where the engine does not answer, the sweeper starts the run."""
        ids = {"run": self.run.workflow_id, "document": self.run.document_id, "site": self.run.site}
        log.info("run created", extra=ids)
        try:
            driver.start(
                self.run,
                self.definition,
                attempt=1,
                start_at=self.definition.steps[0].name,
                file_name=self.original.name,
                project_name=str(self.project.get("name") or ""),
            )
        except Unavailable:
            log.warning("engine did not answer, the sweeper starts the run", extra=ids)


def content_of(original: Original) -> Content:
    return Content(original.file_type, original.file_size, original.s3_key, original.sha256, original.s3version or None)


def new_document(run: Run, project: Mapping[str, Any], original: Original, *, parent_id: str = "") -> NewDocument:
    return NewDocument(
        document_id=run.document_id,
        project_id=run.project_id,
        project_name=str(project.get("name") or ""),
        name=original.name,
        content=content_of(original),
        classification_id=str(project.get("classification_id") or ""),
        parent_id=parent_id,
        queue=str(project.get("review_queue") or ""),
    )


def project_document(
    run: Run, project: Mapping[str, Any], original: Original, state: DocumentState, now: str, *,
    chosen: Mapping[str, str] | None = None,
) -> ProjectDocument:  # fmt: skip
    key = table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    return ProjectDocument(
        key.pk,
        key.sk,
        **document_rows.columns(run, state, now),
        data={
            "document_id": run.document_id,
            "project_id": run.project_id,
            "name": original.name,
            "file_type": original.file_type,
            "file_size": original.file_size,
            "status": state.step_status.value,
            "s3_key": original.s3_key,
            "language": str(project.get("language") or "en"),
            **(chosen or {}),
        },
        name=original.name,
        document_id=run.document_id,
        project_id=run.project_id,
        project_name=str(project.get("name") or "") or None,
        file_type=original.file_type,
        file_size=original.file_size,
        page_count=original.page_count,
        created_at=now,
    )


def _project_workflow(run: Run, original: Original, now: str) -> ProjectWorkflow:
    key = table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id)
    data = {"file_name": original.name, "status": StepStatus.IN_PROGRESS.value}
    return ProjectWorkflow(*key, data=data, created_at=now, updated_at=now)


def _document_workflow(
    run: Run,
    project: Mapping[str, Any],
    original: Original,
    definition: Definition,
    now: str,
    *,
    pinned: RunSettings,
) -> DocumentWorkflow:
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return DocumentWorkflow(
        *key,
        data={
            "project_id": run.project_id,
            "file_uri": DocumentFiles(run.site, run.project_id, run.document_id).uri("") + _leaf(original.s3_key),
            "file_name": original.name,
            "file_type": original.file_type,
            "execution_arn": executions.chosen_execution_arn(definition, run, 1),
            "status": StepStatus.IN_PROGRESS.value,
            "language": str(project.get("language") or "en"),
        },
        settings=run_settings.to_json(pinned),
        definition=definition.id,
        s3version=original.s3version or None,
        project_name=str(project.get("name") or ""),
        created_at=now,
        updated_at=now,
    )


def _leaf(key: str) -> str:
    return key.rsplit("/", 1)[-1]


def _board(
    run: Run, project: Mapping[str, Any], original: Original, definition: Definition, now: str,
    *, left_out: frozenset[int],
) -> WorkflowSteps:  # fmt: skip
    first = definition.steps[0]
    key = table.WORKFLOW_STEPS.key(run.site, workflow_id=run.workflow_id)
    skipped, pending = {"status": StepStatus.SKIPPED.value}, {"status": StepStatus.PENDING.value}
    data: dict[str, Any] = {step.name: skipped if step.order in left_out else pending for step in definition.steps}
    data[first.name] = {"status": StepStatus.IN_PROGRESS.value, "started_at": now}
    data |= {"project_id": run.project_id, "document_id": run.document_id, "current_step": first.name}
    return WorkflowSteps(
        *key,
        **table.WORKFLOW_STEPS.gsi1(run.site, analysis_status=StepStatus.IN_PROGRESS),
        data=data,
        name=original.name,
        project_id=run.project_id,
        project_name=str(project.get("name") or ""),
        document_id=run.document_id,
        workflow_id=run.workflow_id,
        current_step=first.name,
        page_count=original.page_count,
        created_at=now,
        updated_at=now,
    )


def _execution(
    run: Run, by: str, definition: Definition, now: str, *, left_out: frozenset[int], pages: int | None
) -> Execution:
    key = table.EXECUTION.key(run.site, execution_id=run.workflow_id)
    check_at = clock.iso(clock.in_seconds(settings.RUN_CHECK_SECONDS))
    return Execution(
        key.pk,
        key.sk,
        **table.EXECUTION.gsi1(run.site, workflow_id=definition.name, execution_id=run.workflow_id),
        **Execution.due_keys(check_at, execution_id=run.workflow_id),
        executionId=run.workflow_id,
        workflowId=definition.name,
        definition=definition.id,
        left_out=set(left_out) or None,
        pages=pages,
        status=RunStatus.RUNNING,
        currentStep=definition.steps[0].order,
        engine_attempt=1,
        engine=engine_choice.chosen(),
        triggeredBy=by,
        project_id=run.project_id,
        document_id=run.document_id,
        createdAt=now,
        updatedAt=now,
    )
