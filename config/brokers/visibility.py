"""The queue's message of a running task: hidden from other workers for as long as this one works on it."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from config import aws, logs
from config.brokers import queues
from config.brokers.transport import REDIS
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

    Without it a step that works longer than that is handed to a second worker, and by SQS after five times to no one.
    A call that fails changes nothing: the message comes back, and whoever takes it finds the step's lease. RabbitMQ
    needs none: a message is its worker's for as long as that one is connected.
    """
    properties: Mapping[str, Any] = getattr(request, "properties", None) or {}
    try:
        if "sqs_message" in (properties.get("delivery_info") or {}):
            _keep_on_sqs(properties["delivery_info"])
        elif settings.BROKER == REDIS and properties.get("delivery_tag"):
            _keep_on_redis(properties["delivery_tag"])
    except CountersignError as error:
        log.warning("message could not be kept", extra={"error": logs.place_of(error)})


def _keep_on_sqs(delivery: Mapping[str, Any]) -> None:
    with aws.translate_aws_errors():
        aws.aws_client("sqs").change_message_visibility(
            QueueUrl=delivery["sqs_queue"],
            ReceiptHandle=delivery["sqs_message"]["ReceiptHandle"],
            VisibilityTimeout=settings.QUEUE_VISIBILITY_SECONDS,
        )


def _keep_on_redis(tag: str) -> None:
    """As kombu does when it takes a message: by the time at which it was taken, in a sorted set of its own."""
    with queues.borrow_channel() as channel, channel.conn_or_acquire() as client:
        client.zadd(channel.unacked_index_key, {tag: time.time()}, xx=True)  # never back, once it is acknowledged
