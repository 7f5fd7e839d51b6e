"""A browser that several people use: after signing out nothing of a document is left to go back to."""

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import claim_as_bob
from tests.pump import Pump

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.wide
def test_after_signing_out_neither_back_nor_the_cache_shows_a_document(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    page = claim_as_bob(live_server, context, pump).page
    picture = page.locator("img[src*='/pages/']").first.evaluate("one => one.currentSrc || one.src")
    known = "url => fetch(url, {cache: 'force-cache'}).then((one) => one.redirected ? one.url : one.status)"
    assert page.evaluate(known, picture) == 200
    page.evaluate("localStorage.setItem('countersign-keys', '{}')")
    page.goto(f"{live_server.url}/documents/")
    page.locator("details:has(form[action$='/logout/']) > summary").click()
    with page.expect_response(lambda one: one.url.endswith("/logout/")) as left:
        page.get_by_role("button", name="Sign out").click()
    assert left.value.all_headers()["clear-site-data"] == '"cache"'
    page.wait_for_url("**/login/**")
    assert "/login/" in str(page.evaluate(known, picture))  # also if any copy were good enough
    for _ in range(2):  # the list, and the desk before it
        page.go_back()
        expect(page.get_by_label("Password")).to_be_visible()
        expect(page.locator("#desk")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('countersign-keys')") == "{}"  # what a browser keeps on purpose
