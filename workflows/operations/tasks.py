"""The Celery task that measures the deployment once a minute."""

import datetime as dt

from celery import shared_task

from config import clock
from config.metrics import log_samples
from workflows.operations import desk_state, metrics, workers

_STORAGE_MINUTES = 10


@shared_task(name="workflows.tasks.measure_desk", time_limit=60)
def measure_desk() -> None:
    """Log the metrics for CloudWatch and store the counts; measure the tables every ten minutes."""
    state = desk_state.read_state()
    desk_state.record_depths(state)
    log_samples(metrics.desk.sample(state))
    last = state.storage.measured_at if state.storage else None
    if last is None or clock.now() - clock.parse(last) > dt.timedelta(minutes=_STORAGE_MINUTES):
        workers.record_storage()
