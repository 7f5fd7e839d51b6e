"""Stage webcrawler: the main content of the requested page, and of linked pages if requested."""

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from config import clock
from config.errors import StageFailed
from config.phrase import Sentence
from workflows.stages import artifacts, formats, web_fetch
from workflows.stages.base import StageContext, StageResult
from workflows.stages.formats import web
from workflows.stages.formats.blocks import Block, cut_chunks
from workflows.stages.pages import paged
from workflows.stages.text import text_segments
from workflows.stages.web_fetch import Answer, Network
from workflows.storage import files

MOST_PAGES, MOST_DEPTH = 50, 3  # limits of a request; the default is one page
MOST_BYTES = 64_000  # bytes of a request
_PAUSE, _LONGEST_PAUSE = 0.5, 10.0  # seconds between two requests to one server
_BROKEN = Sentence('This web page request is invalid. Upload a file with {"url": "https://…"}.')


@dataclass(frozen=True)
class Request:
    url: str
    instruction: str
    pages: int
    depth: int


@dataclass(frozen=True)
class Page:
    url: str
    title: str
    text: str
    links: tuple[str, ...]


def run(context: StageContext, network: Network | None = None) -> StageResult:
    if context.file_type != formats.WEB_REQUEST:
        return StageResult("skipped", Sentence("Only web page requests are crawled."))
    request = read_crawl_request(context.original.read_bytes()[:MOST_BYTES])
    entries: list[dict[str, Any]] = []
    count = 0
    for page in _crawl_pages(context, request, network or Network()):
        stored = {"url": page.url, "title": page.title, "content": page.text, "crawled_at": clock.iso(clock.now())}
        artifacts.write_json(context.artifacts, files.web_page(count), stored)
        count += 1
        parts = cut_chunks(
            Block(line, page.title, starts=number == 0) for number, line in enumerate(page.text.split("\n"))
        )
        for part in parts:
            more = {"source_url": page.url, "instruction": request.instruction}
            entries.append({"chunk_index": len(entries), "title": part.title, "text": part.text, **more})
    _keep(context, request, entries, count)
    asked = {"source_url": request.url, "instruction": request.instruction}
    return StageResult("completed", facts={"pages": count, "segment_count": len(entries), **asked})


def _keep(context: StageContext, request: Request, entries: list[dict[str, Any]], count: int) -> None:
    paged.CRAWL.write(context.artifacts, entries)
    paged.CRAWL.finish(context.artifacts, range(len(entries)), {"start_url": request.url})
    artifacts.write_json(context.artifacts, files.CRAWLED, {
        "start_url": request.url, "instruction": request.instruction, "total_pages": count,
        "crawled_at": clock.iso(clock.now()),
    })  # fmt: skip
    text_segments.write_text_metadata(context, [one["title"] for one in entries])


def read_crawl_request(body: bytes) -> Request:
    """Raises: StageFailed."""
    try:
        stored: Mapping[str, Any] = json.loads(body)
        pages = min(max(1, int(stored.get("pages") or 1)), MOST_PAGES)
        depth = min(max(0, int(stored.get("depth") or (pages > 1))), MOST_DEPTH)
        return Request(web_fetch.clean_address(str(stored["url"])), str(stored.get("instruction") or ""), pages, depth)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise StageFailed(_BROKEN) from error


def _crawl_pages(context: StageContext, request: Request, network: Network) -> Iterator[Page]:
    """Yield pages of the first page's own server, nearest first. Raises: StageFailed if the first one fails."""
    robots = _Robots(network)
    left, seen = deque([(request.url, 0)]), {request.url}
    given = 0
    while left and given < request.pages:
        url, depth = left.popleft()
        context.heartbeat()
        try:
            robots.check(url)
            page = _page(web_fetch.fetch(url, network))
        except StageFailed:
            if not given:
                raise
            continue  # a linked page may be gone; the others continue
        given += 1
        yield page
        if depth < request.depth:
            for link in _same_server(page, request.url):
                if link not in seen and len(seen) < 20 * MOST_PAGES:
                    seen.add(link)
                    left.append((link, depth + 1))


def _page(answer: Answer) -> Page:
    """Raises: StageFailed if it is not a page or has no text."""
    host = urlsplit(answer.url).hostname
    if answer.status != 200:
        raise StageFailed(f"{host} returned {answer.status} for this page. Check the address in a browser.")
    kind = answer.content_type.partition(";")[0].strip().casefold()
    if kind not in {"text/html", "application/xhtml+xml", "text/plain", ""}:
        raise StageFailed(f"{answer.url[:200]} is not a web page but {kind}. Download it and upload the file.")
    charset = answer.content_type.partition("charset=")[2].strip("\"' ;")
    found = web.parse_web_page(answer.body, charset=charset)
    if not found.text.strip():
        raise StageFailed(f"This page of {host} contains no text. Save it from a browser as PDF and upload that.")
    return Page(answer.url, found.title, found.text, found.links)


def _same_server(page: Page, start: str) -> Iterator[str]:
    for link in page.links:
        try:
            url = web_fetch.clean_address(urljoin(page.url, link))
        except (StageFailed, ValueError):
            continue
        if urlsplit(url).netloc == urlsplit(start).netloc:
            yield url


class _Robots:
    """robots.txt rules of servers (RFC 9309), and the delay between two requests."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.rules: dict[str, RobotFileParser] = {}
        self.asked: dict[str, float] = {}

    def check(self, url: str) -> None:
        """Wait as the server requests. Raises: StageFailed if it disallows the URL."""
        parts = urlsplit(url)
        server = f"{parts.scheme}://{parts.netloc}"
        if server not in self.rules:
            self.rules[server] = self._rules(server)
        rules = self.rules[server]
        if not rules.can_fetch(web_fetch.AGENT, url):
            raise StageFailed(f"{parts.hostname} disallows crawling of this page (robots.txt).")
        wanted = float(rules.crawl_delay(web_fetch.AGENT) or _PAUSE)
        wait = self.asked.get(server, 0.0) + min(wanted, _LONGEST_PAUSE) - time.monotonic()
        if server in self.asked and wait > 0:
            time.sleep(wait)
        self.asked[server] = time.monotonic()

    def _rules(self, server: str) -> RobotFileParser:
        rules = RobotFileParser()
        answer = web_fetch.fetch(f"{server}/robots.txt", self.network)
        if answer.status >= 500:
            raise StageFailed(f"The robots.txt of {urlsplit(server).hostname} is unavailable. Try again later.")
        rules.parse(answer.body.decode("utf-8", "replace").splitlines() if answer.status == 200 else [])
        return rules
