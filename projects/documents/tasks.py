"""Celery tasks that record views of documents after the response, and point documents to merged entities."""

from collections.abc import Mapping, Sequence
from typing import Any

from celery import shared_task
from django.conf import settings

from config import clock
from config.brokers import queues
from projects.audit.events import Actor
from projects.documents.actions.activity import record_denial, record_view
from projects.documents.actions.references import repoint_documents
from projects.entities.actions import REPOINT


@shared_task(name="projects.tasks.record_look", time_limit=60)
def record_look(
    *, site: str, document_id: str, user_id: str, user_name: str, at: str, policy: int = 0, denied: str = ""
) -> None:
    """Record that someone opened a document at ``at``, or was ``denied`` by this version of the access policy."""
    by, moment = Actor(user_id, user_name), clock.parse(at)
    if denied:
        record_denial(site, document_id, denied, by=by, at=moment, policy=policy)
    else:
        record_view(site, document_id, by=by, at=moment, policy=policy)


@shared_task(name="projects.tasks.record_looks", time_limit=300)
def record_looks(*, looks: Sequence[Mapping[str, Any]]) -> None:
    """Record views gathered by a web process; each has the arguments of ``record_look``."""
    for look in looks:
        record_look(**look)


@shared_task(name=REPOINT, time_limit=3600)
def follow_merge(*, site: str, type_id: str, entity_id: str) -> None:
    """Have documents that refer to a merged entity refer to what it was merged into; idempotent."""
    repoint_documents(site, type_id, entity_id)


def order_repointing(site: str, type_id: str, entity_id: str) -> None:
    """Enqueue it. Raises: Unavailable."""
    queues.enqueue(REPOINT, settings.STEPS_QUEUE, {"site": site, "type_id": type_id, "entity_id": entity_id})
