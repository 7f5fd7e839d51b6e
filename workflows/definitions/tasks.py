"""Celery tasks that deploy composed definitions."""

import logging

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from workflows.definitions import actions, versions
from workflows.engine import driver
from workflows.runs import engine_choice

log = logging.getLogger(__name__)


@shared_task(name="workflows.tasks.deploy_definition", time_limit=300)
def deploy_definition(*, definition_id: str) -> None:
    """Create the version's state machine if one is needed. Idempotent."""
    if not engine_choice.choose_engine():
        driver.publish_machine(versions.read_definition(definition_id), log.info)
    actions.mark_deployed(definition_id)


def enqueue_deployment(definition_id: str) -> None:
    """Send the deployment to a worker, since the web process may not create state machines. Raises: Unavailable."""
    queues.enqueue(deploy_definition.name, settings.DESK_QUEUE, {"definition_id": definition_id})
