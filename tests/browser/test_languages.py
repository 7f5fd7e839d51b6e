"""An admin labels fields in German and Arabic; a reviewer reads them at the desk, Arabic from right to left."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from projects.schemas import actions as schema_actions
from projects.schemas.governing import AttributeUse, Schema
from projects.schemas.labels import queries, reading
from review import queries as review_queries
from tests.browser.desk import check_all, claim, sign_in
from tests.browser.desk import field as box
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import alice, bob
from tests.projects.make_schemas import ALICE, SITE, make_attributes
from tests.projects.schemas.labels.make_labels import interface, label, site_value, speak
from tests.review.desk.test_allowed_values import field
from tests.review.reviews import open_review, result
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db(transaction=True)
TOTAL, GOODS = "المبلغ الإجمالي", "بضائع"


def test_an_admin_adds_a_language_and_fills_in_its_table(
    context: BrowserContext, live_server: LiveServer, table: str, console: list[str]
) -> None:
    alice()
    make_attributes("total", "category")
    values = Schema("Site schema", (AttributeUse("category", allowed=("goods", "rent")),))
    schema_actions.save_site_schema(SITE, values, version=0, by=ALICE)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/schemas/")
    page.get_by_role("link", name="Languages").click()
    page.get_by_label("Language", exact=True).select_option("de")
    page.get_by_role("button", name="Add language").click()
    expect(page.get_by_role("heading", name="German", exact=True)).to_be_visible()
    expect(page.get_by_text("4 of 4 labels missing")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Total", exact=True).fill("Gesamtbetrag")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 label saved.")).to_be_visible()
    page.get_by_role("link", name="Missing").click()
    expect(page.get_by_label("Total", exact=True)).to_have_count(0)
    page.get_by_label("goods", exact=True).fill("Waren")
    page.get_by_role("button", name="Save labels").click()
    expect(page.get_by_text("2 of 4 labels missing")).to_be_visible()
    page.get_by_role("link", name="Languages").click()
    assert faults(page) == []
    page.get_by_role("link", name="German").click()
    page.get_by_role("button", name="Remove German").click()
    expect(page.get_by_text("No languages yet")).to_be_visible()
    assert queries.list_locales(SITE) == []
    assert console == []


def test_a_reviewer_reads_labels_and_what_is_decided_is_the_same(
    context: BrowserContext,
    live_server: LiveServer,
    table: str,
    console: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bob()
    reading._kept.clear()
    label({interface("total"): "Gesamtbetrag", site_value("category", "goods"): "Waren"})
    label({interface("total"): TOTAL, site_value("category", "goods"): GOODS}, tag="ar")
    found = result()
    fields = [*found["fields"], field("category", "goods", ["goods", "rent"], confidence=0.4)]
    run, ref = open_review(found={**found, "fields": fields})
    picture = io.BytesIO()
    Image.new("RGB", (124, 175), "white").save(picture, "PNG")
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.page_image(0), picture.getvalue(), "image/png")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    speak(monkeypatch, "de")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.get_by_role("textbox", name="Gesamtbetrag")).to_have_value("33.90")
    expect(page.locator("label[for='i-f-company']")).to_have_text("Company")  # has no label in German
    expect(page.locator('[name="field-category"] option:checked')).to_have_text("Waren")
    speak(monkeypatch, "ar")
    page.reload()
    name = page.locator("#h-total [lang=ar]")
    expect(name).to_have_text(TOTAL)
    assert name.evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert page.locator("html").evaluate("one => getComputedStyle(one).direction") == "ltr"
    expect(page.locator('[name="field-category"] option:checked')).to_have_text(GOODS)
    assert faults(page) == []
    check_all(page)
    page.get_by_role("button", name="Approve and stop").click()
    page.wait_for_url("**/review/?done=*")
    assert review_queries.get_review(ref).status != "CLAIMED"
    assert console == []


def test_what_scripts_say_is_in_the_language_of_the_page(live_server: LiveServer, browser: Browser, table: str) -> None:
    bob()
    _, ref = open_review()
    context = browser.new_context(locale="de-DE", viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.route("**/draft/", lambda route: None)  # no answer comes
    box(page, "total").fill("12,5")
    expect(page.locator("[data-save-sign]")).to_have_text("Wird gespeichert…")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    expect(page.locator("[data-zoom-words]")).to_have_text("Breite")
    context.close()
