"""What is left to check stops an approval by mouse and by form, is asked about where that is allowed, and is kept."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.conftest import WIDTHS, watch
from tests.browser.desk import check_all, claim, field, in_sight, sign_in, sign_in_by_form
from tests.browser.patience import PATIENCE_MS
from tests.people import alice, bob
from tests.review.reviews import decisions_of, open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
DOUBTFUL = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.5), "total": ("33.90", 0.55)}

# The second half of a double click: as soon as there is what it meets, however slow this machine is.
CLICK_AT_ONCE = """() => new MutationObserver((_, watch) => {
  const button = document.querySelector("[data-anyway]");
  if (button) { watch.disconnect(); button.click(); }
}).observe(document.body, { childList: true, subtree: true })"""


def opened(live_server: LiveServer, **more: bool) -> tuple[str, ReviewRef]:
    _, ref = open_review(values=DOUBTFUL, **more)
    return f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/", ref


def test_what_is_typed_after_a_refusal_is_saved(live_server: LiveServer, context: BrowserContext) -> None:
    bob()
    url, _ = opened(live_server)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    page.locator("[data-approve]").click()
    expect(page.locator("[data-unseen]")).to_be_visible()
    field(page, "total").fill("28.53")
    expect(page.locator("[data-save-sign]")).to_contain_text("Draft saved")
    page.reload()
    expect(field(page, "total")).to_have_value("28.53")
    expect(page.locator("[data-left]")).to_have_text("1 left")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_click_with_fields_left_is_refused_and_leads_to_the_first(
    live_server: LiveServer, browser: Browser, width: int
) -> None:
    bob()
    url, ref = opened(live_server)
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    expect(page.locator("[data-left]")).to_have_text("2 left")
    with page.expect_response(lambda response: response.url.endswith("/decide/")) as refused:
        page.locator("[data-approve]").click()
    assert refused.value.status == 422
    expect(page.locator("[data-unseen]")).to_contain_text("2 fields not checked: Date, Total.")
    expect(page.locator("#f-date")).to_be_focused()
    expect(page.locator("#f-date")).to_be_in_viewport()
    page.locator("[data-unseen]").get_by_role("link", name="Total").click()
    expect(page.locator("#f-total")).to_be_focused()
    page.locator("[data-unseen]").get_by_role("link", name="Date").click()
    expect(page.locator("#f-date")).to_be_focused()
    assert decisions_of(ref) == 0
    in_sight(page)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"
    context.close()


def test_a_box_is_ticked_by_mouse_and_taken_back(live_server: LiveServer, context: BrowserContext) -> None:
    bob()
    url, _ = opened(live_server)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    page.locator("#f-date").get_by_text("Looks right").click()
    expect(page.locator("#f-date")).to_have_class("exception settled")
    expect(page.locator("#f-total")).to_be_focused()
    page.locator(
        "[name='seen-date']"
    ).uncheck()  # beside a field that is not the chosen one: it stays under the pointer
    expect(page.locator("[data-left]")).to_have_text("2 left")
    page.locator("[name='seen-date']").check()
    field(page, "date").fill("2024-04-01")
    expect(page.locator("[name='seen-date']")).not_to_be_checked()  # another text than the one that was right
    field(page, "date").blur()
    expect(page.locator("[name='seen-date']")).to_be_checked()
    page.locator("[name='seen-date']").click()  # a correction has been looked at
    expect(page.locator("[name='seen-date']")).to_be_checked()


def test_ticks_are_there_after_an_ended_session_and_in_another_tab(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    url, ref = opened(live_server)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    context.clear_cookies(name="sessionid")
    check_all(page)
    expect(page.locator("[data-save-sign]")).to_have_text("Not saved – retrying")
    other = context.new_page()
    sign_in_by_form(other, live_server, "bob")
    other.close()
    expect(page.locator("[data-save-sign]")).to_contain_text("Draft saved", timeout=20_000)
    other = context.new_page()
    other.goto(url)
    expect(other.locator("[data-left]")).to_have_text("Ready to approve")
    in_sight(other)
    other.locator("[data-approve]").click()
    other.wait_for_url("**/review/?done=*")
    expect(page.get_by_text("You approved this at")).to_be_visible()  # told at once, before anything is pressed
    expect(page.locator("[data-approve]")).to_have_count(0)
    assert decisions_of(ref) == 1


def test_where_it_is_allowed_one_is_asked_once_and_a_double_click_is_no_yes(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    bob()
    url, ref = opened(live_server, unseen_allowed=True)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    page.keyboard.press("Enter")  # the date
    page.evaluate(CLICK_AT_ONCE)
    page.keyboard.press("a")
    asked = page.get_by_role("heading", name="1 field not checked: Total. Approve anyway?")
    expect(asked).to_be_focused()
    expect(page.locator("[data-press-told]")).to_contain_text("Nothing was submitted")
    assert decisions_of(ref) == 0
    in_sight(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("[data-anyway]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"
    assert [line for line in console if "404" not in line and "422" not in line] == []


def test_what_is_approved_unchecked_stands_in_the_audit(live_server: LiveServer, context: BrowserContext) -> None:
    alice()
    url, _ = opened(live_server, unseen_allowed=True)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    claim(page, url)
    page.keyboard.press("Enter")  # the date
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="1 field not checked: Total. Approve anyway?")).to_be_visible()
    in_sight(page)
    page.locator("[data-anyway]").click()
    page.wait_for_url("**/review/?done=*")
    page.goto(f"{live_server.url}/settings/audit/")
    told = page.get_by_role("main")
    expect(told).to_contain_text("Not checked")
    expect(told).to_contain_text("Total")


def test_without_a_script_each_field_has_its_box(live_server: LiveServer, browser: Browser, console: list[str]) -> None:
    bob()
    url, ref = opened(live_server, unseen_allowed=True)
    context = browser.new_context(java_script_enabled=False, viewport={"width": 375, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(url)
    page.get_by_role("button", name="Claim").click()
    page.get_by_role("checkbox", name="Looks right Date").check()
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("heading", name="Settled").click()
    expect(page.get_by_role("checkbox", name="Looks right Date")).to_be_checked()
    page.get_by_role("button", name="Approve and stop").click()
    expect(page.locator("[data-unseen]")).to_contain_text("1 field not checked: Total. Approve anyway?")
    page.get_by_role("heading", name="Settled").click()
    expect(page.get_by_role("checkbox", name="Looks right Date")).to_be_checked()
    page.get_by_role("button", name="Approve anyway").click()
    expect(page.get_by_text("Approved:")).to_be_visible()
    assert queries.get_review(ref).decision == "approve"
    context.close()
