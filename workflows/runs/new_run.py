"""A new run: its input, its first position, and its initial rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.conf import settings

from config import clock, logs, table
from config.item import Item
from config.transaction import EventAt
from projects.audit.events import Actor
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, Definition, DocumentFacts
from workflows.definitions.rules import UNROUTED, Routing
from workflows.runs import engine_choice, events, executions, run_settings
from workflows.runs.actions.advance import RunPosition, step_entry
from workflows.runs.items import DocumentWorkflow, Execution, ProjectWorkflow, Run, RunStatus, StepStatus, WorkflowSteps
from workflows.runs.preprocess import plan_preprocess
from workflows.runs.run_files import files_of
from workflows.stages.base import RunSettings


@dataclass(frozen=True)
class Original:
    """A stored upload: its display name, MIME type, bytes, S3 key, and further facts.

    ``sha256`` (hexadecimal) was verified by S3; ``s3version`` is the version that the run reads.
    """

    name: str
    file_type: str
    file_size: int
    s3_key: str
    page_count: int | None = None
    sha256: str | None = None
    s3version: str | None = None


class Rows(NamedTuple):
    """``web``: for a run that reads a web page, its second row where seed 000 expects it."""

    in_project: ProjectWorkflow
    link: DocumentWorkflow
    board: WorkflowSteps
    execution: Execution
    web: DocumentWorkflow | None = None

    @property
    def all(self) -> list[Item]:
        return [row for row in self if row is not None]


@dataclass(frozen=True)
class NewRun:
    """The input of a new run.

    ``project``: the project's ``data`` map. ``pinned``: the frozen settings. ``routing``: the rules' result.
    ``parent_id``: the email or archive that its document was extracted from. ``chosen``: overrides stored with the
    document for later file versions. ``batch_line``: the slot that it holds. ``aside``: lower priority, as its site has
    many documents in progress. ``follows``: the document's previous run, whose pages it replaces. ``folder_id``: the
    folder of a new document.
    """

    run: Run
    project: Mapping[str, Any]
    pinned: RunSettings
    original: Original
    by: Actor
    definition: Definition = DOCUMENT_ANALYSIS
    routing: Routing = UNROUTED
    parent_id: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)
    batch_line: str = ""
    aside: bool = False
    follows: str | None = None
    folder_id: str = ""

    @property
    def project_name(self) -> str:
        return str(self.project.get("name") or "")

    @property
    def position(self) -> RunPosition:
        """The run's initial position."""
        first = self.definition.steps[0].order
        return RunPosition(self.run, self.definition, first, left_out=self.left_out)

    @property
    def left_out(self) -> frozenset[int]:
        """The steps that the document skips."""
        return self.definition.left_out(DocumentFacts(self.original.file_type, use_bda=self.pinned.use_bda))

    @property
    def begin_event(self) -> EventAt:
        """The event of the start, with the object that is read."""
        original = self.original
        trace = events.of_begin(self.run, self.definition, s3_key=original.s3_key, s3version=original.s3version)
        return events.lineage(self.run, "INGESTED", by=self.by, facts=self.routing.judgement.facts, trace=trace)

    def rows(self, now: str) -> Rows:
        """Return its links, board and execution, for one transaction."""
        return Rows(
            _project_workflow(self, now),
            _document_workflow(self, now),
            _board(self, now),
            _execution(self, now),
            _web_workflow(self, now) if self.position.crawls else None,
        )


def _project_workflow(new: NewRun, now: str) -> ProjectWorkflow:
    run = new.run
    key = table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id)
    data = {"file_name": new.original.name, "status": StepStatus.IN_PROGRESS.value}
    return ProjectWorkflow(*key, data=data, created_at=now, updated_at=now)


def _document_workflow(new: NewRun, now: str) -> DocumentWorkflow:
    run, original = new.run, new.original
    key = table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    root = files_of(run).uri("")
    return DocumentWorkflow(
        *key,
        data={
            "project_id": run.project_id,
            "file_uri": root + original.s3_key.rpartition("/")[2],
            "file_name": original.name,
            "file_type": original.file_type,
            "execution_arn": executions.choose_execution_arn(new.definition, run, 1),
            "status": StepStatus.IN_PROGRESS.value,
            "language": str(new.project.get("language") or "en"),
            "total_segments": 0,
            "preprocess": plan_preprocess(new.definition, new.left_out, first=new.definition.steps[0].name, now=now),
        },
        settings=run_settings.to_json(new.pinned),
        definition=new.definition.id,
        follows=new.follows,
        routing=new.routing.to_json(),
        s3version=original.s3version or None,
        project_name=new.project_name,
        created_at=now,
        updated_at=now,
    )


def _web_workflow(new: NewRun, now: str) -> DocumentWorkflow:
    run, row = new.run, _document_workflow(new, now)
    key = table.WEB_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)
    return DocumentWorkflow(*key, data=row.data, created_at=now, updated_at=now)


def _board(new: NewRun, now: str) -> WorkflowSteps:
    run, definition, first, left_out = new.run, new.definition, new.definition.steps[0], new.left_out
    key = table.WORKFLOW_STEPS.key(run.site, workflow_id=run.workflow_id)
    data: dict[str, Any] = {
        step.name: step_entry(step, StepStatus.SKIPPED if step.order in left_out else StepStatus.PENDING)
        for step in definition.steps
    }
    data[first.name] = step_entry(first, StepStatus.IN_PROGRESS, started_at=now)
    data |= {"project_id": run.project_id, "document_id": run.document_id, "current_step": first.name}
    return WorkflowSteps(
        *key,
        **table.WORKFLOW_STEPS.gsi1(run.site, analysis_status=StepStatus.IN_PROGRESS),
        data=data,
        name=new.original.name,
        project_id=run.project_id,
        project_name=new.project_name,
        document_id=run.document_id,
        workflow_id=run.workflow_id,
        current_step=first.name,
        definition=definition.id,
        page_count=new.original.page_count,
        aside=new.aside or None,
        asks_at=run_settings.list_asking_steps(new.pinned) or None,
        created_at=now,
        updated_at=now,
    )


def _execution(new: NewRun, now: str) -> Execution:
    run, definition = new.run, new.definition
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
        left_out=set(new.left_out) or None,
        pages=new.original.page_count,
        status=RunStatus.RUNNING,
        currentStep=definition.steps[0].order,
        engine_attempt=1,
        engine=engine_choice.choose_engine(),
        triggeredBy=new.by.name,
        request_id=logs.request_id() or None,
        project_id=run.project_id,
        document_id=run.document_id,
        batch_line=new.batch_line or None,
        aside=new.aside or None,
        createdAt=now,
        updatedAt=now,
    )
