"""Celery tasks of a batch; all of them are harmless when they come twice."""

from typing import Any

from celery import shared_task

from config.brokers import visibility
from workflows.batches import from_bucket, lines, orders, reading
from workflows.batches.actions import Place
from workflows.engine.machines import batch
from workflows.intake import bucket, unexpected


@shared_task(bind=True, name=orders.READ, time_limit=3600)
def read(self: Any, *, site: str, batch_id: str, attempt: int) -> None:
    """Read the manifest, or what failed of it, and have its files looked at."""
    keep = visibility.keeper(self.request)
    unexpected.attempt(
        self,
        lambda: reading.read_manifest(site, batch_id, attempt, owner=self.request.id, keep=keep),
        lambda: reading.give_up(site, batch_id, attempt),
    )


@shared_task(bind=True, name=bucket.TAKE_MANIFEST, time_limit=3600)
def take_manifest(self: Any, *, key: str, version: str, size: int) -> None:
    """Make a batch of a manifest that another system put into the bucket; told of it again, nothing happens."""
    keep = visibility.keeper(self.request)
    arrival = bucket.Arrival(key, version, size)
    unexpected.attempt(
        self,
        lambda: from_bucket.take_manifest(arrival, owner=self.request.id, keep=keep),
        lambda: bucket.give_up(arrival),
    )


@shared_task(bind=True, name=batch.TASK, time_limit=900)
def open_part(self: Any, *, site: str, batch_id: str, attempt: int, part: int) -> None:
    """Look at the files of one part; with the last one the batch begins."""

    def look_at(*, last: bool = False) -> None:
        if reading.open_part(site, batch_id, attempt, part, last=last):
            lines.start_lines(site, batch_id)

    def give_up() -> None:
        unexpected.once_more(lambda: look_at(last=True), lambda: reading.give_up(site, batch_id, attempt))

    unexpected.attempt(self, look_at, give_up)


@shared_task(bind=True, name=orders.LINE, time_limit=3600)
def take_line(self: Any, *, site: str, batch_id: str, attempt: int, lane: int, position: int) -> None:
    """Make a document of a line that has a slot, and start its run."""
    place, keep = Place(site, batch_id, attempt, lane, position), visibility.keeper(self.request)
    unexpected.attempt(
        self, lambda: lines.take_line(place, owner=self.request.id, keep=keep), lambda: lines.give_up(place)
    )  # fmt: skip


@shared_task(name=orders.LOOK, time_limit=900)
def look(*, site: str, batch_id: str) -> None:
    """Drive a batch on from wherever it stands."""
    lines.drive_batch(site, batch_id)
