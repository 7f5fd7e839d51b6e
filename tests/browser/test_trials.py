"""A draft is tried beside its editor: with a script, without one, by keyboard, at every width."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from config import aws
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.browser.test_settings import sideways
from tests.factories import sample_files
from tests.flow.test_models import said
from tests.outside import answering
from tests.people import alice
from tests.pump import Pump
from tests.workflows.decided import reviewed_project
from tests.workflows.trials.reading import read_run
from workflows.learning import history
from workflows.providers import actions as provider_actions
from workflows.trials import queries

# The next step of a held key, as soon as the answer to the one before is in the page.
MOVE_AFTER_SWAP = """document.addEventListener("htmx:afterSwap", () => setTimeout(() => {
    const slider = document.getElementById("id_slide");
    slider.value = 40;
    slider.dispatchEvent(new Event("change", {bubbles: true}));
}), {once: true})"""

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    provider_actions.forget_provider_state()
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)


def answer(pump: Pump) -> None:
    """As the worker beside the page: the draft finds a total that is not on the page."""
    totals, before = iter(["99.00", "510.24"]), pump.ran("try_prompt")
    with answering("bedrock-runtime", Converse=lambda _: said(0.95, total=next(totals))):
        pump.run(lambda: pump.ran("try_prompt") > before)


def open_editor(page: Page, live_server: LiveServer, pump: Pump) -> None:
    alice()
    run = read_run(pump)
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/{run.project_id}/prompts/extract/")


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_draft_is_tried_beside_its_editor(
    live_server: LiveServer, browser: Browser, pump: Pump, scheme: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    console: list[str] = []
    watch(context, console)
    page = context.new_page()
    open_editor(page, live_server, pump)
    desk = page.locator("#trial-desk")
    expect(desk.get_by_text("About 2 requests")).to_be_visible()
    instructions = page.get_by_label("Instructions")
    instructions.fill("Read {{total}} only.")
    desk.get_by_role("button", name="Try", exact=True).click()
    expect(desk.get_by_role("alert")).to_contain_text("is not a placeholder")
    with page.expect_response(lambda answer: answer.url.endswith("/try/")):  # what was pressed last is not sent again
        desk.get_by_label("Model").dispatch_event("change")
    expect(desk.get_by_role("alert")).to_have_count(0)
    console[:] = [line for line in console if "422" not in line]
    instructions.fill("Read the total only.")
    desk.get_by_role("button", name="Try", exact=True).focus()
    page.keyboard.press("Enter")
    expect(desk.get_by_text("Waiting for a worker")).to_be_visible()
    answer(pump)
    expect(desk.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.locator("#trial-field-total")).to_have_class(re.compile("differs"))
    desk.get_by_text("Draft: requests and answers").click()
    expect(desk.get_by_text("Read the total only.").first).to_be_visible()
    expect(instructions).to_have_value("Read the total only.")  # nothing that was typed is lost
    assert (faults(page), sideways(page)) == ([], False)
    context.close()
    assert console == []


@pytest.mark.wide
def test_a_sample_is_uploaded_beside_the_draft(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    page = context.new_page()
    open_editor(page, live_server, pump)
    desk = page.locator("#trial-desk")
    expect(desk.get_by_text("About 2 requests")).to_be_visible()
    instructions = page.get_by_label("Instructions")
    instructions.fill("Read the total only.")
    desk.get_by_label("Upload a sample document").set_input_files(sample_files()[1])
    desk.get_by_role("button", name="Upload", exact=True).click()
    expect(desk.get_by_text("is being processed")).to_be_visible(
        timeout=30_000
    )  # the file is looked at by a program first
    chosen = desk.get_by_label("Sample document", exact=True)
    expect(chosen.locator("option:checked")).to_have_text(sample_files()[1].name)
    assert (faults(page), sideways(page)) == ([], False)
    project_id, document_id = page.url.split("/projects/")[1].split("/")[0], chosen.input_value()
    pump.run(lambda: queries.find_unread("default", project_id, document_id) is None, seconds=60)
    expect(desk.get_by_text("About 2 requests")).to_be_visible(timeout=30_000)
    expect(desk.get_by_text("is being processed")).to_have_count(0)
    expect(instructions).to_have_value("Read the total only.")


def test_a_draft_is_tried_without_a_script(live_server: LiveServer, browser: Browser, pump: Pump) -> None:
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    open_editor(page, live_server, pump)
    page.get_by_label("Instructions").fill("Read the total only.")
    page.get_by_role("button", name="Try on a document").click()
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    answer(pump)
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator("#trial-field-total")).to_contain_text("differs")
    page.get_by_role("button", name="Save draft as a version").click()
    expect(page.get_by_role("heading", name="Version 2")).to_be_visible()
    plain.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_thresholds_are_tried_by_slider(live_server: LiveServer, browser: Browser, scheme: str, width: int) -> None:
    alice()
    project_id = reviewed_project(6)
    history.collect_history("default", project_id)
    console: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/workflows/projects/{project_id}/thresholds/")
    expect(page.get_by_text("100 % now 100 %")).to_be_visible()
    page.evaluate(MOVE_AFTER_SWAP)
    slider = page.get_by_label("Review threshold", exact=True)
    slider.fill("39")
    expect(page.get_by_text("0 % now 100 %")).to_be_visible()
    expect(page.get_by_label("Review threshold, %")).to_have_value("40")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Review threshold, %")).to_have_value("41")
    assert (faults(page), sideways(page)) == ([], False)
    page.get_by_role("button", name="Save 41 %").click()
    expect(page.get_by_text("0 % now 0 %")).to_be_visible()
    context.close()
    assert console == []
