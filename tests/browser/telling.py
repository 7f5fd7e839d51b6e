"""What the reviewers' stories have in common: a file is uploaded, waits in the queue, and is opened there by key."""

import re
from dataclasses import dataclass
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.settings.items import Project
from projects.settings.values import FieldSetting
from review import queries
from review.identity import ReviewRef
from tests.browser.conftest import watch
from tests.browser.desk import in_sight, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.people import bob, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump

# htmx complains of a page that was left for another before it came.
TURNED_ON = {"htmx:afterRequest, [object HTMLDivElement]", "htmx:sendAbort, [object HTMLDivElement]", "undefined"}
SECONDS = 120  # to read a picture, on a machine that does other things too
FIELDS = (
    FieldSetting("company", "Company", "text", required=True),
    FieldSetting("date", "Date", "date"),
    FieldSetting("total", "Total", "amount", required=True),
)


@dataclass
class Story:
    """A reviewer's day with one kind of document, all of whose fields wait for a look."""

    live_server: LiveServer
    context: BrowserContext
    pump: Pump
    console: list[str]
    project: Project
    page: Page

    def upload(self, file: Path, *, reviews: int = 1) -> None:
        """Until so many reviews wait: a file may hold others."""
        body = SimpleUploadedFile(file.name, file.read_bytes())
        before = self.pump.ran("open_review")
        answer = signed_in(bob()).post(f"/workflows/projects/{self.project.id}/upload/", {"files": [body]})
        assert answer.status_code == 302
        self.pump.run(lambda: self.pump.ran("open_review") - before >= reviews, seconds=SECONDS)

    def open_from_queue(self, name: str) -> None:
        """Its row by key, then its claim."""
        self.page.goto(f"{self.live_server.url}/review/")
        row = self.page.locator("[data-row]").filter(has_text=name).get_by_role("link")
        row.focus()
        self.page.keyboard.press("Enter")
        self.page.locator("[data-claim]").press("Enter")
        in_sight(self.page)
        expect(self.page.locator("h1")).to_have_text(name)

    def confirm(self) -> None:
        """Enter on each field that is left."""
        for _ in range(self.page.locator("[data-todo]:not(.settled)").count()):
            self.page.locator(".exception.active").focus()
            self.page.keyboard.press("Enter")
        expect(self.page.locator("[data-left]")).to_have_text("Ready to approve")

    def correct(self, name: str, value: str) -> None:
        box = self.page.locator(f"[name='field-{name}']")
        box.focus()
        box.press("Control+a")
        self.page.keyboard.type(value)
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f"#f-{name}")).to_have_class(re.compile(r"\bsettled\b"))

    def approve(self) -> None:
        """The decision is stored, and nothing was complained of nor wider than the window."""
        *_, document_id, review_id, _ = self.page.url.partition("?")[0].split("/")
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0
        self.page.locator("[data-approve]").press("Enter")
        # The page may carry the decision before it in its address.
        self.page.wait_for_url(lambda url: "?done=" in url and review_id not in url.partition("?")[0])
        decided = queries.get_review(ReviewRef("default", document_id, review_id))
        assert decided.decision == "approve"
        assert [one for one in self.console if one not in TURNED_ON] == [], self.console


def begin(
    live_server: LiveServer,
    browser: Browser,
    pump: Pump,
    console: list[str],
    *,
    width: int,
    fields: tuple[FieldSetting, ...] = FIELDS,
) -> Story:
    bob()
    context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    project = make_project("Stories", default_threshold=1.0, fields=fields)
    return Story(live_server, context, pump, console, project, page)


def active_box_is_in_sight(page: Page) -> bool:
    found: bool = page.evaluate("""() => {
      const at = document.querySelector(".page-image .field-box.active").getBoundingClientRect();
      const frame = document.querySelector(".page-scroll").getBoundingClientRect();
      const [x, y] = [(at.left + at.right) / 2, (at.top + at.bottom) / 2];
      return x > frame.left && x < frame.right && y > frame.top && y < frame.bottom;
    }""")
    return found
