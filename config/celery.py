"""The Celery application; tasks live in each package's ``tasks`` module."""

import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun
from kombu.transport import TRANSPORT_ALIASES

from config import logs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["sqs"] = "config.broker:Transport"  # whoever says sqs:// in this process gets ours

app = Celery("countersign", task_cls="config.redelivered:Counted")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.autodiscover_tasks(["workflows.batches", "workflows.questions"])


@task_prerun.connect
def _enter_site(kwargs: dict[str, Any] | None = None, **_: Any) -> None:
    logs.set_site(str((kwargs or {}).get("site") or ""))


@task_postrun.connect
def _leave_site(**_: Any) -> None:
    logs.set_site("")
