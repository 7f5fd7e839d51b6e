"""A whole day at the desk without a mouse, back and forth in the history, and without a script."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.conftest import watch
from tests.browser.desk import (
    check_all,
    claim,
    claim_as_bob,
    expect_saved,
    field,
    in_sight,
    sign_in,
    sign_in_by_form,
    waiting,
)
from tests.browser.patience import PATIENCE_MS
from tests.people import bob
from tests.pump import Pump
from tests.review.reviews import open_review

pytestmark = pytest.mark.django_db(transaction=True)
SIGHT_MS = 500  # until Enter on a page that has come counts
ENTER = {"type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}


def test_a_slash_goes_to_the_search_unless_somebody_types(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    page = context.new_page()
    sign_in_by_form(page, live_server, "bob")
    box = page.get_by_role("searchbox")
    page.keyboard.press("/")
    expect(box).to_be_focused()
    page.keyboard.type("a/b <i>")
    expect(box).to_have_value("a/b <i>")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=*")
    expect(page.get_by_role("heading", name="No documents match")).to_be_visible()
    page.evaluate("localStorage.setItem('countersign-keys-off', '1')")
    page.goto(f"{live_server.url}/projects/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).not_to_be_focused()
    assert console == []


def looked_at(live_server: LiveServer, context: BrowserContext, pump: Pump) -> tuple[Page, ReviewRef]:
    """A review that Bob has opened and not claimed."""
    url, _, ref = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(url)
    return page, ref


def test_an_opened_review_is_claimed_by_key_once(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    user = bob()
    page, ref = looked_at(live_server, context, pump)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    expect(page.locator("[data-claim] .key")).to_have_text("G")
    page.keyboard.press("?")  # the list of keys opens before it is claimed
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.down("g")
    page.keyboard.down("g")  # held: a repeat
    page.keyboard.up("g")
    expect(page.locator("[data-approve]")).to_be_visible()
    expect(page.locator("#f-company")).to_be_focused()  # from where its keys go on
    in_sight(page)
    page.keyboard.press("g")
    assert queries.get_review(ref).holder == str(user.pk)
    assert [one.rsplit("/", 2)[1] for one in sent if "check" not in one] == ["claim"]
    assert console == []


def test_enter_claims_a_review_that_is_only_looked_at(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    user = bob()
    page, ref = looked_at(live_server, context, pump)
    keys = page.keyboard
    page.wait_for_timeout(SIGHT_MS)
    keys.press("?")
    keys.press("Enter")  # belongs to the dialog
    keys.press("Escape")
    page.locator("[data-view='in']").focus()
    keys.press("Enter")  # and to what has a use for it
    expect(page.locator("[data-claim]")).to_be_visible()
    assert queries.get_review(ref).holder is None
    keys.press("Escape")
    keys.press("j")
    keys.press("Enter")
    expect(page.locator("[data-approve]")).to_be_visible()
    in_sight(page)
    assert queries.get_review(ref).holder == str(user.pk)
    assert console == []


def test_enter_that_opened_a_review_does_not_claim_it(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    bob()
    page, ref = looked_at(live_server, context, pump)
    page.wait_for_timeout(SIGHT_MS)
    keys = context.new_cdp_session(page)
    page.reload()
    for _ in range(20):  # its repeats, which some systems do not mark on a page that has just come
        keys.send("Input.dispatchKeyEvent", ENTER)
        page.wait_for_timeout(33)
    assert queries.get_review(ref).holder is None
    expect(page.locator("[data-claim]")).to_be_visible()


def test_keys_of_a_claim_lead_to_it_and_do_nothing_without_it(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    """A viewer turns pages, zooms, goes through the fields, claims; what corrects or decides focuses Claim."""
    bob()
    page, ref = looked_at(live_server, context, pump)
    claim_button = page.locator("[data-claim]")
    for key in ("a", "r", "e", "v", "m", "i", "o", "d", "u", ";", "<", "l"):
        claim_button.blur()
        page.keyboard.press(key)
        expect(claim_button).to_be_focused()
        expect(page.locator("dialog[open]")).to_have_count(0)
    claim_button.blur()
    page.keyboard.press("j")
    expect(page.locator("#f-date")).to_be_focused()
    before = page.locator("[data-zoom-words]").inner_text()
    page.keyboard.press("+")
    expect(page.locator("[data-zoom-words]")).not_to_have_text(before)
    expect(claim_button).to_be_visible()
    assert queries.get_review(ref).holder is None


def test_two_reviews_by_keyboard_alone(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    _, _, first = waiting(live_server, pump)
    _, _, second = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    keys = page.keyboard
    page.goto(f"{live_server.url}/review/")
    keys.press("g")  # the most urgent is claimed and opened
    page.wait_for_url(f"**/{first.review_id}/")
    in_sight(page)
    expect(page.locator("#f-company")).to_be_focused()  # not its input: single keys are the desk's
    before = field(page, "company").input_value()
    keys.press("j")
    keys.press("k")
    expect(page.locator(".exception.active")).to_have_attribute("data-field", "company")
    expect(field(page, "company")).to_have_value(before)
    keys.press("e")
    expect(field(page, "company")).to_be_focused()
    keys.press("End")
    keys.type(" and a letter")  # a, n, d are keys of the desk outside a field
    expect(field(page, "company")).to_have_value(re.compile("and a letter"))
    expect_saved(page)
    keys.press("Enter")
    expect(field(page, "date")).to_be_focused()
    keys.press("Escape")
    keys.press("j")
    keys.press("j")
    keys.press("k")
    expect(page.locator(".exception.active")).to_have_attribute("data-field", "address")
    for _ in range(5):  # all but the first
        keys.press("Enter")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    expect(page.locator("[data-approve]")).to_be_focused()
    keys.press("a")
    page.wait_for_url(f"**/{second.review_id}/?done=*")
    expect(page.locator("[data-receipt]")).to_contain_text("Approved")
    in_sight(page)
    keys.press("Escape")
    keys.press("r")
    expect(page.locator("#reason")).to_be_focused()
    keys.type("Not ours")
    keys.press("Tab")
    keys.press("Enter")
    page.wait_for_url("**/review/?done=*")
    expect(page.get_by_text("Queue complete")).to_be_visible()
    assert (queries.get_review(first).decision, queries.get_review(second).decision) == ("approve", "reject")
    assert console == []


def test_keys_can_be_switched_off_and_never_act_in_a_dialog(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, ref = desk.page, desk.ref
    keys = page.keyboard
    keys.press("Escape")
    keys.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert page.locator("#keys").evaluate("(list) => list.scrollHeight > list.clientHeight && list.scrollTop === 0")
    keys.press("r")
    expect(page.locator("#reason")).to_be_hidden()
    page.get_by_role("checkbox", name="Enable single-key shortcuts").press("Space")
    keys.press("Escape")
    expect(page.locator(".key:visible")).to_have_count(0)
    keys.press("r")
    expect(page.locator("#reason")).to_be_hidden()
    page.reload()  # it is remembered
    page.locator("body").press("r")
    expect(page.locator("#reason")).to_be_hidden()
    page.locator("[data-keys-open]").click()
    page.get_by_role("checkbox", name="Enable single-key shortcuts").check()
    keys.press("Escape")
    page.locator("[data-left]").focus()
    keys.press("r")
    expect(page.locator("#reason")).to_be_focused()
    assert queries.get_review(ref).decision is None


def test_focus_never_falls_to_the_page_and_what_is_edited_is_selected(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    _, ref = open_review()  # one field in doubt, one not found, two that need no look
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    keys = page.keyboard
    expect(page.locator("#f-total")).to_be_focused()
    keys.press("e")
    keys.type("40.00")  # in the place of what was there
    expect(field(page, "total")).to_have_value("40.00")
    keys.press("Escape")
    expect(page.locator("#f-total")).to_be_focused()
    keys.press("j")
    expect(page.locator("#f-currency")).to_be_focused()  # optional and without a value: under Not found
    keys.press("j")
    expect(page.locator("#f-company")).to_be_focused()
    expect(field(page, "company")).to_be_visible()
    keys.press("j")
    expect(page.locator("#f-date")).to_be_focused()
    company = page.locator("#f-company").bounding_box()
    assert company
    assert company["height"] < 48  # one line
    for _ in range(3):
        keys.press("k")
    expect(page.locator("#f-total")).to_be_focused()
    keys.press("r")
    keys.press("Escape")
    expect(page.locator("[data-reject] summary")).to_be_focused()
    assert [line for line in console if "404" not in line] == []  # this review has no picture


def test_nothing_moves_between_press_and_release(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    page = claim_as_bob(live_server, context, pump).page
    box = field(page, "total")
    before = box.bounding_box()
    assert before
    page.mouse.move(before["x"] + 20, before["y"] + 10)
    page.mouse.down()
    page.wait_for_timeout(100)
    assert box.bounding_box() == before
    page.mouse.up()
    expect(page.locator("#f-total")).to_have_class("exception active")
    expect(box).to_be_focused()


@pytest.mark.wide
def test_back_shows_a_whole_page_and_what_holds_now(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    first, _, _ = waiting(live_server, pump)
    second, _, _ = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, first)
    field(page, "total").fill("28.53")
    check_all(page)
    expect_saved(page)
    page.locator("[data-approve]").click()
    page.wait_for_url(f"{second}?done=*")
    expect(page.locator("[data-approve]")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("You approved this at")).to_be_visible()
    expect(page.locator("[data-approve]")).to_have_count(0)  # never a form that was used
    expect(page.locator("link[rel=stylesheet]").first).to_be_attached()
    page.go_forward()
    expect(page.locator("[data-approve]")).to_be_visible()
    assert console == []


def test_a_review_without_a_script(
    live_server: LiveServer, browser: Browser, pump: Pump, console: list[str], settings: Settings
) -> None:
    settings.REVIEW_UNDO_SECONDS = 60
    bob()
    waiting(live_server, pump)
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    try:
        page = context.new_page()
        sign_in_by_form(page, live_server, "bob")
        page.get_by_role("link", name="Review", exact=True).first.click()
        page.get_by_role("button", name="Review next").click()
        field(page, "total").fill("28.53")
        page.get_by_role("button", name="Save draft").click()
        expect(field(page, "total")).to_have_value("28.53")
        expect_saved(page)
        page.get_by_role("heading", name="Settled").click()
        field(page, "total").fill("about thirty")
        page.get_by_role("button", name="Approve and next").click()
        expect(page.locator("[data-unseen]")).to_contain_text("5 fields not checked: Company, Date, Address")
        boxes = page.get_by_role("checkbox", name="Looks right")
        for index in range(boxes.count()):
            boxes.nth(index).check()
        page.get_by_role("button", name="Approve and next").click()
        expect(page.get_by_text("Enter the amount as")).to_be_visible()
        expect(field(page, "total")).to_have_value("about thirty")
        field(page, "total").fill("29.53")
        page.get_by_role("button", name="Approve and next").click()
        expect(page.get_by_text("Queue complete")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(field(page, "total")).to_have_value("29.53")  # as it was sent
        page.get_by_role("group").get_by_text("Reject…").click()
        page.get_by_label("Reason for rejection").fill("Not ours")
        page.get_by_role("button", name="Reject and stop").click()
        expect(page.get_by_text("Rejected:")).to_be_visible()
    finally:
        context.close()
    assert [line for line in console if "422" not in line] == []  # a browser reports each refusal
