"""The system's Chromium through Playwright; skipped where there is none, unless it is required."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.filming import film
from tests.browser.patience import PATIENCE_MS
from tests.pump import Pump
from workflows.engine import driver

# axe looks at each page once in ``make test``, and at every width and scheme of it in ``make test-slow``.
# A journey is made at a desk in ``make test``, and on a phone too in ``make test-slow``; the main one on both in both.
WIDTHS = (1440, pytest.param(375, marks=pytest.mark.slow))
SCHEMES = ("light", pytest.param("dark", marks=pytest.mark.slow))
LOOKS = [
    (1440, "light"),
    *(pytest.param(*look, marks=pytest.mark.slow) for look in ((1440, "dark"), (375, "light"), (375, "dark"))),
]
# What ``make test`` looks at; ``make test-wide`` makes all other journeys.
EVERYDAY = {"test_journey.py", "test_keyboard.py", "test_live_server.py"}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name not in EVERYDAY:
            item.add_marker(pytest.mark.wide)


@pytest.fixture(scope="session")
def browser(live_server: LiveServer) -> Iterator[Browser]:
    """Ends before the server does: a connection that outlived it would close a database that is another thread's."""
    if CHROMIUM is None:
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail("Chromium is required here and was not found.")
        pytest.skip("No Chromium on this machine.")
    # Playwright keeps an event loop in this thread; Django would take it for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    # Otherwise each page has a process of its own, and another that waits for the next one.
    arguments += ["--renderer-process-limit=1", "--disable-site-isolation-trials"]
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def pump(aws_stack: list[str], table: str) -> Pump:
    driver.publish_machines(lambda _text: None)
    return Pump()


@pytest.fixture
def console() -> list[str]:
    """What the browser complained about; a journey ends with none."""
    return []


@pytest.fixture
def context(browser: Browser, console: list[str]) -> Iterator[BrowserContext]:
    # What moves without end is drawn sixty times a second, by the processor.
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    yield context
    context.close()


def watch(context: BrowserContext, console: list[str]) -> None:
    def on_page(page: Page) -> None:
        page.on("console", lambda message: console.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: console.append(str(error)))

    context.on("page", on_page)
    film(context)
