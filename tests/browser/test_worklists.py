"""The lists of reviews by keyboard and by mouse: rows, lists, filters, where a review stands, and leaving it."""

import re

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.decide import claims
from review.status import ReviewStatus
from tests.browser.desk import check_all, sign_in
from tests.people import bob
from tests.pump import Pump
from tests.review.reviews import open_review, person


def test_rows_are_gone_through_and_opened_by_keyboard(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    open_review("first.pdf", timeout=3000)
    _, second = open_review("second.pdf", timeout=80_000)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    expect(page.locator("#views")).to_contain_text("Team 2")
    keys, rows = page.keyboard, page.locator("#queue [data-row]")
    expect(rows.first).to_contain_text(re.compile(r"Due in 4\d min"))
    keys.press("k")
    expect(page.get_by_role("link", name="first.pdf")).to_be_focused()
    for key in ("j", "j", "k", "j"):
        keys.press(key)
    expect(page.get_by_role("link", name="second.pdf")).to_be_focused()
    keys.press("Enter")
    page.wait_for_url(f"**/{second.review_id}/")
    expect(page.get_by_text("2 of 2 in queue")).to_be_visible()
    page.go_back()
    keys.press("?")
    expect(page.locator("#keys")).to_be_visible()
    keys.press("j")  # nothing behind the list of keys moves
    keys.press("Escape")
    keys.press("g")
    page.wait_for_url("**/review/*/*/")
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture


def test_lists_and_filters_by_mouse_and_rows_stay_while_counts_go_on(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    bob()
    run, ref = open_review("mine.pdf", timeout=70_000)
    open_review("other.pdf", timeout=80_000)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    expect(page.locator("#views")).to_contain_text("My work 0")
    claims.claim_review(ref, run, by=person(bob()))
    open_review("urgent.pdf", timeout=60_000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # the tab is looked at again
    expect(page.locator("#views")).to_contain_text("Team 3")
    expect(page.locator("#views")).to_contain_text("My work 1")
    expect(page.locator("#queue [data-row]")).to_have_count(2)  # as they were
    page.get_by_role("searchbox", name="Name, project or reason").fill("other")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/review/?text=other**")
    expect(page.locator("#queue [data-row]")).to_have_count(1)
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("#queue [data-row]")).to_have_count(3)
    page.locator("#views").get_by_role("link", name="My work").click()
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    expect(page.locator("#queue [data-row]")).to_contain_text(["mine.pdf"])
    page.locator("#views").get_by_role("link", name="Decided today").click()
    expect(page.get_by_text("No decisions today")).to_be_visible()


def test_going_back_to_the_queue_frees_what_came_by_itself(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    bob()
    _, first = open_review(timeout=70_000)
    _, second = open_review(timeout=80_000)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    page.get_by_role("button", name="Review next").click()
    page.wait_for_url(f"**/{first.review_id}/")
    check_all(page)
    page.locator("[data-approve]").click()
    page.wait_for_url(f"**/{second.review_id}/?done=*")
    page.get_by_role("button", name="Back to queue").click()
    page.wait_for_url("**/review/")
    assert queries.get_review(second).status == ReviewStatus.PENDING


def test_rows_are_selected_by_key_and_by_mouse_and_postponed_together(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    bob()
    refs = [open_review(f"{number}.pdf", timeout=70_000 + number)[1] for number in range(4)]
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    keys, told, rows = page.keyboard, page.locator("[data-selected-words]"), page.locator("#queue [data-row]")
    act = page.get_by_role("button", name="Postpone…")
    expect(told).to_have_text("None selected")
    expect(act).to_be_disabled()
    for key in ("j", "x", "j", "j", "Shift+X"):
        keys.press(key)
    expect(told).to_have_text("3 selected (101.70 EUR)")
    keys.press("x")  # the row that has the focus
    expect(told).to_have_text("2 selected (67.80 EUR)")
    boxes = page.locator("[data-select]")
    boxes.nth(2).click()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(rows.locator("input:checked")).to_have_count(4)
    page.get_by_role("checkbox", name="Select all").click()
    expect(rows.locator("input:checked")).to_have_count(0)
    boxes.first.click()
    boxes.nth(1).click()
    keys.press("d")
    expect(page.get_by_role("heading", name="Postpone 2 documents")).to_be_visible()
    page.get_by_role("button", name="Postpone 2").click()
    expect(page.get_by_text("2 reviews postponed.")).to_be_visible()
    expect(rows).to_have_count(2)
    assert {queries.get_review(ref).status for ref in refs[:2]} == {ReviewStatus.POSTPONED}


@pytest.mark.parametrize("width", [667, 768, 1024])
def test_a_name_can_be_read_on_a_phone_on_its_side_and_on_a_tablet(
    live_server: LiveServer, context: BrowserContext, pump: Pump, width: int
) -> None:
    bob()
    open_review("invoice-brook-surveyors.tif")
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 600})
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    name = page.get_by_role("link", name="invoice-brook-surveyors.tif")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert page.locator(".table-scroll").evaluate("one => one.scrollWidth <= one.clientWidth")
