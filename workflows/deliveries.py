"""The queue's message behind a running task: hidden from other workers for as long as this one works on it."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from config import aws
from config.errors import CountersignError

log = logging.getLogger(__name__)


def keeper(request: Any) -> Callable[[], None]:
    """``keep``, at a third of the visibility timeout, however often it is called."""
    pause = settings.QUEUE_VISIBILITY_SECONDS / 3
    due = time.monotonic() + pause

    def beat() -> None:
        nonlocal due
        if time.monotonic() >= due:
            keep(request)
            due = time.monotonic() + pause

    return beat


def keep(request: Any) -> None:
    """Hide the message of ``request``, a Celery task's, for one visibility timeout more.

    Without it a step that works longer than that is handed to a second worker, and after five times to nobody.
    A call that fails changes nothing: the message comes back, and whoever takes it finds the step's lease.
    """
    delivery: Mapping[str, Any] = (getattr(request, "properties", None) or {}).get("delivery_info") or {}
    if "sqs_message" not in delivery:  # run by a test or by another broker
        return
    try:
        with aws.translated():
            aws.client("sqs").change_message_visibility(
                QueueUrl=delivery["sqs_queue"],
                ReceiptHandle=delivery["sqs_message"]["ReceiptHandle"],
                VisibilityTimeout=settings.QUEUE_VISIBILITY_SECONDS,
            )
    except CountersignError as error:
        log.warning("message could not be kept", extra={"error": str(error)})


def waiting(queue: str) -> int:
    """About how many messages of ``queue`` no worker has taken yet. Raises: Unavailable."""
    name = "ApproximateNumberOfMessages"
    with aws.translated():
        answer = aws.client("sqs").get_queue_attributes(QueueUrl=settings.QUEUE_URLS[queue], AttributeNames=[name])
    return int(answer["Attributes"][name])
