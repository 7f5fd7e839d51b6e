"""The next document takes the place of the one that was decided, without a new page: nothing is lost or mixed up."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.desk import claim, expect_saved, field, in_sight, sign_in
from tests.browser.test_ten_documents import scanned_review
from tests.people import bob
from tests.review.reviews import decisions_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
COVER = "[data-next-cover]"


@pytest.fixture
def page(live_server: LiveServer, context: BrowserContext) -> Page:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    return page


@pytest.fixture
def refs() -> list[ReviewRef]:
    return [scanned_review(number) for number in range(3)]


def begin(page: Page, live_server: LiveServer, ref: ReviewRef) -> None:
    """Until the picture of the document after it is there."""
    with page.expect_response(lambda one: "size=page" in one.url and ref.document_id not in one.url):
        claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.evaluate("window.same = true")


def approve(page: Page) -> None:
    in_sight(page)
    page.keyboard.press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    page.keyboard.press("a")


@pytest.mark.wide
def test_title_focus_address_and_way_back_are_the_next_ones(
    live_server: LiveServer, page: Page, console: list[str], refs: list[ReviewRef]
) -> None:
    begin(page, live_server, refs[0])
    approve(page)
    page.wait_for_url(f"**/{refs[1].review_id}/?done=*")
    assert page.evaluate("window.same"), "no new page was loaded"
    expect(page).to_have_title(re.compile("^scan 1.pdf"))
    expect(page.locator("#f-total")).to_be_focused()
    expect(page.locator("[data-opened]")).to_have_text("Opened scan 1.pdf")
    expect(page.locator("#undo-strip [data-receipt]")).to_have_count(1)
    expect(page.locator(COVER)).to_have_count(0)
    page.reload()
    expect(page.locator("#undo-strip [data-receipt]")).to_have_count(1)
    expect(page.locator("[data-approve]")).to_be_visible()
    page.go_back()
    expect(page.locator("[data-standing='decided']")).to_contain_text("You approved this")
    expect(page.locator("#desk h1")).to_have_text("scan 0.pdf")
    page.go_forward()
    expect(page.locator("#desk h1")).to_have_text("scan 1.pdf")
    expect(page.locator("[data-approve]")).to_be_visible()
    assert console == []


@pytest.mark.wide
def test_what_is_typed_goes_to_the_document_that_is_there(
    live_server: LiveServer, page: Page, console: list[str], refs: list[ReviewRef]
) -> None:
    begin(page, live_server, refs[0])
    slow: list[Route] = []
    for late in ("draft/", "watch/*"):
        page.route(f"**/{refs[0].review_id}/{late}", lambda route: slow.extend([route]))
    with page.expect_request("**/watch/*"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # whose claim is it?
    in_sight(page)
    page.keyboard.press("e")
    page.keyboard.type("38.90")
    page.keyboard.press("Enter")  # leaves the field: its draft is sent, and overtaken by the decision
    expect(page.locator("[data-approve]")).to_be_focused()
    page.keyboard.press("a")
    page.wait_for_url(f"**/{refs[1].review_id}/?done=*")
    expect(field(page, "total")).not_to_have_value("38.90")
    for route in slow:
        route.continue_()
    in_sight(page)
    page.keyboard.press("e")
    page.keyboard.type("12.00")
    expect_saved(page)
    expect(page.locator("#desk h1")).to_have_text("scan 1.pdf")
    expect(page.locator("[data-standing]")).to_have_count(0)
    _, draft = queries.review_and_draft(refs[1], str(bob().pk))
    assert draft is not None
    page.reload()
    expect(field(page, "total")).to_have_value("12.00")
    assert len(slow) == 2
    assert console == [], "the save and the look at the claim were not called off"


@pytest.mark.wide
def test_a_save_that_a_refused_decision_called_off_is_made_afterwards(
    live_server: LiveServer, page: Page, refs: list[ReviewRef]
) -> None:
    begin(page, live_server, refs[0])
    slow: list[Route] = []
    page.route("**/draft/", lambda route: slow.extend([route]))
    page.route("**/decide/", lambda route: route.abort())
    in_sight(page)
    page.keyboard.press("e")
    page.keyboard.type("38.90")
    page.keyboard.press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    page.keyboard.press("a")
    expect(page.locator(".toast.bad")).to_contain_text("Nothing was sent")
    page.unroute("**/draft/")
    expect_saved(page)
    _, draft = queries.review_and_draft(refs[0], str(bob().pk))
    assert draft is not None
    assert draft.values.as_dict()["total"] == "38.90"


@pytest.mark.wide
def test_the_next_page_is_in_sight_before_the_answer_and_nothing_can_be_decided_on_it(
    live_server: LiveServer, page: Page, refs: list[ReviewRef]
) -> None:
    begin(page, live_server, refs[0])
    asked: list[Route] = []
    page.route("**/decide/", lambda route: asked.extend([route]))
    approve(page)
    expect(page.locator(COVER)).to_contain_text("Opening scan 1.pdf")
    for _ in range(3):
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    assert len(asked) == 1
    assert queries.get_review(refs[1]).status == "PENDING"
    asked[0].continue_()
    page.wait_for_url(f"**/{refs[1].review_id}/?done=*")
    expect(page.locator(COVER)).to_have_count(0)
    assert [decisions_of(ref) for ref in refs] == [1, 0, 0]


@pytest.mark.wide
def test_a_decision_that_does_not_arrive_leaves_its_document_as_it_was(
    live_server: LiveServer, page: Page, refs: list[ReviewRef]
) -> None:
    begin(page, live_server, refs[0])
    page.route("**/decide/", lambda route: route.abort())
    in_sight(page)
    page.keyboard.press("e")
    page.keyboard.type("38.90")
    page.keyboard.press("Enter")
    page.keyboard.press("a")
    expect(page.locator(".toast.bad")).to_contain_text("Nothing was sent")
    expect(page.locator(COVER)).to_have_count(0)
    expect(page.locator("#desk h1")).to_have_text("scan 0.pdf")
    expect(field(page, "total")).to_have_value("38.90")
    with page.expect_event("requestfailed"):
        page.keyboard.press("a")
    expect(page.locator(COVER)).to_have_count(0)
    expect(page.locator(".toast.bad")).to_have_count(1)
    page.unroute("**/decide/")
    page.keyboard.press("a")
    page.wait_for_url(f"**/{refs[1].review_id}/?done=*")
    expect(page.locator(".toast.bad")).to_have_count(0)
    assert [decisions_of(ref) for ref in refs] == [1, 0, 0]
