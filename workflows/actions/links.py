"""The seed-000 rows that point to a run from its document and its project."""

from pynamodb.expressions.update import Action

from config import table
from config.transaction import EXISTS, Change, Update
from projects.document_status import DocumentStatus
from workflows.actions import standing
from workflows.frozen import Run
from workflows.items.documents import DocumentWorkflow, ProjectDocument, ProjectWorkflow
from workflows.status import RUN_ENDS, Outcome, RunStatus, StepStatus


def reopening(run: Run, now: str) -> list[Change]:
    """The rows of a run that goes on: still the newest of its document, which has not been deleted."""
    status = StepStatus.IN_PROGRESS
    index = table.PROJECT_DOCUMENT.gsi1(run.site, project_id=run.project_id, updated_at=now)
    return [
        Update(
            table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id),
            [
                ProjectDocument.data["status"].set(status.value),
                ProjectDocument.status.set(status),
                ProjectDocument.outcome.remove(),
                ProjectDocument.updated_at.set(now),
                ProjectDocument.GSI1SK.set(index["GSI1SK"]),
                *standing.moved_in_list(run, DocumentStatus.IN_PROGRESS, now),
            ],
            (ProjectDocument.workflow_id == run.workflow_id) & ProjectDocument.hidden.does_not_exist(),
        ),
        _in_project(run, status, now),
        Update(
            table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id),
            [
                DocumentWorkflow.data["status"].set(status.value),
                DocumentWorkflow.data["error"].remove(),
                DocumentWorkflow.updated_at.set(now),
            ],
            EXISTS,
        ),
    ]


def closing(run: Run, outcome: Outcome, reason: str | None, now: str) -> list[Change]:
    done = RUN_ENDS[outcome] == RunStatus.COMPLETED
    status = StepStatus.COMPLETED if done else StepStatus.FAILED
    index = table.PROJECT_DOCUMENT.gsi1(run.site, project_id=run.project_id, updated_at=now)
    run_actions: list[Action] = [
        DocumentWorkflow.data["status"].set(status.value),
        DocumentWorkflow.updated_at.set(now),
    ]
    if reason and not done:
        run_actions.append(DocumentWorkflow.data["error"].set(reason))
    return [
        Update(
            table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id),
            [
                ProjectDocument.data["status"].set(status.value),
                ProjectDocument.status.set(status),
                ProjectDocument.outcome.set(outcome),
                ProjectDocument.updated_at.set(now),
                ProjectDocument.current_step.remove(),
                ProjectDocument.GSI1SK.set(index["GSI1SK"]),
                *standing.moved_in_list(run, DocumentStatus(outcome), now),
            ],
            EXISTS,
        ),
        _in_project(run, status, now),
        Update(
            table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id),
            run_actions,
            EXISTS,
        ),
    ]


def _in_project(run: Run, status: StepStatus, now: str) -> Update:
    return Update(
        table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id),
        [ProjectWorkflow.data["status"].set(status.value), ProjectWorkflow.updated_at.set(now)],
        EXISTS,
    )
