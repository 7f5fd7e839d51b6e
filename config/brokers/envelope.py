"""What a message carries beside its task: the request that it comes of, and when it was sent.

So one id leads from a page through queue, worker and provider, and a worker knows how long a message waited. Messages
of state machines carry neither: SQS says when they were sent, and a run's row has its request.
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
    """How long a message waited until ``now`` that could have been taken; None if nothing says it.

    ``delivery``: kombu's ``delivery_info``. What was to wait, for a retry, did not wait for a worker.
    """
    attributes = (delivery.get("sqs_message") or {}).get("Attributes") or {}
    sent = float(attributes.get("SentTimestamp") or 0) / 1000 or float(headers.get(_SENT) or 0)
    if not sent:
        return None
    if due := headers.get("eta"):
        sent = max(sent, clock.parse(str(due)).timestamp())
    return max(now - sent, 0.0)
