"""Second factors and passkeys as people use them, with the authenticator that Chromium has for tests."""

import re
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.people import PASSWORD, bob

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


@pytest.fixture
def url(live_server: LiveServer) -> str:
    """By its name: a passkey is a name's, never an address's."""
    return f"http://localhost:{urlsplit(live_server.url).port}"


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    protocol = context.new_cdp_session(page)
    protocol.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    protocol.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield page
    protocol.detach()


def fill_form(page: Page, url: str) -> None:
    page.goto(f"{url}/login/")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page) -> None:
    page.locator("details:has(form[action$='/logout/']) > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login/**")


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def add_passkey(page: Page, url: str) -> None:
    page.goto(f"{url}/account/security/")
    page.get_by_role("link", name="Add passkey").click()
    confirm(page)
    page.get_by_label("Name").fill("blue key")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def test_a_passkey_is_added_signs_in_alone_and_is_removed(url: str, page: Page, console: list[str]) -> None:
    bob()
    fill_form(page, url)
    add_passkey(page, url)
    sign_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}/")
    page.goto(f"{url}/account/security/")
    expect(page.get_by_role("link", name="blue key", exact=True)).to_be_visible()
    sign_out(page)
    fill_form(page, url)  # after the password too
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}/")
    page.goto(f"{url}/account/security/")
    page.get_by_role("link", name="Remove blue key").click()
    confirm(page)
    page.get_by_role("button", name="Remove passkey").click()
    expect(page.get_by_text("Sign in with your finger")).to_be_visible()
    sign_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator(".sign-in")).to_be_visible()
    assert console == []


def test_a_passkey_confirms_who_it_is_before_protection_changes(url: str, page: Page, console: list[str]) -> None:
    """Nothing changes until it did, and afterwards the page that was asked for opens."""
    bob()
    fill_form(page, url)
    add_passkey(page, url)
    sign_out(page)
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{url}/")
    page.goto(f"{url}/account/security/")
    page.get_by_role("link", name="Remove blue key").click()
    page.get_by_role("link", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Confirm it is you")).to_be_visible()
    assert urlsplit(page.url).path == "/account/confirm/passkey/"
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove passkey").click()
    expect(page.get_by_text("Sign in with your finger")).to_be_visible()
    assert console == []


def test_an_authenticator_app_is_added_by_what_the_page_shows(url: str, page: Page, console: list[str]) -> None:
    bob()
    fill_form(page, url)
    page.goto(f"{url}/account/security/")
    page.get_by_role("link", name="Add app").click()
    confirm(page)
    assert page.get_by_role("img", name="QR code").evaluate("one => one.naturalWidth") > 0
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Code").fill(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))
    page.get_by_role("button", name="Add app").click()
    expect(page.locator("pre.secret")).to_contain_text(re.compile(r"\w{8}"))
    sign_out(page)
    fill_form(page, url)
    page.get_by_label("Code").fill(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + 1)))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{url}/")
    assert console == []


def test_at_an_address_of_numbers_it_is_said_that_passkeys_need_a_name(
    live_server: LiveServer, page: Page, console: list[str]
) -> None:
    bob()
    page.goto(f"http://127.0.0.1:{urlsplit(live_server.url).port}/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.locator("[data-passkey-problem]").first).to_contain_text("Passkeys need https and a host name")
