"""Operator actions: retry overdue work by an immediate sweep."""

from django.conf import settings

from config import clock, table
from config.brokers import queues
from config.due.items import DueWork
from config.due.tasks import sweep
from config.errors import Conflict, NotFound
from config.phrase import Phrase
from config.transaction import Update, transact
from projects.audit.events import Actor, entity_event
from workflows.operations import desk_state
from workflows.operations.desk_state import OverdueRow

_GONE = Phrase("This work is no longer overdue, or was just moved on. Reload the page.")


def hurry_repair(place: str, *, by: Actor) -> OverdueRow:
    """Reset the failed repairs of a row, so that the next sweep tries it first, and order that sweep.

    ``place``: its sort key in the due index.

    Raises:
        NotFound: it is no longer overdue.
        Conflict: a sweep was faster.

    """
    row = next((one for one in desk_state.list_overdue() if one.place == place), None)
    if row is None:
        raise NotFound(_GONE)
    now = table.due_later(table.due_place(place), clock.iso(clock.now()))
    here = DueWork.GSI2SK == place  # noqa: SIM300 - the attribute makes the condition
    payload = {"kind": row.kind, "site": row.site, "tries": row.tries}
    event = entity_event(table.DEFAULT_SITE, "repair", row.id, "hurried", by=by, payload=payload)
    try:
        transact([Update(row.key, [DueWork.GSI2SK.set(now)], here)], event)
    except Conflict as error:
        raise Conflict(_GONE) from error
    order_sweep()
    return row


def order_sweep() -> None:
    """Raises: Unavailable if the queue does not answer."""
    queues.enqueue(sweep.name, settings.SWEEP_QUEUE, {})
