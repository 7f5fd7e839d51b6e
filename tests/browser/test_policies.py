"""An admin begins with an example, tries it on what they describe, activates it, breaks it and mends it."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.factories import sample_files, start_run
from tests.people import alice
from tests.projects.policies.writing import BROKEN

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def describe(page: Page, *, groups: str, facts: str) -> None:
    page.get_by_label("Groups").fill(groups)
    page.locator("#id_facts").fill(facts)
    page.get_by_role("button", name="Try", exact=True).click()


def test_a_policy_is_tried_activated_broken_and_mended(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    run, page = start_run(), context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/")
    page.get_by_role("link", name="Access policy").click()
    page.get_by_role("link", name="By project and group", exact=False).click()
    expect(page.get_by_label("Policy in Rego")).to_have_value(re.compile("Contracts"))
    page.get_by_label("Note").fill("Contracts are for Legal")
    assert faults(page) == []
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_role("heading", name="Version 1")).to_be_visible()
    assert faults(page) == []
    describe(page, groups="admins", facts="project: Contracts")
    expect(page.get_by_role("heading", name="Denied")).to_be_visible()
    assert faults(page) == []
    describe(page, groups="legal", facts="project: Contracts")
    expect(page.get_by_role("heading", name="Allowed")).to_be_visible()
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_text("Version 1 is active.")).to_be_visible()
    document = f"{live_server.url}/documents/{run.document_id}/"
    page.goto(document)
    expect(page.get_by_role("heading", level=1)).to_contain_text(sample_files()[0].stem)
    page.goto(f"{live_server.url}/settings/policies/")
    page.get_by_label("Policy in Rego").fill("package countersign\n\nallow if {")
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_text("Line 3")).to_be_visible()
    page.get_by_label("Policy in Rego").fill(BROKEN)
    page.get_by_role("button", name="Save version").click()
    expect(page.get_by_role("heading", name="Version 2")).to_be_visible()
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_role("heading", name="The policy failed")).to_be_visible()
    expect(page.get_by_role("button", name="Activate")).to_have_count(0)
    page.goto(f"{live_server.url}/settings/policies/")
    page.get_by_role("button", name="Deactivate").click()
    expect(page.get_by_text("No access policy is active.")).to_be_visible()
    assert faults(page) == []
    assert [line for line in console if "422" not in line] == []  # a browser reports each refusal
