"""Celery tasks of batches. All are idempotent."""

from typing import Any

from celery import shared_task

from config.brokers import visibility
from workflows.batches import from_bucket, lines, orders, reading
from workflows.batches.actions import Place
from workflows.engine.machines import batch
from workflows.intake import bucket, unexpected


@shared_task(bind=True, name=orders.READ, time_limit=3600)
def read(self: Any, *, site: str, batch_id: str, attempt: int) -> None:
    """Read the manifest, or the failed lines of a retry, and order the file checks."""
    keep = visibility.keeper(self.request)
    unexpected.attempt(
        self,
        lambda: reading.read_manifest(site, batch_id, attempt, owner=self.request.id, keep=keep),
        lambda: reading.give_up(site, batch_id, attempt),
    )


@shared_task(bind=True, name=bucket.TAKE_MANIFEST, time_limit=3600)
def take_manifest(self: Any, *, key: str, version: str, size: int) -> None:
    """Create a batch from a manifest that another system put into the bucket. Idempotent."""
    keep = visibility.keeper(self.request)
    arrival = bucket.Arrival(key, version, size)
    unexpected.attempt(
        self,
        lambda: from_bucket.take_manifest(arrival, owner=self.request.id, keep=keep),
        lambda: bucket.give_up(arrival),
    )


@shared_task(bind=True, name=batch.TASK, time_limit=900)
def open_part(self: Any, *, site: str, batch_id: str, attempt: int, part: int) -> None:
    """Check the files of one part. The batch begins with the last part."""

    def look_at(*, last: bool = False) -> None:
        if reading.open_part(site, batch_id, attempt, part, last=last):
            lines.start_lines(site, batch_id)

    def give_up() -> None:
        unexpected.once_more(lambda: look_at(last=True), lambda: reading.give_up(site, batch_id, attempt))

    unexpected.attempt(self, look_at, give_up)


@shared_task(bind=True, name=orders.LINE, time_limit=3600)
def take_line(self: Any, *, site: str, batch_id: str, attempt: int, lane: int, position: int) -> None:
    """Create the document of a line that has a slot, and start its run."""
    place, keep = Place(site, batch_id, attempt, lane, position), visibility.keeper(self.request)
    unexpected.attempt(
        self, lambda: lines.take_line(place, owner=self.request.id, keep=keep), lambda: lines.give_up(place)
    )  # fmt: skip


@shared_task(name=orders.LOOK, time_limit=900)
def look(*, site: str, batch_id: str) -> None:
    """Continue a batch from its current state."""
    lines.drive_batch(site, batch_id)
