"""One action moves on: begun, done, tried again, failed, put into a queue, taken out of it, wanted again.

Each move but the first is one transaction: the action, the follow-up that it belongs to, and the event.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.transaction import EXISTS, Update, transact
from projects.audit.events import Actor
from projects.documents.actions.documents import move_to_queue
from workflows.publish.actions import follow_ups
from workflows.publish.items import DocumentAction, FollowUp
from workflows.runs import events
from workflows.runs.items import DocumentEvent
from workflows.runs.run import ActionStatus, FollowUpStatus, Run

S = ActionStatus
LONGEST = 300  # characters of a message


def begin_action(run: Run, action: DocumentAction) -> int:
    """Mark it as being done; returns the number of this attempt, from 1, which later moves are guarded by.

    Raises:
        Conflict: another worker began it since it was read.

    """
    attempt = int(action.attempts) + 1
    now = clock.iso(clock.now())
    actions = [
        DocumentAction.startDate.set(now),
        DocumentAction.attempts.set(attempt),
        *_status(run, S.RUNNING, now),
    ]
    same: Condition = (DocumentAction.status == action.status) & (DocumentAction.attempts == attempt - 1)
    DocumentAction.change(action.key, actions, EXISTS & same)
    return attempt


def complete_action(
    run: Run, action: DocumentAction, *, attempt: int, owner: str, message: str, bus: Mapping[str, Any] | None = None
) -> DocumentEvent:
    """Done. ``bus``: what goes on the event bus with it. Raises: Conflict if another worker has it by now."""
    now = clock.iso(clock.now())
    done = [DocumentAction.completedDate.set(now), *_status(run, S.COMPLETE, now, message)]
    changes = [
        _of_action(action, done, _if_running(attempt)),
        _of_follow_up(run, [FollowUp.updated_at.set(now)], follow_ups.if_held_by(owner)),
    ]
    bus_type = events.PUBLISHED if bus else None
    event = events.lineage(run, "ACTION_COMPLETED", facts=_facts(action), bus_type=bus_type, bus_detail=bus)
    return cast("DocumentEvent", transact(changes, event)[0])


def retry_action_later(run: Run, action: DocumentAction, *, attempt: int, owner: str, message: str) -> None:
    """Try it again later; after the last attempt it is left to a person. Raises: Conflict."""
    if attempt >= settings.ACTION_ATTEMPTS:
        fail_action(run, action, attempt=attempt, owner=owner, message=message)
        return
    now, at = clock.iso(clock.now()), clock.iso(clock.in_seconds(backoff(attempt)))
    changes = [
        _of_action(action, _status(run, S.WAITING_FOR_RETRY, now, message), _if_running(attempt)),
        _of_follow_up(run, follow_ups.due_actions(run, at), follow_ups.if_held_by(owner)),
    ]
    transact(changes, events.lineage(run, "ACTION_WAITS", facts=_facts(action, message)))


def backoff(attempt: int) -> float:
    """Seconds after attempt ``attempt``: fourfold each time."""
    return float(settings.ACTION_RETRY_SECONDS * 4 ** (attempt - 1))


def fail_action(run: Run, action: DocumentAction, *, attempt: int, owner: str, message: str) -> None:
    """It cannot be done: what is after it waits until someone has it done again. Raises: Conflict."""
    now = clock.iso(clock.now())
    changes = [
        _of_action(action, _status(run, S.FAILED, now, message), _if_running(attempt)),
        _of_follow_up(run, follow_ups.idle_actions(FollowUpStatus.WAITING), follow_ups.if_held_by(owner)),
    ]
    transact(changes, events.lineage(run, "ACTION_FAILED", facts=_facts(action, message)))


def queue_document(run: Run, action: DocumentAction, *, owner: str) -> None:
    """Put the document into the action's queue; what is behind waits until a person is done. Raises: Conflict."""
    at = clock.now()
    now, moment = clock.iso(at), table.datetime_s(at)
    index = table.DOCUMENT_ACTION.gsi1(
        run.site, type=action.kind, queue_id=str(action.queueId), document_id=run.document_id, datetime=moment
    )
    queued = [
        DocumentAction.startDate.set(now),
        DocumentAction.GSI1PK.set(index["GSI1PK"]),
        DocumentAction.GSI1SK.set(index["GSI1SK"]),
        *_status(run, S.IN_QUEUE, now),
    ]
    pending: Condition = DocumentAction.status == S.PENDING
    changes = [
        _of_action(action, queued, pending),
        _of_follow_up(run, follow_ups.idle_actions(FollowUpStatus.WAITING), follow_ups.if_held_by(owner)),
        move_to_queue(run.site, run.document_id, str(action.queueId)),
    ]
    transact(changes, events.lineage(run, "DOCUMENT_QUEUED", facts=_facts(action)))


def settle_action(run: Run, action: DocumentAction, *, by: Actor) -> None:
    """A person is done with the document in the queue; what is after it is due at once.

    Raises:
        Conflict: someone else was first.

    """
    now = clock.iso(clock.now())
    done = [
        DocumentAction.completedDate.set(now),
        DocumentAction.userId.set(by.id),
        DocumentAction.GSI1PK.remove(),
        DocumentAction.GSI1SK.remove(),
        *_status(run, S.COMPLETE, now, f"Done by {by.name}"),
    ]
    waits: Condition = DocumentAction.status == S.IN_QUEUE
    changes = [
        _of_action(action, done, waits),
        _of_follow_up(run, follow_ups.due_actions(run, now), FollowUp.status == FollowUpStatus.WAITING),
    ]
    transact(changes, events.lineage(run, "DOCUMENT_LEFT_QUEUE", by=by, facts=_facts(action)))


def retry_action(run: Run, action: DocumentAction, *, by: Actor) -> None:
    """Someone wants it done again: as often as at first, and at once.

    Raises:
        Conflict: it neither failed nor waits, a worker has it in hand, or the document was deleted.

    """
    now = clock.iso(clock.now())
    stuck: Condition = DocumentAction.status.is_in(S.FAILED, S.WAITING_FOR_RETRY)
    changes = [
        _of_action(action, [DocumentAction.attempts.set(0), *_status(run, S.PENDING, now)], stuck),
        _of_follow_up(run, follow_ups.due_actions(run, now), FollowUp.lease_owner.does_not_exist() & _live()),
    ]
    transact(changes, events.lineage(run, "ACTION_WANTED_AGAIN", by=by, facts=_facts(action)))


def _of_action(action: DocumentAction, actions: Sequence[Action], when: Condition) -> Update:
    return Update(action.key, actions, EXISTS & when)


def _of_follow_up(run: Run, actions: Sequence[Action], when: Condition) -> Update:
    return Update(follow_ups.key_of(run), actions, EXISTS & when)


def _live() -> Condition:
    """A deleted document's rests under another word, and gets its own back when the document comes back."""
    live: Condition = FollowUp.status.is_in(*FollowUpStatus)
    return live


def _if_running(attempt: int) -> Condition:
    mine: Condition = (DocumentAction.status == S.RUNNING) & (DocumentAction.attempts == attempt)
    return mine


def _status(run: Run, status: ActionStatus, now: str, message: str = "") -> list[Action]:
    text = message[:LONGEST]
    actions: list[Action] = [
        DocumentAction.status.set(status),
        DocumentAction.updated_at.set(now),
        DocumentAction.message.set(text) if text else DocumentAction.message.remove(),
    ]
    if status == S.COMPLETE:
        return [*actions, DocumentAction.GSI2PK.remove(), DocumentAction.GSI2SK.remove()]
    index = table.DOCUMENT_ACTION.gsi2(run.site, status=status, document_id=run.document_id)
    return [*actions, DocumentAction.GSI2PK.set(index["GSI2PK"]), DocumentAction.GSI2SK.set(index["GSI2SK"])]


def _facts(action: DocumentAction, reason: str = "") -> dict[str, Any]:
    facts = {"action": action.kind, "number": action.idx + 1}
    return facts | {"reason": reason[:LONGEST]} if reason else facts
