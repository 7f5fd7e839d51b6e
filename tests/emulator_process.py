"""The emulator's process of a test run, with two more addresses.

One empties an account's tables and queues at once: by AWS's own calls that takes ten to thirty of them before each
test, most of what a short test costs. The other waits until one of several queues has a message: a sixth of all calls
of the flow tests were looks at empty queues.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict
from typing import Any
from urllib.parse import parse_qs

from ministack.core.responses import set_request_account_id, set_request_region
from ministack.services import dynamodb, sqs, stepfunctions

from config.laptop import emulator_process

EMPTY, WAIT = "/_tests/empty", "/_tests/wait"
LOOK_SECONDS = 0.004
# The emulator lets each execution wait so long before its first state. Nobody relies on it: in AWS it begins at once.
EMULATORS_PAUSE, PAUSE = 0.15, 0.02


class Shortcuts:
    """``ministack``: what serves everything else."""

    def __init__(self, ministack: Any) -> None:
        self.ministack = ministack

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] not in {EMPTY, WAIT}:
            await self.ministack(scope, receive, send)
            return
        wanted = parse_qs(scope["query_string"].decode())
        set_request_account_id(wanted["account"][0])
        set_request_region(wanted["region"][0])
        if scope["path"] == WAIT:
            found = await wait_for_messages(wanted["queue"], float(wanted["seconds"][0]))
        else:
            found = []
            make_empty(wanted.get("table", []), left="left" in wanted)
        body = json.dumps(found).encode()
        length = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": body})


async def wait_for_messages(urls: list[str], seconds: float) -> list[str]:
    """The queues that have a message to take."""
    end = time.monotonic() + seconds
    while not (found := [url for url in urls if has_message(url)]) and time.monotonic() < end:
        await asyncio.sleep(LOOK_SECONDS)
    return found


def has_message(url: str) -> bool:
    """True also without such a queue: whoever takes from it then hears so."""
    queue, now = sqs._queues.get(url), time.time()
    return queue is None or any(message.get("visible_at", 0) <= now for message in queue["messages"])


def make_empty(tables: list[str], *, left: bool) -> None:
    for name in tables:
        empty_table(name)
    if left:
        stop_executions()
        empty_queues()


def empty_table(name: str) -> None:
    """Put an empty one in its place: a request under way writes into the one that is gone."""
    before = dynamodb._tables[name]
    kept = {key: value for key, value in before.items() if key not in {"items", dynamodb._INDEX_MEMBERS}}
    dynamodb._tables[name] = kept | {"items": defaultdict(dict), "ItemCount": 0, "TableSizeBytes": 0}
    dynamodb.drop_stream_records(name, before)


def stop_executions() -> None:
    running = [one["executionArn"] for one in stepfunctions._executions.values() if one["status"] == "RUNNING"]
    for arn in running:
        stepfunctions._stop_execution({"executionArn": arn})


def empty_queues() -> None:
    for queue in sqs._queues.values():
        queue["messages"].clear()


class BriskTime:
    """The module ``time`` as executions have it, which begin sooner."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    @staticmethod
    def sleep(seconds: float) -> None:
        time.sleep(PAUSE if seconds == EMULATORS_PAUSE else seconds)


if __name__ == "__main__":
    stepfunctions.time = BriskTime()
    emulator_process.ministack.app = Shortcuts(emulator_process.ministack.app)
    sys.exit(emulator_process.main())
