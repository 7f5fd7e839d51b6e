"""A message that comes back is counted, goes behind the others, and is put aside at the limit; on the real brokers."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from celery import Celery, Task
from celery.app.trace import trace_task
from celery.states import IGNORED, REJECTED
from celery.worker.request import Request
from django.conf import settings
from kombu.exceptions import OperationalError

from config.brokers import queues, redelivery, transport
from config.celery import app
from config.errors import Unavailable
from tests.engines import KINDS, OPENED, EngineKind, running_on

RUN: list[dict[str, Any]] = []
TOLD: list[dict[str, Any]] = []
QUEUE = settings.STEPS_QUEUE


def begun(**given: Any) -> None:
    RUN.append(given)


def told(**kwargs: Any) -> None:
    TOLD.append(kwargs)


@pytest.fixture
def task() -> Iterator[Task[Any, Any]]:
    made = app.task(name="tests.counted", on_aside=staticmethod(told))(begun)
    yield made
    app.tasks.pop(made.name)
    RUN.clear()
    TOLD.clear()


@pytest.fixture(params=KINDS[1:], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Iterator[EngineKind]:
    with running_on(request.param):
        yield request.param


def take() -> Any:
    """The next message, as kombu has it."""
    bound: Any = app.amqp.queues[QUEUE](OPENED[0].channel)
    return bound.get(no_ack=False)


def worked_on(task: Task[Any, Any], message: Any) -> str:
    """What a worker's process makes of it: the state that Celery acknowledges or rejects it by."""
    request = Request(message, app=app, task=task)
    done = trace_task(task, request.id, [], message.decode()[1], request.request_dict, app=app)
    if done.info and done.info.state == REJECTED:
        if done.info.retval.requeue:
            message.requeue()
        else:
            message.reject()
        return REJECTED
    message.ack()
    return done.info.state if done.info else "SUCCESS"


def deaths(task: Task[Any, Any]) -> int:
    """How often a message is begun that kills whoever begins it, until none is left."""
    count = 0
    while (message := take()) is not None:
        if message.delivery_info.get("redelivered"):
            worked_on(task, message)
        else:
            count += 1
            message.requeue()
    return count


def aside() -> list[Any]:
    bound: Any = transport.dead_letter_queue(app.amqp.queues[QUEUE])(OPENED[0].channel)
    found = []
    while (message := bound.get(no_ack=True)) is not None:
        found.append(message)
    return found


def test_what_kills_each_worker_is_begun_five_times_and_put_aside(kind: EngineKind, task: Task[Any, Any]) -> None:
    queues.enqueue(task.name, QUEUE, {"document_id": "d1"})
    assert deaths(task) == redelivery.MOST
    assert (RUN, TOLD) == ([], [{"document_id": "d1"}])
    (message,) = aside()
    assert (message.headers["task"], message.decode()[1]) == (task.name, {"document_id": "d1"})
    assert redelivery.ASIDE_AT in message.headers


def test_a_first_delivery_and_one_after_a_death_are_done(kind: EngineKind, task: Task[Any, Any]) -> None:
    queues.enqueue(task.name, QUEUE, {"number": 1})
    first = take()
    name = first.headers["id"]
    first.requeue()  # its worker died
    queues.enqueue(task.name, QUEUE, {"number": 2})
    assert worked_on(task, take()) == IGNORED
    assert [worked_on(task, take()), worked_on(task, again := take())] == ["SUCCESS", "SUCCESS"]
    assert again.headers["id"] == name  # leases are held under it
    assert RUN == [{"number": 2}, {"number": 1}]  # behind the others
    assert (take(), aside(), TOLD) == (None, [], [])


def test_a_task_that_asks_to_be_tried_again_has_not_ended_its_worker(kind: EngineKind, task: Task[Any, Any]) -> None:
    headers = {"countersign_delivered": redelivery.MOST}
    app.send_task(task.name, kwargs={}, queue=QUEUE, headers=headers)
    message = take()
    with mock.patch.object(task, "run", side_effect=lambda **_: task.retry(countdown=0)):
        trace_task(task, "1", [], {}, Request(message, app=app, task=task).request_dict, app=app)
    message.ack()
    assert deaths(task) == redelivery.MOST


def test_a_retry_that_no_broker_takes_brings_its_message_back(kind: EngineKind, task: Task[Any, Any]) -> None:
    queues.enqueue(task.name, QUEUE, {"number": 1})
    away = mock.patch.object(Celery, "send_task", side_effect=OperationalError("no route"))
    again = mock.patch.object(task, "run", side_effect=lambda **_: task.retry(countdown=0))
    message = take()
    with away, again:
        assert worked_on(task, message) == REJECTED
    assert take() is not None


def test_a_broker_that_is_away_keeps_the_message(kind: EngineKind, task: Task[Any, Any]) -> None:
    queues.enqueue(task.name, QUEUE, {})
    take().requeue()
    with mock.patch.object(redelivery, "_send", side_effect=Unavailable("away")):
        assert worked_on(task, take()) == REJECTED
    assert deaths(task) == redelivery.MOST - 1


def test_sqs_counts_by_itself(task: Task[Any, Any]) -> None:
    request = {"id": "1", "delivery_info": {"redelivered": True, "routing_key": QUEUE}}
    assert trace_task(task, "1", [], {}, request, app=app).info is None
    assert RUN == [{}]


def test_whoever_waits_for_it_is_told_before_sqs_puts_it_aside(task: Task[Any, Any]) -> None:
    for received in range(1, redelivery.MOST + 1):
        message = {"Attributes": {"ApproximateReceiveCount": str(received)}}
        request = {"id": "1", "properties": {"delivery_info": {"sqs_message": message}}}
        done = trace_task(task, "1", [], {"document_id": "d1"}, request, app=app)
        assert (done.info and done.info.state) == (REJECTED if received == redelivery.MOST else None)
    assert (len(RUN), TOLD) == (redelivery.MOST - 1, [{"document_id": "d1"}])


def test_a_told_that_fails_leaves_it_to_the_sweeper(
    kind: EngineKind, task: Task[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task.__class__, "on_aside", mock.Mock(side_effect=Unavailable("away")))
    queues.enqueue(task.name, QUEUE, {})
    assert deaths(task) == redelivery.MOST
    assert len(aside()) == 1


def test_every_task_of_the_desk_is_counted() -> None:
    app.loader.import_default_modules()
    ours = [task for name, task in app.tasks.items() if name.startswith(("projects.", "workflows.", "review."))]
    assert len(ours) > 20
    assert all(isinstance(task, redelivery.Counted) for task in ours)
