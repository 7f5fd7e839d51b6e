"""The Celery task that proposes a calibration."""

import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import CountersignError, Unavailable
from projects.audit.events import Actor
from workflows.learning import actions, collecting, history

log = logging.getLogger(__name__)
_UNSENT = "No worker is available. Nothing was collected; try again in a moment."


@shared_task(bind=True, name="workflows.tasks.calibrate", time_limit=1800)
def calibrate(self: Any, *, site: str, project_id: str, user_id: str, user_name: str) -> None:
    """Propose what the project's reviews teach; delivered twice, the second finds it proposed or refused."""
    actions.propose_or_say_why(site, project_id, by=Actor(user_id, user_name), order=self.request.id)


@shared_task(name="workflows.learning.tasks.collect_history", time_limit=collecting.LONGEST_SECONDS)
def collect_history(*, site: str, project_id: str, order_id: str) -> None:
    """Keep what the project's reviews say of its thresholds; delivered twice, the second writes the same."""
    try:
        history.collect_history(site, project_id)
    except Unavailable:
        raise
    except CountersignError as error:
        collecting.end_collecting(site, project_id, order_id, problem=str(error))
    else:
        collecting.end_collecting(site, project_id, order_id)


def order_history(site: str, project_id: str) -> None:
    """Nothing if it is under way. If no queue answers, the page says so."""
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
    """Have people asked again if the audit sample found too much wrong; delivered twice, the second finds it paused."""
    actions.pause_if_drifting(site, project_id)


def check_calibration_soon(site: str, project_id: str) -> None:
    """After an audited document; if no queue answers, the next one asks again."""
    queues.enqueue_soon(check_calibration.name, settings.STEPS_QUEUE, {"site": site, "project_id": project_id}, delay=0)


def order_calibration(site: str, project_id: str, *, by: Actor) -> None:
    """Raises: Unavailable."""
    kwargs = {"site": site, "project_id": project_id, "user_id": by.id, "user_name": by.name}
    queues.enqueue(calibrate.name, settings.STEPS_QUEUE, kwargs)
