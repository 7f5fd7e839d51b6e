import time
from types import SimpleNamespace
from typing import Any

from django.conf import settings

from config import aws
from workflows import deliveries

URL = settings.QUEUE_URLS[settings.STEPS_QUEUE]


def received(**options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = aws.client("sqs").receive_message(QueueUrl=URL, **options).get("Messages", [])
    return found


def request_of(message: dict[str, Any]) -> SimpleNamespace:
    """As Celery hands kombu's delivery to the task."""
    return SimpleNamespace(properties={"delivery_info": {"sqs_message": message, "sqs_queue": URL}})


def test_a_kept_message_is_not_handed_to_another_worker(table: str) -> None:
    aws.client("sqs").send_message(QueueUrl=URL, MessageBody="a step")
    (message,) = received(VisibilityTimeout=1)
    deliveries.keep(request_of(message))
    deliveries.keep(request_of(message))
    time.sleep(1.2)
    assert received() == []


def test_a_message_that_is_gone_is_no_error(table: str) -> None:
    aws.client("sqs").send_message(QueueUrl=URL, MessageBody="a step")
    (message,) = received()
    aws.client("sqs").delete_message(QueueUrl=URL, ReceiptHandle=message["ReceiptHandle"])
    deliveries.keep(request_of(message))


def test_a_task_that_no_queue_delivered_has_nothing_to_keep() -> None:
    deliveries.keep(SimpleNamespace(properties=None))


def test_only_messages_that_nobody_has_taken_are_waiting(table: str) -> None:
    for _ in range(3):
        aws.client("sqs").send_message(QueueUrl=URL, MessageBody="a step")
    assert deliveries.waiting(settings.STEPS_QUEUE) == 3
    assert received()
    assert deliveries.waiting(settings.STEPS_QUEUE) == 2
