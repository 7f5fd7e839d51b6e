"""Gates to the emulator that behave as AWS does on a bad day: answers that get lost, throttling, a slow S3."""

import json
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from random import Random
from typing import Any

from django.conf import settings

from tests.flow.gate import Dropped, Gate, write_head

Answer = tuple[int, list[tuple[str, str]], bytes]
_DYNAMODB = "DynamoDB_20120810."


def operation_of(request: BaseHTTPRequestHandler) -> str:
    """For example ``PutItem``; empty for S3, which has no such header."""
    return request.headers.get("X-Amz-Target", "").rpartition(".")[2]


@dataclass
class LosingGate(Gate):
    """The answer to the first SendTaskSuccess of each token never arrives, nor many a second; all take effect."""

    random: Random = field(default_factory=lambda: Random(5))
    lost: Counter[str] = field(default_factory=Counter)  # by token
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer | None:
        answer = self.forward(request, body)
        if operation_of(request) != "SendTaskSuccess":
            return answer
        token = str(json.loads(body)["taskToken"])
        with self.lock:
            loses = token not in self.lost or self.random.random() < 0.5
            self.lost[token] += loses
        if loses:
            raise Dropped
        return answer


@dataclass
class ThrottlingGate(Gate):
    """DynamoDB refuses ``share`` of its calls in the three ways it has, and leaves parts of batches undone."""

    random: Random = field(default_factory=lambda: Random(6))
    share: float = 0.3
    refused: Counter[str] = field(default_factory=Counter)  # by what it said
    passed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer | None:
        if not request.headers.get("X-Amz-Target", "").startswith(_DYNAMODB):
            return self.forward(request, body)
        name = operation_of(request)
        with self.lock:
            way = self.random.choice(_WAYS) if self.random.random() < self.share else None
            said = way.__name__.strip("_") if way else "passed"
            self.refused[said] += 1
        if way is _in_part and name in _PARTS:
            return self._half(request, name, body)
        return way(name, body) if way else self.forward(request, body)

    def _half(self, request: BaseHTTPRequestHandler, name: str, body: bytes) -> Answer:
        """The first half of a batch is done, and the answer says what is left."""
        wanted, (list_of, left_of) = json.loads(body), _PARTS[name]
        left: dict[str, Any] = {}
        for table, rows in wanted["RequestItems"].items():
            keys = rows["Keys"] if list_of else rows
            half = -(-len(keys) // 2)
            if keys[half:]:
                left[table] = {**rows, "Keys": keys[half:]} if list_of else keys[half:]
            wanted["RequestItems"][table] = {**rows, "Keys": keys[:half]} if list_of else keys[:half]
        part = json.dumps(wanted).encode()
        request.headers.replace_header("Content-Length", str(len(part)))
        status, _, answered = self.forward(request, part)
        return _json(status, {**json.loads(answered), left_of: left})


def _throughput(name: str, _body: bytes) -> Answer:
    return _error("ProvisionedThroughputExceededException", f"The level of configured throughput was exceeded: {name}")


def _throttled(_name: str, _body: bytes) -> Answer:
    return _error("ThrottlingException", "Rate of requests exceeds the allowed throughput.")


def _in_part(name: str, body: bytes) -> Answer:
    """A transaction is cancelled because of one of its items (AWS: "TransactionCanceledException")."""
    if name != "TransactWriteItems":
        return _throughput(name, body)
    count = len(json.loads(body)["TransactItems"])
    reasons = [{"Code": "None"} for _ in range(count)]
    reasons[zlib.crc32(body) % count] = {
        "Code": "ThrottlingError",
        "Message": "Throughput exceeds the current capacity",
    }
    codes = ", ".join(reason["Code"] for reason in reasons)
    text = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    return _error("TransactionCanceledException", text, CancellationReasons=reasons)


_WAYS: tuple[Callable[[str, bytes], Answer], ...] = (_throughput, _throttled, _in_part)
# Whether a table's part is a list under ``Keys``, and what the answer calls what is left of it.
_PARTS = {"BatchGetItem": (True, "UnprocessedKeys"), "BatchWriteItem": (False, "UnprocessedItems")}


def _error(code: str, text: str, **more: Any) -> Answer:
    return _json(400, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": text, "Message": text, **more})


def _json(status: int, content: Any) -> Answer:
    body = json.dumps(content).encode()
    headers = [("Content-Type", "application/x-amz-json-1.0"), ("x-amz-crc32", str(zlib.crc32(body)))]
    return status, headers, body


@dataclass
class SlowGate(Gate):
    """S3 takes ``seconds`` for each answer; some bodies stall in their middle as long, some break off there."""

    seconds: float = 1.0
    random: Random = field(default_factory=lambda: Random(7))
    saw: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        if not request.path.startswith(f"/{settings.BUCKET_NAME}/"):
            return super().send(request, status, headers, body)
        with self.lock:
            way = (
                self.random.choice(("late", "late", "late", "late", "stalls", "stalls", "breaks off"))
                if len(body) > 1
                else "late"
            )
            self.saw[way] += 1
        time.sleep(self.seconds if way == "late" else 0)
        write_head(request, status, headers, len(body))
        request.wfile.write(body[: len(body) // 2])
        if way == "breaks off":
            raise Dropped
        time.sleep(self.seconds if way == "stalls" else 0)
        request.wfile.write(body[len(body) // 2 :])
        return None
