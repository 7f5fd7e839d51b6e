"""Rules while typing: what will be stored, what does not fit, what wants a reason; and the same without a script."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.conftest import LOOKS
from tests.browser.desk import check_all, claim, expect_saved, field, in_sight, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import bob
from tests.review.desk.test_checking import invoice
from tests.review.reviews import open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
DOUBTFUL = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.5), "total": ("33.90", 0.55)}
OFF = "Total 125.00 is not 100.00 + 20.00 = 120.00"


def claimed_invoice(live_server: LiveServer, context: BrowserContext) -> tuple[Page, ReviewRef]:
    bob()
    _, ref = open_review(found=invoice())
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    return page, ref


def test_a_value_that_is_wrong_is_counted_until_it_is_corrected(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    page, _ = claimed_invoice(live_server, context)
    check_all(page)
    field(page, "total").fill("about ten")
    expect(page.locator("[data-left]")).to_have_text("1 to correct")
    field(page, "total").fill("120.00")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")


def test_a_wrong_draft_that_is_opened_again_is_counted_at_once(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    page, _ = claimed_invoice(live_server, context)
    check_all(page)
    field(page, "total").fill("about ten")
    expect_saved(page)
    page.reload()
    expect(page.locator("[data-left]")).to_have_text("1 to correct")
    expect(page.locator("#f-total [data-live-error]")).to_contain_text("Enter the amount as 33.90")
    expect(page.locator("#f-total")).to_be_focused()  # which is edited by key
    field(page, "total").fill("120.00")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    expect(page.locator("#f-total [data-live-error]")).to_be_hidden()


def test_the_next_field_after_the_last_is_one_that_is_wrong(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    page, _ = claimed_invoice(live_server, context)
    check_all(page)
    field(page, "total").fill("about ten")
    expect(page.locator("#f-total [data-live-error]")).to_be_visible()
    field(page, "total").blur()
    field(page, "date").fill("2024-04-01")
    field(page, "date").press("Enter")
    expect(field(page, "total")).to_be_focused()
    field(page, "total").fill("120.00")
    expect(page.locator("#f-total [data-live-error]")).to_be_hidden()
    field(page, "total").press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()


def test_nothing_looks_right_beside_an_error(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    """The box is neither shown nor ticked: it is not sent, not kept with the draft, and no screen reader finds it."""
    bob()
    _, ref = open_review(values=DOUBTFUL)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    total, box = page.locator("#f-total"), page.locator("[name='seen-total']")
    field(page, "total").fill("about ten")
    expect(total.locator("[data-live-error]")).to_be_visible()
    expect(box).not_to_be_checked()
    field(page, "total").press("Enter")  # goes on, and confirms nothing
    expect(page.locator("#f-date [name='field-date']")).to_be_focused()
    expect(page.get_by_role("checkbox", name="Looks right Total")).to_have_count(0)
    expect(total).to_have_class("exception")
    expect(page.locator("[data-left]")).to_have_text("1 left")
    page.locator("#f-date").press("Enter")
    expect(page.locator("[data-left]")).to_have_text("1 to correct")
    expect_saved(page)
    page.reload()
    for _ in ("draft", "refused"):
        expect(total.get_by_text("Enter the amount as 33.90").locator("visible=true")).to_be_visible()
        expect(box).to_be_hidden()
        expect(box).not_to_be_checked()
        expect(page.locator("[data-left]")).to_have_text("1 to correct")
        in_sight(page)
        with page.expect_response(lambda response: response.url.endswith("/decide/")):
            page.locator("[data-approve]").click()
        expect(page.get_by_text("Not submitted. Fix the marked fields")).to_be_visible()
    in_sight(page)
    field(page, "total").fill("33.90")  # as it was read: to be confirmed
    expect(box).to_be_visible()
    field(page, "total").press("Enter")
    expect(box).to_be_checked()
    expect(total).to_have_class("exception active settled")
    expect(page.locator("[data-approve]")).to_be_focused()


def test_enter_passes_each_wrong_field_once_and_then_says_what_is_left(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    """In the order of the page. From the last wrong field Enter leads to the words that count what is left, from
    there to the first wrong field: round by choice, never round unheard. A field whose text has changed since it was
    judged counts as right until it is judged again.
    """
    page, _ = claimed_invoice(live_server, context)
    check_all(page)
    for name in ("total", "net_total"):
        field(page, name).fill("about ten")
        expect(page.locator(f"#f-{name} [data-live-error]")).to_be_visible()
    left = page.locator("[data-left]")
    expect(left).to_have_text("2 to correct")
    first, second = page.locator("[data-field]:has([data-live-error]:not([hidden])) .value-line input").all()
    field(page, "date").focus()  # which is right, and between them or behind
    page.keyboard.press("Enter")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    expect(left).to_be_focused()
    expect(left).to_be_in_viewport()
    expect(left).to_have_text("2 to correct")
    page.keyboard.press("Enter")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")  # the same from the fields themselves
    page.keyboard.press("Enter")
    expect(left).to_be_focused()
    second.fill("100.00")
    page.keyboard.press("Enter")  # at once: the error still stands there
    expect(first).to_be_focused()
    first.fill("100.00")
    page.keyboard.press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    expect(left).to_have_text("Ready to approve")


def claimed_without_total(live_server: LiveServer, context: BrowserContext) -> Page:
    """A review that lacks a required total, which has the focus."""
    bob()
    found = invoice(total="")
    found["fields"][-2] |= {"value": None, "raw": None, "required": True}
    _, ref = open_review(found=found)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    field(page, "total").focus()
    return page


def test_enter_passes_an_empty_required_field_that_has_said_so(
    live_server: LiveServer, context: BrowserContext
) -> None:
    page = claimed_without_total(live_server, context)
    page.keyboard.press("Enter")
    expect(page.locator("#f-total [data-live-error]")).to_contain_text("Total is required")
    expect(field(page, "total")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-left]")).to_be_focused()
    expect(page.locator("[data-left]")).to_have_text("1 left")  # it was not corrected either
    page.keyboard.press("Enter")
    expect(field(page, "total")).to_be_focused()


def test_what_is_typed_is_echoed_and_checked(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    page, ref = claimed_invoice(live_server, context)
    total, date = page.locator("#f-total"), page.locator("#f-date")
    field(page, "date").fill("03/04/2024")
    expect(date.locator("[data-stored]")).to_have_text("Stored as 3 April 2024")
    field(page, "total").fill("about ten")
    expect(total.locator("[data-live-error]")).to_contain_text("Enter the amount as 33.90")
    field(page, "total").fill("125,0")
    expect(total.locator("[data-live-error]")).to_be_hidden()
    expect(total.locator("[data-stored]")).to_have_text("Stored as 125.00")
    expect(total.locator("[data-warned]")).to_contain_text(OFF)
    page.locator("[data-approve]").click()
    expect(page.get_by_text("Correct it, or enter why it is right.")).to_be_visible()
    assert queries.get_review(ref).decision is None
    page.get_by_label("Why is it right?").locator("visible=true").fill("As printed")
    expect_saved(page)
    page.reload()
    expect(page.locator("[name='field-#why-total']")).to_have_value("As printed")
    in_sight(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"
    assert [line for line in console if "404" not in line and "422" not in line] == []


def test_all_rules_that_a_field_fails_are_said_while_it_is_typed(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    _, ref = open_review(found=invoice(due_date="2024-04-30"))
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    warned = page.locator("#f-due_date [data-warned-words] > span")
    field(page, "due_date").fill("1990-01-01")
    old, before = "Due date 1990-01-01 is more than 30 years ago", "Due date 1990-01-01 is before Date 2024-03-31"
    expect(warned).to_have_text([old, before])
    field(page, "due_date").fill("2023-01-01")
    expect(warned).to_have_text(["Due date 2023-01-01 is before Date 2024-03-31"])


def test_enter_on_an_empty_required_field_says_what_it_waits_for(
    live_server: LiveServer, context: BrowserContext
) -> None:
    page = claimed_without_total(live_server, context)
    expect(page.locator("#f-total [data-live-error]")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#f-total [data-live-error]")).to_contain_text("Total is required")
    expect(field(page, "total")).to_be_focused()


def test_mending_another_field_of_the_sum_takes_the_warning_away(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    _, ref = open_review(found=invoice(total="125.00"))
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("#f-total [data-warned]")).to_contain_text(OFF)
    page.locator("summary", has_text="High confidence").click()
    field(page, "vat").fill("25")
    expect(page.locator("#f-total [data-warned]")).to_be_hidden()
    expect(page.locator("#f-vat [data-stored]")).to_have_text("Stored as 25.00")


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_it_has_no_faults_and_gates_without_a_script(
    live_server: LiveServer, browser: Browser, width: int, scheme: str
) -> None:
    bob()
    _, ref = open_review(found=invoice(total="125.00"))
    url = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    field(page, "total").fill("125,0")
    expect(page.locator("#f-total [data-stored]")).to_be_visible()
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    expect_saved(page)
    context.close()
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(url)
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Approve and stop").click()
    expect(page.get_by_text("Correct it, or enter why it is right.")).to_be_visible()
    page.get_by_label("Why is it right?").locator("visible=true").fill("As printed")
    page.get_by_role("button", name="Approve and stop").click()
    expect(page.get_by_text("Approved:")).to_be_visible()
    context.close()
