"""Dead-letter queues of each work queue: on SQS, Redis and RabbitMQ."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from celery import current_app
from django.conf import settings
from kombu import Producer

from config import aws, clock
from config.brokers import queues, redelivery, transport
from config.brokers.transport import SQS

_HELD = 10  # visibility timeout in seconds, in case the reader dies before it returns a message


@dataclass(frozen=True)
class StoredMessage:
    """``body``: the JSON text, or base64 of it, as on SQS. ``at``: when it was first sent, or became a dead letter.

    ``held``: the receipt by which its queue identifies it.
    """

    id: str
    body: str
    at: str
    held: Any


class DeadLetterBox(Protocol):
    def look(self, most: int) -> list[StoredMessage]:
        """Receive messages, which others do not see until the box is closed."""

    def release(self, kept: Sequence[StoredMessage]) -> None: ...

    def delete(self, one: StoredMessage) -> None: ...

    def send_back(self, one: StoredMessage) -> None:
        """Send a copy to the queue that it came from."""


@contextmanager
def open_box(queue: str) -> Iterator[DeadLetterBox]:
    """Open the dead-letter queue of ``queue``; SQS has one more, for the event bus. Raises: Unavailable."""
    if settings.BROKER == SQS or queue not in settings.QUEUE_URLS:
        yield _OnSqs(queue)
        return
    with queues.borrow_channel() as channel:
        yield _OnBroker(queue, channel)


def count_dead_letters() -> dict[str, int]:
    """Count the messages in each; on SQS, including those of the event bus.

    Raises:
        Unavailable: the broker does not answer.
        CountersignError: SQS denies access.

    """
    if settings.BROKER == SQS:
        return {queue: _OnSqs(queue).count() for queue in (*settings.QUEUE_URLS, settings.EVENTS_QUEUE)}
    with queues.borrow_channel() as channel:
        return {queue: _OnBroker(queue, channel).size for queue in settings.QUEUE_URLS}


class _OnSqs:
    def __init__(self, queue: str) -> None:
        self._back = settings.QUEUE_URLS.get(queue, settings.EVENTS_QUEUE_URL)
        self._url = f"{self._back}-dead"

    def count(self) -> int:
        with aws.translate_aws_errors():
            return queues.count_on_sqs(aws.aws_client("sqs"), self._url)

    def look(self, most: int) -> list[StoredMessage]:
        found: list[StoredMessage] = []
        while len(found) < most:
            with aws.translate_aws_errors():
                answer = aws.aws_client("sqs").receive_message(
                    QueueUrl=self._url, MaxNumberOfMessages=10, VisibilityTimeout=_HELD,
                    MessageSystemAttributeNames=["SentTimestamp"],
                )  # fmt: skip
            found += map(_read_sqs_message, answer.get("Messages", ()))
            if not answer.get("Messages"):
                break
        return found

    def release(self, kept: Sequence[StoredMessage]) -> None:
        for batch in (kept[i : i + 10] for i in range(0, len(kept), 10)):
            entries = [{"Id": str(i), "ReceiptHandle": one.held, "VisibilityTimeout": 0} for i, one in enumerate(batch)]
            with aws.translate_aws_errors():
                aws.aws_client("sqs").change_message_visibility_batch(QueueUrl=self._url, Entries=entries)

    def delete(self, one: StoredMessage) -> None:
        with aws.translate_aws_errors():
            aws.aws_client("sqs").delete_message(QueueUrl=self._url, ReceiptHandle=one.held)

    def send_back(self, one: StoredMessage) -> None:
        with aws.translate_aws_errors():
            aws.aws_client("sqs").send_message(QueueUrl=self._back, MessageBody=one.body)


def _read_sqs_message(message: dict[str, Any]) -> StoredMessage:
    sent = int(message.get("Attributes", {}).get("SentTimestamp", 0)) / 1000
    at = clock.iso(dt.datetime.fromtimestamp(sent, dt.UTC))
    return StoredMessage(message["MessageId"], message["Body"], at, message["ReceiptHandle"])


class _OnBroker:
    def __init__(self, queue: str, channel: Any) -> None:
        self._back = current_app.amqp.queues[queue]
        self._channel = channel
        self._queue: Any = transport.dead_letter_queue(self._back)(channel)
        self._queue.declare()
        declared: Any = self._queue.queue_declare()
        self.size = int(declared.message_count)

    def look(self, most: int) -> list[StoredMessage]:
        found: list[StoredMessage] = []
        while len(found) < most and (message := self._queue.get(no_ack=False)) is not None:
            at = str(message.headers.get(redelivery.ASIDE_AT, ""))
            envelope = {"body": _text(message.body), "headers": message.headers}
            found.append(StoredMessage(str(message.headers.get("id", "")), json.dumps(envelope), at, message))
        return found

    def release(self, kept: Sequence[StoredMessage]) -> None:
        for one in kept:
            one.held.requeue()

    def delete(self, one: StoredMessage) -> None:
        one.held.ack()

    def send_back(self, one: StoredMessage) -> None:
        message = one.held
        Producer(self._channel).publish(
            message.body,
            exchange=self._back.exchange,
            routing_key=self._back.routing_key,
            headers=redelivery.reset_delivery_counts(message.headers),
            content_type=message.content_type,
            content_encoding=message.content_encoding,
            correlation_id=message.properties.get("correlation_id"),
        )


def _text(body: str | bytes) -> str:
    return body if isinstance(body, str) else body.decode(errors="replace")
