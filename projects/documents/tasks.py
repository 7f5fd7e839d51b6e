"""The Celery task that logs a view of a document, once its page has been answered."""

from celery import shared_task

from config import clock
from projects.audit.events import Actor
from projects.documents.actions.activity import record_view


@shared_task(name="projects.tasks.record_look", time_limit=60)
def record_look(*, site: str, document_id: str, user_id: str, user_name: str, at: str) -> None:
    """Someone opened a page of the document at ``at``."""
    record_view(site, document_id, by=Actor(user_id, user_name), at=clock.parse(at))
