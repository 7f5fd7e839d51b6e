"""Celery tasks of calibrations: propose one, collect reviews, check for drift."""

import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import CountersignError, Unavailable
from config.phrase import Sentence
from projects.audit.events import Actor
from workflows.learning import actions, collecting, history

log = logging.getLogger(__name__)
_UNSENT = Sentence("No worker is available. Nothing was collected; try again in a moment.")


@shared_task(bind=True, name="workflows.tasks.calibrate", time_limit=1800)
def calibrate(self: Any, *, site: str, project_id: str, user_id: str, user_name: str) -> None:
    """Propose a calibration. Idempotent: a redelivery finds it proposed or refused."""
    actions.propose_or_say_why(site, project_id, by=Actor(user_id, user_name), order=self.request.id)


@shared_task(name="workflows.learning.tasks.collect_history", time_limit=collecting.LONGEST_SECONDS)
def collect_history(*, site: str, project_id: str, order_id: str) -> None:
    """Collect the project's reviews for the threshold simulator. Idempotent."""
    try:
        history.collect_history(site, project_id)
    except Unavailable:
        raise
    except CountersignError as error:
        collecting.end_collecting(site, project_id, order_id, problem=str(error))
    else:
        collecting.end_collecting(site, project_id, order_id)


def order_history(site: str, project_id: str) -> None:
    """Order the collection, unless one is in progress. If no queue answers, the page says so."""
    order_id = collecting.begin_collecting(site, project_id)
    if not order_id:
        return
    kwargs = {"site": site, "project_id": project_id, "order_id": order_id}
    try:
        queues.enqueue(collect_history.name, settings.STEPS_QUEUE, kwargs)
    except CountersignError as error:
        log.warning("queue did not answer, reviews are not collected", extra={"error": type(error).__name__})
        collecting.end_collecting(site, project_id, order_id, problem=_UNSENT)


@shared_task(name="workflows.tasks.check_calibration", time_limit=600)
def check_calibration(*, site: str, project_id: str) -> None:
    """Pause the calibration if the audit sample has too many errors. Idempotent."""
    actions.pause_if_drifting(site, project_id)


def check_calibration_soon(site: str, project_id: str) -> None:
    """Order the check after an audited document. If the queue is unavailable, the next document does."""
    queues.enqueue_soon(check_calibration.name, settings.STEPS_QUEUE, {"site": site, "project_id": project_id}, delay=0)


def order_calibration(site: str, project_id: str, *, by: Actor) -> None:
    """Raises: Unavailable."""
    kwargs = {"site": site, "project_id": project_id, "user_id": by.id, "user_name": by.name}
    queues.enqueue(calibrate.name, settings.STEPS_QUEUE, kwargs)
