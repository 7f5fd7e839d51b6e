"""Safe fetching of web pages: public addresses only, pinned for each request, with limits.

A name is resolved once a request and the connection goes to the checked address, which prevents DNS rebinding.
Redirects are returned, and checked anew.
"""

import http.client
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit, urlunsplit

from config.errors import StageFailed
from config.internet import PORTS, Connection, is_public, resolve_host

AGENT = "Countersign/0.1 (document desk)"
MOST_BYTES = 8 * 1024**2
_MOST_REDIRECTS = 5
_SECONDS = 20.0  # seconds for one request, from resolution to the last byte
_PIECE = 64 * 1024
_REDIRECTS = {301, 302, 303, 307, 308}

Resolve = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class Network:
    """Name resolution, and the addresses that are allowed."""

    resolve: Resolve = resolve_host
    may_reach: Callable[[str], bool] = is_public
    ports: frozenset[int] = frozenset(PORTS.values())


@dataclass(frozen=True)
class Answer:
    """``url``: the final one. ``body`` is empty if the status implies none."""

    url: str
    status: int
    content_type: str
    body: bytes = field(repr=False)


def clean_address(url: str) -> str:
    """Return the URL without its fragment. Raises: StageFailed if it is not allowed."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise StageFailed(f"“{url[:80]}” is not the address of a web page.") from error
    if parts.scheme not in PORTS or not parts.hostname or parts.username or parts.password or port == 0:
        raise StageFailed(f"“{url[:80]}” is not the address of a web page. Write it as https://…")
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", parts.query, ""))


def fetch(url: str, network: Network) -> Answer:
    """Raises: StageFailed with the reason."""
    for _ in range(_MOST_REDIRECTS + 1):
        url = clean_address(url)
        answer, target = _send_request(url, network)
        if not target:
            return answer
        url = urljoin(url, target)
    raise StageFailed(f"{_host(url)} redirects too many times.")


def _host(url: str) -> str:
    return urlsplit(url).hostname or url[:80]


def _send_request(url: str, network: Network) -> tuple[Answer, str]:
    """Send one request; return its answer and the redirect target, if any."""
    parts, deadline = urlsplit(url), time.monotonic() + _SECONDS
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    address, secure = _address(host, port, network), parts.scheme == "https"
    connection = Connection(host, port, address, secure=secure, seconds=_SECONDS / 2)
    try:
        with connection.in_time(_SECONDS):
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers={
                "User-Agent": AGENT, "Accept": "text/html,text/plain;q=0.8,*/*;q=0.1", "Accept-Encoding": "identity",
            })  # fmt: skip
            response = connection.getresponse()
            if response.status in _REDIRECTS and (target := response.getheader("Location")):
                return Answer(url, response.status, "", b""), target
            body = _body(response, deadline, host)
            return Answer(url, response.status, response.getheader("Content-Type") or "", body), ""
    except (OSError, http.client.HTTPException, UnicodeError, ValueError) as error:
        raise StageFailed(f"{host} is not responding. Try again later.") from error


def _address(host: str, port: int, network: Network) -> str:
    """All addresses of a name must be public, as we cannot choose which one answers."""
    if port not in network.ports:
        raise StageFailed(f"Only ports 80 and 443 are allowed, not {port}.")
    try:
        found = list(network.resolve(host, port))
    except (OSError, UnicodeError) as error:
        raise StageFailed(f"Server {host} was not found. Check the address.") from error
    if not found or not all(network.may_reach(one) for one in found):
        raise StageFailed(f"{host} is a private network address. Only public web pages are allowed.")
    return found[0]


def _body(response: http.client.HTTPResponse, deadline: float, host: str) -> bytes:
    body = bytearray()
    while piece := response.read1(_PIECE):
        body += piece
        if len(body) > MOST_BYTES:
            raise StageFailed(f"A page of {host} is larger than {MOST_BYTES // 1024**2} MB. Save it as PDF instead.")
        if time.monotonic() > deadline:
            break
    if time.monotonic() > deadline:  # also if the body was truncated, which looks like its end
        raise StageFailed(f"{host} responds too slowly. Try again later.")
    return bytes(body)
