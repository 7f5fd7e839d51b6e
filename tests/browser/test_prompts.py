"""Two admins edit one prompt at the same time, propose it and confirm it; every page of that at two widths."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.prompts import queries as prompt_queries
from projects.prompts.queries import PromptRef
from projects.sites import actions as site_actions
from projects.sites.permissions import ADMINS
from tests.browser.conftest import watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import alice, person
from tests.projects.make_schemas import make_attributes, make_classification
from tests.projects.make_sites import BY
from tests.projects.projects import SITE, make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def open_page(browser: Browser, live_server: LiveServer, who: str, width: int, console: list[str]) -> Page:
    scheme: Literal["light", "dark"] = "light" if width == 1440 else "dark"
    context: BrowserContext = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, who)
    return page


def check_looks(page: Page) -> None:
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.wide
def test_two_admins_edit_a_prompt_at_the_same_time_and_decide_together(
    live_server: LiveServer, browser: Browser, console: list[str]
) -> None:
    alice()
    person("rosa", "Marin", ADMINS)
    site_actions.set_second_person(SITE, True, version=0, by=BY)
    make_attributes()
    make_classification()
    project = make_project()
    url = f"{live_server.url}/projects/{project.id}/prompts/"
    hers, rosas = (
        open_page(browser, live_server, who, width, console) for who, width in (("alice", 1440), ("rosa", 375))
    )
    for page in (hers, rosas):
        page.goto(f"{url}extract/")
    hers.get_by_label("Instructions").fill("Read the invoice.")
    hers.get_by_role("button", name="Save version").click()
    expect(hers.get_by_role("heading", name="Version 2")).to_be_visible()
    rosas.get_by_label("Instructions").fill("Read the receipt.")
    rosas.get_by_role("button", name="Save version").click()
    expect(rosas.get_by_text("Saved as version 3. Others saved version 2 while you edited.")).to_be_visible()
    rosas.get_by_label("Reason", exact=True).first.fill("Better on receipts")
    rosas.get_by_role("button", name="Propose for production").click()
    expect(rosas.get_by_text("Another person has to confirm it").first).to_be_visible()
    check_looks(rosas)
    hers.goto(url)
    expect(hers.get_by_text("proposed by Rosa Marin")).to_be_visible()
    check_looks(hers)
    hers.get_by_role("link", name="Version 3").first.click()
    check_looks(hers)
    hers.get_by_role("button", name="Confirm version 3").click()
    expect(hers.get_by_text("Version 3 is in production.").first).to_be_visible()
    ref = PromptRef(SITE, project.id, "extract")
    head = prompt_queries.get_head(ref)
    assert (int(head.production), head.labelled_by) == (3, "Alice Novak")
    assert [one.instructions for one in prompt_queries.list_versions(ref).rows][:2] == [
        "Read the receipt.\n",
        "Read the invoice.\n",
    ]
    for page in (hers, rosas):
        for end in ("", "import/", "copy/", "extract/"):
            page.goto(url + end)
            check_looks(page)
        page.goto(f"{url}import/")
        page.get_by_label("Or its text").fill(
            "format: 1\nprompts:\n- purpose: extract\n  note: From git\n"
            "  instructions: Read the bill.\n  message: '{{page_text}}'\n"
        )
        page.get_by_role("button", name="Show differences").click()
        expect(page.get_by_role("button", name="Import")).to_be_visible()
        check_looks(page)
        page.context.close()
    assert console == []


def test_what_was_wrong_when_it_was_saved_goes_while_it_is_mended(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/{make_project().id}/prompts/extract/")
    instructions, message = page.get_by_label("Instructions"), page.get_by_label("Message")
    instructions.fill("Find the {{totl}}.")
    message.fill("Read it.")
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_text("Not saved.")).to_be_visible()
    expect(instructions).to_have_accessible_description(
        "Sent as the system prompt. {{totl}} is not a placeholder of this prompt."
    )
    expect(instructions).to_have_attribute("aria-invalid", "true")
    instructions.fill("Find the total.")
    problems = page.locator("#prompt-problems")
    expect(problems).to_contain_text("Message: Add {{page_text}}")  # still wrong, and said once
    expect(page.get_by_text("{{page_text}}: it is the text")).to_have_count(1)
    expect(page.get_by_text("{{totl}} is not a placeholder")).to_have_count(0)
    for field in (instructions, message):
        expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(instructions).to_have_accessible_description("Sent as the system prompt.")
    message.fill("{{page_text}}")
    expect(problems).to_be_empty()
    check_looks(page)
    assert [line for line in console if "422" not in line] == []
