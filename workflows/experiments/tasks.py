"""The Celery task that goes along a lane of an experiment."""

import dataclasses
import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues
from config.errors import ProviderPaused
from workflows.engine import message_delivery
from workflows.experiments import actions, lanes, queries
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.status import ExperimentStatus

log = logging.getLogger(__name__)
_MOST_WAITS = 10  # for a model that does not answer; then a person resumes it


@shared_task(bind=True, name="workflows.experiments.tasks.work", time_limit=3600)
def work(self: Any, *, site: str, project_id: str, experiment_id: str, lane: int) -> None:
    """Answer what a lane has left, for a while; delivered twice, the second finds it in other hands."""
    ref = ExperimentRef(site, project_id, experiment_id)
    try:
        more = lanes.work_lane(ref, lane, keep=message_delivery.keeper(self.request))
    except ProviderPaused as paused:
        if self.request.retries >= _MOST_WAITS:
            actions.halt_experiment(ref, ExperimentStatus.PAUSED, paused.reason)
            return
        raise self.retry(countdown=min(max(paused.seconds, 1), 60)) from paused
    if more:
        order_lane(ref, lane)


def order_lane(ref: ExperimentRef, lane: int) -> None:
    """If no queue answers, the sweeper orders it."""
    queues.enqueue_soon(work.name, settings.STEPS_QUEUE, {**dataclasses.asdict(ref), "lane": lane})


def order_lanes(ref: ExperimentRef) -> None:
    """All of an experiment that is to be begun or resumed."""
    for lane in range(int(queries.get_experiment(ref).lanes)):
        order_lane(ref, lane)
