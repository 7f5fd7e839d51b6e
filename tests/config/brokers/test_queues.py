"""What a broker carries, on the real ones: sizes, delays, and a broker that is away."""

import re
import socket
import threading
import time
from contextlib import suppress
from unittest import mock
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from celery import Celery
from celery.exceptions import CeleryError
from django.conf import settings
from kombu.exceptions import OperationalError

from config import aws
from config.brokers import queues, transport
from config.celery import app
from config.errors import CountersignError, Unavailable
from tests.each import each
from tests.engines import KINDS, OPENED, PREFIX, URLS, EngineKind, configure, running_on
from tests.pump import receive

BROKERS = KINDS[1:]


@pytest.fixture(params=BROKERS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest):
    with running_on(request.param):
        yield request.param


def test_what_is_sent_waits_until_somebody_takes_it(kind: EngineKind) -> None:
    assert queues.count_messages(settings.STEPS_QUEUE) == 0
    for number in range(3):
        queues.enqueue("any.task", settings.STEPS_QUEUE, {"number": number})
    assert queues.count_messages(settings.STEPS_QUEUE) == 3
    assert queues.count_messages(settings.DESK_QUEUE) == 0
    found = receive(settings.STEPS_QUEUE)
    assert [(message.task, message.kwargs["number"], message.eta) for message in found] == [
        ("any.task", number, None) for number in range(3)
    ]
    assert queues.count_messages(settings.STEPS_QUEUE) == 0


def test_only_messages_that_nobody_has_taken_are_counted_on_sqs_too(table: str) -> None:
    for _ in range(3):
        queues.enqueue("any.task", settings.STEPS_QUEUE, {})
    assert queues.count_messages(settings.STEPS_QUEUE) == 3
    assert aws.aws_client("sqs").receive_message(QueueUrl=settings.QUEUE_URLS[settings.STEPS_QUEUE])["Messages"]
    assert queues.count_messages(settings.STEPS_QUEUE) == 2


def test_a_delay_is_the_message_s_own(kind: EngineKind) -> None:
    queues.enqueue("any.task", settings.STEPS_QUEUE, {}, delay=30)
    (message,) = receive(settings.STEPS_QUEUE)
    assert message.eta
    assert not message.due


def test_a_queue_that_nobody_has_made_is_empty(kind: EngineKind) -> None:
    OPENED[0].close()
    assert queues.count_messages(settings.STEPS_QUEUE) == 0
    OPENED[0].__post_init__()  # for the end of the test


def test_an_error_leaves_no_closed_connection_behind(kind: EngineKind) -> None:
    with pytest.raises(Unavailable), queues.borrow_channel():
        raise Unavailable("of something else")
    assert queues.count_messages(settings.STEPS_QUEUE) == 0


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "SendMessage")


AWAY = [
    OperationalError("no route"),
    CeleryError("its configuration"),
    ConnectionResetError(),
    EndpointConnectionError(endpoint_url="http://127.0.0.1:1"),
    refused("ThrottlingException"),
    refused("AccessDenied"),
    refused("AWS.SimpleQueueService.NonExistentQueue"),
]


@each("error", AWAY)
def test_a_broker_that_takes_nothing_is_unavailable_whatever_its_error(error: Exception) -> None:
    with mock.patch.object(Celery, "send_task", side_effect=error):
        with pytest.raises(Unavailable, match="Saved data is safe; try again") as raised:
            queues.enqueue("any.task", settings.STEPS_QUEUE, {})
        assert not queues.enqueue_soon("any.task", settings.STEPS_QUEUE, {})
    assert raised.value.__cause__ is error


def test_errors_of_its_client_that_kombu_lets_through_are_the_brokers(kind: EngineKind) -> None:
    with app.connection_for_write() as connection:
        errors = {*connection.connection_errors, *connection.channel_errors} - {KeyError}
    for error in errors:
        made = error.__new__(error)
        with mock.patch.object(Celery, "send_task", side_effect=made), pytest.raises(Unavailable):
            queues.enqueue("any.task", settings.STEPS_QUEUE, {})


def test_a_mistake_of_ours_is_not_the_brokers() -> None:
    with mock.patch.object(Celery, "send_task", side_effect=KeyError("task")), pytest.raises(KeyError):
        queues.enqueue("any.task", settings.STEPS_QUEUE, {})


def test_a_message_that_sqs_never_takes_is_not_tried_again(table: str) -> None:
    with pytest.raises(CountersignError) as raised:
        queues.enqueue("any.task", settings.STEPS_QUEUE, {"text": "x" * 2_000_000})
    assert not isinstance(raised.value, Unavailable)


def test_what_the_queue_takes_soon_is_sent(kind: EngineKind) -> None:
    assert queues.enqueue_soon("any.task", settings.STEPS_QUEUE, {"number": 1}, delay=30)
    (message,) = receive(settings.STEPS_QUEUE)
    assert (message.task, message.kwargs, message.due) == ("any.task", {"number": 1}, False)


HANGING = {"redis": "redis://127.0.0.1:{port}/0", "rabbitmq": "amqp://guest:guest@127.0.0.1:{port}//"}


@pytest.mark.wide
@pytest.mark.parametrize("broker", HANGING)
def test_whoever_sends_to_a_broker_that_hangs_waits_for_seconds(broker: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = HANGING[broker].format(port=server.getsockname()[1])
        options = transport.transport_options(broker, {}, prefix="", hidden_seconds=60)
        assert "socket_timeout" in options or broker != "redis"
        quick = {name: min(value, 1) if name == "socket_timeout" else value for name, value in options.items()}
        conf = {"broker_url": url, "broker_write_url": url, "broker_transport_options": quick}
        before = {name: app.conf[name] for name in conf}
        configure(conf)
        try:
            began = time.monotonic()
            with pytest.raises(Unavailable):
                queues.enqueue("any.task", settings.STEPS_QUEUE, {})
        finally:
            configure(before)
        assert time.monotonic() - began < 30


class Swallowing:
    """Between a client and its broker: once it swallows, nothing that the broker says arrives any more."""

    def __init__(self, port: int) -> None:
        self.target, self.server = port, socket.create_server(("127.0.0.1", 0))
        self.port, self.swallows = self.server.getsockname()[1], threading.Event()
        self.links = [self.server]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.server.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
                self.links += [near, far]
                for source, sink, heard in ((near, far, False), (far, near, True)):
                    threading.Thread(target=self._pass_on, args=(source, sink, heard), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, heard: bool) -> None:
        with suppress(OSError):
            while some := source.recv(65536):
                if not (heard and self.swallows.is_set()):
                    sink.sendall(some)

    def close(self) -> None:
        for one in self.links:
            one.close()


@pytest.mark.wide
@pytest.mark.timeout(60)
def test_whoever_sends_to_a_broker_that_stops_answering_waits_for_seconds(
    kind: EngineKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "PATIENCE_SECONDS", 1)
    proxy = Swallowing(urlsplit(URLS[kind.broker]).port or 0)
    url = HANGING[kind.broker].format(port=proxy.port)
    options = transport.transport_options(kind.broker, {}, prefix=PREFIX, hidden_seconds=60)
    conf = {"broker_url": url, "broker_write_url": url, "broker_transport_options": options}
    before = {name: app.conf[name] for name in conf}
    configure(conf)
    try:
        queues.enqueue("any.task", settings.STEPS_QUEUE, {"number": 1})
        proxy.swallows.set()
        began = time.monotonic()
        with pytest.raises(Unavailable):
            queues.enqueue("any.task", settings.STEPS_QUEUE, {"number": 2})
        assert time.monotonic() - began < 30
    finally:
        proxy.close()
        configure(before)
    assert queues.enqueue_soon("any.task", settings.STEPS_QUEUE, {"number": 3})  # the next one has a new connection


def test_nothing_else_sends() -> None:
    senders = re.compile(r"\.(apply_async|delay|send_task)\(")
    found = {
        str(path.relative_to(settings.BASE_DIR))
        for package in ("config", "projects", "workflows", "review")
        for path in (settings.BASE_DIR / package).rglob("*.py")
        if senders.search(path.read_text())
    }
    assert found == {"config/brokers/queues.py", "config/brokers/redelivery.py"}


def test_a_broker_that_goes_away_while_it_is_asked_is_unavailable(kind: EngineKind) -> None:
    with pytest.raises(Unavailable), queues.borrow_channel() as channel:
        raise channel.connection.client.connection_errors[0]("gone")
