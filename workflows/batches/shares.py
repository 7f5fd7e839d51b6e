"""Fair shares: how many slots each batch may use, so that no batch, project or site starves the others."""

import logging
from contextlib import suppress

from config.errors import Conflict
from workflows.batches import actions, queries
from workflows.batches.items import Batch, BatchStatus
from workflows.engine import limits

log = logging.getLogger(__name__)


def rebalance_shares(site: str) -> list[Batch]:
    """Write the shares that changed and return the batches that gained slots."""
    active = queries.list_active_batches(site)
    of_project = limits.shares(site, [one.project_id for one in active])
    wanted = {one.id: of_project[one.project_id] for one in active}
    grown = []
    for batch in Batch.load_many([actions.key_of(site, batch_id) for batch_id in wanted]):
        share, before = wanted[batch.id], int(batch.share)
        if share == before:
            continue
        with suppress(Conflict):  # the batch has ended, or another worker writes the same
            found = Batch.change(
                batch.key,
                [Batch.share.set(share)],
                (Batch.status == BatchStatus.RUNNING) & (Batch.share == before),
            )
            log.info("batch has another share", extra={"batch": batch.id, "slots": share})
            if share > before:
                grown.append(found)
    return grown
