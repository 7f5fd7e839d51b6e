"""The handlers of due extractions and bucket files: they send the message again.

The row is not due again until the message is taken.
"""

import logging

from config.due import actions as due_work
from config.due.registry import due
from projects.documents.items import DocumentUnpacking
from workflows.intake import bucket
from workflows.intake.actions import unpack
from workflows.intake.items import ArrivalBegin
from workflows.intake.tasks import order_unpacking, take_incoming_again

log = logging.getLogger(__name__)


@due("unpacking", DocumentUnpacking)
def resume_unpacking(site: str, row: DocumentUnpacking) -> None:
    due_work.postpone(row, at=due_work.next_look(), when=unpack.OPEN)
    order_unpacking(site, row.documentId)


@due("arrival", ArrivalBegin)
def resume_arrival(_site: str, row: ArrivalBegin) -> None:
    """Do nothing for files that a batch has taken or that were settled otherwise."""
    if bucket.is_settled(row):
        bucket.rest(row)
        return
    due_work.postpone(row, at=due_work.next_look())
    log.warning("incoming file sent again", extra={"attempt": int(row.tries)})
    take_incoming_again(row)
