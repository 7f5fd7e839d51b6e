"""A reviewer with a browser: the only one here who decides."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM

_FRESH = 0.6  # seconds for which a document has to be in sight before it is approved


@contextmanager
def reviewer(web: str, password: str) -> Iterator[Page]:
    """Rosa, signed in."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("Chromium is required here and was not found.")
        pytest.skip("No Chromium on this machine: nobody could decide.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.set_default_timeout(20_000)
            page.goto(f"{web}/login/")
            page.locator("#id_username").fill("rosa")
            page.locator("#id_password").fill(password)
            page.locator("form button[type=submit]").first.click()
            page.wait_for_url(f"{web}/")
            yield page
        finally:
            browser.close()


def decide(page: Page, web: str, name: str, **typed: str) -> None:
    """Find it in the queue, claim it, type what is right, confirm what is doubtful, approve it."""
    page.goto(f"{web}/review/")
    _link_in_queue(page, name).click()
    approve = page.locator("[data-approve]")
    claim = page.locator("[data-claim]")
    expect(claim.or_(approve).first).to_be_visible()  # a decision claims the next review by itself
    if claim.is_visible():
        claim.click()
    expect(approve).to_be_visible()
    for field, value in typed.items():
        box = page.locator(f'input[name="field-{field}"]')
        box.fill(value)
        box.press("Enter")
    for box in page.locator("[data-seen]").all():
        box.check()
    time.sleep(_FRESH)
    here = page.url
    approve.click()
    page.wait_for_url(lambda url: url != here)


def _link_in_queue(page: Page, name: str) -> Locator:
    """On whichever page of the queue it stands."""
    while True:
        link = page.get_by_role("link", name=name)
        if link.count():
            return link.first
        following = page.locator('a[rel="next"]')
        assert following.count(), f"{name} is not in the queue"
        following.first.click()
