"""An OpenAI-compatible server that reads receipts, and counts each answer that its client was there to take."""

import hashlib
import json
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.serving import serving
from tests.workflows.providers.language_models.chat_server import completion

CAREFUL = "Be careful."
Answer = Callable[[dict[str, Any]], tuple[int, Any]]
RIGHT = {"company": "Alder & Quill Stationers Ltd", "date": "2024-03-12", "total": "510.24"}


@dataclass
class CountingServer:
    """``answered``: each request that was answered, by its digest. ``asked``: also those whose client went away.

    ``waiting``: requests that an answer is being worked out for.
    """

    url: str = ""
    seconds: float = 0.0
    asked: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def twice(self) -> list[str]:
        return [digest for digest, count in self.answered.items() if count > 1]


def read_receipt(body: dict[str, Any]) -> tuple[int, Any]:
    """A careful prompt gets the total right; another one is as sure of a wrong one."""
    careful = CAREFUL in body["messages"][0]["content"]
    values = RIGHT if careful else {**RIGHT, "total": "42.50"}
    fields = {name: {"value": value, "raw": value, "confidence": 0.95} for name, value in values.items()}
    return completion(json.dumps({"description": "An invoice.", "fields": fields}))


@contextmanager
def serve_counting(answer: Answer = read_receipt, *, seconds: float = 0.0) -> Iterator[CountingServer]:
    told = CountingServer(seconds=seconds)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with told.lock:
                told.asked += 1
                told.waiting += 1
            time.sleep(told.seconds)
            status, reply = answer(json.loads(body))
            with told.lock:
                told.waiting -= 1
                if has_gone(self.connection):
                    self.close_connection = True
                    return
                if status == 200:
                    told.answered[hashlib.sha256(body).hexdigest()] += 1
            sent = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    with serving(server):
        yield told


def has_gone(connection: socket.socket) -> bool:
    """Whether the client closed its end, as the end of its process does."""
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True
