"""Repair counters by kind of work, shown on the Operations page and in the metrics."""

import logging
from contextlib import suppress

from pynamodb.attributes import NumberAttribute, UnicodeAttribute

from config import clock, logs, table
from config.errors import Conflict, CountersignError
from config.item import Item

log = logging.getLogger(__name__)

RUN, SLICES, DECISION = "run", "slices", "decision"


class Repair(Item):
    """``repairs``: total so far; the ids are those of the latest one. Access: by kind, or all."""

    kind = UnicodeAttribute()
    repairs = NumberAttribute(default=0)
    repaired_at = UnicodeAttribute()
    site_id = UnicodeAttribute()
    document_id = UnicodeAttribute(null=True)
    workflow_id = UnicodeAttribute(null=True)


def record_repair(kind: str, site: str, *, document_id: str, workflow_id: str) -> None:
    """Count a repair. If the table does not answer, the repair goes on uncounted."""
    actions = [
        Repair.kind.set(kind),
        Repair.repairs.add(1),
        Repair.repaired_at.set(clock.iso(clock.now())),
        Repair.site_id.set(site),
        Repair.document_id.set(document_id),
        Repair.workflow_id.set(workflow_id),
    ]
    # always true, and said so: counting must not depend on what is there
    always = Repair.repairs.does_not_exist() | Repair.repairs.exists()
    try:
        Repair.change(table.REPAIR.key(table.DEFAULT_SITE, kind=kind), actions, always)
    except CountersignError as error:
        log.warning("repair was not counted", extra={"error": logs.place_of(error)})


def forget_repairs(site: str, document_id: str) -> None:
    """Drop the ids of a purged document; the counters stay. Idempotent."""
    pk = table.REPAIR.partition_key(table.DEFAULT_SITE)
    for row in Repair.every(pk, sk=Repair.SK.startswith(table.REPAIR.sort_prefix())):
        if (row.site_id, row.document_id) == (site, document_id):
            gone = [Repair.document_id.remove(), Repair.workflow_id.remove()]
            with suppress(Conflict):  # another was repaired meanwhile
                Repair.change(row.key, gone, Repair.document_id == document_id)
