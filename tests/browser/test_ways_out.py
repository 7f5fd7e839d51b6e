"""Skipping by keyboard and postponing by mouse, in a dialog beside the desk; the next document opens."""

import datetime as dt

from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from review import queries
from review.status import ReviewStatus
from tests.browser.desk import claim, sign_in
from tests.people import alice, bob
from tests.pump import Pump
from tests.review.reviews import open_review


def test_skip_by_keyboard_then_postpone_by_mouse(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    _, first = open_review("first.pdf", timeout=70_000)
    _, second = open_review("second.pdf", timeout=80_000)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{first.document_id}/{first.review_id}/")
    keys, dialog = page.keyboard, page.locator("#way-out")
    keys.press("o")
    expect(dialog).to_be_visible()
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    keys.press("o")
    expect(page.get_by_label("Reason", exact=True)).to_be_focused()
    keys.type("Not my language")
    keys.press("Enter")
    page.wait_for_url(f"**/{second.review_id}/")
    expect(page.get_by_text("first.pdf skipped")).to_be_visible()
    assert queries.get_review(first).status == ReviewStatus.PENDING
    page.get_by_role("link", name="Postpone…").click()
    expect(dialog).to_be_visible()
    at = (clock.now() + dt.timedelta(hours=2)).replace(second=0, microsecond=0)
    page.locator("#id_at").fill(f"{at:%Y-%m-%dT%H:%M}")  # the browser's zone is the machine's, UTC
    expect(page.get_by_label("At a date and time")).to_be_checked()
    page.get_by_role("button", name="Postpone and open next").click()
    page.wait_for_url("**/review/")  # the first one was given back: it does not open by itself
    review = queries.get_review(second)
    assert (review.status, review.postponed_until) == (ReviewStatus.POSTPONED, clock.iso(at))
    page.locator("#views").get_by_role("link", name="Postponed").click()
    page.get_by_role("link", name="second.pdf").click()
    page.get_by_role("button", name="Claim now").click()
    expect(page.locator("[data-approve]")).to_be_visible()
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture


def test_without_a_script_they_are_pages(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    bob()
    _, ref = open_review("first.pdf")
    assert context.browser
    plain = context.browser.new_context(java_script_enabled=False)
    plain.set_default_timeout(8000)
    page = plain.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.locator("[data-claim]").click()
    page.get_by_role("link", name="Postpone…").click()
    page.get_by_text("In 4 hours").click()
    page.get_by_role("button", name="Postpone and open next").click()
    expect(page.get_by_text("postponed. It returns")).to_be_visible()
    plain.close()
    assert queries.get_review(ref).status == ReviewStatus.POSTPONED


def test_assign_by_keyboard_and_take_it_back_by_mouse(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    alice()
    bob()
    _, ref = open_review("first.pdf")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    url = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    claim(page, url)
    keys = page.keyboard
    keys.press("c")
    expect(page.get_by_label("Assignee")).to_be_focused()
    keys.type("Alice")
    keys.press("Tab")
    keys.press("Enter")
    page.wait_for_url("**/review/")
    expect(page.get_by_text("first.pdf assigned to Alice Novak")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASSIGNED
    page.get_by_role("link", name="first.pdf").click()
    page.locator("[data-standing]").get_by_role("link", name="Assign…").click()
    page.get_by_label("Assignee").select_option(label="Bob Ito (you)")
    page.locator("#way-out").get_by_role("button", name="Assign").click()
    expect(page.locator("[data-claim]")).to_be_visible()
    page.locator("[data-claim]").click()
    expect(page.locator("[data-approve]")).to_be_visible()
