"""Each way out of a review by keyboard or mouse, in a dialog beside the desk, and as a page without JavaScript."""

import datetime as dt
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from projects.sites.permissions import ADMINS
from review import queries
from review.identity import ReviewRef
from review.status import Decision, ReviewStatus
from tests.browser.desk import claim, field, in_sight, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.people import alice, bob, charlie
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.review.reviews import open_review


@pytest.fixture
def held(live_server: LiveServer, context: BrowserContext, pump: Pump) -> tuple[Page, ReviewRef, ReviewRef]:
    """A review that Bob holds in the browser, and the next one of the queue."""
    bob()
    _, first = open_review("first.pdf", timeout=70_000)
    _, second = open_review("second.pdf", timeout=80_000)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{first.document_id}/{first.review_id}/")
    return page, first, second


def test_skip_by_keyboard_then_postpone_by_mouse(held: tuple[Page, ReviewRef, ReviewRef], console: list[str]) -> None:
    page, first, second = held
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


def test_a_page_that_is_read_again_leaves_the_desk_as_it_is(
    held: tuple[Page, ReviewRef, ReviewRef], pump: Pump
) -> None:
    """Its result is told beside the fields, where one goes on typing."""
    page, first, _ = held
    page.get_by_role("link", name="Read this page again").click()
    page.get_by_label("OCR model").select_option(label="Custom model endpoint")  # of which there is none
    page.get_by_role("button", name="Read again").click()
    expect(page.locator("#page-reading")).to_contain_text("Reading page 1 again.")
    field(page, "total").fill("28.53")
    pump.run(idle=0.5)
    expect(page.locator("#page-reading .message.bad")).to_be_visible()
    expect(field(page, "total")).to_have_value("28.53")
    expect(page.locator("[data-approve]")).to_be_visible()
    assert len(queries.get_review(first).page_readings or ()) == 1


def test_without_a_script_they_are_pages(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    bob()
    _, ref = open_review("first.pdf")
    assert context.browser
    plain = context.browser.new_context(java_script_enabled=False)
    plain.set_default_timeout(PATIENCE_MS)
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


def test_postpone_comment_and_reject_by_keyboard(held: tuple[Page, ReviewRef, ReviewRef], console: list[str]) -> None:
    page, first, second = held
    keys, dialog = page.keyboard, page.locator("#way-out")
    keys.press("d")
    expect(dialog.get_by_label("In 1 hour")).to_be_checked()
    dialog.get_by_label("In 1 hour").focus()
    keys.press("ArrowDown")
    expect(dialog.get_by_label("In 4 hours")).to_be_checked()
    keys.press("Enter")
    page.wait_for_url(f"**/{second.review_id}/")
    assert queries.get_review(first).status == ReviewStatus.POSTPONED
    in_sight(page)
    keys.press("y")
    dialog.get_by_label("Comment").focus()
    keys.type("Page two is blank")
    dialog.get_by_role("button", name="Add comment").press("Enter")
    expect(page.locator("#messages").get_by_text("Page two is blank")).to_be_visible()
    in_sight(page)
    keys.press("r")
    expect(page.get_by_label("Reason for rejection")).to_be_focused()
    keys.type("Not ours")
    page.get_by_role("button", name="Reject and next").press("Enter")
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(second).decision == Decision.REJECT
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture


@pytest.fixture
def plain(live_server: LiveServer, context: BrowserContext, pump: Pump) -> Iterator[tuple[Page, ReviewRef]]:
    """A review that Bob holds in a browser without JavaScript, of a project with an escalation group."""
    alice(), bob(), charlie()
    _, ref = open_review("first.pdf", project_id=make_project(escalation_group=ADMINS).id)
    assert context.browser
    without = context.browser.new_context(java_script_enabled=False)
    without.set_default_timeout(PATIENCE_MS)
    page = without.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.locator("[data-claim]").click()
    yield page, ref
    without.close()


def test_skip_without_a_script(plain: tuple[Page, ReviewRef]) -> None:
    page, ref = plain
    page.get_by_role("link", name="Skip…").click()
    page.get_by_label("Reason", exact=True).fill("Not my language")
    page.get_by_role("button", name="Skip and open next").click()
    expect(page.get_by_text("first.pdf skipped")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.PENDING


def test_assign_without_a_script(plain: tuple[Page, ReviewRef]) -> None:
    page, ref = plain
    page.get_by_role("link", name="Assign…").click()
    page.get_by_label("Assignee").select_option(label="Alice Novak")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_text("first.pdf assigned to Alice Novak")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASSIGNED


def test_ask_without_a_script(plain: tuple[Page, ReviewRef]) -> None:
    page, ref = plain
    page.get_by_role("link", name="Ask…").click()
    page.get_by_label("Ask", exact=True).select_option(label="Charlie Mbeki")
    page.get_by_label("Question").fill("Is this paid?")
    page.get_by_role("button", name="Ask and open next").click()
    expect(page.get_by_text("Charlie Mbeki asked about first.pdf")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASKED


def test_escalate_without_a_script(plain: tuple[Page, ReviewRef]) -> None:
    page, ref = plain
    page.get_by_role("link", name="Escalate…").click()
    page.locator("form textarea").fill("Is this our supplier?")
    page.get_by_role("button", name="Escalate and open next").click()
    expect(page.get_by_text("first.pdf escalated to")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASKED


def test_comment_and_reject_without_a_script(plain: tuple[Page, ReviewRef]) -> None:
    page, ref = plain
    page.get_by_role("link", name="Comment…").click()
    page.get_by_label("Comment").fill("Page two is blank")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("#messages").get_by_text("Page two is blank")).to_be_visible()
    page.locator("[data-reject] summary").click()
    page.get_by_role("button", name="Reject and stop").click()
    expect(page.locator("#reason-error")).to_be_visible()
    page.get_by_label("Reason for rejection").fill("Not ours")
    page.get_by_role("button", name="Reject and stop").click()
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == Decision.REJECT
