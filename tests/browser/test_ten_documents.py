"""Ten scanned documents are decided with the keyboard alone; what each decision took is counted and printed."""

import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.desk import in_sight, sign_in
from tests.people import bob
from tests.review.reviews import open_review
from tests.tools import paper
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
MOST_BYTES, MOST_REQUESTS, MOST_KEYS = 150_000, 5, 2  # of a decision about a scanned page, of which nothing is typed
_WHILE_TYPED = 2  # more requests where a value is typed: it is judged and saved, once or twice by how fast it is typed
_CORRECTED = 3  # every third total is typed anew
_GOODS = ("Paper", "Ink", "Stamps", "Envelopes", "Folders", "Binders", "Labels", "Staples", "Tape", "Clips", "Chalk")
_POINTER = (
    "pointerdown", "pointerup", "pointermove", "mousedown", "mouseup", "mousemove", "click", "dblclick", "wheel",
    "touchstart",
)  # fmt: skip
# A button that a key presses tells of a click too, by no pointer and with no place.
LISTENER = """
(() => {
  for (const kind of KINDS) addEventListener(kind, (event) => {
    if (kind === "click" && !event.pointerType && !event.detail) return;
    sessionStorage.pointer = `${sessionStorage.pointer || ""} ${kind}`;
  }, true);
  addEventListener("keydown", (event) => {
    sessionStorage.keys = Number(sessionStorage.keys || 0) + !event.repeat;
    sessionStorage.pressed = performance.timeOrigin + event.timeStamp;
  }, true);
  // The picture is decoded: the frame after that has it, and a task after the frame runs when it has been painted.
  new PerformanceObserver((list) => requestAnimationFrame(() => setTimeout(() => {
    for (const one of list.getEntries()) sessionStorage[one.name] = performance.timeOrigin + performance.now();
  }))).observe({ type: "mark" });
})()
""".replace("KINDS", json.dumps(_POINTER))
# Since the key was pressed: until the next document's page is painted over the desk, and until its desk is.
PAINTED = """
() => ["next-shown", "in-sight"].map((name) => Number(sessionStorage[name]) - Number(sessionStorage.pressed))
"""


@dataclass
class Traffic:
    """What came over the network, without what the browser had in its cache.

    ``looks``: requests after the claim, every few seconds of work at the desk, whatever is decided; their bytes count.
    ``pictures``: addresses of pages at full size; ``server``: milliseconds of what the browser waited for, as the
    server tells them.
    """

    requests: int
    looks: int
    sent: int
    pictures: list[str]
    server: float


class Wire:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: dict[str, dict[str, Any]] = {}
        self.cached: set[str] = set()
        self.forget()
        session: CDPSession = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestServedFromCache", lambda event: self.cached.add(event["requestId"]))
        session.on("Network.responseReceived", lambda event: self.asked.update({event["requestId"]: event["response"]}))
        session.on("Network.loadingFinished", self._end)

    def forget(self) -> None:
        self.now = Traffic(0, 0, 0, [], 0.0)

    def wait(self, reached: Callable[[], bool]) -> None:
        for _ in range(200):
            if reached():
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"It did not come: {self.now}")

    def _end(self, event: dict[str, Any]) -> None:
        answer = self.asked.pop(event["requestId"], None)
        if not answer or answer.get("fromDiskCache") or event["requestId"] in self.cached:
            return
        if "/watch/" in answer["url"]:
            self.now.looks += 1
        else:
            self.now.requests += 1
        self.now.sent += int(event["encodedDataLength"])
        if "size=page" in answer["url"]:
            self.now.pictures.append(answer["url"])
        timing = {name.lower(): value for name, value in answer["headers"].items()}.get("server-timing", "")
        if re.search(r"/decide/$|/review/[^/]+/[^/]+/\?done=", answer["url"]) and "/undo/" not in answer["url"]:
            self.now.server += float(re.search(r"total;dur=([\d.]+)", timing)[1])  # type: ignore[index]


@pytest.mark.wide
@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_scanned_documents_are_decided_without_a_pointer(
    live_server: LiveServer, context: BrowserContext, console: list[str], count: int
) -> None:
    bob()
    refs = [scanned_review(number) for number in range(count)]
    context.add_init_script(LISTENER)
    page = context.new_page()
    wire = Wire(page)
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    page.keyboard.press("g")
    table, keys = [], 0
    for number, (ref, following) in enumerate(zip(refs, [*refs[1:], None], strict=True)):
        page.wait_for_url(f"**/{ref.review_id}/*")
        in_sight(page)
        picture, desk = page.evaluate(PAINTED)
        if following:
            wire.wait(lambda wanted=following.document_id: any(wanted in one for one in wire.now.pictures))  # type: ignore[misc]
        if number:  # of the decision about the one before: until this one is open, and what follows it is fetched
            fetched = [one for one in wire.now.pictures if ref.document_id in one]
            assert fetched == [], "the picture of this document was there before it opened"
            table.append((number, keys, wire.now, picture, desk))
        wire.forget()
        keys = decide(page, corrected=number % _CORRECTED == _CORRECTED - 1)
    page.wait_for_url("**/review/?done=*")
    expect(page.get_by_text("Queue complete")).to_be_visible()
    assert page.evaluate("sessionStorage.pointer") is None
    assert {queries.get_review(ref).decision for ref in refs} == {"approve"}
    assert console == []
    print_table(table)
    assert max(traffic.sent for _, _, traffic, *_ in table) <= MOST_BYTES
    assert max(traffic.requests for _, keys, traffic, *_ in table if keys <= MOST_KEYS) <= MOST_REQUESTS
    assert max(traffic.requests for _, _, traffic, *_ in table) <= MOST_REQUESTS + _WHILE_TYPED
    assert min(keys for _, keys, *_ in table) <= MOST_KEYS


def decide(page: Page, *, corrected: bool) -> int:
    """Approve, of a document with one field in doubt; returns how many keys it took."""
    page.evaluate("sessionStorage.keys = 0")
    expect(page.locator("#f-total")).to_be_focused()
    if corrected:
        page.keyboard.press("e")
        page.keyboard.type("38.90")
    page.keyboard.press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    pressed = int(page.evaluate("sessionStorage.keys"))
    page.keyboard.press("a")
    return pressed + 1


def print_table(table: list[tuple[int, int, Traffic, float, float]]) -> None:
    print("\ndecision  keys  requests  looks    bytes  server ms  after the key ms: picture    desk")
    for number, keys, traffic, picture, desk in table:
        print(
            f"{number:8}  {keys:4}  {traffic.requests:8}  {traffic.looks:5}  {traffic.sent:7}  {traffic.server:9.0f}"
            f"  {picture:25.0f}  {desk:6.0f}"
        )


def scanned_review(number: int) -> ReviewRef:
    """Open, of a page as an office scanner gives it."""
    run, ref = open_review(f"scan {number}.pdf", timeout=86_400 + number)
    body = io.BytesIO()
    paper.scanned(paper.picture(_sheet(number), 150), seed=number, angle=0.4).save(body, "PNG")
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.page_image(0), body.getvalue(), "image/png")
    return ref


def _sheet(number: int) -> paper.Sheet:
    drawn, dice = paper.Sheet(595, 842), random.Random(number)
    drawn.text(60, 100, "Grossmarkt Ruhr", font="F2", size=16)
    for line in range(32):
        drawn.text(60, 160 + 18 * line, f"{dice.randint(1, 9)} {dice.choice(_GOODS)}, {dice.choice(_GOODS).lower()}")
        drawn.text(520, 160 + 18 * line, f"{dice.randint(1, 400)}.{dice.randint(10, 99)}", right=True)
    return drawn
