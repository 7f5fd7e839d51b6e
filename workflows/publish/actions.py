"""Writes of follow-ups: a run's follow-ups, each of its actions, and the notice to the sender."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.phrase import Sentence
from config.table import Key
from config.transaction import EXISTS, Change, Put, Update, transact
from projects.audit.events import Actor
from projects.documents.actions.documents import move_to_queue
from workflows.definitions.rules import Act
from workflows.publish.items import DocumentAction, FollowUp, NoticeStatus, SenderNotice
from workflows.runs import events
from workflows.runs.actions.at_end import at_end
from workflows.runs.items import ActionStatus, DocumentEvent, DocumentWorkflow, FollowUpStatus, Outcome, Run


def follow_up_key_of(run: Run) -> Key:
    return table.FOLLOW_UP.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id)


def plan_action_rows(run: Run, document: DocumentWorkflow, acts: Sequence[Act], *, first: int) -> list[Change]:
    """Return the rows for the publishing transaction; due at once. ``first``: the ``idx`` after the document's last."""
    now = clock.iso(clock.now())
    row = FollowUp(
        *follow_up_key_of(run),
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
    """Make the follow-up due at ``at``."""
    return [
        FollowUp.status.set(FollowUpStatus.OPEN),
        FollowUp.due_at.set(at),
        *due_work.schedule_actions(FollowUp, at, workflow_id=run.workflow_id),
        *due_work.release_actions(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def idle_actions(status: FollowUpStatus) -> list[Action]:
    """End the follow-up: nothing is due any more."""
    return [
        FollowUp.status.set(status),
        *due_work.finish_actions(),
        *due_work.release_actions(),
        FollowUp.updated_at.set(clock.iso(clock.now())),
    ]


def if_held_by(owner: str) -> Condition:
    """Return the condition of every worker's write: an expired lease may belong to another worker."""
    mine: Condition = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.lease_owner == owner)
    return mine


def claim_follow_up(run: Run, *, owner: str) -> FollowUp:
    """Claim a due follow-up; it is due again when the lease expires, in case the worker dies.

    Raises:
        Conflict: another worker has it, it is not due yet, or there is nothing to do.

    """
    is_due = (FollowUp.status == FollowUpStatus.OPEN) & (FollowUp.due_at <= clock.iso(clock.now()))
    return FollowUp.change(follow_up_key_of(run), _lease(run, owner), is_due & due_work.lease_is_free(owner))


def renew_follow_up(run: Run, *, owner: str) -> None:
    """Raises: Conflict if the lease was lost: the work must stop."""
    FollowUp.change(follow_up_key_of(run), _lease(run, owner), if_held_by(owner))


def _lease(run: Run, owner: str) -> list[Action]:
    until = due_work.lease_end()
    later = due_work.postpone_actions(FollowUp, until, workflow_id=run.workflow_id)
    return [*due_work.lease_actions(owner, until), *later]


def record_mapping(run: Run, *, owner: str, message: str) -> None:
    """Record that the attributes are set; ``message``: those that could not be. Raises: Conflict."""
    actions = [FollowUp.mapped_at.set(clock.iso(clock.now()))]
    actions.append(FollowUp.message.set(message) if message else FollowUp.message.remove())
    FollowUp.change(follow_up_key_of(run), actions, if_held_by(owner) & FollowUp.mapped_at.does_not_exist())


def end_follow_up(run: Run, *, owner: str, status: FollowUpStatus) -> None:
    """End it: done, its document is gone, or left to a person. Raises: Conflict."""
    change = Update(follow_up_key_of(run), idle_actions(status), if_held_by(owner))
    words = {
        FollowUpStatus.DONE: "FOLLOW_UP_DONE",
        FollowUpStatus.CANCELLED: "FOLLOW_UP_CANCELLED",
        FollowUpStatus.WAITING: "FOLLOW_UP_WAITING",
    }
    transact([change], events.lineage(run, words[status]))


S = ActionStatus
LONGEST = 300  # characters of a message


def begin_action(run: Run, action: DocumentAction) -> int:
    """Mark it as in progress; return the number of the attempt, from 1, which guards later writes.

    Raises:
        Conflict: another worker has begun it since it was read.

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
    """Complete it. ``bus``: an event to publish with it. Raises: Conflict if another worker has it by now."""
    now = clock.iso(clock.now())
    done = [DocumentAction.completedDate.set(now), *_status(run, S.COMPLETE, now, message)]
    changes = [
        _of_action(action, done, _if_running(attempt)),
        _of_follow_up(run, [FollowUp.updated_at.set(now)], if_held_by(owner)),
    ]
    bus_type = events.PUBLISHED if bus else None
    event = events.lineage(run, "ACTION_COMPLETED", facts=_facts(action), bus_type=bus_type, bus_detail=bus)
    return cast("DocumentEvent", transact(changes, event)[0])


def retry_action_later(run: Run, action: DocumentAction, *, attempt: int, owner: str, message: str) -> None:
    """Retry it later; after the last attempt it is left to a person. Raises: Conflict."""
    if attempt >= settings.ACTION_ATTEMPTS:
        fail_action(run, action, attempt=attempt, owner=owner, message=message)
        return
    now, at = clock.iso(clock.now()), clock.iso(clock.in_seconds(backoff(attempt)))
    changes = [
        _of_action(action, _status(run, S.WAITING_FOR_RETRY, now, message), _if_running(attempt)),
        _of_follow_up(run, due_actions(run, at), if_held_by(owner)),
    ]
    transact(changes, events.lineage(run, "ACTION_WAITS", facts=_facts(action, message)))


def backoff(attempt: int) -> float:
    """Return the seconds to wait after attempt ``attempt``: fourfold each time."""
    return float(settings.ACTION_RETRY_SECONDS * 4 ** (attempt - 1))


def fail_action(run: Run, action: DocumentAction, *, attempt: int, owner: str, message: str) -> None:
    """Fail it; later actions wait until a person retries it. Raises: Conflict."""
    now = clock.iso(clock.now())
    changes = [
        _of_action(action, _status(run, S.FAILED, now, message), _if_running(attempt)),
        _of_follow_up(run, idle_actions(FollowUpStatus.WAITING), if_held_by(owner)),
    ]
    transact(changes, events.lineage(run, "ACTION_FAILED", facts=_facts(action, message)))


def queue_document(run: Run, action: DocumentAction, *, owner: str) -> None:
    """Put the document into the action's queue; later actions wait until a person is done. Raises: Conflict."""
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
        _of_follow_up(run, idle_actions(FollowUpStatus.WAITING), if_held_by(owner)),
        move_to_queue(run.site, run.document_id, str(action.queueId)),
    ]
    transact(changes, events.lineage(run, "DOCUMENT_QUEUED", facts=_facts(action)))


def settle_action(run: Run, action: DocumentAction, *, by: Actor) -> None:
    """A person is done with the document in the queue; later actions are due at once.

    Raises:
        Conflict: someone else was first.

    """
    now = clock.iso(clock.now())
    done = [
        DocumentAction.completedDate.set(now),
        DocumentAction.userId.set(by.id),
        DocumentAction.GSI1PK.remove(),
        DocumentAction.GSI1SK.remove(),
        *_status(run, S.COMPLETE, now, Sentence("Done by %(name)s").fill(name=by.name)),
    ]
    waits: Condition = DocumentAction.status == S.IN_QUEUE
    changes = [
        _of_action(action, done, waits),
        _of_follow_up(run, due_actions(run, now), FollowUp.status == FollowUpStatus.WAITING),
    ]
    transact(changes, events.lineage(run, "DOCUMENT_LEFT_QUEUE", by=by, facts=_facts(action)))


def retry_action(run: Run, action: DocumentAction, *, by: Actor) -> None:
    """Retry it at once, with the full number of attempts.

    Raises:
        Conflict: it has neither failed nor is waiting, a worker has it, or the document was deleted.

    """
    now = clock.iso(clock.now())
    stuck: Condition = DocumentAction.status.is_in(S.FAILED, S.WAITING_FOR_RETRY)
    changes = [
        _of_action(action, [DocumentAction.attempts.set(0), *_status(run, S.PENDING, now)], stuck),
        _of_follow_up(run, due_actions(run, now), FollowUp.lease_owner.does_not_exist() & _live()),
    ]
    transact(changes, events.lineage(run, "ACTION_WANTED_AGAIN", by=by, facts=_facts(action)))


def _of_action(action: DocumentAction, actions: Sequence[Action], when: Condition) -> Update:
    return Update(action.key, actions, EXISTS & when)


def _of_follow_up(run: Run, actions: Sequence[Action], when: Condition) -> Update:
    return Update(follow_up_key_of(run), actions, EXISTS & when)


def _live() -> Condition:
    """While a document is deleted, its row has another status, which is restored with the document."""
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


# Not PARTIAL, which an operator handles, nor CANCELLED, where the person who cancels tells people.
TOLD = frozenset({Outcome.REJECTED, Outcome.FAILED, Outcome.EXPIRED})
_LONGEST = 300  # characters of a message


def notice_key_of(run: Run, attempt: int) -> Key:
    return table.SENDER_NOTICE.key(run.site, workflow_id=run.workflow_id, attempt=attempt)


def run_of(site: str, notice: SenderNotice) -> Run:
    return Run(site, notice.project_id, notice.document_id, notice.workflow_id)


@at_end
def plan_notice(run: Run, outcome: Outcome, attempt: int, now: str) -> list[Change]:
    """Return the notice for the transaction that ends the run, due at once; none if nobody is notified."""
    if not settings.TELL_SENDERS or outcome not in TOLD:
        return []
    row = SenderNotice(
        *notice_key_of(run, attempt),
        **SenderNotice.due_keys(now, workflow_id=run.workflow_id),
        project_id=run.project_id,
        document_id=run.document_id,
        workflow_id=run.workflow_id,
        attempt=attempt,
        outcome=outcome,
        status=NoticeStatus.OPEN,
        due_at=now,
        created_at=now,
        updated_at=now,
    )
    return [Put(row)]


def claim_notice(run: Run, *, attempt: int, owner: str) -> SenderNotice:
    """Claim a notice; it is due again when the lease expires, in case the worker dies.

    Raises:
        Conflict: another worker has it, it is not due yet, or it is settled.

    """
    until = due_work.lease_end()
    is_due = (SenderNotice.status == NoticeStatus.OPEN) & (SenderNotice.due_at <= clock.iso(clock.now()))
    actions = [
        *due_work.lease_actions(owner, until),
        SenderNotice.tries.set(SenderNotice.tries + 1),
        *due_work.postpone_actions(SenderNotice, until, workflow_id=run.workflow_id),
    ]
    return SenderNotice.change(notice_key_of(run, attempt), actions, is_due & due_work.lease_is_free(owner))


def settle_notice(run: Run, notice: SenderNotice, status: NoticeStatus, *, message: str = "") -> None:
    """Record that it was sent, or is not to be sent. Raises: Conflict if the lease was lost: it is sent again."""
    now = clock.iso(clock.now())
    actions: list[Action] = [
        SenderNotice.status.set(status),
        SenderNotice.updated_at.set(now),
        *due_work.finish_actions(),
        *_release(message),
    ]
    word = "SENDER_TOLD" if status == NoticeStatus.TOLD else "SENDER_NOT_TOLD"
    facts = {"outcome": notice.outcome, "attempt": int(notice.attempt)}
    facts |= {"reason": message[:_LONGEST]} if message else {"how": settings.TELL_SENDERS}
    change = Update(notice_key_of(run, int(notice.attempt)), actions, _if_held(notice))
    transact([change], events.lineage(run, word, facts=facts))


def retry_notice_later(run: Run, notice: SenderNotice, *, message: str) -> None:
    """Retry it later, with fourfold backoff; after the last attempt it is given up. Raises: Conflict."""
    tries = int(notice.tries)
    if tries >= settings.ACTION_ATTEMPTS:
        settle_notice(run, notice, NoticeStatus.GIVEN_UP, message=message)
        return
    at = clock.iso(clock.in_seconds(settings.ACTION_RETRY_SECONDS * 4 ** (tries - 1)))
    due_work.postpone(notice, at=at, when=_if_held(notice), also=[SenderNotice.due_at.set(at), *_release(message)])


def _release(message: str) -> list[Action]:
    told = SenderNotice.message.set(message[:_LONGEST]) if message else SenderNotice.message.remove()
    return [*due_work.release_actions(), told]


def _if_held(notice: SenderNotice) -> Condition:
    open_: Condition = (SenderNotice.status == NoticeStatus.OPEN) & (SenderNotice.tries == int(notice.tries))
    mine: Condition = open_ & (SenderNotice.lease_owner == notice.lease_owner)
    return mine
