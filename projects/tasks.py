"""Celery tasks of the projects app: what may wait until a page has been answered."""

from typing import Any

from celery import shared_task

from config import clock
from config.errors import Unavailable
from projects.audit.events import Actor
from projects.documents.actions.activity import record_view


@shared_task(
    bind=True, name="projects.tasks.record_look", time_limit=60, acks_late=True, ignore_result=True, max_retries=None
)
def record_look(self: Any, *, site: str, document_id: str, user_id: str, user_name: str, at: str) -> None:
    """Somebody opened a page of the document at ``at``."""
    try:
        record_view(site, document_id, by=Actor(user_id, user_name), at=clock.parse(at))
    except Unavailable as error:
        raise self.retry(countdown=min(2**self.request.retries, 60)) from error
