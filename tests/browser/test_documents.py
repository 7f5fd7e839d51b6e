"""Finding documents in a real browser: without a script too, at both widths, by day and by night, held to axe."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from projects.audit.events import Actor
from projects.documents.actions import properties
from tests.browser.conftest import LOOKS, watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.browser.test_settings import sideways
from tests.factories import PROJECT, SITE, start_run
from tests.people import alice
from tests.projects.make_schemas import make_attributes, make_classification
from tests.workflows.advancing import failed, published, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]
LONG = "A customer whose name is far longer than any column would like it to be"
BY = Actor("1", "Rosa Marin")


def make_desk() -> str:
    alice()
    make_attributes()
    classification_id = make_classification()
    project = {**PROJECT, "name": LONG, "classification_id": classification_id}
    for end in (published, waiting, failed):
        run = end(start_run(project=project))
        properties.add_tag(SITE, run.document_id, "customer", f"{LONG}, {end.__name__}", by=BY)
        properties.set_attribute(SITE, run.document_id, "total", ["12.50"], by=BY)
    return classification_id


@pytest.mark.wide
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_way_to_ask(
    live_server: LiveServer, browser: Browser, console: list[str], scheme: str, width: int
) -> None:
    classification_id = make_desk()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    asked = ["", "day=2026-01-01", "status=in_review", f"class={classification_id}", "more=1", "tag=customer"]
    asked += ["a=total&o=between&v=1&to=40", "a=vendor&a=paid&v=Acme&v=yes", "status=failed&tag=x"]
    found = {}
    for query in asked:
        answer = page.goto(f"{live_server.url}/documents/?{query}")
        assert answer
        assert answer.ok, query
        expect(page.locator(".app-nav a")).to_have_count(7)
        found[query] = faults(page) + (["wider than the window"] if sideways(page) else [])
        cut = page.locator(".document-filter :is(input, select)").evaluate_all(
            "all => all.filter(one => one.getBoundingClientRect().right > innerWidth - 16).length"
        )
        found[query] += ["an input is cut off"] if cut else []
    context.close()
    assert {query: wrong for query, wrong in found.items() if wrong} == {}
    assert console == []


@pytest.mark.wide
@pytest.mark.parametrize("script", [True, False])
def test_what_was_asked_stays_in_the_form(live_server: LiveServer, browser: Browser, script: bool) -> None:
    make_desk()
    context = browser.new_context(java_script_enabled=script)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/documents/")
    page.get_by_role("link", name="Document type and attributes").click()
    page.locator("#f-a1").select_option("total")
    page.locator("#f-o1").select_option("between")
    page.locator("#f-v1").fill("10")
    page.locator("#f-to1").fill("20")
    page.locator("#f-to1").press("Enter")
    expect(page.get_by_role("heading", name="Total from 10 to 20")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.locator("#f-v1")).to_have_value("10")
    page.get_by_role("link", name="Failed").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    context.close()
