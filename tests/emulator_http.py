"""Calls of this process to the emulator, on kept connections and without urllib3.

A call costs urllib3 and ``http.client`` more than botocore and the emulator together, and the tests make a hundred
thousand. Only the way of the bytes is another: requests are botocore's own, and answers are the emulator's. What is
streamed or goes anywhere else, and what a test breaks on the network, takes urllib3's way.

Nor does the emulator look at the signature of a call, a quarter of its cost here, but at whose it is. What S3 is sent
stays signed: there the signature is about the content. A call that failed is repeated sooner than botocore would.
"""

import atexit
import io
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, ReadTimeoutError
from botocore.httpsession import URLLib3Session
from botocore.retries.standard import ExponentialBackoff

from config.laptop import emulator

_PORT = int(os.environ["COUNTERSIGN_EMULATOR_PORT"])
_ADDRESS = f"http://{emulator.HOST}:{_PORT}/"
_KEPT_SECONDS = 60  # the emulator ends connections that nobody used for 75
_ANSWER_SECONDS = 60
_BUFFER = 65536
_PAUSE_SECONDS = 0.01
_READS = {"GET", "HEAD"}
_through_urllib3 = URLLib3Session.send
_sign = SigV4Auth.add_auth


class _Body(io.BytesIO):
    """A whole answer, as botocore reads one that is still arriving."""

    def stream(self) -> Iterator[bytes]:
        yield self.read()


class _Line:
    """A connection, with what was read of it and not yet used."""

    def __init__(self) -> None:
        self.socket = socket.create_connection((emulator.HOST, _PORT), timeout=_ANSWER_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.owner, self.used, self.rest = os.getpid(), time.monotonic(), b""

    @property
    def usable(self) -> bool:
        return self.owner == os.getpid() and time.monotonic() - self.used < _KEPT_SECONDS

    def read_head(self) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self.rest:
            self._read_more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        return int(first.split(" ", 2)[1]), dict(line.split(": ", 1) for line in lines)

    def read_body(self, headers: dict[str, str]) -> bytes:
        """Of ``headers`` in small letters."""
        if "content-length" in headers:
            return self._read(int(headers["content-length"]))
        assert headers.get("transfer-encoding") == "chunked", headers
        parts = []
        while size := self._read_chunk_size():
            parts.append(self._read(size))
            self._read(2)
        self._read(2)
        return b"".join(parts)

    def _read_chunk_size(self) -> int:
        while b"\r\n" not in self.rest:
            self._read_more()
        line, _, self.rest = self.rest.partition(b"\r\n")
        return int(line, 16)

    def _read(self, length: int) -> bytes:
        while len(self.rest) < length:
            self._read_more()
        found, self.rest = self.rest[:length], self.rest[length:]
        return found

    def _read_more(self) -> None:
        more = self.socket.recv(_BUFFER)
        if not more:
            raise ConnectionResetError
        self.rest += more


_idle: list[_Line] = []


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop().socket.close()


def _take_line() -> _Line:
    """The one used last; threads of the live server come and go, and their connections stay."""
    with suppress(IndexError):
        while not (line := _idle.pop()).usable:
            line.socket.close()
        return line
    return _Line()


def _send(self: URLLib3Session, request: Any) -> AWSResponse:
    body = request.body or b""
    if not request.url.startswith(_ADDRESS) or not isinstance(body, bytes) or "Expect" in request.headers:
        return _through_urllib3(self, request)
    try:
        status, headers, content = _ask(_as_bytes(request, body), bodiless=request.method == "HEAD")
    except TimeoutError as error:
        raise ReadTimeoutError(endpoint_url=request.url, error=error) from error
    except ConnectionRefusedError as error:
        raise EndpointConnectionError(endpoint_url=request.url, error=error) from error
    except OSError as error:
        raise ConnectionClosedError(endpoint_url=request.url, request=request, error=error) from error
    answer = AWSResponse(request.url, status, headers, _Body(content))
    if not request.stream_output:
        answer._content = content
    return answer


def _ask(request: bytes, *, bodiless: bool) -> tuple[int, dict[str, str], bytes]:
    line = _take_line()
    try:
        line.socket.sendall(request)
        status, headers = line.read_head()
        small = {name.lower(): value for name, value in headers.items()}
        content = b"" if bodiless or status in {204, 304} else line.read_body(small)
    except BaseException:
        line.socket.close()  # half an answer would be the next one's
        raise
    line.used = time.monotonic()
    _idle.append(line)
    return status, headers, content


def _as_bytes(request: Any, body: bytes) -> bytes:
    target = urlsplit(request.url)
    path = f"{target.path or '/'}?{target.query}" if target.query else target.path or "/"
    lines = [f"{request.method} {path} HTTP/1.1", f"Host: {emulator.HOST}:{_PORT}"]
    for name, value in request.headers.items():
        lines.append(f"{name}: {value.decode() if isinstance(value, bytes) else value}")
    if "Content-Length" not in request.headers:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def spare_urllib3() -> None:
    URLLib3Session.send = _send


def _name_caller(self: SigV4Auth, request: Any) -> None:
    is_part_of_address = isinstance(self, SigV4QueryAuth)
    is_about_content = self._service_name == "s3" and request.method not in _READS
    if is_part_of_address or is_about_content or not request.url.startswith(_ADDRESS):
        _sign(self, request)
        return
    scope = f"{self.credentials.access_key}/20000101/{self._region_name}/{self._service_name}/aws4_request"
    request.headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=none"


def spare_signatures() -> None:
    SigV4Auth.add_auth = _name_caller


def spare_pauses() -> None:
    ExponentialBackoff.delay_amount = lambda _self, _context: _PAUSE_SECONDS
