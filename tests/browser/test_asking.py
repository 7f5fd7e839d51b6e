"""A question by keyboard, its answer on the page, and the review back with who asked."""

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.status import ReviewStatus
from tests.browser.desk import claim, sign_in
from tests.people import bob, charlie
from tests.pump import Pump
from tests.review.reviews import open_review


@pytest.mark.wide
def test_a_question_is_asked_by_keyboard_and_answered_on_the_page(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob(), charlie()
    _, ref = open_review("first.pdf")
    url = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    keys, dialog = page.keyboard, page.locator("#way-out")
    keys.press("y")
    expect(dialog.get_by_label("Comment")).to_be_visible()
    keys.press("Escape")
    keys.press("u")
    expect(page.get_by_label("Ask", exact=True)).to_be_focused()
    keys.type("Charlie")
    keys.press("Tab")
    keys.type("Is this paid?")
    dialog.get_by_role("button", name="Ask and open next").press("Enter")
    page.wait_for_url("**/review/")
    expect(page.get_by_text("Charlie Mbeki asked about first.pdf")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASKED
    sign_in(page, live_server, "charlie")
    page.goto(f"{live_server.url}/review/")
    page.locator("#views").get_by_role("link", name="Asked of me").click()
    page.get_by_role("link", name="first.pdf").click()
    page.get_by_label("Your answer").fill("Yes, on Monday.")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Answer sent to Bob Ito.")).to_be_visible()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/mine/")
    expect(page.locator("#queue").get_by_text("Answered")).to_be_visible()
    claim(page, url)
    expect(page.locator("[data-answered]").get_by_text("Yes, on Monday.")).to_be_in_viewport()
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture
