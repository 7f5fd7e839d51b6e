"""A Redis of the test's own dies under Celery's transport, and comes back with what it had."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection, Queue
from redis.exceptions import ConnectionError as Gone

from config.brokers import redis, transport
from config.celery import app
from tests.flow import own_brokers
from tests.flow.own_brokers import OwnRedis

QUEUE = Queue("work", routing_key="work")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[OwnRedis]:
    own_brokers.require(OwnRedis)
    broker = OwnRedis(tmp_path / "redis", fsync="always")
    broker.start()
    yield broker
    broker.kill()
    redis._homeless.clear()


def open_channel(broker: OwnRedis) -> Any:
    channel = connect(broker).channel()
    channel.do_restore = False  # by itself, as this process ends
    return channel


def connect(broker: OwnRedis) -> Any:
    options = transport.transport_options("redis", {}, prefix=f"{settings.STACK}:", hidden_seconds=0)
    connection = Connection(broker.address, transport_options=options)
    connection.connect()
    return connection


def bound(channel: Any) -> Any:
    queue = QUEUE(channel)
    queue.declare()
    return queue


def send(channel: Any) -> None:
    channel.connection.client.Producer(channel).publish({"n": 1}, routing_key="work", serializer="json")


def take(channel: Any) -> Any:
    return bound(channel).get(no_ack=False)


def test_celery_uses_our_transport(broker: OwnRedis) -> None:
    assert isinstance(connect(broker).transport, redis.Transport)
    for url in ("redis://127.0.0.1", "rediss://127.0.0.1", "redis+socket:///tmp/none"):
        assert issubclass(app.connection(url).get_transport_cls(), redis.Transport)


@pytest.mark.parametrize("end", ["ack", "reject", "requeue"])
def test_a_worker_whose_end_of_a_message_redis_never_heard_has_its_slot_back(broker: OwnRedis, end: str) -> None:
    channel = open_channel(broker)
    channel.basic_qos(0, 1, False)
    send(channel)
    message = take(channel)
    assert not channel.qos.can_consume()
    broker.kill()
    with pytest.raises(Gone):
        getattr(message, end)()
    assert channel.qos.can_consume()


def test_a_message_whose_end_redis_never_heard_comes_back_once(broker: OwnRedis) -> None:
    channel = open_channel(broker)
    send(channel)
    message = take(channel)
    broker.kill()
    with pytest.raises(Gone):
        message.ack()
    broker.start()
    later = open_channel(broker)
    later.qos.restore_visible()
    again = take(later)
    assert (again.payload, again.headers["redelivered"]) == ({"n": 1}, True)
    assert take(later) is None


def test_a_message_that_was_taken_as_redis_died_is_in_its_queue_again(broker: OwnRedis) -> None:
    channel = open_channel(broker)
    send(channel)
    payload = channel._get("work")  # off the list, and not yet among the taken ones
    broker.kill()
    message = channel.message_to_python(payload)
    with pytest.raises(Gone):
        channel.qos.append(message, message.delivery_tag)
    broker.start()
    later = open_channel(broker)
    assert take(later).payload == {"n": 1}
    assert take(later) is None
    assert not redis._homeless
