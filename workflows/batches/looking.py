"""A batch is looked at every now and then: what was lost is ordered again, and slots that leaked come back."""

import logging
from contextlib import suppress

from config.errors import Conflict
from workflows.batches import lines, orders, queries
from workflows.batches.actions import batches
from workflows.batches.items import Batch, BatchStatus

log = logging.getLogger(__name__)


def drive_batch(site: str, batch_id: str) -> None:
    """Drive it on from wherever it stands; again is harmless.

    Raises:
        NotFound: there is no such batch.
        Unavailable: the queue or the table does not answer.

    """
    batch = queries.get_batch(site, batch_id)
    attempt = int(batch.attempt)
    if batch.status == BatchStatus.READING:
        orders.order_reading(site, batch_id, attempt)
    elif batch.status == BatchStatus.CHECKING:
        missing = list(batch.missing_parts())
        if missing:
            log.warning("parts ordered again", extra={"batch": batch_id, "parts": len(missing)})
            orders.order_parts(site, batch_id, attempt, missing)
        else:
            lines.start_lines(site, batch_id)
    else:
        _look_at_lanes(site, batch)


def _look_at_lanes(site: str, batch: Batch) -> None:
    """Each line that is under way is taken again, which finds how far its document is."""
    for lane, position in sorted(batch.at_work.items()):
        orders.order_line(site, batch.id, int(batch.attempt), lane, position)
    if batch.status == BatchStatus.RUNNING:
        lines.share_out(site)
        lines.fill_lanes(site, batch)
        lines.conclude_batch(site, batch)
    elif not batch.at_work:
        with suppress(Conflict):
            batches.release_slots(batch)
