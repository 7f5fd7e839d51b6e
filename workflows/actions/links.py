"""The seed-000 rows that point to a run from its document and its project."""

from pynamodb.expressions.update import Action

from config import table
from config.transaction import EXISTS, Change, Update
from workflows.frozen import Run
from workflows.items.documents import DocumentWorkflow, ProjectDocument, ProjectWorkflow
from workflows.status import RUN_ENDS, Outcome, RunStatus, StepStatus


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
                ProjectDocument.GSI1SK.set(index["GSI1SK"]),
            ],
            EXISTS,
        ),
        Update(
            table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id),
            [ProjectWorkflow.data["status"].set(status.value), ProjectWorkflow.updated_at.set(now)],
            EXISTS,
        ),
        Update(
            table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id),
            run_actions,
            EXISTS,
        ),
    ]
