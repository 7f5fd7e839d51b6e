"""The Celery application; tasks live in each package's ``tasks`` module."""

import os
from typing import Any
from urllib.parse import clear_cache  # type: ignore[attr-defined]  # absent from the stubs

from celery import Celery
from celery.signals import celeryd_init, setup_logging, task_postrun, task_prerun, worker_process_init
from celery.utils.log import get_multiprocessing_logger
from kombu.transport import TRANSPORT_ALIASES

from config import aws, logs, telemetry
from config.brokers import envelope

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# A worker has one core. Further threads of linear algebra spin while they wait: on two busy cores, fitting a
# calibration took four times as long. Read when NumPy is loaded, and inherited by children.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Whoever says sqs:// or redis:// in this process gets ours.
TRANSPORT_ALIASES["sqs"] = "config.brokers.sqs:Transport"
TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = "config.brokers.redis:Transport"

app = Celery("countersign", task_cls="config.brokers.redelivery:Counted")
app.steps["worker"].add("workflows.operations.watchdog:Step")  # by its name, as the tasks below
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(
    [
        "config.due",
        "projects.documents",
        "projects.folders",
        "workflows.batches",
        "workflows.documents",
        "workflows.engine",
        "workflows.executions",
        "workflows.experiments",
        "workflows.exports",
        "workflows.learning.extractors",
        "workflows.intake",
        "workflows.learning",
        "workflows.operations",
        "workflows.providers",
        "workflows.publish",
        "workflows.questions",
        "workflows.search",
        "workflows.testsets",
        "workflows.trials",
        "review.decide",
        "review.desk",
        "review.handovers",
        "review.notifications",
    ]
)


@celeryd_init.connect
def _hurry(sender: Any = None, **_: Any) -> None:
    """Shorten the AWS timeouts in the sweeper's worker, which handles rows one by one and must not hang on each."""
    if str(sender).startswith("sweep@"):
        aws.be_patient(aws.SWEEPER)


@worker_process_init.connect
def _start_telemetry(**_: Any) -> None:
    telemetry.start_telemetry()


@setup_logging.connect
def _keep_logging(**_: Any) -> None:
    """Keep Celery from installing its log handlers, which would write exception messages and task arguments."""
    pool = get_multiprocessing_logger()  # without it, a pool process that dies prints its exception
    if pool is not None:
        pool.propagate = True


@task_prerun.connect
def _enter_task(task: Any = None, kwargs: dict[str, Any] | None = None, **_: Any) -> None:
    request: Any = getattr(task, "request", None)
    headers = getattr(request, "headers", None) or {}
    logs.set_task(kwargs or {}, str(headers.get(envelope.REQUEST) or getattr(request, "id", None) or ""))


@task_postrun.connect
def _leave_task(**_: Any) -> None:
    logs.set_task({})
    clear_cache()  # of addresses that were split: the names of files in the bucket are in them
