"""The Celery task that finishes the removal of a document."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from workflows.documents.actions import removals


@shared_task(name="workflows.tasks.finish_removal", time_limit=3600)
def finish_removal(*, site: str, document_id: str) -> None:
    """Let a deleted, restored or purged document's rows and files follow; delivered twice, the second finds nothing."""
    removals.finish_removal(site, document_id)


def order_removal_soon(site: str, document_id: str) -> None:
    """From a page: if no queue answers, the sweeper orders it."""
    queues.enqueue_soon(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_removal(site: str, document_id: str) -> None:
    """Have a worker finish it. Raises: Unavailable."""
    queues.enqueue(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})
