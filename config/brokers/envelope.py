"""Headers that each message carries besides its task: the id of the originating request and the time it was sent.

The id can be followed from page to queue, worker and provider; the time tells a worker how long the message waited.
Messages from state machines carry neither: SQS records when they were sent, and the run's row has the request id.
"""

import time
from collections.abc import Mapping
from typing import Any

from celery.signals import before_task_publish

from config import clock, logs

REQUEST, _SENT = "countersign_request", "countersign_sent"  # headers; the second in seconds since 1970


@before_task_publish.connect
def _address(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is None:
        return
    headers[_SENT] = round(time.time(), 3)
    if request_id := logs.request_id():
        headers[REQUEST] = request_id


def waited_seconds(headers: Mapping[str, Any], delivery: Mapping[str, Any], now: float) -> float | None:
    """Return how long a message that was ready waited until ``now``, in seconds; None if unknown.

    ``delivery``: kombu's ``delivery_info``. The delay of a retry does not count as waiting for a worker.
    """
    attributes = (delivery.get("sqs_message") or {}).get("Attributes") or {}
    sent = float(attributes.get("SentTimestamp") or 0) / 1000 or float(headers.get(_SENT) or 0)
    if not sent:
        return None
    if due := headers.get("eta"):
        sent = max(sent, clock.parse(str(due)).timestamp())
    return max(now - sent, 0.0)
