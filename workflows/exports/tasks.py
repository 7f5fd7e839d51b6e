"""The Celery task that writes an export."""

from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues, visibility
from workflows.exports import writing
from workflows.exports.items import Export


@shared_task(bind=True, name="workflows.exports.tasks.write", time_limit=3600)
def write(self: Any, *, site: str, project_id: str, export_id: str) -> None:
    """Write an export. Idempotent: a redelivery finds it written, or another worker at it."""
    keep = visibility.keeper(self.request)
    writing.write_export(site, project_id, export_id, owner=self.request.id, keep=keep)


def order_writing(site: str, row: Export) -> None:
    """Send the export to its own queue, so documents do not wait for it. If that fails, the sweeper sends it."""
    kwargs = {"site": site, "project_id": row.project_id, "export_id": row.export_id}
    queues.enqueue_soon(write.name, settings.EXPERIMENTS_QUEUE, kwargs)
