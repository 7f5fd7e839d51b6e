"""The Celery task that trains an extractor."""

from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues, visibility
from projects.audit.events import Actor
from workflows.learning.extractors import actions


@shared_task(bind=True, name="workflows.extractors.tasks.train", time_limit=1800)
def train(self: Any, *, site: str, project_id: str, user_id: str, user_name: str) -> None:
    """Train on the project's reviews. Idempotent: a redelivery finds it trained or refused."""
    by, keep = Actor(user_id, user_name), visibility.keeper(self.request)
    actions.train_or_say_why(site, project_id, by=by, order=self.request.id, keep=keep)


def order_training(site: str, project_id: str, *, by: Actor) -> None:
    """Send the training to its own queue, so that documents do not wait for it. Raises: Unavailable."""
    kwargs = {"site": site, "project_id": project_id, "user_id": by.id, "user_name": by.name}
    queues.enqueue(train.name, settings.EXPERIMENTS_QUEUE, kwargs)
