from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from django.conf import settings
from kombu import Connection

from config.brokers import sqs
from config.celery import app


def test_celery_uses_our_transport() -> None:
    with Connection("sqs://") as connection:
        assert isinstance(connection.transport, sqs.Transport)
    with app.connection_for_read() as connection:
        assert isinstance(connection.transport, sqs.Transport)


def test_a_poll_that_nobody_answered_is_an_empty_one() -> None:
    """What kombu hands on after a 5xx or a lost connection."""
    channel = object.__new__(sqs.Channel)
    assert channel._on_messages_ready("http://127.0.0.1/queue", "queue", []) == 0


@contextmanager
def worker_that_has(delivery_tag: str) -> Iterator[Any]:
    """A channel whose only slot a message fills that SQS does not know by this handle."""
    with app.connection_for_read() as connection:
        channel: Any = connection.channel()
        channel.do_restore = False
        channel.basic_qos(0, 1, False)
        delivery = {"exchange": "", "routing_key": settings.STEPS_QUEUE}
        properties = {"delivery_tag": delivery_tag, "delivery_info": delivery}
        message = channel.Message({"body": "", "properties": properties}, channel=channel)
        channel.qos.append(message, delivery_tag)
        assert not channel.qos.can_consume()
        yield channel


def test_a_worker_whose_return_of_a_message_sqs_never_heard_has_its_slot_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with worker_that_has("one") as channel:
        with pytest.raises(EndpointConnectionError):
            channel.basic_reject("one", requeue=True)
        assert channel.qos.can_consume()


def test_a_return_that_sqs_refuses_does_not_end_the_worker(table: str) -> None:
    """As after a restart of SQS, or once the message's time is over: it is another worker's, or waits again."""
    with worker_that_has("a handle of before") as channel:
        channel.basic_reject("a handle of before", requeue=True)
        assert channel.qos.can_consume()
