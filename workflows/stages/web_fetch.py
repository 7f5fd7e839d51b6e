"""Fetching from the web for somebody else: only public addresses, pinned for each request, and never more than asked.

A name is resolved once for each request and the connection goes to the address that was checked, so that a name that
changes in between leads nowhere else. Redirects are answers like all others: each is checked anew.
"""

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit, urlunsplit

from config.errors import StageFailed

AGENT = "Countersign/0.1 (document desk)"
MOST_BYTES = 8 * 1024**2
_MOST_REDIRECTS = 5
_SECONDS = 20.0  # for one request, from the name to the last byte
_PORTS = {"http": 80, "https": 443}
_PIECE = 64 * 1024
# IPv6 prefixes behind which IPv4 addresses of any kind may lie (RFC 6052, RFC 4380).
_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2001::/32")))
_REDIRECTS = {301, 302, 303, 307, 308}

Resolve = Callable[[str, int], Sequence[str]]


def _resolved(host: str, port: int) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def is_public(address: str) -> bool:
    """Whether an address is anybody's on the internet: not ours, not this machine's, not a cloud's own services."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if any(found.version == inside.version and found in inside for inside in _TRANSLATED):
        return False
    mapped = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    return found.is_global and not found.is_multicast and (mapped is None or mapped.is_global)


@dataclass(frozen=True)
class Network:
    """How names become addresses and which of them may be reached."""

    resolve: Resolve = _resolved
    may_reach: Callable[[str], bool] = is_public
    ports: frozenset[int] = frozenset(_PORTS.values())


@dataclass(frozen=True)
class Answer:
    """``url``: where it was found in the end. ``body`` is empty where the status says that there is none."""

    url: str
    status: int
    content_type: str
    body: bytes = field(repr=False)


def cleaned(url: str) -> str:
    """The address without its fragment. Raises: StageFailed, where it is none that may be asked for."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise StageFailed(f"“{url[:80]}” is not the address of a web page.") from error
    if parts.scheme not in _PORTS or not parts.hostname or parts.username or parts.password or port == 0:
        raise StageFailed(f"“{url[:80]}” is not the address of a web page. Write it as https://…")
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", parts.query, ""))


def fetch(url: str, network: Network) -> Answer:
    """Raises: StageFailed, with the sentence that says why nothing could be fetched."""
    for _ in range(_MOST_REDIRECTS + 1):
        url = cleaned(url)
        answer, target = _asked(url, network)
        if not target:
            return answer
        url = urljoin(url, target)
    raise StageFailed(f"{_host(url)} sends from one page to the next without an end.")


def _host(url: str) -> str:
    return urlsplit(url).hostname or url[:80]


def _asked(url: str, network: Network) -> tuple[Answer, str]:
    """One request; its answer, and where it sends on if it does."""
    parts, deadline = urlsplit(url), time.monotonic() + _SECONDS
    host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
    connection = _Pinned(host, port, _address(host, port, network), secure=parts.scheme == "https")
    watch = threading.Timer(_SECONDS, connection.cut)  # a server may send a byte at a time for hours
    watch.start()
    try:
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
        raise StageFailed(f"{host} does not answer, or not as a web server does. Try again later.") from error
    finally:
        watch.cancel()
        connection.close()


def _address(host: str, port: int, network: Network) -> str:
    """All addresses of a name have to be public: which of them answers is not ours to choose."""
    if port not in network.ports:
        raise StageFailed(f"Pages are fetched from the ports 80 and 443 only, not from {port}.")
    try:
        found = list(network.resolve(host, port))
    except (OSError, UnicodeError) as error:
        raise StageFailed(f"There is no server named {host}. Check the address.") from error
    if not found or not all(network.may_reach(one) for one in found):
        raise StageFailed(f"{host} is an address inside a network. Only public web pages are fetched.")
    return found[0]


def _body(response: http.client.HTTPResponse, deadline: float, host: str) -> bytes:
    body = bytearray()
    while piece := response.read1(_PIECE):
        body += piece
        if len(body) > MOST_BYTES:
            raise StageFailed(f"A page of {host} is larger than {MOST_BYTES // 1024**2} MB. Save it as PDF instead.")
        if time.monotonic() > deadline:
            break
    if time.monotonic() > deadline:  # also where it was cut, which looks like its end
        raise StageFailed(f"{host} answers too slowly. Try again later.")
    return bytes(body)


class _Pinned(http.client.HTTPConnection):
    """Connects to an address that was checked, under the name that was asked for."""

    def __init__(self, host: str, port: int, address: str, *, secure: bool) -> None:
        super().__init__(host, port, timeout=_SECONDS / 2)
        self.address, self.secure = address, secure
        self.default_port = _PORTS["https" if secure else "http"]
        self.line: socket.socket | None = None  # also while the answer's body has it

    def connect(self) -> None:
        self.sock = self.line = socket.create_connection((self.address, self.port), self.timeout)
        if self.secure:
            context = ssl.create_default_context()
            wrapped = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = self.line = wrapped
            wrapped.do_handshake()

    def cut(self) -> None:
        """From another thread: whoever reads finds the end."""
        if self.line is not None:
            with contextlib.suppress(OSError):
                self.line.shutdown(socket.SHUT_RDWR)
