"""What a document's rows show of its runs: its row in its project, its own, and the counts; for one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import table
from config.transaction import EXISTS, Change, Update
from projects.documents import counting
from projects.documents.actions.classification import Classified
from projects.documents.actions.documents import move_to_queue, with_status
from projects.documents.items import DocumentStatus
from workflows.runs.items import RUN_ENDS, Outcome, ProjectDocument, Run, RunStatus, StepStatus

DELETED = "deleted"  # seed 000's word in the flat copy of a document's status
INDEX_KEYS = ("GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
_OUTCOMES = frozenset(Outcome)


@dataclass(frozen=True)
class DocumentState:
    """Where a document stands.

    ``workflow_id``: the run that it shows, empty for a mail or an archive. ``decided``: the run whose result a person
    decided or chose, while that is the document's. ``waits_at``: the step at which its run waits for a person.
    """

    status: DocumentStatus
    workflow_id: str = ""
    decided: str = ""
    waits_at: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """How the run that it shows ended; None of an archive that was unpacked, which has none."""
        return Outcome(self.status) if self.status.value in _OUTCOMES else None

    @property
    def step_status(self) -> StepStatus:
        """Seed 000's word for it."""
        if self.status in (DocumentStatus.IN_PROGRESS, DocumentStatus.WAITING):
            return StepStatus.IN_PROGRESS
        failed = self.outcome is not None and RUN_ENDS[self.outcome] == RunStatus.FAILED
        return StepStatus.FAILED if failed else StepStatus.COMPLETED


@dataclass(frozen=True)
class More:
    """What one write changes and asks besides a state: DynamoDB takes one operation an item and transaction.

    ``execution``, ``project_document``, ``document``: of these rows; the conditions guard the document's two rows.
    ``queue``: the one that the document belongs to from now on, empty for the site's own; None leaves it where it is.
    ``classified``: the document type that it gets. ``classification_id``: that of a document that comes into being.
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
    """What the document's row in its project says, also of one that is hidden."""
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
    """The document is not deleted, and no run of it is under way."""
    quiet: Condition = _THERE & (ProjectDocument.status != StepStatus.IN_PROGRESS)
    return quiet


def if_at_rest_as(row: ProjectDocument) -> Condition:
    """Whoever loses here has seen another run begin, go on or be chosen."""
    same: Condition = (ProjectDocument.workflow_id == row.workflow_id) & (ProjectDocument.outcome == row.outcome)
    quiet: Condition = if_at_rest() & same
    return quiet


def if_shows(workflow_id: str) -> Condition:
    """The document is not deleted, and this run is the one that it shows."""
    same: Condition = _THERE & (ProjectDocument.workflow_id == workflow_id)
    return same


def if_has_status(row: ProjectDocument) -> Condition:
    """The document is not deleted, and in the state that ``row`` says; for one without runs."""
    same: Condition = _THERE & (ProjectDocument.status == row.status)
    return same


def columns(run: Run, state: DocumentState, now: str) -> dict[str, Any]:
    """Of the document's row in its project; None for what it does not have."""
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
    """The site's list of all that have this status, by when they got it."""
    parts = {"status": state.status, "updated_at": now, "document_id": run.document_id}
    return table.DOCUMENT_BY_STATUS.gsi2(run.site, **parts)


def write_document(
    run: Run, before: DocumentState | None, after: DocumentState, now: str, *, more: More = NOTHING
) -> list[Change]:
    """The document's row in its project, its own, and the counts; nothing of what stays as it is.

    ``before``: None of a document that comes into being, whose rows the caller puts.
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
        # A pause, or its end: the order of the project's list stays.
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
        # Published without a review, it belongs to the queue in which its review would have waited.
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
    """The document leaves its project's list and the counts; fails while a run of it is under way."""
    keys = {name: value for name in INDEX_KEYS if (value := getattr(row, name))}
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
        else ProjectDocument.workflow_id.does_not_exist()  # a mail or an archive has none
    )
    return same


def show_in_project(run: Run, row: ProjectDocument, classification_id: str | None) -> list[Change]:
    """The document is back in its project's list and in the counts, as it was."""
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
    """One document less, or more; the condition on its project's row holds what it counts as."""
    if not keys.get("GSI2PK"):  # an older writer never counted it
        return []
    status = state_of_row(row).status
    before, after = (status, None) if gone else (None, status)
    tally = counting.count_move(run.project_id, run.document_id, before, after, classification_id)
    return counting.apply_tally(run.site, tally)
