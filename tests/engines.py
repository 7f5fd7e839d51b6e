"""The engines and brokers that the flow tests run on, each with the faults that its answers and messages may have.

Redis and RabbitMQ are real ones on this machine. Their keys and queues have a name of this test process's own.
"""

import functools
import importlib.util
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unittest import mock

import pytest
from celery import Celery
from django.conf import settings
from kombu import Connection, Queue, pools
from kombu.exceptions import OperationalError

from config.brokers import transport
from config.celery import app
from tests import aws_faults
from tests.aws_faults import Crash
from tests.settings import FOLDER, OWNER, WORKER

URLS = {
    "redis": "redis://127.0.0.1:6379/0",
    "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//",
}
PREFIX = f"{FOLDER.name}-{WORKER}-"
UNUSED_MS = 15 * 60 * 1000  # longer than any test takes
_SFN = ("stepfunctions", "SendTaskSuccess")


@dataclass(frozen=True)
class EngineKind:
    """``broker``: which one carries the messages."""

    name: str
    broker: str = "sqs"

    @property
    def by_messages(self) -> bool:
        return self.name.startswith("celery")

    def crash(self, when: Literal["before", "after"]) -> Any:
        """The process dies as it answers a token: the engine has heard of it, or it has not."""
        if not self.by_messages:
            return (aws_faults.crash_after if when == "after" else aws_faults.crash_before)(*_SFN)
        return _crash(when, lambda kwargs: "token" in kwargs)

    def crash_before_message(self) -> Any:
        """It dies as it orders a task."""
        if self.broker == "sqs":
            return aws_faults.crash_before("sqs", "SendMessage")
        return _crash("before", lambda _: True)

    @contextmanager
    def answers(self) -> Iterator[list[Any]]:
        """What is handed on to the engine meanwhile, one entry an answer."""
        if self.by_messages:
            with _sent() as sent:
                yield sent
            return
        found: list[Any] = []
        with aws_faults.count_calls() as calls:
            yield found
        found += [call.params["output"] for call in calls.of(*_SFN)]

    @contextmanager
    def refusing(self) -> Iterator[list[Any]]:
        """The engine does not take the first refusal; every one that is tried."""
        if self.by_messages:
            with _sent(failing=1) as sent:
                yield sent
            return
        found: list[Any] = []
        failing = aws_faults.fail("stepfunctions", "SendTaskFailure", error_code="ServiceUnavailable")
        with failing, aws_faults.count_calls() as calls:
            yield found
        found += calls.of("stepfunctions", "SendTaskFailure")


STEP_FUNCTIONS = EngineKind("stepfunctions")
KINDS = (STEP_FUNCTIONS, EngineKind("celery-redis", "redis"), EngineKind("celery-rabbitmq", "rabbitmq"))


@contextmanager
def _sent(failing: int = 0) -> Iterator[list[Any]]:
    """Keyword arguments of what is sent with a token; the broker is away for the first ``failing``."""
    inner, found = Celery.send_task, []

    def send(self: Any, name: str, *args: Any, **options: Any) -> Any:
        if "token" in (options.get("kwargs") or {}):
            found.append(options["kwargs"])
            if len(found) <= failing:
                raise OperationalError("nobody is there")
        return inner(self, name, *args, **options)

    with mock.patch.object(Celery, "send_task", send):
        yield found


@contextmanager
def _crash(when: str, this: Callable[[dict[str, Any]], bool]) -> Iterator[None]:
    inner, here, seen = Celery.send_task, Crash(f"{when} a message"), []

    def send(self: Any, name: str, *args: Any, **options: Any) -> Any:
        kwargs = options.get("kwargs") or (args[1] if len(args) > 1 else None) or {}
        if seen or not this(kwargs):
            return inner(self, name, *args, **options)
        seen.append(name)
        if when == "after":
            inner(self, name, *args, **options)
        raise here

    with mock.patch.object(Celery, "send_task", send):
        try:
            yield
        except Crash as crash:
            if crash is not here:
                raise
    if not seen:
        raise AssertionError("no such message was sent")


@functools.cache
def answers(broker: str) -> bool:
    port = {"redis": 6379, "rabbitmq": 5672}.get(broker)
    if port is None:
        return True
    if broker == "redis" and importlib.util.find_spec("redis") is None:
        return False
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError:
        return False
    return True


def require(broker: str) -> None:
    """Skip where it is not there, unless the run insists on it."""
    if not answers(broker):
        assert os.environ.get("REQUIRE_BROKERS") != "1", f"{broker} does not answer on this machine"
        pytest.skip(f"{broker} does not answer on this machine")


@contextmanager
def running_on(kind: EngineKind) -> Iterator[None]:
    """This process's engine and broker, with empty queues."""
    if not kind.by_messages:
        yield
        return
    require(kind.broker)
    url, names = URLS[kind.broker], tuple(settings.QUEUE_URLS)
    options = transport.transport_options(
        kind.broker, {}, prefix=PREFIX, hidden_seconds=settings.QUEUE_VISIBILITY_SECONDS
    )
    conf = {
        "broker_url": url,
        "broker_read_url": url,
        "broker_write_url": url,
        "broker_transport_options": options,
        "task_queues": short_lived(transport.make_queues(kind.broker, names, PREFIX)),
    }
    with ExitStack() as stack:
        for name, value in {"ENGINE": "celery", "BROKER": kind.broker}.items():
            stack.enter_context(mock.patch.object(settings, name, value))
        before = {name: app.conf[name] for name in conf}
        stack.callback(configure, before)
        configure(conf)
        opened = Mailbox()
        stack.callback(opened.close)
        OPENED.append(opened)
        stack.callback(OPENED.clear)
        yield


def short_lived(queues: list[Queue] | None) -> list[Queue] | None:
    """RabbitMQ deletes them itself where a killed run could not; Redis has no such thing."""
    for queue in queues or ():
        if queue.queue_arguments:
            queue.queue_arguments = {**queue.queue_arguments, "x-expires": UNUSED_MS}
    return queues


def configure(conf: dict[str, Any]) -> None:
    """Celery reads its settings once; what it made of them is made anew."""
    app.pool.force_close_all()
    pools.reset()
    app.conf.update(conf)
    app._pool = None
    app.__dict__.pop("amqp", None)


@dataclass
class Mailbox:
    """The broker's queues as the pump empties them."""

    connection: Any = field(default_factory=app.connection_for_read)

    def __post_init__(self) -> None:
        self.connection.connect()
        self.channel = self.connection.channel()
        for name in settings.QUEUE_URLS:
            for queue in (app.amqp.queues[name], transport.dead_letter_queue(app.amqp.queues[name])):
                bound = queue(self.channel)
                bound.declare()
                bound.purge()

    def take(self, name: str) -> list[Any]:
        """Messages that nobody has; none is another's until it is acknowledged."""
        queue = app.amqp.queues[name](self.channel)
        found = []
        while (message := queue.get(no_ack=False)) is not None:
            found.append(message)
        return found

    def close(self) -> None:
        for name in settings.QUEUE_URLS:
            for queue in (app.amqp.queues[name], transport.dead_letter_queue(app.amqp.queues[name])):
                queue(self.channel).delete()
        self.connection.release()


OPENED: list[Mailbox] = []
PREFIXES = ("", "process-", "processes-")  # of this process, and of those that tests start


def forget_run(folder: Path) -> None:
    """What a whole run left on the brokers; also one that was killed, and workers that died with nothing forgotten."""
    workers = [one.name.removeprefix("worker-") for one in folder.glob("worker-*")]
    for broker in filter(answers, URLS):
        for worker in workers:
            for prefix in PREFIXES:
                forget(broker, f"{folder.name}-{worker}-{prefix}")


def forget_killed_runs(named: str = "countersign-tests-*") -> None:
    """Of runs whose process is gone but whose folder is not."""
    for folder in FOLDER.parent.glob(named):
        try:
            os.kill(int((folder / OWNER).read_text()), 0)
        except ProcessLookupError:
            forget_run(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):  # it is another user's, or has no owner yet
            continue


@contextmanager
def opened(broker: str) -> Iterator[Any]:
    """A channel with no prefix."""
    with Connection(URLS[broker]) as connection:
        yield connection.default_channel


def forget(broker: str, prefix: str) -> None:
    """Delete all that begins so: Redis's keys, or RabbitMQ's queues and their exchange."""
    with opened(broker) as channel:
        if broker == "redis":
            for key in list(channel.client.scan_iter(match=f"{prefix}*")):
                channel.client.delete(key)
            return
        for queue in transport.make_queues(broker, settings.QUEUE_URLS, prefix) or ():
            queue(channel).delete()
            transport.dead_letter_queue(queue)(channel).delete()
        channel.exchange_delete(f"{prefix}tasks")
