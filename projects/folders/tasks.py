"""The Celery task that lets the paths of documents follow a folder that was renamed or moved."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from projects.folders import actions


@shared_task(name="projects.tasks.refresh_folder", time_limit=3600)
def refresh_folder(*, site: str, folder_id: str) -> None:
    """Delivered twice, the second finds nothing to do; the folders in it are ordered, or due."""
    for one in actions.refresh_paths(site, folder_id):
        order_refresh_soon(site, one)


def order_refresh_soon(site: str, folder_id: str) -> None:
    """If no queue answers, the sweeper orders it."""
    queues.enqueue_soon(refresh_folder.name, settings.STEPS_QUEUE, {"site": site, "folder_id": folder_id})


def order_refresh(site: str, folder_id: str) -> None:
    """Raises: Unavailable."""
    queues.enqueue(refresh_folder.name, settings.STEPS_QUEUE, {"site": site, "folder_id": folder_id})
