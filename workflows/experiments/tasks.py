"""The Celery task that processes a lane of an experiment."""

import dataclasses
import logging
from typing import Any

from celery import shared_task
from django.conf import settings

from config.brokers import queues, visibility
from config.errors import ProviderPaused
from workflows.experiments import actions, lanes, queries
from workflows.experiments.items import ExperimentStatus
from workflows.experiments.queries import ExperimentRef

log = logging.getLogger(__name__)
_MOST_WAITS = 10  # retries if a model does not answer; then a person has to resume it


@shared_task(bind=True, name="workflows.experiments.tasks.work", time_limit=3600)
def work(self: Any, *, site: str, project_id: str, experiment_id: str, lane: int, order_id: str) -> None:
    """Process a lane for a while. Idempotent: a redelivery finds that another order is expected."""
    ref = ExperimentRef(site, project_id, experiment_id)
    try:
        following = lanes.work_lane(ref, lane, order_id=order_id, keep=visibility.keeper(self.request))
    except ProviderPaused as paused:
        if self.request.retries >= _MOST_WAITS:
            actions.halt_experiment(ref, ExperimentStatus.PAUSED, paused.reason)
            return
        raise self.retry(countdown=min(max(paused.seconds, 1), 60)) from paused
    if following:
        order_lane(ref, lane, following)


def order_lane(ref: ExperimentRef, lane: int, order_id: str) -> None:
    """Send a lane's message. If the queue is unavailable, the sweeper sends it."""
    kwargs = {**dataclasses.asdict(ref), "lane": lane, "order_id": order_id}
    queues.enqueue_soon(work.name, settings.EXPERIMENTS_QUEUE, kwargs)


def order_lanes(ref: ExperimentRef) -> None:
    """Send the messages of all lanes, to begin or resume an experiment."""
    for row in queries.list_lanes(ref):
        order_lane(ref, int(row.lane), str(row.order_id))
