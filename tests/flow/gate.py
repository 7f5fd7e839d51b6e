"""A gate between one worker and the emulator: counts what goes through, and holds a call before or after it."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, TypeVar

from tests.serving import serving

Hold = Literal["before", "after"]


class Dropped(Exception):
    """The connection breaks before the caller has the whole answer."""


@dataclass
class Gate:
    """``hold`` names the decision whose redemption never gets its answer, and whether the engine hears of it."""

    target: int
    port: int = 0
    sent: list[str] = field(default_factory=list)  # decision ids that reached the engine, as often as they did
    hold: dict[str, Hold] = field(default_factory=dict)
    held: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)

    def send(self, request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Hand an answer to the caller. Raises: Dropped, where it breaks off."""
        write(request, status, headers, body)

    def forward(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        link = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
        try:
            link.request(request.command, request.path, body, dict(request.headers))
            answer = link.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            link.close()

    def pass_on(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes] | None:
        """The engine's answer, or None where the caller is to wait for ever."""
        decision_id = redeemed(request, body)
        hold = self.hold.get(decision_id) if decision_id else None
        if hold == "before":
            self.held.set()
            return None
        answer = self.forward(request, body)
        if decision_id:
            self.sent.append(decision_id)
        if hold == "after":
            self.held.set()
            return None
        return answer


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A killed worker's connection ends without a word, which is what the tests are about."""


G = TypeVar("G", bound=Gate)


def redeemed(request: BaseHTTPRequestHandler, body: bytes) -> str | None:
    """The decision that this call hands to the engine, if that is what it does."""
    if not request.headers.get("X-Amz-Target", "").endswith(".SendTaskSuccess"):
        return None
    output = json.loads(json.loads(body)["output"])
    # Applying hands ``next`` on; only the redemption carries the pointer to the corrections.
    return str(output["decision_id"]) if "uri" in output and "next" not in output else None


@contextmanager
def opened(target: int, kind: type[G] = Gate) -> Iterator[G]:  # type: ignore[assignment]  # the default is the base
    gate = kind(target)
    server = _Server(("127.0.0.1", 0), handler(gate))
    server.daemon_threads = True
    gate.port = server.server_address[1]
    with serving(server):
        try:
            yield gate
        finally:
            gate.closed.set()


def write(request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
    write_head(request, status, headers, len(content))
    request.wfile.write(content)


def write_head(request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], length: int) -> None:
    request.send_response_only(status)
    for name, value in headers:
        if name.lower() == "content-length" and request.command == "HEAD":
            length = int(value)  # of what a GET would bring
        elif name.lower() not in {"connection", "transfer-encoding", "content-length"}:
            request.send_header(name, value)
    request.send_header("Content-Length", str(length))
    request.end_headers()


def handler(gate: Gate) -> type[BaseHTTPRequestHandler]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        try:
            found = gate.pass_on(request, body)
            if found is None:
                gate.closed.wait()
                return
            with suppress(ConnectionError):  # the caller was killed meanwhile
                gate.send(request, *found)
        except Dropped:
            request.close_connection = True

    methods: dict[str, Callable[..., Any]] = {f"do_{name}": answer for name in ("GET", "POST", "PUT", "HEAD", "DELETE")}
    methods["log_message"] = lambda *_: None
    return type("Handler", (BaseHTTPRequestHandler,), {"protocol_version": "HTTP/1.1", **methods})
