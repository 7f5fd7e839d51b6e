"""What the emulator's process of a test run is asked for beside AWS's calls: each spares a test many of them."""

import functools
import json
import os
from collections.abc import Iterable
from urllib.parse import urlencode

import urllib3
from django.conf import settings

from config.laptop import emulator

EMPTY, WAIT = "/_tests/empty", "/_tests/wait"  # the addresses that tests.emulator_process adds


def empty(*tables: str, left: bool) -> None:
    """Make tables empty; with ``left``, stop all executions of this account and empty its queues."""
    _ask(EMPTY, {"table": tables} | ({"left": "1"} if left else {}))


def wait_for_messages(urls: Iterable[str], seconds: float) -> list[str]:
    """The queues of these that have a message to take, as soon as one has; none after so many seconds."""
    found: list[str] = json.loads(_ask(WAIT, {"queue": tuple(urls), "seconds": seconds}))
    return found


def _ask(path: str, wanted: dict[str, object]) -> bytes:
    account = {"account": settings.AWS_ACCESS_KEY_ID, "region": settings.AWS_REGION}
    answer = _emulator().request("GET", f"{path}?{urlencode(account | wanted, doseq=True)}")
    assert answer.status == 200, answer.status
    return answer.data


@functools.cache
def _emulator() -> urllib3.HTTPConnectionPool:
    """A connection of its own: what the tests count and break are botocore's."""
    return urllib3.HTTPConnectionPool(emulator.HOST, int(os.environ["COUNTERSIGN_EMULATOR_PORT"]), retries=False)
