"""Documents are filed by dragging them onto a folder, and by keyboard alone; no page of it has a serious fault."""

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from projects.documents.queries import get_document
from projects.entities import actions as entity_actions
from projects.entities.actions import EntityDraft
from projects.folders import actions, queries
from projects.folders.queries import ROOT
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.factories import SITE, start_run
from tests.people import alice
from tests.workflows.removing import ROSA

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


@pytest.mark.wide
def test_documents_are_dragged_and_moved_by_keyboard(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    inbox, run = actions.create_path(SITE, "Inbox", by=ROSA), start_run()
    actions.create_folder(SITE, inbox, "Done", by=ROSA)
    actions.move_document(SITE, run.document_id, inbox, by=ROSA)
    name = get_document(SITE, run.document_id).name
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/documents/folders/{inbox}/")
    page.get_by_role("row", name=name).drag_to(page.get_by_role("row", name="Done"))
    expect(page.get_by_role("link", name=name)).to_have_count(0)
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_role("link", name=name)).to_be_visible()
    assert faults(page) == []
    page.get_by_label(f"Select {name}").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.get_by_label("Move selected to").focus()
    page.keyboard.type("Archive/2026")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This folder is empty")).to_be_visible()
    assert get_document(SITE, run.document_id).path == f"Archive/2026/{name}"
    page.goto(f"{live_server.url}/documents/folders/{inbox}/edit/")
    page.get_by_label("Name").fill("Post")
    page.get_by_label("admins").check()
    assert faults(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Post")).to_be_visible()
    assert [one.path for one in queries.list_folders(SITE, ROOT)] == ["Archive", "Post"]
    assert console == []


@pytest.mark.wide
def test_a_deep_path_of_long_and_arabic_names_is_readable_on_a_phone(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    names = ["فواتير الموردين", "Contracts whose long names nobody shortened, 2026", "Q1", "January", "شركة النور"]
    inner = actions.create_path(SITE, "/".join(names), by=ROSA)
    page = context.new_page()
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/documents/folders/{inner}/")
    for name in ("فواتير الموردين", "Q1", "January"):
        link = page.locator(".crumbs").get_by_role("link", name=name, exact=True)
        assert link.evaluate("link => link.scrollWidth <= link.clientWidth + 1"), name
        expect(link).to_have_attribute("dir", "auto")
    heading = page.get_by_role("heading", name=names[-1])
    assert heading.evaluate("one => getComputedStyle(one).direction") == "rtl"
    left = "one => one.getBoundingClientRect().left"
    assert heading.evaluate(left) == page.locator(".crumbs").evaluate(left)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert console == []


@pytest.mark.wide
def test_numbers_of_suppliers_stay_on_a_phone(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    type_id = entity_actions.create_type(SITE, "Suppliers", by=ROSA).type_id
    draft = EntityDraft("Mill Ltd", "DE136695976", ["MT84MALT011000012345MTLCAST001S"])
    entity_actions.create_entity(SITE, type_id, draft, by=ROSA)
    page = context.new_page()
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/entities/{type_id}/")
    cell = page.get_by_role("cell", name="MT84MALT011000012345MTLCAST001S")
    assert cell.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert faults(page) == []
    assert console == []


@pytest.mark.wide
def test_a_type_is_renamed_and_deleted_after_a_confirmation(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    alice()
    type_id = entity_actions.create_type(SITE, "Suppliers", by=ROSA).type_id
    entity = entity_actions.create_entity(SITE, type_id, EntityDraft("Mill Ltd"), by=ROSA)
    page = context.new_page()
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/entities/{type_id}/")
    page.get_by_role("link", name="Edit type").click()
    expect(page.get_by_text("This type still has entries. Delete them first.")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Name").fill("Vendors")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Vendors")).to_be_visible()
    page.goto(f"{live_server.url}/entities/{type_id}/{entity.entity_id}/")
    page.get_by_role("button", name="Delete entry").click()  # the browser asks for the confirmation
    page.get_by_label("Permanently delete").check()
    assert faults(page) == []
    page.get_by_role("button", name="Delete entry").click()
    expect(page.get_by_text("No entries yet")).to_be_visible()
    page.get_by_role("link", name="Edit type").click()
    page.get_by_label("Permanently delete").check()
    assert faults(page) == []
    page.get_by_role("button", name="Delete type").click()
    expect(page.get_by_text("Vendors deleted.")).to_be_visible()
    expect(page.get_by_text("No types yet")).to_be_visible()
    assert console == []
