"""What the embedded AWS does otherwise than ministack alone."""

import asyncio
import itertools
import statistics
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jsonata
import pytest
from jsonata.timebox import Timebox
from ministack.core.concurrency import esm_wake
from ministack.services import sqs, stepfunctions

from config.laptop.emulator_patches import give_expressions_time, wake_receivers

EXPRESSION = "$states.input.pages > 3 and $states.input.pages < 9"


@pytest.fixture
def overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine so busy that two seconds pass at each look at the clock."""
    clock = itertools.count(0, 2000)
    monkeypatch.setattr(Timebox, "current_milli_time", staticmethod(lambda: next(clock)))
    monkeypatch.setattr(jsonata.Jsonata, "jsonata", jsonata.Jsonata.jsonata)


@pytest.mark.usefixtures("overtaken")
def test_ministack_alone_fails_an_execution_that_others_overtake() -> None:
    with pytest.raises(stepfunctions._ExecutionError, match="D1012"):
        stepfunctions._evaluate_jsonata(EXPRESSION, {"pages": 4})


@pytest.mark.usefixtures("overtaken")
def test_an_expression_may_be_overtaken() -> None:
    give_expressions_time()
    assert stepfunctions._evaluate_jsonata(EXPRESSION, {"pages": 4}) is True


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When a receive looked at its queue, once receivers are woken."""
    found: list[float] = []
    collect = sqs._collect_msgs

    def collect_and_count(*args: Any) -> Any:
        found.append(time.monotonic())
        return collect(*args)

    monkeypatch.setattr(sqs, "_collect_msgs", collect_and_count)
    monkeypatch.setattr(sqs, "_act_receive_message", sqs._act_receive_message)
    monkeypatch.setattr(sqs, "_HANDLERS", dict(sqs._HANDLERS))
    monkeypatch.setattr(esm_wake, "set", esm_wake.set)
    wake_receivers()
    return found


@pytest.fixture(params=["jobs", "jobs.fifo"])
def queue(request: pytest.FixtureRequest) -> Iterator[str]:
    attributes = {"FifoQueue": "true"} if request.param.endswith(".fifo") else {}
    url: str = sqs._act_create_queue({"QueueName": request.param, "Attributes": attributes}, "")["QueueUrl"]
    yield url
    sqs._act_delete_queue({"QueueUrl": url}, url)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: a browser that an earlier test opened keeps a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def send(url: str, text: str = "work", **more: Any) -> None:
    """In one group, where there are groups: each waits for the one before."""
    group = {"MessageGroupId": "one", "MessageDeduplicationId": text} if url.endswith(".fifo") else {}
    sqs._act_send_message({"QueueUrl": url, "MessageBody": text} | group | more, url)


async def receive(url: str, seconds: int, **more: Any) -> tuple[list[Any], float]:
    """What came, and when."""
    found = await sqs._dispatch("ReceiveMessage", {"QueueUrl": url, "WaitTimeSeconds": seconds} | more, url)
    return found.get("Messages", []), time.monotonic()


async def meanwhile(url: str, act: Callable[[], Any], seconds: int = 20) -> tuple[str, float]:
    """What a receive that waits already was given, and how long after ``act``, which runs in another thread."""
    waiting = asyncio.create_task(receive(url, seconds))
    await asyncio.sleep(0.05)
    began: list[float] = []

    def act_now() -> None:
        began.append(time.monotonic())
        act()

    thread = threading.Thread(target=act_now)
    thread.start()
    (message,), at = await waiting
    thread.join()
    await sqs._dispatch("DeleteMessage", {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]}, url)
    return message["Body"], at - began[0]


def test_a_waiting_receive_has_at_once_what_another_thread_sends(queue: str, looks: list[float]) -> None:
    delays = []
    for number in range(5):
        text, delay = run(meanwhile(queue, lambda text=f"work {number}": send(queue, text)))  # type: ignore[misc]
        assert text == f"work {number}"
        delays.append(delay)
    assert statistics.median(delays) < 0.05
    assert len(looks) == 10, "one that found nothing, one that was woken"


@pytest.mark.wide
def test_a_waiting_receive_finds_a_message_when_its_delay_ends(looks: list[float]) -> None:
    url = sqs._act_create_queue({"QueueName": "delayed"}, "")["QueueUrl"]
    _, delay = run(meanwhile(url, lambda: send(url, DelaySeconds=1)))
    assert 1 <= delay < 1.5
    assert len(looks) <= 4
    sqs._act_delete_queue({"QueueUrl": url}, url)


@pytest.mark.wide
def test_a_waiting_receive_finds_what_its_holder_let_go(queue: str, looks: list[float]) -> None:
    async def take_and_wait() -> None:
        send(queue)
        await receive(queue, 0, VisibilityTimeout=1)
        began = time.monotonic()
        (again,), at = await receive(queue, 20, VisibilityTimeout=30)
        assert 0.5 < at - began < 1.5, "the holder's time was over"
        ids = {"QueueUrl": queue, "ReceiptHandle": again["ReceiptHandle"]}
        give_back = sqs._HANDLERS["ChangeMessageVisibility"]
        _, delay = await meanwhile(queue, lambda: give_back(ids | {"VisibilityTimeout": 0}, queue))
        assert delay < 0.5, "it was given back"

    run(take_and_wait())
    assert len(looks) <= 7


@pytest.mark.wide
def test_a_waiting_receive_finds_a_message_whose_wait_was_made_shorter(queue: str, looks: list[float]) -> None:
    async def take_and_wait() -> None:
        send(queue)
        (taken,), _ = await receive(queue, 0, VisibilityTimeout=30)
        shorter = {"QueueUrl": queue, "ReceiptHandle": taken["ReceiptHandle"], "VisibilityTimeout": 1}
        shorten = sqs._HANDLERS["ChangeMessageVisibility"]
        _, delay = await meanwhile(queue, lambda: shorten(shorter, queue))
        assert 1 <= delay < 1.5

    run(take_and_wait())
    assert len(looks) <= 6


@pytest.mark.parametrize("queue", ["jobs.fifo"], indirect=True)
def test_the_next_of_a_group_comes_when_the_one_before_it_is_done(queue: str, looks: list[float]) -> None:
    async def take_and_wait() -> None:
        send(queue, "first")
        send(queue, "second")
        (first,), _ = await receive(queue, 0)
        ids = {"QueueUrl": queue, "ReceiptHandle": first["ReceiptHandle"]}
        text, delay = await meanwhile(queue, lambda: sqs._HANDLERS["DeleteMessage"](ids, queue))
        assert (text, delay < 0.5) == ("second", True)

    run(take_and_wait())
    assert len(looks) <= 4


@pytest.mark.wide
def test_a_receive_waits_no_longer_than_it_was_to(queue: str, looks: list[float]) -> None:
    began = time.monotonic()
    found, at = run(receive(queue, 1))
    assert found == []
    assert 1 <= at - began < 1.5
    assert len(looks) == 2
