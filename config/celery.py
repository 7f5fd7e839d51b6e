"""The Celery application; tasks live in each package's ``tasks`` module."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["sqs"] = "config.broker:Transport"  # whoever says sqs:// in this process gets ours

app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
