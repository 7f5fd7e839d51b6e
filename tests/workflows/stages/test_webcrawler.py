"""Crawling: only what is public and allowed, never more than asked; against a server of our own."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import pytest

from config import internet
from config.errors import StageFailed
from config.internet import is_public
from tests.each import each
from tests.serving import serving
from tests.workflows.stages.memory import context, kept
from workflows.stages import formats, segment_analyzer, segment_builder, segment_prep, web_fetch, webcrawler
from workflows.stages.base import StageContext
from workflows.stages.web_fetch import Network, fetch

ARTICLE = "<html><title>{0}</title><main><h1>{0}</h1><p>" + "words " * 50 + "</p>{1}</main></html>"


@dataclass
class Site:
    """``pages``: path → (status, headers, body)."""

    pages: Mapping[str, tuple[int, Mapping[str, str], bytes]]
    asked: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def network(self) -> Network:
        return Network(lambda _host, _port: ["127.0.0.1"], lambda _address: True, frozenset({self.port}))

    def url(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"


def html(body: str) -> tuple[int, Mapping[str, str], bytes]:
    return 200, {"Content-Type": "text/html; charset=utf-8"}, body.encode()


@contextmanager
def served(pages: Mapping[str, tuple[int, Mapping[str, str], bytes]]) -> Iterator[Site]:
    site = Site(pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            status, headers, body = site.pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value.replace("PORT", str(site.port)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.port = server.server_port
    with serving(server):
        yield site


def asked(folder: Path, **request: object) -> StageContext:
    path = folder / "a.webreq"
    path.write_text(json.dumps(request))
    return context(path, formats.WEB_REQUEST)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webcrawler, "_PAUSE", 0.0)


@each(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
     "224.0.0.1", "::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
     "64:ff9b::a00:1", "2002:a00:1::", "ff02::1", "::127.0.0.1", "::ffff:0:127.0.0.1", "fec0::1", "192.0.0.192"],
)  # fmt: skip
def test_addresses_inside_networks_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "8.8.8.8"])
def test_addresses_of_the_internet_are(address: str) -> None:
    assert is_public(address)


@each(
    "url",
    ["ftp://a.example/", "file:///etc/passwd", "http://", "http://user:pass@a.example/", "javascript:alert(1)", "x",
     "http://[::1", "http://a.example:99999/"],
)  # fmt: skip
def test_only_web_addresses_are_asked_for(url: str) -> None:
    with pytest.raises(StageFailed, match="not the address of a web page"):
        fetch(url, Network())


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://0x7f000001/"])
def test_this_machine_is_never_asked(url: str) -> None:
    with pytest.raises(StageFailed, match=r"private network address|was not found"):
        fetch(url, Network())


def test_a_name_that_also_leads_inside_is_refused() -> None:
    network = Network(lambda _host, _port: ["93.184.215.14", "10.0.0.1"])
    with pytest.raises(StageFailed, match="private network address"):
        fetch("https://site.example/", network)


def test_other_ports_are_refused() -> None:
    with pytest.raises(StageFailed, match="ports 80 and 443"):
        fetch("http://site.example:6379/", Network(lambda _host, _port: ["93.184.215.14"]))


def test_a_redirect_is_checked_as_a_request_is() -> None:
    with served(
        {"/": (302, {"Location": "http://inside.example:PORT/secret"}, b""), "/secret": html("secret")}
    ) as site:

        def resolve(host: str, _port: int) -> list[str]:
            return ["10.0.0.1"] if host == "inside.example" else ["127.0.0.1"]

        network = Network(resolve, lambda address: address == "127.0.0.1", frozenset({site.port}))
        with pytest.raises(StageFailed, match=r"inside\.example is a private network address"):
            fetch(site.url("/"), network)
        assert site.asked == ["/"]


@each(
    "inside",
    ["127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "2130706433",
     "0x7f.1", "017700000001", "127.1", "localhost", "localhost.", "[fe80::1]", "0"],
)  # fmt: skip
def test_a_redirect_leads_inside_in_no_spelling(inside: str) -> None:
    """Names and numbers as this machine's own resolver reads them; nothing but the first page is asked for."""
    with served({"/": (302, {"Location": f"http://{inside}:PORT/secret"}, b""), "/secret": html("secret")}) as site:

        def resolve(host: str, port: int) -> Sequence[str]:
            return ["93.184.215.14"] if host == "site.example" else internet.resolve_host(host, port)

        network = Network(resolve, is_public, frozenset({site.port}))
        with led_to("127.0.0.1"), pytest.raises(StageFailed, match=r"private network address|was not found"):
            fetch(site.url("/"), network)
        assert site.asked == ["/"]


def test_a_name_that_leads_inside_behind_a_redirect_to_itself_is_refused() -> None:
    """DNS rebinding: public when it is checked first, private when it is asked again."""
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])
    with served({"/": (302, {"Location": "/secret"}, b""), "/secret": html("secret")}) as site:
        network = Network(lambda _host, _port: next(answers), is_public, frozenset({site.port}))
        with led_to("127.0.0.1"), pytest.raises(StageFailed, match="private network address"):
            fetch(site.url("/"), network)
        assert site.asked == ["/"]


@contextmanager
def led_to(address: str) -> Iterator[None]:
    """The one public address of these tests is served here."""
    connect = socket.create_connection

    def elsewhere(to: tuple[str, int], *more: object) -> socket.socket:
        assert to[0] == "93.184.215.14"
        return connect((address, to[1]), *more)  # type: ignore[arg-type]

    with mock.patch.object(socket, "create_connection", elsewhere):
        yield


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    with served({"/": html("words")}) as site:
        network = Network(
            lambda _host, _port: next(answers), lambda address: address == "127.0.0.1", frozenset({site.port})
        )
        assert fetch(site.url("/"), network).body == b"words"
        assert next(answers) == ["10.0.0.1"]  # a name is asked for once a request, not again for the connection


def test_redirects_end(tmp_path: Path) -> None:
    with served({"/": (302, {"Location": "/"}, b"")}) as site, pytest.raises(StageFailed, match="too many times"):
        fetch(site.url("/"), site.network)


def test_a_page_is_never_larger_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_fetch, "MOST_BYTES", 100_000)
    with served({"/": html("x" * 200_000)}) as site, pytest.raises(StageFailed, match="larger than"):
        fetch(site.url("/"), site.network)


def test_a_server_that_dribbles_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with served({"/": html("x" * 200_000)}) as site:
        monkeypatch.setattr(web_fetch.time, "monotonic", iter([0.0, *([999.0] * 99)]).__next__)
        with pytest.raises(StageFailed, match="too slowly"):
            fetch(site.url("/"), site.network)


def test_what_does_not_answer_is_said_so() -> None:
    with pytest.raises(StageFailed, match="is not responding"):
        fetch("http://site.example:9/", Network(lambda _host, _port: ["127.0.0.1"], lambda _: True, frozenset({9})))


def test_one_page_is_read_where_nothing_more_is_asked(tmp_path: Path) -> None:
    with served(
        {"/a": html(ARTICLE.format("First", '<a href="/b">b</a>')), "/b": html(ARTICLE.format("Second", ""))}
    ) as site:
        ctx = asked(tmp_path, url=site.url("/a"), instruction="Find the price")
        segment_prep.run(ctx)
        result = webcrawler.run(ctx, site.network)
        assert site.asked == ["/robots.txt", "/a"]
    asked_for = {"source_url": site.url("/a"), "instruction": "Find the price"}
    assert result.facts == {"pages": 1, "segment_count": 1, **asked_for}
    segment_builder.run(ctx)
    segment_analyzer.run(ctx)
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert (segment["segment_type"], segment["page_title"], segment["instruction"]) == (
        "WEB",
        "First",
        "Find the price",
    )
    assert segment["source_url"] == site.url("/a")
    assert segment["webcrawler_content"].startswith("# First")
    metadata = kept(ctx).json("webcrawler/metadata.json")
    assert (metadata["start_url"], metadata["total_pages"]) == (site.url("/a"), 1)
    assert kept(ctx).json("webcrawler/pages/page_0000.json")["title"] == "First"


def test_pages_are_followed_on_their_own_server_as_far_as_asked(tmp_path: Path) -> None:
    links = '<a href="/b#x">b</a><a href="/b">b</a><a href="http://other.example/c">c</a><a href="/gone">d</a>'
    pages = {
        "/a": html(ARTICLE.format("A", links)),
        "/b": html(ARTICLE.format("B", '<a href="/deep">deep</a>')),
        "/deep": html(ARTICLE.format("Deep", "")),
    }
    with served(pages) as site:
        result = webcrawler.run(asked(tmp_path, url=site.url("/a"), pages=10, depth=1), site.network)
        assert site.asked == ["/robots.txt", "/a", "/b", "/gone"]
    assert result.facts["pages"] == 2


def test_robots_are_obeyed(tmp_path: Path) -> None:
    robots = (200, {}, b"User-agent: *\nDisallow: /private\n")
    with served({"/robots.txt": robots, "/private": html("words")}) as site:
        with pytest.raises(StageFailed, match=r"robots\.txt"):
            webcrawler.run(asked(tmp_path, url=site.url("/private")), site.network)
        assert site.asked == ["/robots.txt"]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ((404, {}, b""), "returned 404"),
        ((200, {"Content-Type": "application/pdf"}, b"%PDF"), "not a web page but application/pdf"),
        (html("<nav></nav>"), "contains no text"),
    ],
)
def test_what_is_no_page_is_said_so(tmp_path: Path, page: tuple[int, Mapping[str, str], bytes], words: str) -> None:
    with served({"/a": page}) as site, pytest.raises(StageFailed, match=words):
        webcrawler.run(asked(tmp_path, url=site.url("/a")), site.network)


@each(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'{"url": 5}',
        b'{"url": "file:///etc/passwd"}',
        b'{"url": "http://a/", "pages": "x"}',
        b'{"url": "http://a/", "pages": 1e999}',
        b'{"url": ' + b"[" * 30_000,
    ],
)
def test_a_damaged_request_is_refused(body: bytes) -> None:
    with pytest.raises(StageFailed):
        webcrawler.read_crawl_request(body)


def test_a_request_never_asks_for_too_much() -> None:
    found = webcrawler.read_crawl_request(b'{"url": "https://a.example", "pages": 100000, "depth": 99}')
    assert (found.pages, found.depth) == (webcrawler.MOST_PAGES, webcrawler.MOST_DEPTH)


@contextmanager
def dripping(*, head: bytes) -> Iterator[int]:
    """A server that says ``head`` and then a letter at a time, without an end; gives its port."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            line, _ = server.accept()
            with line, contextlib.suppress(OSError):
                line.sendall(head)
                while not over.wait(0.05):
                    line.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        yield server.getsockname()[1]
        over.set()
        thread.join()


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"]
)
def test_a_server_that_drips_is_left_in_time(head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_fetch, "_SECONDS", 0.4)
    with dripping(head=head) as port:
        network = Network(lambda _host, _port: ["127.0.0.1"], lambda _address: True, frozenset({port}))
        began = time.monotonic()
        with pytest.raises(StageFailed, match="Try again later"):
            fetch(f"http://site.example:{port}/", network)
        assert time.monotonic() - began < 5
