"""Schemas in a real browser: rows that come without a reload, and a list of values at the desk."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.schemas import queries as schema_queries
from review.decide import claims
from tests.browser.desk import sign_in
from tests.people import alice, bob
from tests.projects.make_schemas import SITE, make_attributes
from tests.pump import Pump
from tests.review.desk.test_allowed_values import field
from tests.review.reviews import open_review, person, result, url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def begin_type(live_server: LiveServer, context: BrowserContext) -> Page:
    alice()
    make_attributes()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/schemas/new/")
    page.locator("#id_name").fill("Delivery note")
    return page


def test_what_counts_for_dates_or_for_models_alone_is_shown_with_them(
    live_server: LiveServer, context: BrowserContext
) -> None:
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/new/")
    note, dates = page.get_by_text("Built-in rules ignore this prompt."), page.locator("[name=fields-0-date_range]")
    expect(note).to_be_visible()
    expect(dates).to_be_hidden()
    page.locator("#id_analyzer").select_option("model")
    expect(note).to_be_hidden()
    page.locator("[name=fields-0-type]").select_option("date")
    expect(dates).to_be_visible()
    page.goto(f"{live_server.url}/schemas/attributes/")
    expect(page.locator("#id_date_range")).to_be_hidden()
    page.locator("#id_kind").select_option("date")
    expect(page.locator("#id_date_range")).to_be_visible()


def name_attributes(page: Page, *names: str) -> None:
    for row, name in enumerate(names):
        page.get_by_role("button", name="Add attribute").click()
        expect(page.locator(f"[name=uses-{row}-key]")).to_be_focused()
        page.keyboard.type(name)


def test_a_marked_entry_that_is_changed_is_no_longer_counted(live_server: LiveServer, context: BrowserContext) -> None:
    page = begin_type(live_server, context)
    name_attributes(page, "vendor", "vendor", "vendor")
    page.get_by_role("button", name="Create document type").first.click()
    banner = page.locator("[data-marked]")
    expect(banner).to_have_text("Not saved. Fix 2 marked entries and save again.")
    page.locator("[name=uses-1-key]").fill("category")
    expect(banner).to_have_text("Not saved. Fix 1 marked entry and save again.")
    page.locator("[name=uses-2-key]").fill("currency")
    expect(banner).to_have_text("Not saved yet. Save again.")
    expect(page.locator("[aria-invalid=true]")).to_have_count(0)
    page.get_by_role("button", name="Create document type").first.click()
    expect(page.get_by_role("link", name="Delivery note")).to_be_visible()


def test_new_names_are_created_one_after_the_other_and_the_type_is_saved(
    live_server: LiveServer, context: BrowserContext
) -> None:
    page = begin_type(live_server, context)
    page.set_viewport_size({"width": 375, "height": 667})
    name_attributes(page, "vendor", "Ship date", "Berth")
    page.keyboard.press("Enter")
    creating = page.locator("#new-next")
    expect(creating).to_contain_text("“Ship date” is the first of 2 new attributes.")
    expect(page.locator(".message.bad, .banner.bad, [aria-invalid=true]")).to_have_count(0)
    expect(page.locator("#id_new-label")).to_have_value("Ship date")
    expect(page.locator("#id_new-key")).to_be_focused()
    expect(creating).to_be_in_viewport()
    page.keyboard.press("Tab")
    page.keyboard.type("Date")
    page.get_by_role("button", name="Create and add").press("Enter")
    expect(creating).to_contain_text("“Berth” is a new attribute.")
    expect(page.locator("[name=uses-1-key]")).to_have_value("ship_date")
    expect(page.locator("#id_new-key")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Delivery note")).to_be_visible()
    (row,) = schema_queries.all_classifications(SITE)
    assert schema_queries.get_classification(SITE, row.id).schema.keys == ("vendor", "ship_date", "berth")
    assert schema_queries.attribute_definition(SITE, "ship_date").kind == "date"


def test_a_new_name_that_is_left_stands_ready_to_be_created(live_server: LiveServer, context: BrowserContext) -> None:
    page = begin_type(live_server, context)
    name_attributes(page, "Ship date")
    page.keyboard.press("Tab")
    label, creating = page.locator("#id_new-label"), page.locator("[data-offers-new]")
    expect(label).to_have_value("Ship date")
    expect(label).to_be_visible()
    expect(page.locator("[name=uses-0-required]")).to_be_focused()
    page.locator("[name=uses-0-key]").fill("Vendor")
    page.keyboard.press("Tab")
    expect(label).to_have_value("")
    label.fill("Captain")
    page.locator("[name=uses-0-key]").fill("Berth")
    page.keyboard.press("Tab")
    expect(label).to_have_value("Captain")
    expect(creating).to_have_attribute("open", "")


def test_a_classification_is_made_row_by_row(live_server: LiveServer, context: BrowserContext, pump: Pump) -> None:
    page = begin_type(live_server, context)
    page.get_by_role("button", name="Add attribute").click()
    expect(page.locator("[name=uses-0-key]")).to_be_focused()
    page.locator("[name=uses-0-key]").fill("category")
    page.locator("[name=uses-0-allowed]").fill("goods\nrent")
    page.get_by_role("button", name="Add attribute").click()
    page.locator("[name=uses-1-key]").fill("vendor")
    page.get_by_role("button", name="Move attribute 2 up").click()
    expect(page.locator("[name=uses-0-key]")).to_have_value("vendor")
    expect(page.locator("#id_name")).to_have_value("Delivery note")
    page.get_by_role("button", name="Create document type").first.click()
    expect(page.get_by_role("link", name="Delivery note")).to_be_visible()
    (row,) = schema_queries.all_classifications(SITE)
    uses = schema_queries.get_classification(SITE, row.id).schema.uses
    assert [(one.key, one.allowed) for one in uses] == [("vendor", ()), ("category", ("goods", "rent"))]


def test_a_value_outside_the_list_is_not_confirmed(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    found = result()
    fields = [field("category", "services", ["goods", "rent"])]
    run, ref = open_review(found={**found, "fields": fields})
    claims.claim_review(ref, run, by=person(bob()))
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(live_server.url + url("show-review", ref))
    line = page.locator('[data-field="category"]')
    line.get_by_role("checkbox").click()
    expect(line.get_by_role("checkbox")).not_to_be_checked()
    expect(line.get_by_label("Category", exact=True)).to_be_focused()
    expect(page.locator("[data-left]")).to_have_text("1 left")
    line.get_by_label("Category", exact=True).select_option("goods")
    line.get_by_label("Category", exact=True).press("Enter")
    expect(page.locator("[data-left]")).to_have_text("Ready to approve")
