"""A message that comes back ended its worker: on Redis and RabbitMQ it is counted here and put aside at the limit.

SQS does both by itself (``maxReceiveCount``). Here the count travels in the message: who gets one that was delivered
before sends it once more with the next number, behind all others, and acknowledges it. So a first delivery costs
nothing, nothing is kept beside the queue, and others go on between two deaths.
"""

import logging
from collections.abc import Mapping
from typing import Any

from celery import Task, current_app
from celery.exceptions import Ignore, Reject
from django.conf import settings
from kombu import Queue

from config import clock, queues, transport
from config.errors import CountersignError, Unavailable

log = logging.getLogger(__name__)

MOST = 5  # deliveries, as the queues of SQS have it in config/infrastructure
_DELIVERED, ASIDE_AT = "countersign_delivered", "countersign_aside_at"  # headers
_LOGGED = {"document": "document_id", "run": "workflow_id", "review": "review_id"}


class Counted(Task[Any, Any]):
    """Every task of the desk. ``on_aside`` is called with its arguments where its message is put aside."""

    on_aside: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        info: Mapping[str, Any] = self.request.delivery_info or {}
        if settings.BROKER != transport.SQS and info.get("redelivered"):
            try:
                _take_back(self, current_app.amqp.queues[str(info["routing_key"])])
            except Unavailable as error:
                raise Reject(str(error), requeue=True) from error
            raise Ignore
        if self.request.headers:  # a retry's message takes them over, and who orders one was not ended
            self.request.headers = afresh(self.request.headers)
        return self.run(*args, **kwargs)


def _take_back(task: Counted, queue: Queue) -> None:
    """Sent first: a death before the acknowledgement leaves it twice, which tasks bear. Raises: Unavailable."""
    delivered = int(getattr(task.request, _DELIVERED, 1))
    kwargs = task.request.kwargs or {}
    ids = {name: kwargs[of] for name, of in _LOGGED.items() if of in kwargs}
    if delivered < MOST:
        log.warning("message came back", extra={"task": task.name, "attempt": delivered + 1, **ids})
        _send(task, queue, {_DELIVERED: delivered + 1})
        return
    log.error("message put aside", extra={"task": task.name, **ids})
    _send(task, transport.aside(queue), {ASIDE_AT: clock.iso(clock.now())})
    if task.on_aside:
        try:
            task.on_aside(**kwargs)
        except CountersignError as error:  # the sweeper finds what waits
            log.warning("nobody was told of it", extra={"task": task.name, "error": str(error), **ids})


def _send(task: Any, queue: Queue, headers: Mapping[str, Any]) -> None:
    """The same task under the same id."""
    with queues.answered():
        task.signature_from_request(queue=queue, headers=headers).apply_async()


def afresh(headers: Mapping[str, Any]) -> dict[str, Any]:
    """Of a message that is ordered once more: nothing of its earlier deliveries is counted."""
    gone = {_DELIVERED, ASIDE_AT, "redelivered"}
    return {name: value for name, value in headers.items() if name not in gone}
