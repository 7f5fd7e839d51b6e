"""How many slots each batch may use now, so that no batch, project or site crowds the others out."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from django.conf import settings

from config.errors import Conflict
from workflows.actions import batches
from workflows.batches import queries
from workflows.items.batches import ActiveBatch, Batch, BatchStatus

log = logging.getLogger(__name__)


def shares(active: Sequence[ActiveBatch]) -> Mapping[str, int]:
    """Batch → slots: an equal part of the site's and of its project's, at least one."""
    of_project = Counter(one.project_id for one in active)
    return {
        one.id: max(
            1,
            min(
                settings.BATCH_SITE_SLOTS // len(active),
                settings.BATCH_PROJECT_SLOTS // of_project[one.project_id],
            ),
        )
        for one in active
    }


def rebalance(site: str) -> list[Batch]:
    """Write what has changed; answers the batches that may use more slots than before."""
    wanted = shares(queries.active(site))
    grown = []
    for batch in Batch.load_many([batches.key_of(site, batch_id) for batch_id in wanted]):
        share, before = wanted[batch.id], int(batch.share)
        if share == before:
            continue
        with suppress(Conflict):  # it has ended, or another worker writes the same
            found = Batch.change(
                batch.key,
                [Batch.share.set(share)],
                (Batch.status == BatchStatus.RUNNING) & (Batch.share == before),
            )
            log.info("batch has another share", extra={"batch": batch.id, "slots": share})
            if share > before:
                grown.append(found)
    return grown
