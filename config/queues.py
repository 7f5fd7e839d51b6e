"""Tasks are ordered by name, whichever broker carries the message."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from celery import current_app
from celery.exceptions import CeleryError
from kombu.exceptions import KombuError, OperationalError

from config import aws
from config.errors import Unavailable


def send(task: str, queue: str, kwargs: Mapping[str, Any], *, delay: float = 0) -> None:
    """Have a worker of ``queue`` run ``task``, after ``delay`` seconds.

    Raises:
        Unavailable: the broker did not take the message.

    """
    with answered(), aws.translated():
        current_app.send_task(task, kwargs=dict(kwargs), queue=queue, countdown=delay or None)


def size(queue: str) -> int:
    """How many messages nobody has taken, on Redis and RabbitMQ. Raises: Unavailable."""
    with channel() as open_channel:
        declared: Any = current_app.amqp.queues[queue](open_channel)
        # Not passively: kombu asks Redis without the prefix whether it is there, and hears that it is not.
        return int(declared.queue_declare().message_count)


@contextmanager
def channel() -> Iterator[Any]:
    """A channel of its own on Redis or RabbitMQ. Raises: Unavailable."""
    pool: Any = current_app.pool
    with answered(), pool.acquire(block=True) as connection:
        try:
            connection.connect()  # kombu closes one that an error passed through, and keeps it in the pool as it is
            with connection.channel() as open_channel:
                yield open_channel
        except (*connection.connection_errors, *connection.channel_errors) as error:  # of the client, whichever it is
            raise OperationalError("The broker does not answer.") from error


@contextmanager
def answered() -> Iterator[None]:
    """Turn the broker's errors into ours. Raises: Unavailable."""
    try:
        yield
    except (KombuError, CeleryError, OSError) as error:
        raise Unavailable("The queue does not answer right now. It is tried again.") from error
