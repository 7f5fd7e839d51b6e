"""Suspending the follow-ups of a deleted document: their rows drop the index keys and status that others query."""

import itertools

from pynamodb.expressions.update import Action

from config import clock, table
from config.errors import NotFound
from config.transaction import Check, Update, transact
from projects.documents.items import DocumentRemoval, HideableRow, RemovalState
from projects.documents.queries import get_removal
from workflows.publish import actions
from workflows.publish.items import FollowUp
from workflows.runs.actions.document_rows import DELETED
from workflows.runs.items import FollowUpStatus, Run

_MOST_OPEN = 80  # open rows in the transaction of a deletion, which holds 100


def is_follow_up(row: HideableRow) -> bool:
    return row.SK.startswith(table.FOLLOW_UP.sort_prefix())


def hide_follow_ups(site: str, document_id: str) -> list[Update]:
    """Return the part of the deletion that suspends follow-ups; it fails while a worker is busy with one.

    Only open ones, which a message in flight may be about, and no more than fit. The others follow with the document's
    other rows, and a worker that takes one of them meanwhile finds that the document is gone.
    """
    pk = table.FOLLOW_UP.partition_key(site, document_id=document_id)
    rows = HideableRow.every(pk, sk=HideableRow.SK.startswith(table.FOLLOW_UP.sort_prefix()), consistent=True)
    open_ones = (row for row in rows if row.status == FollowUpStatus.OPEN)
    return [hide_row(row) for row in itertools.islice(open_ones, _MOST_OPEN)]


def hide_row(row: HideableRow) -> Update:
    """The status goes with it, since a worker with a message in flight checks that."""
    idle = FollowUp.lease_owner.does_not_exist() | (FollowUp.lease_until < clock.iso(clock.now()))
    return Update(row.key, _rest_claims(row), (HideableRow.status == row.status) & idle, name="follow_up")


def _rest_claims(row: HideableRow) -> list[Action]:
    return [
        HideableRow.hidden.set({**row.index_keys, "status": row.status}),
        HideableRow.status.set(DELETED),
        *(getattr(HideableRow, name).remove() for name in row.index_keys),
    ]


def hide_with_document(run: Run, *, owner: str) -> bool:
    """Suspend it with its deleted document, by the worker that holds it; False if it will not be restored.

    Raises:
        Conflict: another worker has it by now, or the document is being restored.

    """
    try:
        record = get_removal(run.site, run.document_id)
        row = HideableRow.load(actions.follow_up_key_of(run))
    except NotFound:
        return False
    if record.status not in (RemovalState.DELETING, RemovalState.DELETED):
        return False
    still = Check(record.key, DocumentRemoval.status == record.status)
    changes = [*_rest_claims(row), FollowUp.lease_owner.remove(), FollowUp.lease_until.remove()]
    transact([still, Update(row.key, changes, actions.if_held_by(owner))])
    return True
