"""Celery tasks that log views of documents, once their pages have been answered."""

from collections.abc import Mapping, Sequence

from celery import shared_task

from config import clock
from projects.audit.events import Actor
from projects.documents.actions.activity import record_view


@shared_task(name="projects.tasks.record_look", time_limit=60)
def record_look(*, site: str, document_id: str, user_id: str, user_name: str, at: str) -> None:
    """Someone opened a page of the document at ``at``."""
    record_view(site, document_id, by=Actor(user_id, user_name), at=clock.parse(at))


@shared_task(name="projects.tasks.record_looks", time_limit=300)
def record_looks(*, looks: Sequence[Mapping[str, str]]) -> None:
    """Those that one process of the web gathered; each has what ``record_look`` takes."""
    for look in looks:
        record_look(**look)
