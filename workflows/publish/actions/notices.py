"""The sender of a document is to be told: planned with the end of the run, claimed by a worker, told or given up."""

from django.conf import settings
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock, table
from config.due import actions as due_work
from config.table import Key
from config.transaction import Change, Put, Update, transact
from workflows.publish.items import NoticeStatus, SenderNotice
from workflows.runs import events
from workflows.runs.actions.at_end import at_end
from workflows.runs.run import Outcome, Run

# Pages that failed are the desk's to mend, and who cancels a run tells people himself.
TOLD = frozenset({Outcome.REJECTED, Outcome.FAILED, Outcome.EXPIRED})
_LONGEST = 300  # characters of a message


def key_of(run: Run, attempt: int) -> Key:
    return table.SENDER_NOTICE.key(run.site, workflow_id=run.workflow_id, attempt=attempt)


def run_of(site: str, notice: SenderNotice) -> Run:
    return Run(site, notice.project_id, notice.document_id, notice.workflow_id)


@at_end
def plan_notice(run: Run, outcome: Outcome, attempt: int, now: str) -> list[Change]:
    """For the transaction that ends the run, due at once; none if no one is told of such an end."""
    if not settings.TELL_SENDERS or outcome not in TOLD:
        return []
    row = SenderNotice(
        *key_of(run, attempt),
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
    """Take the lease; it is due again when that runs out, should the worker die.

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
    return SenderNotice.change(key_of(run, attempt), actions, is_due & due_work.lease_is_free(owner))


def settle_notice(run: Run, notice: SenderNotice, status: NoticeStatus, *, message: str = "") -> None:
    """Told, or not to be told any more. Raises: Conflict if the lease was lost: another worker tells it again."""
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
    change = Update(key_of(run, int(notice.attempt)), actions, _if_held(notice))
    transact([change], events.lineage(run, word, facts=facts))


def retry_notice_later(run: Run, notice: SenderNotice, *, message: str) -> None:
    """Try it again later, fourfold each time; after the last attempt it is given up. Raises: Conflict."""
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
