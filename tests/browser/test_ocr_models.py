"""An OCR model is copied, tested, and compared with others on a page: at every width, by keyboard, without a script."""

import os
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.models import actions as model_actions
from projects.models.spec import BUILT_IN_OCR
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.browser.test_settings import sideways
from tests.people import alice
from tests.projects.models.catalogue import ADA
from tests.pump import Pump
from tests.workflows.providers.test_page_engines import model, served
from tests.workflows.trials.reading import SITE, read_run
from workflows.providers import actions as provider_actions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]
# As an engine that is slightly worse reads the sample: its page is 1240 pixels wide.
LINES = ("Alder & Quill Stationers", "INV0ICE", "Total 510.24")
BOXES = ((100, 100, 600, 140), (100, 160, 300, 200), (700, 900, 1100, 940))


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


def look(page: Page, name: str) -> None:
    """Sound; kept as a picture if a folder is named for it."""
    assert (name, faults(page), sideways(page)) == (name, [], False)
    if folder := os.environ.get("SHOTS"):
        size, scheme = page.viewport_size, page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        kind = f"{size['width'] if size else 0}-{'dark' if scheme else 'light'}"
        page.screenshot(path=Path(folder) / f"{name}-{kind}.png", full_page=True)


def ran(pump: Pump, task: str) -> None:
    """As the worker beside the page."""
    before = pump.ran(task)
    pump.run(lambda: pump.ran(task) > before, seconds=120)


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_model_is_copied_tested_and_compared(
    live_server: LiveServer, browser: Browser, pump: Pump, scheme: str, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(20_000)
    console: list[str] = []
    watch(context, console)
    page = context.new_page()
    alice()
    run = read_run(pump)
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/models/")
    page.get_by_role("link", name="Copy PP-OCR (built-in)").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Name", exact=True).fill("Fine print")
    page.get_by_label("ID", exact=True).fill("fine")
    page.get_by_label("Resolution (dpi)").fill("900")
    page.get_by_label("German").check()
    page.get_by_role("button", name="Add model").click()
    expect(page.get_by_text("Enter a whole number from 100 to 300.")).to_be_visible()
    console[:] = [line for line in console if "422" not in line]
    expect(page.get_by_label("German")).to_be_checked()
    look(page, "ocr-form")
    page.get_by_label("Resolution (dpi)").fill("200")
    page.get_by_role("button", name="Add model").click()
    page.get_by_role("button", name="Test Fine print").click()
    ran(pump, "test_model")
    expect(page.get_by_text("9 words, mean confidence")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")  # the bar at the top lies over what is scrolled
    look(page, "models")
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/segments/0/")
    with model((200, served(LINES, BOXES))) as (url, _), mock.patch.object(settings, "OCR_ENDPOINT_URL", url):
        page.get_by_role("link", name="Read with…").click()
        page.get_by_role("checkbox", name="Fine print").check()
        tesseract = page.get_by_role("checkbox", name="Tesseract")
        if tesseract.is_enabled():  # where it is installed
            tesseract.uncheck()
        page.get_by_role("checkbox", name="Custom model endpoint").check()
        look(page, "choose")
        page.get_by_role("button", name="Read page").press("Enter")
        expect(page.get_by_text("Waiting for a worker")).to_be_visible()
        ran(pump, "try_prompt")
    expect(page.get_by_text("Marked words differ from PP-OCR (built-in).")).to_be_visible()
    expect(page.locator("mark", has_text="INV0ICE")).to_be_visible()
    look(page, "reading")
    page.get_by_role("link", name="Outline words of Custom model endpoint").press("Enter")
    expect(page.get_by_text("Words of Custom model endpoint")).to_be_visible()
    assert console == []
    context.close()


def test_a_page_is_read_without_a_script(live_server: LiveServer, browser: Browser, pump: Pump) -> None:
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    alice()
    run = read_run(pump)
    fine = replace(BUILT_IN_OCR["pp-ocrv5"], id="fine", name="Fine print", dpi=200)
    model_actions.create_model(SITE, fine, by=ADA)
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/{run.project_id}/read-page/")
    page.get_by_role("checkbox", name="Fine print").check()
    page.get_by_role("button", name="Read page").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    ran(pump, "try_prompt")
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_text("Marked words differ")).to_be_visible()
    plain.close()
