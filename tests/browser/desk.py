"""What the journeys at the desk have in common: who signs in, what waits, what the sign says."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from review.identity import ReviewRef
from tests.factories import waiting_run
from tests.people import PASSWORD, bob, signed_in
from tests.pump import Pump
from workflows.runs.items import Run


def sign_in(page: Page, live_server: LiveServer, username: str) -> None:
    """As a person who has signed in earlier: the form and the first page are for the tests that look at them."""
    session = signed_in(User.objects.get(username=username)).cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])


def sign_in_by_form(page: Page, live_server: LiveServer, username: str) -> None:
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{live_server.url}/")


def waiting(live_server: LiveServer, pump: Pump) -> tuple[str, Run, ReviewRef]:
    """The address of a review that waits, with its run and itself."""
    run, ref = waiting_run(pump)
    return f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/", run, ref


@dataclass(frozen=True)
class Claimed:
    """A page on which Bob holds a review, its address, its run and itself."""

    page: Page
    user: User
    url: str
    run: Run
    ref: ReviewRef


def claim_as_bob(live_server: LiveServer, context: BrowserContext, pump: Pump) -> Claimed:
    user = bob()
    url, run, ref = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    return Claimed(page, user, url, run, ref)


def claim(page: Page, url: str, *, wait: bool = True) -> None:
    """``wait``: until presses count."""
    page.goto(url)
    page.locator("[data-claim]").click()
    expect(page.locator("[data-approve]")).to_be_visible()
    if wait:
        in_sight(page)


def in_sight(page: Page) -> None:
    """Wait until the document has been in sight for so long that a press counts."""
    expect(page.locator("#desk[data-in-sight]")).to_be_attached()


def field(page: Page, name: str) -> Locator:
    return page.locator(f'[name="field-{name}"]')


def expect_saved(page: Page) -> None:
    expect(page.locator("[data-save-sign]")).to_contain_text("Draft saved")


def check_all(page: Page) -> None:
    """Say of everything in doubt that it is right."""
    for name in page.locator("[data-seen]").evaluate_all("boxes => boxes.map((one) => one.name)"):
        page.locator(f"[name='{name}']").check()
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    in_sight(page)
