"""The emulator's process of a test run, with one more address: it empties an account's tables and queues at once.

By AWS's own calls the same takes ten to thirty of them before each test, most of what a short test costs.
"""

import sys
from collections import defaultdict
from typing import Any
from urllib.parse import parse_qs

from ministack.core.responses import set_request_account_id, set_request_region
from ministack.services import dynamodb, sqs, stepfunctions

from config.laptop import emulator_process

PATH = "/_tests/empty"


class Emptying:
    """``ministack``: what serves everything else."""

    def __init__(self, ministack: Any) -> None:
        self.ministack = ministack

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self.ministack(scope, receive, send)
            return
        wanted = parse_qs(scope["query_string"].decode())
        set_request_account_id(wanted["account"][0])
        set_request_region(wanted["region"][0])
        for name in wanted.get("table", ()):
            empty_table(name)
        if "left" in wanted:
            stop_executions()
            empty_queues()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


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


if __name__ == "__main__":
    emulator_process.ministack.app = Emptying(emulator_process.ministack.app)
    sys.exit(emulator_process.main())
