"""What is done with an unpacking, or with a file of the bucket, that is due: its message is sent again."""

import logging

from projects.documents.items.unpacking import DocumentUnpacking
from workflows.intake import bucket
from workflows.intake.actions import bucket as bucket_actions
from workflows.intake.actions import unpack
from workflows.intake.items import ArrivalBegin
from workflows.intake.tasks import order_unpacking, take_incoming_again

log = logging.getLogger(__name__)


def resume_unpacking(site: str, due: DocumentUnpacking) -> None:
    unpack.look_again(due)
    order_unpacking(site, due.documentId)


def resume_arrival(_site: str, due: ArrivalBegin) -> None:
    """Of a file that a batch has taken, or that was settled otherwise, nothing is due."""
    if bucket.was_settled(due):
        bucket_actions.rest(due)
        return
    bucket_actions.look_again(due)
    log.warning("incoming file sent again", extra={"attempt": int(due.tries)})
    take_incoming_again(due)
