"""A field without a value: said by key or from its list, kept, taken back by typing, and there on the run's page."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from tests.browser.conftest import LOOKS
from tests.browser.desk import claim, expect_saved, field, in_sight, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import bob
from tests.review.desk.test_answers import LACKING, allow_lacking
from tests.review.reviews import open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]


def test_answers_by_key_alone(live_server: LiveServer, context: BrowserContext, console: list[str]) -> None:
    bob()
    _, ref = open_review(values=LACKING)
    allow_lacking(ref)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("#f-date")).to_be_focused()
    page.keyboard.press("i")
    expect(page.locator("[name='answer-date']")).to_have_value("illegible")
    expect(page.locator("#f-total")).to_be_focused()
    expect(page.locator("[data-left]")).to_have_text("1 left")
    page.keyboard.press("m")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    expect_saved(page)
    page.reload()
    expect(page.locator("[name='answer-date']")).to_have_value("illegible")
    expect(page.locator("[name='answer-total']")).to_have_value("absent")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    field(page, "date").fill("2024-04-01")
    expect(page.locator("[name='answer-date']")).to_have_value("")
    in_sight(page)
    field(page, "date").press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("#f-total")).to_contain_text("not on paper")
    assert [line for line in console if "404" not in line] == []


def test_a_key_again_takes_it_back_and_the_list_says_the_same(live_server: LiveServer, context: BrowserContext) -> None:
    bob()
    _, ref = open_review(values=LACKING)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.locator("[name='answer-total']").select_option("blank")
    expect(page.locator("[data-left]")).to_have_text("1 left")
    page.locator("[data-approve]").click()
    page.keyboard.press("j")
    page.locator("#f-total").focus()
    page.keyboard.press("v")
    expect(page.locator("[name='answer-total']")).to_have_value("")
    expect(page.locator("[data-left]")).to_have_text("2 left")


def test_a_required_field_without_a_value_is_refused_and_says_what_to_do(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    _, ref = open_review(values=LACKING)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.keyboard.press("Enter")
    page.keyboard.press("m")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
    page.locator("[data-approve]").click()
    expect(page.get_by_text("This project requires a value here. Enter it or reject the document.")).to_be_visible()
    expect(page.locator("[name='answer-total']")).to_have_value("absent")
    assert queries.get_review(ref).decision is None


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_it_has_no_faults_and_works_without_a_script(
    live_server: LiveServer, browser: Browser, width: int, scheme: str
) -> None:
    bob()
    _, ref = open_review(values=LACKING)
    url = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    page.locator("[name='answer-total']").select_option("illegible")
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    expect_saved(page)
    context.close()
    allow_lacking(ref)
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(url)
    expect(page.locator("[name='answer-total']")).to_have_value("illegible")
    page.locator("[name='answer-date']").select_option("blank")
    page.get_by_role("button", name="Approve and stop").click()
    expect(page.get_by_text("Approved:")).to_be_visible()
    context.close()
