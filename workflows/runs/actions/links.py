"""The seed-000 rows that point to a run from its document and its project."""

from typing import NamedTuple

from pynamodb.expressions.update import Action

from config import table
from config.transaction import EXISTS, Change, Update
from projects.documents.document_status import DocumentStatus
from workflows.runs.actions import document_status
from workflows.runs.items.documents import DocumentWorkflow, ProjectDocument, ProjectWorkflow
from workflows.runs.items.runs import Execution
from workflows.runs.run import Run
from workflows.runs.status import RUN_ENDS, Outcome, RunStatus, StepStatus


class Place(NamedTuple):
    """Whose result is the document's when a run has ended.

    ``keeps``: the run whose result stays, or empty if this one's counts. ``decided``: a person decided this one's.
    """

    keeps: str = ""
    decided: bool = False


def place_of(execution: Execution | None, outcome: Outcome) -> Place:
    """What a person decided stays the document's until a person decides or chooses another."""
    if execution is None:
        return Place()
    decided = outcome == Outcome.PUBLISHED and bool(execution.decision_id)
    takes_place = decided and execution.decision_id != execution.carried
    return Place("" if takes_place else str(execution.keeps or ""), decided)


def reopening(run: Run, now: str, *, keeps: str = "") -> list[Change]:
    """The rows of a run that goes on: still the newest of its document, or beside the one that still counts."""
    status = StepStatus.IN_PROGRESS
    index = table.PROJECT_DOCUMENT.gsi1(run.site, project_id=run.project_id, updated_at=now)
    return [
        Update(
            table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id),
            [
                ProjectDocument.data["status"].set(status.value),
                ProjectDocument.status.set(status),
                ProjectDocument.outcome.remove(),
                ProjectDocument.workflow_id.set(run.workflow_id),
                ProjectDocument.updated_at.set(now),
                ProjectDocument.GSI1SK.set(index["GSI1SK"]),
                *document_status.moved_in_list(run, DocumentStatus.IN_PROGRESS, now),
            ],
            (ProjectDocument.workflow_id == (keeps or run.workflow_id)) & ProjectDocument.hidden.does_not_exist(),
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


def closing(run: Run, outcome: Outcome, reason: str | None, now: str, place: Place) -> list[Change]:
    done = RUN_ENDS[outcome] == RunStatus.COMPLETED
    status = StepStatus.COMPLETED if done else StepStatus.FAILED
    run_actions: list[Action] = [
        DocumentWorkflow.data["status"].set(status.value),
        DocumentWorkflow.updated_at.set(now),
    ]
    if reason and not done:
        run_actions.append(DocumentWorkflow.data["error"].set(reason))
    return [
        _document_rests(run, outcome, now, place),
        _in_project(run, status, now),
        Update(
            table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id),
            run_actions,
            EXISTS,
        ),
    ]


def _document_rests(run: Run, outcome: Outcome, now: str, place: Place) -> Update:
    """The document's row in its project, with the run that counts."""
    outcome = Outcome.PUBLISHED if place.keeps else outcome
    status = StepStatus.COMPLETED if RUN_ENDS[outcome] == RunStatus.COMPLETED else StepStatus.FAILED
    index = table.PROJECT_DOCUMENT.gsi1(run.site, project_id=run.project_id, updated_at=now)
    decided = place.keeps or (run.workflow_id if place.decided else "")
    return Update(
        table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id),
        [
            ProjectDocument.data["status"].set(status.value),
            ProjectDocument.status.set(status),
            ProjectDocument.outcome.set(outcome),
            ProjectDocument.workflow_id.set(place.keeps or run.workflow_id),
            ProjectDocument.decided.set(decided) if decided else ProjectDocument.decided.remove(),
            ProjectDocument.updated_at.set(now),
            ProjectDocument.current_step.remove(),
            ProjectDocument.GSI1SK.set(index["GSI1SK"]),
            *document_status.moved_in_list(run, DocumentStatus(outcome), now),
        ],
        EXISTS,
    )


def _in_project(run: Run, status: StepStatus, now: str) -> Update:
    return Update(
        table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id),
        [ProjectWorkflow.data["status"].set(status.value), ProjectWorkflow.updated_at.set(now)],
        EXISTS,
    )
