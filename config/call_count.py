"""How many calls of AWS a request made: counted where botocore makes them, for the access log."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_count: ContextVar["CallCount | None"] = ContextVar("aws_calls", default=None)


@dataclass
class CallCount:
    calls: int = 0


@contextmanager
def count_calls() -> Iterator[CallCount]:
    """Of this thread; retries of one call count once."""
    count = CallCount()
    before = _count.set(count)
    try:
        yield count
    finally:
        _count.reset(before)


def watch(client: Any) -> None:
    """Have the calls of a client counted from now on."""
    client.meta.events.register("before-call", _add_one, unique_id="countersign-calls")


def _add_one(**_: Any) -> None:
    if count := _count.get():
        count.calls += 1
