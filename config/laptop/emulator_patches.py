"""What ministack does otherwise than AWS and matters here, patched in the emulator's process before it serves."""

import asyncio
import contextlib
import functools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import jsonata
from ministack.core.concurrency import esm_wake
from ministack.services import dynamodb, sqs, stepfunctions

EXPRESSION_MILLISECONDS = 60_000
SHORTEST_WAIT_SECONDS = 0.001  # the loop's clock is not the messages'
# A message is seen sooner than it was to be; a FIFO group goes on.
MAKE_VISIBLE = ("ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "DeleteMessage", "DeleteMessageBatch")
_PLACEHOLDER = re.compile(r"#\w+")


def evaluate_task_timeouts() -> None:
    """Patch ministack to evaluate JSONata in a task's TimeoutSeconds, as AWS does.

    ministack passes the expression to ``Event.wait`` as text and the execution fails. A review's deadline differs by
    run, so it cannot be a constant of the state machine.
    """
    execute = stepfunctions._execute_task

    def with_number(state: dict[str, Any], raw_input: Any, execution: Any, context: dict[str, Any]) -> Any:
        if isinstance(state.get("TimeoutSeconds"), str):
            seconds = stepfunctions._jsonata_state_field(state, "TimeoutSeconds", "number", raw_input, context)
            state = state | {"TimeoutSeconds": seconds}
        return execute(state, raw_input, execution, context)

    stepfunctions._execute_task = with_number


def give_expressions_time() -> None:
    """Patch ministack to let a JSONata expression take a minute, not the second of clock time that AWS allows.

    On a busy machine an expression of a few milliseconds was now and then overtaken by everything else for longer than
    that: its execution failed, or went the way of an error, with nothing wrong in the document or in the machine.
    """
    parse = jsonata.Jsonata.jsonata

    def parse_with_time(expression: str, **limits: int) -> Any:
        return parse(expression, **limits | {"timeout": EXPRESSION_MILLISECONDS})

    jsonata.Jsonata.jsonata = parse_with_time


@functools.lru_cache(maxsize=1024)
def _list_whole_attributes(expression: str, names: tuple[tuple[str, str], ...]) -> tuple[str, ...] | None:
    """Return the attributes of a projection that names whole attributes only, once each; None otherwise."""
    placeholders, known = [one.strip() for one in expression.split(",")], dict(names)
    attributes = tuple(known[one] for one in placeholders if one in known)
    distinct = len(set(attributes)) == len(placeholders)
    return attributes if distinct and all(map(_PLACEHOLDER.fullmatch, placeholders)) else None


def project_whole_attributes() -> None:
    """Patch ministack's projection, which compares every pair of attributes twice for each item.

    With a review's 65 attributes, a read took four times as long as without a projection.
    """
    project, find_overlap = dynamodb._project_item, dynamodb._projection_overlap_error

    def project_item(item: dict[str, Any], expression: str, names: dict[str, str] | None) -> Any:
        whole = _list_whole_attributes(expression or "", tuple((names or {}).items()))
        if whole is None:
            return project(item, expression, names)
        return {name: item[name] for name in whole if name in item}

    def find_overlap_error(expression: str, names: dict[str, str] | None) -> Any:
        whole = _list_whole_attributes(expression, tuple((names or {}).items()))
        return find_overlap(expression, names) if whole is None else None

    dynamodb._project_item, dynamodb._projection_overlap_error = project_item, find_overlap_error


@dataclass(eq=False)
class _Waiter:
    """A receive that found nothing yet."""

    queue: dict[str, Any]
    loop: asyncio.AbstractEventLoop
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self, seconds: float) -> None:
        """Wait until something happened to the queue, or one of its hidden messages can be seen again."""
        now = time.time()
        hidden = [until - now for message in self.queue["messages"] if (until := message.get("visible_at", now)) > now]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.woken.wait(), max(min([seconds, *hidden]), SHORTEST_WAIT_SECONDS))


_waiters: set[_Waiter] = set()


@contextlib.contextmanager
def _waiting(queue: dict[str, Any]) -> Iterator[_Waiter]:
    waiter = _Waiter(queue, asyncio.get_running_loop())
    _waiters.add(waiter)
    try:
        yield waiter
    finally:
        _waiters.discard(waiter)


def _wake_receivers() -> None:
    """From any thread: executions send their messages from threads of their own."""
    for waiter in list(_waiters):
        if waiter.queue["messages"]:
            with contextlib.suppress(RuntimeError):  # its loop has just ended, and the receive with it
                waiter.loop.call_soon_threadsafe(waiter.woken.set)


def wake_receivers() -> None:
    """Patch ministack to wake a receive that waits; by itself it looks at its queue ten times a second.

    Six workers that waited for work were most of what a demo at rest took. Whatever puts a message into a queue sets
    ``esm_wake``, as the poller of Lambda's sources waits for it too.
    """
    receive, set_event = sqs._act_receive_message, esm_wake.set

    async def receive_message(data: dict[str, Any], url: str) -> dict[str, Any]:
        queue = sqs._get_q(data.get("QueueUrl", url), "sqs:ReceiveMessage")
        wait = data.get("WaitTimeSeconds")
        seconds = wait if wait is not None else queue["attributes"].get("ReceiveMessageWaitTimeSeconds", "0")
        look, end = data | {"WaitTimeSeconds": 0}, time.monotonic() + int(seconds)
        with _waiting(queue) as waiter:
            while True:
                waiter.woken.clear()  # before the look: what comes after it wakes
                found: dict[str, Any] = await receive(look, url)
                left = end - time.monotonic()
                if found or left <= 0:
                    return found
                await waiter.wait(left)

    def set_and_wake() -> None:
        set_event()
        _wake_receivers()

    def and_wake(handle: Any) -> Any:
        def handle_and_wake(data: dict[str, Any], url: str) -> Any:
            result = handle(data, url)
            _wake_receivers()
            return result

        return handle_and_wake

    sqs._act_receive_message = sqs._HANDLERS["ReceiveMessage"] = receive_message
    for action in MAKE_VISIBLE:
        sqs._HANDLERS[action] = and_wake(sqs._HANDLERS[action])
    esm_wake.set = set_and_wake
