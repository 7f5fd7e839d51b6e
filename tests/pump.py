"""A worker that a test turns by hand: takes Celery's messages off the real queues and runs their tasks here."""

import base64
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from celery.exceptions import Retry
from django.conf import settings

from config import aws, clock
from config.celery import app
from tests.engines import OPENED
from tests.shortcuts import wait_for_messages

_RETRIES = 20
# For how many seconds messages are waited for before ``until`` is asked again: longer while none comes.
_SHORTEST, _LONGEST = 0.01, 0.08

app.loader.import_default_modules()  # what a worker does at its start: without it no task has a name yet


@dataclass(frozen=True)
class Message:
    """One delivery: the task's name, its keyword arguments and when it may run."""

    task: str
    kwargs: dict[str, Any]
    id: str
    eta: str | None
    queue: str
    receipt: str
    taken: Any = None  # kombu's own message, where the broker is not SQS

    @property
    def due(self) -> bool:
        return self.eta is None or clock.parse(self.eta) <= clock.now()


@dataclass
class Pump:
    """``seen``: every task that ran; ``held``: deliveries whose time has not come or that a test holds back.

    ``queues``: without the search index's, which needs the database that most tests go without. ``sends_again``: a
    task that wants its message back has it at once.
    """

    seen: list[Message] = field(default_factory=list)
    held: list[Message] = field(default_factory=list)
    hold: Callable[[Message], bool] = lambda _message: False
    sends_again: bool = False
    queues: Sequence[str] = (
        settings.STEPS_QUEUE, settings.SLICES_QUEUE, settings.DESK_QUEUE, settings.EXPERIMENTS_QUEUE,
    )  # fmt: skip

    def run(self, until: Callable[[], bool] | None = None, *, seconds: float = 60, idle: float = 0.6) -> None:
        """Run tasks until ``until`` holds; without it, until nothing has come for ``idle`` seconds."""
        end, quiet, pause = time.monotonic() + seconds, time.monotonic(), _SHORTEST
        while time.monotonic() < end:
            if until and until():
                return
            if self.step(pause):
                quiet, pause = time.monotonic(), _SHORTEST
                continue
            if until is None and time.monotonic() - quiet > idle and not any(m.eta for m in self.held):
                return
            pause = min(2 * pause, _LONGEST)
        if until:
            raise AssertionError(f"did not happen in {seconds} s; ran {[message.task for message in self.seen]}")

    def step(self, seconds: float = 0) -> bool:
        """Take one round of deliveries, waiting so long for the first; True if a task ran."""
        self.held += [message for name in with_messages(self.queues, seconds) for message in receive(name)]
        ready = [message for message in self.held if message.due and not self.hold(message)]
        for message in ready:
            self.held.remove(message)
            self.deliver(message)
        return bool(ready)

    def deliver(self, message: Message) -> None:
        """Run the message's task; the delivery is acknowledged afterwards, as acks_late does."""
        self.redeliver(message)
        acknowledge(message)

    def redeliver(self, message: Message) -> None:
        """Run a message's task once more, as a queue that delivers at least once may do."""
        self.seen.append(message)
        if self.sends_again:
            work(message.task, message.kwargs, message.id)
        else:
            app.tasks[message.task].apply(kwargs=message.kwargs, task_id=message.id, throw=True)

    def ran(self, task: str) -> int:
        return sum(1 for message in self.seen if message.task.endswith(task))


def work(task: str, kwargs: dict[str, Any], message_id: str) -> None:
    """Run a task as a worker does, with each of the retries that it asks for, and without their pauses."""
    for retries in range(_RETRIES):
        with suppress(Retry):
            app.tasks[task].apply(kwargs=kwargs, task_id=message_id, retries=retries, throw=True)
            return
    raise AssertionError(f"{task} wanted its message back {_RETRIES} times")


def acknowledge(message: Message) -> None:
    if message.taken:
        message.taken.ack()
    else:
        aws.aws_client("sqs").delete_message(QueueUrl=settings.QUEUE_URLS[message.queue], ReceiptHandle=message.receipt)


def with_messages(queues: Sequence[str], seconds: float) -> Sequence[str]:
    """Those to receive from. Redis and RabbitMQ are asked for their messages at once, which costs little."""
    if OPENED:
        time.sleep(seconds)
        return queues
    names = {settings.QUEUE_URLS[name]: name for name in queues}
    return [names[url] for url in wait_for_messages(names, seconds)]


def receive(queue: str) -> list[Message]:
    if OPENED:
        return [_taken(queue, taken) for taken in OPENED[0].take(queue)]
    answer = aws.aws_client("sqs").receive_message(
        QueueUrl=settings.QUEUE_URLS[queue], MaxNumberOfMessages=10, VisibilityTimeout=60, WaitTimeSeconds=0
    )
    return [_message(queue, found) for found in answer.get("Messages", ())]


def _taken(queue: str, taken: Any) -> Message:
    _args, kwargs, _embed = taken.decode()
    return Message(taken.headers["task"], kwargs, taken.headers["id"], taken.headers.get("eta"), queue, "", taken)


def _message(queue: str, found: dict[str, Any]) -> Message:
    envelope = _json(found["Body"])
    _args, kwargs, _embed = _json(envelope["body"])
    headers = envelope["headers"]
    return Message(headers["task"], kwargs, headers["id"], headers.get("eta"), queue, found["ReceiptHandle"])


def _json(text: str) -> Any:
    """Celery's own producer sends base64, Step Functions sends plain JSON; kombu reads both."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(base64.b64decode(text))
