"""What follows a publication: comes into being with it, is claimed by a worker, waits, and ends."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.table import Key
from config.transaction import Change, Put, Update, transact
from workflows.publish.items.actions import DocumentAction, FollowUp
from workflows.rules.routing import Act
from workflows.runs import events
from workflows.runs.items.documents import DocumentWorkflow
from workflows.runs.run import Run
from workflows.runs.status import ActionStatus, FollowUpStatus


def key_of(run: Run) -> Key:
    return table.FOLLOW_UP.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)


def planned(run: Run, document: DocumentWorkflow, acts: Sequence[Act], *, first: int) -> list[Change]:
    """The rows for the transaction that publishes; due at once. ``first``: the ``idx`` behind the document's last."""
    now = clock.iso(clock.now())
    row = FollowUp(
        *key_of(run),
        **_due(run, now),
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


def _due(run: Run, at: str) -> dict[str, Any]:
    return table.due(table.FOLLOW_UP, at, workflow_id=run.workflow_id)


def due_actions(run: Run, at: str) -> list[Action]:
    """To be looked at again at ``at``, by whoever comes first."""
    due = _due(run, at)
    return [
        FollowUp.status.set(FollowUpStatus.OPEN),
        FollowUp.due_at.set(at),
        FollowUp.GSI2PK.set(due["GSI2PK"]),
        FollowUp.GSI2SK.set(due["GSI2SK"]),
        FollowUp.lease_owner.remove(),
        FollowUp.lease_until.remove(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def idle_actions(status: FollowUpStatus) -> list[Action]:
    """Nothing is to be done at any time."""
    return [
        FollowUp.status.set(status),
        FollowUp.GSI2PK.remove(),
        FollowUp.GSI2SK.remove(),
        FollowUp.lease_owner.remove(),
        FollowUp.lease_until.remove(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def held_by(owner: str) -> Condition:
    """The guard of all that a worker does: a lease that ran out may be another's by now."""
    mine: Condition = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.lease_owner == owner)
    return mine


def claim(run: Run, *, owner: str) -> FollowUp:
    """Take the lease where something is due; it is due again when the lease runs out, should the worker die.

    Raises:
        Conflict: another worker has it, it is not due yet, or there is nothing to do.

    """
    now = clock.now()
    until = clock.iso(now + dt.timedelta(seconds=settings.STEP_LEASE_SECONDS))
    free = FollowUp.lease_owner.does_not_exist() | (FollowUp.lease_owner == owner)
    free = free | (FollowUp.lease_until < clock.iso(now))
    is_due = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.due_at <= clock.iso(now))
    return FollowUp.change(key_of(run), _leased(run, owner, until), is_due & free)


def renew(run: Run, *, owner: str) -> None:
    """Raises: Conflict, where the lease was lost: the work must stop."""
    until = clock.iso(clock.in_seconds(settings.STEP_LEASE_SECONDS))
    FollowUp.change(key_of(run), _leased(run, owner, until), held_by(owner))


def _leased(run: Run, owner: str, until: str) -> list[Action]:
    return [
        FollowUp.lease_owner.set(owner),
        FollowUp.lease_until.set(until),
        FollowUp.GSI2SK.set(_due(run, until)["GSI2SK"]),
    ]


def look_again(run: Run, follow_up: FollowUp, *, at: dt.datetime) -> None:
    """Move its place in the due index on while its message is on the way. Raises: Conflict, where it moved already."""
    FollowUp.change(
        key_of(run), [FollowUp.GSI2SK.set(_due(run, clock.iso(at))["GSI2SK"])], FollowUp.GSI2SK == follow_up.GSI2SK
    )


def mapped(run: Run, *, owner: str, message: str) -> None:
    """The attributes are set; ``message``: sentences about those that could not be. Raises: Conflict."""
    actions = [FollowUp.mapped_at.set(clock.iso(clock.now()))]
    actions.append(FollowUp.message.set(message) if message else FollowUp.message.remove())
    FollowUp.change(key_of(run), actions, held_by(owner) & FollowUp.mapped_at.does_not_exist())


def end(run: Run, *, owner: str, status: FollowUpStatus) -> None:
    """Done, or of a document that is gone, or left to a person. Raises: Conflict."""
    change = Update(key_of(run), idle_actions(status), held_by(owner))
    words = {
        FollowUpStatus.DONE: "FOLLOW_UP_DONE",
        FollowUpStatus.CANCELLED: "FOLLOW_UP_CANCELLED",
        FollowUpStatus.WAITING: "FOLLOW_UP_WAITING",
    }
    transact([change], events.lineage(run, words[status]))
