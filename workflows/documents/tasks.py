"""Celery tasks that finish the removal of documents, and import those of the seed-000 system."""

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from projects.audit.events import Actor
from workflows.documents.actions import imports, removals


@shared_task(name="workflows.tasks.finish_removal", time_limit=3600)
def finish_removal(*, site: str, document_id: str) -> None:
    """Finish the deletion, restoration or purge of a document. Idempotent."""
    removals.finish_removal(site, document_id)


@shared_task(name="workflows.tasks.import_documents", time_limit=3600)
def import_documents(*, site: str, project_id: str, user_id: str, user_name: str, cursor: str | None = None) -> None:
    """Import a page of a project's documents and order the next page. Idempotent."""
    by = Actor(user_id, user_name)
    following = imports.import_page(site, project_id, by=by, cursor=cursor)
    if following:
        order_import(site, project_id, by=by, cursor=following)


def order_import(site: str, project_id: str, *, by: Actor, cursor: str | None = None) -> None:
    """Send the import to its own queue, so that documents do not wait for it. Raises: Unavailable."""
    kwargs = {"site": site, "project_id": project_id, "user_id": by.id, "user_name": by.name, "cursor": cursor}
    queues.enqueue(import_documents.name, settings.EXPERIMENTS_QUEUE, kwargs)


def order_removal_soon(site: str, document_id: str) -> None:
    """Order the removal from a page. If the queue is unavailable, the sweeper orders it."""
    queues.enqueue_soon(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})


def order_removal(site: str, document_id: str) -> None:
    """Send the removal to a worker. Raises: Unavailable."""
    queues.enqueue(finish_removal.name, settings.STEPS_QUEUE, {"site": site, "document_id": document_id})
