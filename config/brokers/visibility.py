"""Heartbeats that keep a running task's message invisible to other workers."""

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
    """Return ``keep``, throttled to once in a third of the visibility timeout."""
    pause = settings.QUEUE_VISIBILITY_SECONDS / 3
    due = time.monotonic() + pause

    def beat() -> None:
        nonlocal due
        if time.monotonic() >= due:
            keep(request)
            due = time.monotonic() + pause

    return beat


def keep(request: Any) -> None:
    """Extend the visibility timeout of the message of ``request``, a Celery task's request.

    Without it a step that outlasts the timeout would be delivered to a second worker, and SQS would move it to dead
    letters after five deliveries. A failed call is harmless: the message comes back and the next worker finds the
    step's lease. RabbitMQ needs no heartbeat: a message belongs to its worker while that is connected.
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
    """Update kombu's sorted set of unacknowledged messages, as kombu does when it receives one."""
    with queues.borrow_channel() as channel, channel.conn_or_acquire() as client:
        client.zadd(channel.unacked_index_key, {tag: time.time()}, xx=True)  # never back, once it is acknowledged
