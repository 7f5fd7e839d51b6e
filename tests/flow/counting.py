"""A gate that counts what goes through it: messages sent, joins written, and objects put, by what they are."""

import base64
import json
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.flow.gate import Gate

_SEGMENT = re.compile(r"/analysis/segment_(\d+)\.json$")


@dataclass
class CountingGate(Gate):
    """``built``: how often each segment was put as a new one; ``analysed``: how often over that."""

    slices: Counter[int] = field(default_factory=Counter)  # messages, by step
    joins: Counter[str] = field(default_factory=Counter)  # writes, by sort key
    built: Counter[int] = field(default_factory=Counter)
    analysed: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes] | None:
        answer = self.forward(request, body)
        with self.lock:
            self._count(request, body, answer[0])
        return answer

    def _count(self, request: BaseHTTPRequestHandler, body: bytes, status: int) -> None:
        target = request.headers.get("X-Amz-Target", "")
        if target.endswith(".UpdateItem"):
            sk = json.loads(body)["Key"]["SK"]["S"]
            self.joins.update([sk] if sk.startswith("JOIN#") and status == 200 else [])
        elif target.endswith(".SendMessage"):
            headers, kwargs = _celery(json.loads(body)["MessageBody"])
            if headers["task"].endswith("run_slice"):
                self.slices[int(kwargs["step"])] += 1
        elif request.command == "PUT" and (found := _SEGMENT.search(request.path.partition("?")[0])) and status == 200:
            new = request.headers.get("If-None-Match") == "*"
            (self.built if new else self.analysed)[int(found[1])] += 1


def _celery(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    envelope = json.loads(text if text.startswith("{") else base64.b64decode(text))
    body = envelope["body"]
    return envelope["headers"], json.loads(body if body.startswith("[") else base64.b64decode(body))[1]
