"""The Celery task that updates documents' paths after a folder was renamed or moved."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from projects.folders import actions


@shared_task(name="projects.tasks.refresh_folder", time_limit=3600)
def refresh_folder(*, site: str, folder_id: str) -> None:
    """Refresh one folder; idempotent. Subfolders are enqueued or due."""
    for one in actions.refresh_paths(site, folder_id):
        order_refresh_soon(site, one)


def order_refresh_soon(site: str, folder_id: str) -> None:
    """Enqueue it; if the broker does not answer, the sweeper does."""
    queues.enqueue_soon(refresh_folder.name, settings.STEPS_QUEUE, {"site": site, "folder_id": folder_id})


def order_refresh(site: str, folder_id: str) -> None:
    """Enqueue it. Raises: Unavailable."""
    queues.enqueue(refresh_folder.name, settings.STEPS_QUEUE, {"site": site, "folder_id": folder_id})
