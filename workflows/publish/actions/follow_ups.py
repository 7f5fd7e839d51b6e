"""What follows a publication: comes into being with it, is claimed by a worker, waits, and ends."""

from collections.abc import Sequence
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.table import Key
from config.transaction import Change, Put, Update, transact
from workflows.publish.items import DocumentAction, FollowUp
from workflows.rules.routing import Act
from workflows.runs import events
from workflows.runs.items import DocumentWorkflow
from workflows.runs.run import ActionStatus, FollowUpStatus, Run


def key_of(run: Run) -> Key:
    return table.FOLLOW_UP.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)


def plan_action_rows(run: Run, document: DocumentWorkflow, acts: Sequence[Act], *, first: int) -> list[Change]:
    """The rows for the transaction that publishes; due at once. ``first``: the ``idx`` after the document's last."""
    now = clock.iso(clock.now())
    row = FollowUp(
        *key_of(run),
        **FollowUp.due_keys(now, workflow_id=run.workflow_id),
        documentId=run.document_id,
        workflowId=run.workflow_id,
        project_id=run.project_id,
        status=FollowUpStatus.OPEN,
        due_at=now,
        created_at=now,
        updated_at=now,
    )
    return [Put(row), *(Put(_action(run, document, act, idx, now)) for idx, act in enumerate(acts, first))]


def _action(run: Run, document: DocumentWorkflow, act: Act, idx: int, now: str) -> DocumentAction:
    parts: dict[str, Any] = {"document_id": run.document_id, "idx": idx, "type": act.type}
    return DocumentAction(
        *table.DOCUMENT_ACTION.key(run.site, **parts),
        **table.DOCUMENT_ACTION.gsi2(run.site, status=ActionStatus.PENDING, document_id=run.document_id),
        documentId=run.document_id,
        type=act.type,
        status=ActionStatus.PENDING,
        parameters=dict(act.parameters) or None,
        userId="system",
        inserteddate=now,
        queueId=act.parameters.get("queue"),
        workflowId=run.workflow_id,
        name=document.data["file_name"],
        document_id=run.document_id,
        workflow_id=run.workflow_id,
        project_id=run.project_id,
        project_name=document.project_name or None,
        file_type=document.data["file_type"],
        created_at=now,
        updated_at=now,
    )


def due_actions(run: Run, at: str) -> list[Action]:
    """To be looked at again at ``at``, by whoever comes first."""
    return [
        FollowUp.status.set(FollowUpStatus.OPEN),
        FollowUp.due_at.set(at),
        *due_work.schedule_actions(FollowUp, at, workflow_id=run.workflow_id),
        *due_work.release_actions(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def idle_actions(status: FollowUpStatus) -> list[Action]:
    """Nothing is to be done at any time."""
    return [
        FollowUp.status.set(status),
        *due_work.finish_actions(),
        *due_work.release_actions(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def if_held_by(owner: str) -> Condition:
    """The guard of all that a worker does: a lease that ran out may be another's by now."""
    mine: Condition = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.lease_owner == owner)
    return mine


def claim_follow_up(run: Run, *, owner: str) -> FollowUp:
    """Take the lease where something is due; it is due again when the lease runs out, should the worker die.

    Raises:
        Conflict: another worker has it, it is not due yet, or there is nothing to do.

    """
    is_due = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.due_at <= clock.iso(clock.now()))
    return FollowUp.change(key_of(run), _lease(run, owner), is_due & due_work.lease_is_free(owner))


def renew_follow_up(run: Run, *, owner: str) -> None:
    """Raises: Conflict if the lease was lost: the work must stop."""
    FollowUp.change(key_of(run), _lease(run, owner), if_held_by(owner))


def _lease(run: Run, owner: str) -> list[Action]:
    until = due_work.lease_end()
    later = due_work.postpone_actions(FollowUp, until, workflow_id=run.workflow_id)
    return [*due_work.lease_actions(owner, until), *later]


def record_mapping(run: Run, *, owner: str, message: str) -> None:
    """The attributes are set; ``message``: sentences about those that could not be. Raises: Conflict."""
    actions = [FollowUp.mapped_at.set(clock.iso(clock.now()))]
    actions.append(FollowUp.message.set(message) if message else FollowUp.message.remove())
    FollowUp.change(key_of(run), actions, if_held_by(owner) & FollowUp.mapped_at.does_not_exist())


def end_follow_up(run: Run, *, owner: str, status: FollowUpStatus) -> None:
    """Done, or of a document that is gone, or left to a person. Raises: Conflict."""
    change = Update(key_of(run), idle_actions(status), if_held_by(owner))
    words = {
        FollowUpStatus.DONE: "FOLLOW_UP_DONE",
        FollowUpStatus.CANCELLED: "FOLLOW_UP_CANCELLED",
        FollowUpStatus.WAITING: "FOLLOW_UP_WAITING",
    }
    transact([change], events.lineage(run, words[status]))
