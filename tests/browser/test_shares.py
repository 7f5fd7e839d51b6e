"""What outsiders open: a link, until it is revoked, and a public page; and a document that is checked out."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import watch
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.people import alice
from tests.workflows.links.test_links import published

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def test_a_link_is_opened_and_revoked_a_document_is_made_public_and_checked_out(
    live_server: LiveServer, browser: Browser, context: BrowserContext, console: list[str]
) -> None:
    alice()
    run, page = published(), context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/documents/{run.document_id}/")
    page.get_by_role("link", name="Share", exact=True).click()
    page.get_by_label("Name").fill("Auditors")
    page.get_by_label("Password").fill("a long word")
    assert faults(page) == []
    page.get_by_role("button", name="Create link").click()
    shown = page.locator("[data-secret]").inner_text()
    path = shown.partition("/shared/")[2]
    stranger = browser.new_context()
    watch(stranger, console)
    outside = stranger.new_page()
    outside.goto(f"{live_server.url}/shared/{path}")
    assert faults(outside) == []
    outside.get_by_label("Password of the link").fill("a long word")
    outside.get_by_role("button", name="Open document").click()
    expect(outside.get_by_role("cell", name="4.00").first).to_be_visible()
    assert path.split("/")[-2] not in outside.url
    assert faults(outside) == []
    page.get_by_role("button", name="Revoke for Auditors").click()
    expect(page.get_by_text("The link Auditors is revoked.")).to_be_visible()
    page.goto(f"{live_server.url}/documents/shares/")
    expect(page.get_by_text("Nothing is shared yet")).to_be_visible()
    assert faults(page) == []
    console.clear()
    assert outside.reload().status == 404
    console.clear()
    page.goto(f"{live_server.url}/documents/{run.document_id}/publication/")
    assert faults(page) == []
    page.get_by_role("button", name="Open to everyone").click()
    expect(page.get_by_text("It shows the current file version.")).to_be_visible()
    assert faults(page) == []
    outside.goto(f"{live_server.url}/published/{run.document_id}/")
    expect(outside.get_by_role("cell", name="4.00").first).to_be_visible()
    assert faults(outside) == []
    page.goto(f"{live_server.url}/documents/{run.document_id}/checkout/")
    assert faults(page) == []
    page.get_by_role("button", name="Check out").click()
    expect(page.get_by_text("Checked out by Alice Novak")).to_be_visible()
    assert console == []
    stranger.close()
