"""A site's settings in a real browser: with a script, without one, by keyboard, and held to axe."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.sites import api_keys, directory
from projects.sites.permissions import Permission
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.people import alice, person
from tests.projects.make_sites import BY, grant, make_site
from tests.projects.projects import make_project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def make_desk() -> None:
    alice()
    person("nina", "Night", "night shift")
    make_site("acme", "Acme GmbH")
    make_site("old", "Old tenant", closed=True)
    grant("acme", "admins", Permission.READ, Permission.ADMIN)
    api_keys.create_api_key("default", "Scanner", [Permission.READ], by=BY)


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_of_the_settings(
    live_server: LiveServer, browser: Browser, console: list[str], scheme: str, width: int
) -> None:
    make_desk()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    found = {}
    for path in ("", "sites/", "sites/new/", "sites/acme/", "sites/old/", "groups/", "keys/"):
        answer = page.goto(f"{live_server.url}/settings/{path}")
        assert answer
        assert answer.ok, path
        found[path] = faults(page)
        found[path] += ["wider than the window"] if sideways(page) else []
    page.locator(".site-menu summary").click()
    found["switcher"] = faults(page)
    context.close()
    assert {path: wrong for path, wrong in found.items() if wrong} == {}
    assert console == []


def sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.mark.parametrize("script", [True, False])
def test_a_site_is_made_entered_and_its_groups_are_set(live_server: LiveServer, browser: Browser, script: bool) -> None:
    make_desk()
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/sites/new/")
    page.get_by_label("Title").fill("Bergmann & Söhne")
    page.get_by_label("ID", exact=True).fill("bergmann")
    page.get_by_role("button", name="Create site").click()
    expect(page.get_by_text("Bergmann & Söhne created")).to_be_visible()
    page.locator(".site-menu summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Bergmann & Söhne").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/bergmann/")
    page.goto(f"{live_server.url}/s/bergmann/settings/groups/")
    page.get_by_label("Add group by name").fill("night shift")
    page.get_by_label("Read, new group").check()
    page.get_by_role("button", name="Save permissions").click()
    expect(page.get_by_label("Read, group night shift")).to_be_checked()
    assert directory.get_permissions("bergmann", ["night shift"]) == {Permission.READ}
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_key_is_made_shown_once_and_revoked(live_server: LiveServer, browser: Browser, script: bool) -> None:
    make_desk()
    context = browser.new_context(java_script_enabled=script)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/keys/")
    page.get_by_label("Name").fill("Nightly export")
    page.get_by_role("button", name="Create API key").click()
    key = page.locator("[data-secret]").inner_text()
    assert api_keys.verify_api_key(key).permissions == {Permission.READ}
    page.goto(f"{live_server.url}/settings/keys/")
    assert key not in page.content()
    page.locator("summary", has_text="Revoke").first.click()
    page.get_by_role("button", name="Revoke Nightly export").click()
    expect(page.get_by_text("Nightly export revoked")).to_be_visible()
    expect(page.get_by_text("Revoked", exact=True)).to_be_visible()
    context.close()


def test_a_projects_fields_are_dragged_into_order(
    live_server: LiveServer, context: BrowserContext, table: str, console: list[str]
) -> None:
    alice()
    project = make_project()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/{project.id}/edit/")
    labels = [one.label for one in project.settings.fields]
    grips = page.locator("[data-grip]")
    grips.nth(2).drag_to(grips.nth(0))
    expect(page.locator("[name='fields-0-label']")).to_have_value(labels[2])
    expect(page.locator("[name='fields-1-label']")).to_have_value(labels[0])
    expect(page.get_by_role("button", name="Move field 1 down")).to_be_focused()  # goes on by keyboard
    assert console == []


def test_a_new_key_is_copied(live_server: LiveServer, browser: Browser) -> None:
    make_desk()
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/settings/keys/")
    page.get_by_label("Name").fill("Importer")
    page.get_by_role("button", name="Create API key").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("[data-secret]").inner_text()
    context.close()
