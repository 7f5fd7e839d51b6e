"""The sender of a document is to be told: planned with the end of the run, claimed by a worker, told or given up."""

import datetime as dt
from typing import Any

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.table import Key
from config.transaction import Change, Put, Update, transact
from workflows.publish.items.notices import NoticeStatus, SenderNotice
from workflows.runs import events
from workflows.runs.run import Run
from workflows.runs.status import Outcome

# Pages that failed are the desk's to mend, and who cancels a run tells people himself.
TOLD = frozenset({Outcome.REJECTED, Outcome.FAILED, Outcome.EXPIRED})
_LONGEST = 300  # characters of a message


def key_of(run: Run, attempt: int) -> Key:
    return table.SENDER_NOTICE.key(run.site, workflow_id=run.workflow_id, attempt=attempt)


def run_of(site: str, notice: SenderNotice) -> Run:
    return Run(site, notice.project_id, notice.document_id, notice.workflow_id)


def planned(run: Run, outcome: Outcome, attempt: int, now: str) -> list[Change]:
    """For the transaction that ends the run, due at once; none where nobody is told of such an end."""
    if not settings.TELL_SENDERS or outcome not in TOLD:
        return []
    row = SenderNotice(
        *key_of(run, attempt),
        **_due(run.workflow_id, now),
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


def _due(workflow_id: str, at: str) -> dict[str, Any]:
    return table.due(table.SENDER_NOTICE, at, workflow_id=workflow_id)


def look_again(site: str, notice: SenderNotice) -> None:
    """Move its place in the due index on while its message is on the way. Raises: Conflict, where it moved already."""
    at = clock.iso(clock.in_seconds(settings.STEP_LEASE_SECONDS))
    moved = SenderNotice.GSI2SK.set(_due(notice.workflow_id, at)["GSI2SK"])
    key = key_of(run_of(site, notice), int(notice.attempt))
    SenderNotice.change(key, [moved], SenderNotice.GSI2SK == notice.GSI2SK)


def claim(run: Run, *, attempt: int, owner: str) -> SenderNotice:
    """Take the lease; it is due again when that runs out, should the worker die.

    Raises:
        Conflict: another worker has it, it is not due yet, or it is settled.

    """
    now = clock.now()
    until = clock.iso(now + dt.timedelta(seconds=settings.STEP_LEASE_SECONDS))
    free = SenderNotice.lease_owner.does_not_exist() | (SenderNotice.lease_until < clock.iso(now))
    is_due = (SenderNotice.status == NoticeStatus.OPEN) & (SenderNotice.due_at <= clock.iso(now))
    actions = [
        SenderNotice.lease_owner.set(owner),
        SenderNotice.lease_until.set(until),
        SenderNotice.tries.set(SenderNotice.tries + 1),
        SenderNotice.GSI2SK.set(_due(run.workflow_id, until)["GSI2SK"]),
    ]
    return SenderNotice.change(key_of(run, attempt), actions, is_due & (free | (SenderNotice.lease_owner == owner)))


def settle(run: Run, notice: SenderNotice, status: NoticeStatus, *, message: str = "") -> None:
    """Told, or not to be told any more. Raises: Conflict, where the lease was lost: another worker tells it again."""
    now = clock.iso(clock.now())
    actions: list[Action] = [
        SenderNotice.status.set(status),
        SenderNotice.updated_at.set(now),
        SenderNotice.GSI2PK.remove(),
        SenderNotice.GSI2SK.remove(),
        *_released(message),
    ]
    word = "SENDER_TOLD" if status == NoticeStatus.TOLD else "SENDER_NOT_TOLD"
    facts = {"outcome": notice.outcome, "attempt": int(notice.attempt)}
    facts |= {"reason": message[:_LONGEST]} if message else {"how": settings.TELL_SENDERS}
    change = Update(key_of(run, int(notice.attempt)), actions, _held(notice))
    transact([change], events.lineage(run, word, facts=facts))


def again(run: Run, notice: SenderNotice, *, message: str) -> None:
    """Try it again later, fourfold each time; after the last attempt it is given up. Raises: Conflict."""
    tries = int(notice.tries)
    if tries >= settings.ACTION_ATTEMPTS:
        settle(run, notice, NoticeStatus.GIVEN_UP, message=message)
        return
    at = clock.iso(clock.in_seconds(settings.ACTION_RETRY_SECONDS * 4 ** (tries - 1)))
    due = SenderNotice.GSI2SK.set(_due(run.workflow_id, at)["GSI2SK"])
    actions = [SenderNotice.due_at.set(at), due, *_released(message)]
    SenderNotice.change(key_of(run, int(notice.attempt)), actions, _held(notice))


def _released(message: str) -> list[Action]:
    told = SenderNotice.message.set(message[:_LONGEST]) if message else SenderNotice.message.remove()
    return [SenderNotice.lease_owner.remove(), SenderNotice.lease_until.remove(), told]


def _held(notice: SenderNotice) -> Condition:
    open_: Condition = (SenderNotice.status == NoticeStatus.OPEN) & (SenderNotice.tries == int(notice.tries))
    mine: Condition = open_ & (SenderNotice.lease_owner == notice.lease_owner)
    return mine
