"""An OpenAI-compatible server on this machine that answers what a test gave it and keeps what it was sent."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.serving import serving


@dataclass
class ChatServer:
    """``answers``: status and body of each request in turn; a text body is sent as it is."""

    answers: list[tuple[int, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    under_way: int = 0
    most_at_a_time: int = 0


@contextmanager
def serve_chat(
    answers: Sequence[tuple[int, Any]], seconds: float = 0.0, *, stalls: float = 0.0
) -> Iterator[ChatServer]:
    """``seconds``: that each answer takes; ``stalls``: between its head and its body."""
    told = ChatServer(list(answers))
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            told.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
            with lock:
                status, body = told.answers.pop(0)
                told.under_way += 1
                told.most_at_a_time = max(told.most_at_a_time, told.under_way)
            time.sleep(seconds)
            with lock:
                told.under_way -= 1
            sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{told.url}/elsewhere")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            time.sleep(stalls)
            with suppress(OSError):  # who asked may have hung up
                self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    with serving(server):
        yield told


def completion(text: str | None, *, reason: str = "stop", calls: Sequence[dict[str, Any]] = ()) -> tuple[int, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    return 200, {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "some-model",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def tool_call(arguments: str, name: str = "record_page") -> dict[str, Any]:
    return {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}
