import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from config import aws
from config.brokers import queues, visibility
from tests.engines import KINDS, OPENED, running_on
from tests.pump import receive

URL = settings.QUEUE_URLS[settings.STEPS_QUEUE]


def received(**options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = aws.aws_client("sqs").receive_message(QueueUrl=URL, **options).get("Messages", [])
    return found


def request_of(message: dict[str, Any]) -> SimpleNamespace:
    """As Celery hands kombu's delivery to the task."""
    return SimpleNamespace(properties={"delivery_info": {"sqs_message": message, "sqs_queue": URL}})


@pytest.mark.wide
def test_a_kept_message_is_not_handed_to_another_worker(table: str) -> None:
    aws.aws_client("sqs").send_message(QueueUrl=URL, MessageBody="a step")
    (message,) = received(VisibilityTimeout=1)
    visibility.keep(request_of(message))
    visibility.keep(request_of(message))
    time.sleep(1.2)
    assert received() == []


def test_a_message_that_is_gone_is_no_error(table: str) -> None:
    aws.aws_client("sqs").send_message(QueueUrl=URL, MessageBody="a step")
    (message,) = received()
    aws.aws_client("sqs").delete_message(QueueUrl=URL, ReceiptHandle=message["ReceiptHandle"])
    visibility.keep(request_of(message))


def test_a_task_that_no_queue_delivered_has_nothing_to_keep() -> None:
    visibility.keep(SimpleNamespace(properties=None))


@pytest.fixture
def tag() -> Iterator[str]:
    """Of a message that this process has taken from Redis so long ago that it would be shown to others now."""
    with running_on(KINDS[1]):
        queues.enqueue("any.task", settings.STEPS_QUEUE, {})
        (message,) = receive(settings.STEPS_QUEUE)
        tag = str(message.taken.delivery_tag)
        channel = OPENED[0].channel
        taken = time.time() - settings.QUEUE_VISIBILITY_SECONDS - 1
        channel.client.zadd(channel.unacked_index_key, {tag: taken})
        yield tag


def shown_again() -> int:
    """What any worker of Redis does every few seconds; how many messages come back."""
    OPENED[0].channel.qos.restore_visible(interval=1)
    return queues.count_messages(settings.STEPS_QUEUE)


def test_on_redis_too_a_kept_message_is_not_handed_to_another_worker(tag: str) -> None:
    visibility.keep(SimpleNamespace(properties={"delivery_tag": tag}))
    assert shown_again() == 0


def test_on_redis_the_message_of_a_dead_worker_comes_back(tag: str) -> None:
    assert shown_again() == 1


def test_on_redis_an_acknowledged_message_is_not_kept(tag: str) -> None:
    OPENED[0].channel.basic_ack(tag)
    visibility.keep(SimpleNamespace(properties={"delivery_tag": tag}))
    assert shown_again() == 0
    assert OPENED[0].channel.client.hlen(OPENED[0].channel.unacked_key) == 0


def test_on_rabbitmq_there_is_nothing_to_keep() -> None:
    with running_on(KINDS[2]):
        visibility.keep(SimpleNamespace(properties={"delivery_tag": "1"}))
