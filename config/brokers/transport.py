"""Celery's settings for each broker: SQS, Redis, RabbitMQ. Free of Django, since ``config.settings`` imports it."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from kombu import Exchange, Queue

SQS, REDIS, RABBITMQ = "sqs", "redis", "rabbitmq"
STEP_FUNCTIONS, CELERY = "stepfunctions", "celery"
BROKER_NAMES = {SQS: "SQS", REDIS: "Redis", RABBITMQ: "RabbitMQ"}
_BROKERS = {
    "sqs": SQS,
    "redis": REDIS,
    "rediss": REDIS,
    "redis+socket": REDIS,
    "amqp": RABBITMQ,
    "amqps": RABBITMQ,
    "pyamqp": RABBITMQ,
}
# RabbitMQ takes a message back from a worker that has it longer, and closes the worker's channel. The longest task has
# an hour. Source: rabbitmq.com, "Consumers", delivery acknowledgement timeout; a queue may have its own since 3.12.
_CONSUMER_TIMEOUT = "x-consumer-timeout"
PATIENCE_SECONDS = 10  # for one answer of Redis or RabbitMQ
_CONSUMER_TIMEOUT_MS = 2 * 3600 * 1000


def broker_of(url: str) -> str:
    """Raises: ImproperlyConfigured, without quoting the address, which may hold a password."""
    scheme = urlsplit(url).scheme
    if scheme not in _BROKERS:
        raise ImproperlyConfigured(
            f"COUNTERSIGN_BROKER_URL begins with {scheme!r}: use redis://, rediss://, amqp:// or amqps://, or unset "
            "it for SQS."
        )
    return _BROKERS[scheme]


def check_engine(engine: str, broker: str) -> str:
    """Raises: ImproperlyConfigured if the engine is unknown or cannot use this broker."""
    if engine not in {STEP_FUNCTIONS, CELERY}:
        raise ImproperlyConfigured(f"COUNTERSIGN_ENGINE is {engine!r}: use 'stepfunctions' or 'celery'.")
    if engine == STEP_FUNCTIONS and broker != SQS:
        raise ImproperlyConfigured(
            "COUNTERSIGN_ENGINE is 'stepfunctions', which supports SQS only. Set COUNTERSIGN_ENGINE=celery to use "
            f"{BROKER_NAMES[broker]}, or unset COUNTERSIGN_BROKER_URL."
        )
    return engine


def make_queues(broker: str, names: Iterable[str], prefix: str) -> list[Queue] | None:
    """Build the queues that tasks are routed to; on SQS ``bootstrap`` creates them.

    ``prefix``: put before each name on the broker, so that several desks can share one.
    """
    if broker == SQS:
        return None
    exchange = Exchange(f"{prefix}tasks", type="direct")
    arguments = {_CONSUMER_TIMEOUT: _CONSUMER_TIMEOUT_MS} if broker == RABBITMQ else None
    return [
        Queue(f"{prefix}{name}", exchange, routing_key=f"{prefix}{name}", alias=name, queue_arguments=arguments)
        for name in names
    ]


def dead_letter_queue(queue: Queue) -> Queue:
    """Return the name of the queue of messages that killed every worker; an operator empties it, no worker reads it."""
    name = f"{queue.name}-dead"
    arguments = {one: value for one, value in (queue.queue_arguments or {}).items() if one != _CONSUMER_TIMEOUT}
    return Queue(name, queue.exchange, routing_key=name, queue_arguments=arguments or None)


def transport_options(broker: str, sqs: Mapping[str, Any], *, prefix: str, hidden_seconds: int) -> dict[str, Any]:
    """Celery's ``broker_transport_options``.

    ``prefix``: of Redis's keys, including kombu's record of unacknowledged messages. ``hidden_seconds``: the visibility
    timeout of a received message.
    """
    if broker == SQS:
        return dict(sqs)
    if broker == REDIS:
        # Without these a page waits for ever for a Redis that hangs. A worker waits one second for messages.
        patience = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": 3}
        # kombu looks for what comes back every 100 seconds, and a Redis that died in a look locks it out for 300 more.
        looks = {"unacked_restore_throttle": 1, "unacked_mutex_expire": 30}
        return {"visibility_timeout": hidden_seconds, "global_keyprefix": prefix, **patience, **looks}
    # Without the confirmation a message that the broker never stored would count as sent.
    # Without the timeouts a page waits for ever for a RabbitMQ that hangs, or confirms nothing.
    return {"confirm_publish": True, "read_timeout": PATIENCE_SECONDS, "write_timeout": PATIENCE_SECONDS}
