"""Sending tasks by name and counting waiting messages, on any broker."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from botocore.exceptions import ClientError
from celery import current_app
from celery.exceptions import CeleryError
from django.conf import settings
from kombu.exceptions import KombuError

from config import aws
from config.brokers import transport
from config.errors import CountersignError, Unavailable
from config.phrase import Sentence

log = logging.getLogger(__name__)

_AWAY = Sentence("The queue is not responding. Saved data is safe; try again in a moment.")
# On a connection of the pool that the broker has closed meanwhile the first try fails. Not once is not less: without a
# retry kombu waits six seconds for a connection, and with its own number of them a page waits for SQS four times.
_ONCE_MORE = {"max_retries": 1, "interval_start": 0.1}
_WAITING = "ApproximateNumberOfMessages"
_TOO_LARGE = {"InvalidMessageContents", "InvalidParameterValue"}  # SQS refuses such a message each time


def enqueue(
    task: str, queue: str, kwargs: Mapping[str, Any], *, delay: float = 0, expires: float | None = None
) -> None:
    """Send ``task`` to ``queue`` with a ``delay`` in seconds. A message received after ``expires`` is dropped.

    Raises:
        Unavailable: the broker did not take the message.
        CountersignError: SQS refuses such a message; sending it again would not help.

    """
    try:
        with translate_broker_errors(), aws.translate_aws_errors():
            current_app.send_task(
                task, kwargs=dict(kwargs), queue=queue, countdown=delay or None, expires=expires,
                retry=True, retry_policy=_ONCE_MORE,
                # Celery would draw up the arguments a second time, for eyes only.
                argsrepr="()", kwargsrepr="{}",
                # Beside the socket's own limit, which ends at each heartbeat; other brokers confirm nothing.
                confirm_timeout=transport.PATIENCE_SECONDS,
            )  # fmt: skip
    except Unavailable as error:
        raise Unavailable(_AWAY) from (error.__cause__ or error)
    except CountersignError as error:
        if isinstance(error.__cause__, ClientError) and error.__cause__.response["Error"]["Code"] in _TOO_LARGE:
            raise
        raise Unavailable(_AWAY) from (error.__cause__ or error)  # no such queue yet, or not ours to use


def enqueue_soon(
    task: str, queue: str, kwargs: Mapping[str, Any], *, delay: float = 0, expires: float | None = None
) -> bool:
    """Send a task, or return False if the broker does not answer: the sweeper sends it again when the work is due."""
    try:
        enqueue(task, queue, kwargs, delay=delay, expires=expires)
    except CountersignError as error:
        cause = type(error.__cause__ or error).__name__
        log.warning("queue did not answer, the sweeper goes on", extra={"task": task, "error": cause})
        return False
    return True


def count_messages(queue: str) -> int:
    """Return roughly how many messages of a queue are waiting, on any broker.

    Raises:
        Unavailable: the broker does not answer.
        CountersignError: SQS denies access.

    """
    if settings.BROKER == transport.SQS:
        with aws.translate_aws_errors():
            return count_on_sqs(aws.aws_client("sqs"), settings.QUEUE_URLS[queue])
    with borrow_channel() as open_channel:
        return _count_on(open_channel, queue)


def count_all_messages() -> dict[str, int]:
    """Count the waiting messages of every queue; Redis and RabbitMQ need one connection.

    Raises:
        Unavailable: the broker does not answer.
        CountersignError: SQS denies access.

    """
    if settings.BROKER == transport.SQS:
        return {queue: count_messages(queue) for queue in settings.QUEUE_URLS}
    with borrow_channel() as open_channel:
        return {queue: _count_on(open_channel, queue) for queue in settings.QUEUE_URLS}


def _count_on(open_channel: Any, queue: str) -> int:
    declared: Any = current_app.amqp.queues[queue](open_channel)
    # Not passively: kombu asks Redis without the prefix whether it is there, and hears that it is not.
    return int(declared.queue_declare().message_count)


def count_on_sqs(client: Any, url: str) -> int:
    """Raises: botocore's errors."""
    answer = client.get_queue_attributes(QueueUrl=url, AttributeNames=[_WAITING])
    return int(answer["Attributes"][_WAITING])


class Depth:
    """Counts waiting messages over connections of its own.

    A worker's main process forks, and a connection must not be shared with its children.
    """

    def __init__(self) -> None:
        self._sqs: Any = None
        self._connection: Any = None
        self._channel: Any = None

    def count(self, queues: Iterable[str]) -> dict[str, int]:
        """Return waiting messages by queue. Raises: Unavailable; CountersignError if SQS denies access."""
        if settings.BROKER == transport.SQS:
            self._sqs = self._sqs or aws.separate_client("sqs")
            with aws.translate_aws_errors():
                return {queue: count_on_sqs(self._sqs, settings.QUEUE_URLS[queue]) for queue in queues}
        with translate_broker_errors():
            try:
                self._connect()
                return {queue: _count_on(self._channel, queue) for queue in queues}
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        gone, self._connection, self._channel = self._connection, None, None
        if gone is not None:
            with suppress(Unavailable), translate_broker_errors():
                gone.release()

    def _connect(self) -> None:
        if self._connection is None:
            self._connection = current_app.connection_for_read(heartbeat=0)  # it is idle for hours
            self._connection.connect()
            self._channel = self._connection.channel()


@contextmanager
def borrow_channel() -> Iterator[Any]:
    """Open a separate channel on Redis or RabbitMQ. Raises: Unavailable."""
    pool: Any = current_app.pool
    with translate_broker_errors(), pool.acquire(block=True) as connection:
        connection.connect()  # kombu closes one that an error passed through, and keeps it in the pool as it is
        with connection.channel() as open_channel:
            yield open_channel


@contextmanager
def translate_broker_errors() -> Iterator[None]:
    """Translate errors of the broker and its client into domain errors. Raises: Unavailable."""
    try:
        yield
    except Exception as error:
        if isinstance(error, (KombuError, CeleryError, OSError, *_of_the_client())):
            raise Unavailable(_AWAY) from error
        raise


def _of_the_client() -> tuple[type[Exception], ...]:
    """Errors of redis-py and amqp that kombu does not wrap; they share no base class."""
    connection: Any = current_app.connection_for_write()
    found = {*connection.connection_errors, *connection.channel_errors}
    return tuple(found - {KeyError})  # which redis's has for a pipe of its own, and is a mistake everywhere else
