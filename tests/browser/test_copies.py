"""A document that came before says so, and leads to the first."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import WIDTHS
from tests.browser.desk import claim, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.factories import ref_of
from tests.flow.test_copies import invoice, publish, send
from tests.people import bob
from tests.pump import Pump

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.wide
@pytest.mark.parametrize("width", WIDTHS)
def test_the_same_file_again_has_a_link_to_the_first(
    live_server: LiveServer, browser: Browser, pump: Pump, tmp_path: Path, width: int
) -> None:
    bob()
    first = publish(pump, invoice(tmp_path, "a.pdf"))
    ref = ref_of(send(pump, invoice(tmp_path, "a.pdf")))
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    expect(page.locator(".queue-table")).to_contain_text("The same file was received before")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    told = page.locator("[data-copy]")
    expect(told).to_contain_text("The same file was received before")
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    told.get_by_role("link", name="a.pdf").click()
    page.wait_for_url(f"**/documents/{first.document_id}/")
    context.close()


@pytest.mark.wide
def test_the_same_invoice_in_another_file_has_a_link_to_the_first(
    live_server: LiveServer, context: BrowserContext, pump: Pump, tmp_path: Path
) -> None:
    bob()
    first = publish(pump, invoice(tmp_path, "a.pdf"))
    ref = ref_of(send(pump, invoice(tmp_path, "b.pdf", footer="Second copy")))
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    told = page.locator("[data-copy]")
    expect(told).to_contain_text("Another document has the same supplier, number and total")
    told.get_by_role("link", name="a.pdf").click()
    page.wait_for_url(f"**/documents/{first.document_id}/")
