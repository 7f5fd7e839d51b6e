"""Delivery counts on Redis and RabbitMQ: a message that keeps killing its worker ends in the dead-letter queue.

SQS counts by itself (``maxReceiveCount``); here only those who wait for the task are told. On the other brokers the
count travels in the message: a worker that gets a redelivered message sends it again, behind all others and with the
count raised, and then acknowledges it. First deliveries cost nothing, no state is kept outside the queue, and other
messages get their turn between two crashes.
"""

import logging
from collections.abc import Mapping
from typing import Any

from celery import Task, current_app
from celery.exceptions import Ignore, Reject
from django.conf import settings
from kombu import Queue

from config import clock, logs
from config.brokers import queues, transport
from config.errors import CountersignError, Unavailable

log = logging.getLogger(__name__)

MOST = 5  # deliveries, as the queues of SQS have it in config/deploy/infrastructure
_DELIVERED, ASIDE_AT = "countersign_delivered", "countersign_aside_at"  # headers
_LOGGED = {"document": "document_id", "run": "workflow_id", "review": "review_id"}


class Counted(Task[Any, Any]):
    """Base class of all tasks. ``on_aside`` gets the task's arguments when its message is moved to dead letters.

    A task that raises ``Unavailable`` is retried without limit, with growing delays.
    """

    acks_late = True
    ignore_result = True
    max_retries = None
    autoretry_for = (Unavailable,)
    retry_backoff = True
    retry_backoff_max = 60  # seconds
    retry_jitter = False
    on_aside: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        info: Mapping[str, Any] = self.request.delivery_info or {}
        if settings.BROKER != transport.SQS and info.get("redelivered"):
            try:
                _take_back(self, current_app.amqp.queues[str(info["routing_key"])])
            except Unavailable as error:
                raise Reject(str(error), requeue=True) from error
            raise Ignore
        if self.on_aside and _receive_count(self.request) >= MOST:  # whoever receives it next is SQS's other queue
            _tell(self)
            raise Reject("Delivered to a worker 5 times without success.", requeue=True)
        if self.request.headers:  # a retry's message takes them over, and who orders one was not ended
            self.request.headers = reset_delivery_counts(self.request.headers)
        return self.run(*args, **kwargs)

    def retry(self, *args: Any, **kwargs: Any) -> Any:
        """Retry as Celery does, but requeue this message if the broker refuses the next one.

        Celery would reject it for good, and whoever waits for the task would wait for ever.
        """
        try:
            return super().retry(*args, **kwargs)
        except Reject as lost:
            raise Reject(str(lost), requeue=True) from lost


def _take_back(task: Counted, queue: Queue) -> None:
    """Send, then acknowledge: a crash in between duplicates the message, which tasks tolerate. Raises: Unavailable."""
    delivered = int(getattr(task.request, _DELIVERED, 1))
    if delivered < MOST:
        log.warning("message came back", extra={"attempt": delivered + 1, **_ids(task)})
        _send(task, queue, {_DELIVERED: delivered + 1})
        return
    _send(task, transport.dead_letter_queue(queue), {ASIDE_AT: clock.iso(clock.now())})
    _tell(task)


def _receive_count(request: Any) -> int:
    """Return how often SQS has delivered the message; 0 on other brokers."""
    delivery = (request.properties or {}).get("delivery_info") or {}
    return int(delivery.get("sqs_message", {}).get("Attributes", {}).get("ApproximateReceiveCount", 0))


def _tell(task: Counted) -> None:
    log.error("message put aside", extra=_ids(task))
    if task.on_aside:
        try:
            task.on_aside(**(task.request.kwargs or {}))
        except CountersignError as error:  # the sweeper finds what waits
            log.warning("nobody was told of it", extra={"error": logs.place_of(error), **_ids(task)})


def _ids(task: Counted) -> dict[str, Any]:
    kwargs = task.request.kwargs or {}
    return {"task": task.name} | {name: kwargs[of] for name, of in _LOGGED.items() if of in kwargs}


def _send(task: Any, queue: Queue, headers: Mapping[str, Any]) -> None:
    """The same task under the same id."""
    with queues.translate_broker_errors():
        task.signature_from_request(queue=queue, headers=headers).apply_async()


def reset_delivery_counts(headers: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the delivery counts of a message that a person sends again."""
    gone = {_DELIVERED, ASIDE_AT, "redelivered"}
    return {name: value for name, value in headers.items() if name not in gone}
