"""A document's rows as they show its runs: its row in the project, its own row, and counters; for one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import table
from config.item import INDEX_KEYS
from config.transaction import EXISTS, Change, Update
from projects.documents import counting
from projects.documents.actions.classification import Classified
from projects.documents.actions.documents import move_to_queue, with_status
from projects.documents.items import DocumentStatus
from workflows.runs.items import RUN_ENDS, Outcome, ProjectDocument, Run, RunStatus, StepStatus

DELETED = "deleted"  # seed 000's word in the flat copy of a document's status
_OUTCOMES = frozenset(Outcome)


@dataclass(frozen=True)
class DocumentState:
    """The state of a document.

    ``workflow_id``: the run that it shows, empty for an email or archive. ``decided``: the run whose result a person
    decided or selected, while that is in use. ``waits_at``: the step at which its run is in review.
    """

    status: DocumentStatus
    workflow_id: str = ""
    decided: str = ""
    waits_at: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the run that it shows; None for an extracted archive."""
        return Outcome(self.status) if self.status.value in _OUTCOMES else None

    @property
    def step_status(self) -> StepStatus:
        """The status in seed 000's terms."""
        if self.status in (DocumentStatus.IN_PROGRESS, DocumentStatus.WAITING):
            return StepStatus.IN_PROGRESS
        failed = self.outcome is not None and RUN_ENDS[self.outcome] == RunStatus.FAILED
        return StepStatus.FAILED if failed else StepStatus.COMPLETED


@dataclass(frozen=True)
class More:
    """Further changes and conditions of one write: DynamoDB takes one operation an item and transaction.

    ``execution``, ``project_document``, ``document``: of these rows; the conditions guard the document's two rows.
    ``queue``: the document's queue from now on, empty for the site's own; None leaves it unchanged. ``classified``: its
    new document type. ``classification_id``: that of a new document.
    """

    execution: Sequence[Action] = ()
    project_document: Sequence[Action] = ()
    project_document_if: Condition | None = None
    document: Sequence[Action] = ()
    document_if: Condition | None = None
    queue: str | None = None
    classified: Classified | None = None
    classification_id: str | None = None


NOTHING = More()
_THERE: Condition = EXISTS & ProjectDocument.hidden.does_not_exist()


def state_of_row(row: ProjectDocument) -> DocumentState:
    """Return the state in the document's row in its project, even if that is hidden."""
    step = str(row.current_step or "")
    return DocumentState(_status_of_row(row), str(row.workflow_id or ""), str(row.decided or ""), step)


def _status_of_row(row: ProjectDocument) -> DocumentStatus:
    if row.outcome:
        return DocumentStatus(row.outcome)
    status = row.hidden["status"] if row.hidden is not None else row.status
    if status == StepStatus.COMPLETED:
        return DocumentStatus.UNPACKED
    return DocumentStatus.WAITING if row.current_step else DocumentStatus.IN_PROGRESS


def if_at_rest() -> Condition:
    """Return the condition that the document is not deleted and has no run in progress."""
    quiet: Condition = _THERE & (ProjectDocument.status != StepStatus.IN_PROGRESS)
    return quiet


def if_at_rest_as(row: ProjectDocument) -> Condition:
    """Return the condition that no run has begun, been resumed or been selected since ``row`` was read."""
    same: Condition = (ProjectDocument.workflow_id == row.workflow_id) & (ProjectDocument.outcome == row.outcome)
    quiet: Condition = if_at_rest() & same
    return quiet


def if_shows(workflow_id: str) -> Condition:
    """Return the condition that the document is not deleted and shows this run."""
    same: Condition = _THERE & (ProjectDocument.workflow_id == workflow_id)
    return same


def if_has_status(row: ProjectDocument) -> Condition:
    """Return the condition that the document is not deleted and unchanged since ``row``; for one without runs."""
    same: Condition = _THERE & (ProjectDocument.status == row.status)
    return same


def columns(run: Run, state: DocumentState, now: str) -> dict[str, Any]:
    """Return the columns of the document's row in its project; None for missing values."""
    return {
        **table.PROJECT_DOCUMENT.gsi1(run.site, project_id=run.project_id, updated_at=now),
        **_by_status(run, state, now),
        "status": state.step_status,
        "outcome": state.outcome,
        "workflow_id": state.workflow_id or None,
        "decided": state.decided or None,
        "current_step": state.waits_at or None,
        "updated_at": now,
    }


def _by_status(run: Run, state: DocumentState, now: str) -> dict[str, Any]:
    """Return the keys in the site's list by status, ordered by when it was reached."""
    parts = {"status": state.status, "updated_at": now, "document_id": run.document_id}
    return table.DOCUMENT_BY_STATUS.gsi2(run.site, **parts)


def write_document(
    run: Run, before: DocumentState | None, after: DocumentState, now: str, *, more: More = NOTHING
) -> list[Change]:
    """Return the changes of the document's two rows and of counters; nothing for unchanged values.

    ``before``: None for a new document, whose rows the caller puts.
    """
    tally = counting.count_move(
        run.project_id, run.document_id, before.status if before else None, after.status, more.classification_id
    )
    if more.classified:
        tally.update(more.classified.tally)
    rows = (
        [*_write_project_row(run, before, after, now, more), *_write_own_row(run, before, after, more)]
        if before
        else []
    )
    return [*rows, *counting.apply_tally(run.site, tally)]


def _write_project_row(run: Run, before: DocumentState, after: DocumentState, now: str, more: More) -> list[Change]:
    values = {} if _is_shown_alike(before, after) else columns(run, after, now)
    actions = [*more.project_document]
    if before.step_status == after.step_status and before.workflow_id == after.workflow_id and not after.outcome:
        # The start or end of a review does not change the order of the project's list.
        values = {name: values[name] for name in ("GSI2PK", "GSI2SK", "current_step") if name in values}
    elif values:
        actions.append(ProjectDocument.data["status"].set(after.step_status.value))
    actions += [
        getattr(ProjectDocument, name).remove() if value is None else getattr(ProjectDocument, name).set(value)
        for name, value in values.items()
        if name != "GSI1PK"  # never another
    ]
    key = table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    condition = EXISTS if more.project_document_if is None else more.project_document_if
    return [Update(key, actions, condition, name="project_document")] if actions else []


def _is_shown_alike(before: DocumentState, after: DocumentState) -> bool:
    return (before.status, before.workflow_id) == (after.status, after.workflow_id)


def _write_own_row(run: Run, before: DocumentState, after: DocumentState, more: More) -> list[Change]:
    if _is_shown_alike(before, after) and not (more.document or more.classified):
        # Published without a review, it belongs to the queue of the review that it would have had.
        return [move_to_queue(run.site, run.document_id, more.queue)] if more.queue else []
    row = with_status(run.site, run.document_id, after.status, more.queue)
    condition, actions = EXISTS, [*row.actions, *more.document]
    if more.document_if is not None:
        condition &= more.document_if
    if more.classified:
        condition &= more.classified.condition
        actions += more.classified.actions
    return [Update(row.key, actions, condition, name="document")]


def hide_in_project(run: Run, row: ProjectDocument, classification_id: str | None) -> list[Change]:
    """Remove the document from its project's list and from the counters; fails while it has a run in progress."""
    keys = row.index_keys
    same: Condition = (ProjectDocument.GSI1SK == row.GSI1SK) & _same_run(row)
    actions = [
        *(getattr(ProjectDocument, name).remove() for name in keys),
        ProjectDocument.hidden.set({**keys, "status": row.status}),
        ProjectDocument.status.set(DELETED),
    ]
    change = Update(row.key, actions, same & (ProjectDocument.status == row.status), name="project_document")
    return [change, *_count_hidden(run, row, keys, classification_id, gone=True)]


def _same_run(row: ProjectDocument) -> Condition:
    same: Condition = (
        ProjectDocument.workflow_id == row.workflow_id
        if row.workflow_id
        else ProjectDocument.workflow_id.does_not_exist()  # an email or archive has none
    )
    return same


def show_in_project(run: Run, row: ProjectDocument, classification_id: str | None) -> list[Change]:
    """Restore the document to its project's list and to the counters."""
    kept = row.hidden.as_dict()
    actions = [
        *(getattr(ProjectDocument, name).set(kept[name]) for name in INDEX_KEYS if name in kept),
        ProjectDocument.status.set(kept["status"]),
        ProjectDocument.hidden.remove(),
    ]
    change = Update(row.key, actions, ProjectDocument.hidden.exists(), name="project_document")
    return [change, *_count_hidden(run, row, kept, classification_id, gone=False)]


def _count_hidden(
    run: Run, row: ProjectDocument, keys: dict[str, Any], classification_id: str | None, *, gone: bool
) -> list[Change]:
    """Subtract or add one document; the condition on its project's row covers how it was counted."""
    if not keys.get("GSI2PK"):  # older rows were never counted
        return []
    status = state_of_row(row).status
    before, after = (status, None) if gone else (None, status)
    tally = counting.count_move(run.project_id, run.document_id, before, after, classification_id)
    return counting.apply_tally(run.site, tally)
