"""Where a document stands, in its project's row, its own and the counts: written in one transaction each time."""

from typing import Any

from pynamodb.expressions.update import Action

from config import table
from config.transaction import EXISTS, Change, Update
from projects.documents import counting
from projects.documents.actions.classification import Classified
from projects.documents.actions.documents import with_status
from projects.documents.document_status import DocumentStatus
from workflows.definitions.blueprint import StepDefinition
from workflows.runs.items.documents import ProjectDocument
from workflows.runs.run import Run
from workflows.runs.status import StepStatus


def at_step(step: StepDefinition) -> DocumentStatus:
    """What a run that is at this step makes of its document."""
    return DocumentStatus.WAITING if step.type == "approval" else DocumentStatus.IN_PROGRESS


def of_row(row: ProjectDocument) -> DocumentStatus:
    """What the document's row in its project says, also of one that is hidden."""
    if row.outcome:
        return DocumentStatus(row.outcome)
    status = row.hidden["status"] if row.hidden is not None else row.status
    if status == StepStatus.COMPLETED:
        return DocumentStatus.UNPACKED
    return DocumentStatus.WAITING if row.current_step else DocumentStatus.IN_PROGRESS


def listed(run: Run, status: DocumentStatus, now: str) -> dict[str, Any]:
    """GSI2 of the document's row in its project: the list of all that have this status, by when they got it."""
    return table.DOCUMENT_BY_STATUS.gsi2(run.site, status=status, updated_at=now, document_id=run.document_id)


def moved_in_list(run: Run, status: DocumentStatus, now: str) -> list[Action]:
    index = listed(run, status, now)
    return [ProjectDocument.GSI2PK.set(index["GSI2PK"]), ProjectDocument.GSI2SK.set(index["GSI2SK"])]


def paused(run: Run, step: str | None, status: DocumentStatus, now: str) -> Update:
    """The document's row in its project, while its run goes on; ``step``: the one that waits for a person."""
    waits = ProjectDocument.current_step
    actions = [*moved_in_list(run, status, now), waits.set(step) if step else waits.remove()]
    key = table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    return Update(key, actions, EXISTS)


def moved(
    run: Run, before: DocumentStatus, after: DocumentStatus, *, classified: Classified | None = None,
    queue: str | None = None,
) -> list[Change]:  # fmt: skip
    """The document's own row first, and the counts; its row in its project is the caller's to write.

    ``queue``: the one that the document belongs to from now on.
    """
    tally = counting.moved(run.project_id, run.document_id, before, after)
    row = with_status(run.site, run.document_id, after, queue)
    if classified:
        tally.update(classified.tally)
        row = Update(row.key, [*row.actions, *classified.actions], EXISTS & classified.condition)
    return [row, *counting.counted(run.site, tally)]
