"""HTTP calls to addresses that users supply, safe from SSRF: public addresses only, pinned and bounded in time.

A host name is resolved once. All its addresses must be public, and the connection goes to one that was checked, so a
name that resolves elsewhere a moment later (DNS rebinding) changes nothing.
"""

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from config.errors import Refused
from config.phrase import Sentence

_NO_RECEIVER = Sentence("Enter a URL that starts with https:// and contains no password.")
PORTS = {"http": 80, "https": 443}
_UNICAST = ipaddress.ip_network("2000::/3")  # IPv6; other blocks carry an IPv4 address inside, which may be anyone's
# Global by their entry in the registries, and yet no one's on the internet or a cloud's own: 6to4 relays, protocol
# assignments (with Oracle's metadata), Azure's wire server, documentation.
_RESERVED = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "3fff::/20")))


def is_public(address: str) -> bool:
    """Return whether an address is on the public internet: not private, loopback or a cloud's metadata service.

    >>> [is_public(one) for one in ("93.184.216.34", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1")]
    [True, False, False, False, False]
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and (found not in _UNICAST or found.sixtofour or found.teredo):
        return False
    if any(found.version == inside.version and found in inside for inside in _RESERVED):
        return False
    return found.is_global and not found.is_multicast


def resolve_host(host: str, port: int) -> Sequence[str]:
    """Raises: OSError, UnicodeError."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def check_receiver(url: str, *, private: bool) -> None:
    """Check a callback URL before it is saved. ``private``: also allow private networks and plain HTTP.

    Raises:
        Refused: with a message to show beside the input.

    """
    try:
        parts = urlsplit(url)
        port = PORTS.get(parts.scheme, 0) if parts.port is None else parts.port
    except ValueError as error:
        raise Refused(_NO_RECEIVER) from error
    good = parts.scheme in ({"https", "http"} if private else {"https"}) and parts.hostname and not parts.username
    if not good or not port or not url.isprintable() or " " in url:
        raise Refused(_NO_RECEIVER)
    try:
        addresses = resolve_host(str(parts.hostname), port)
    except (OSError, UnicodeError) as error:
        raise Refused("This host name cannot be resolved. Check its spelling, or try again later.") from error
    if not private and not all(map(is_public, addresses)):
        raise Refused("This address is private or reserved. Use a public address.")


class Connection(http.client.HTTPConnection):
    """A connection to the checked ``address``, with ``host`` for SNI and the Host header.

    ``seconds``: timeout of one read; ``in_time`` bounds the whole exchange.
    """

    def __init__(self, host: str, port: int, address: str, *, secure: bool, seconds: float) -> None:
        super().__init__(host, port, timeout=seconds)
        self.address, self.secure = address, secure
        self.default_port = PORTS["https" if secure else "http"]
        self.line: socket.socket | None = None  # also while the answer's body has it

    def connect(self) -> None:
        self.sock = self.line = socket.create_connection((self.address, self.port), self.timeout)
        if self.secure:
            context = ssl.create_default_context()
            wrapped = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = self.line = wrapped
            wrapped.do_handshake()

    def cut(self) -> None:
        """Close the socket from another thread; the reader sees the end of the stream."""
        if self.line is not None:
            with contextlib.suppress(OSError):
                self.line.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def in_time(self, seconds: float) -> Iterator[None]:
        """Bound the whole exchange and close the connection: a server may send a byte at a time for hours."""
        watch = threading.Timer(seconds, self.cut)
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()
            self.close()
