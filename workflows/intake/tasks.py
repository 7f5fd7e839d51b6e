"""Celery tasks of intake: files in the bucket, and extraction of emails and archives."""

import functools
import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues, visibility
from config.errors import NotFound
from workflows.engine.machines import ingress
from workflows.intake import bucket, unexpected, unpacking
from workflows.intake.items import ArrivalBegin, IncomingFile
from workflows.runs.items import Run
from workflows.runs.resting import run_rests

log = logging.getLogger(__name__)


@shared_task(bind=True, name="workflows.tasks.unpack", time_limit=3600)
def unpack(self: Any, *, site: str, document_id: str) -> None:
    """Extract the files of an email or an archive. Idempotent."""
    keep = visibility.keeper(self.request)

    def work(*, last: bool = False) -> None:
        ended = unpacking.unpack(
            site, document_id, owner=self.request.id, keep=keep, nested=order_unpacking_soon, last=last
        )  # fmt: skip
        if ended:
            run = Run(site, ended.project_id, document_id, "")
            run_rests(run, ended.batch_line)

    unexpected.attempt(self, work, functools.partial(work, last=True))


def order_unpacking_soon(site: str, document_id: str) -> None:
    """Order the extraction. If the queue is unavailable, the sweeper orders it."""
    queues.enqueue_soon(unpack.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_unpacking(site: str, document_id: str) -> None:
    """Raises: Unavailable."""
    queues.enqueue(unpack.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


@shared_task(bind=True, name=ingress.TASK, time_limit=3600)
def take_incoming(self: Any, *, key: str, version: str, size: int) -> None:
    """Create the document of a file that another system put into the bucket. Idempotent."""
    keep = visibility.keeper(self.request)

    def take() -> None:
        try:
            arrival = bucket.record_arrival(key, version, size)
        except NotFound:
            log.info("an object was gone before anybody looked")
            return
        if bucket.names_manifest(arrival):
            order = {"key": key, "version": arrival.version, "size": size}
            queues.enqueue(bucket.TAKE_MANIFEST, settings.STEPS_QUEUE, order)
            return
        bucket.take(arrival, unpack=order_unpacking_soon, owner=self.request.id, keep=keep)

    unexpected.attempt(self, take, lambda: bucket.give_up(bucket.record_arrival(key, version, size)))


def take_incoming_again(file: IncomingFile | ArrivalBegin) -> None:
    """Send it again, from a page, which reports an unavailable queue, or from the sweeper. Raises: Unavailable."""
    kwargs = {"key": file.s3_key, "version": file.s3version or "", "size": int(file.file_size or 0)}
    queues.enqueue(take_incoming.name, settings.STEPS_QUEUE, kwargs)
