"""An ended run analysed otherwise and compared, with the keyboard and without a fault that a machine finds."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import SCHEMES, watch
from tests.browser.desk import sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.factories import PROJECT
from tests.people import bob
from tests.workflows.repeated import analysed_again, field, published_run
from workflows.runs import run_settings

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "Harbour Bakery and Confectionery Supplies International Trading Company Limited, Portsmouth"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_result_is_compared_and_chosen(
    live_server: LiveServer, browser: Browser, table: str, console: list[str], scheme: str
) -> None:
    bob()
    run = published_run(field("company", LONG, 0.914), field("total", "4.00"), field("date", None))
    analysed_again(run, run_settings.freeze(PROJECT), field("company", "Acme GmbH", 0.5), field("total", "4.00"))
    context = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/")
    page.get_by_role("link", name="Re-run…").click()
    again = page.get_by_role("region", name="Re-run")
    expect(again.get_by_label("From")).to_be_visible()
    again.get_by_text("Re-run the analysis with other settings").click()
    expect(again.get_by_label("Prompt for this document")).to_be_visible()
    found = faults(page)
    page.goto(f"{live_server.url}/documents/{run.document_id}/compare/")
    width = page.evaluate("document.documentElement.scrollWidth")
    found += faults(page)
    cell = page.locator(".compared td", has_text=LONG)
    assert cell.evaluate("cell => cell.clientWidth > cell.parentElement.clientWidth * 0.4")  # as wide as its column
    assert (found, width) == ([], 375)
    page.get_by_role("button", name="Use this result").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This result is now in use.")).to_be_visible()
    assert not console
    context.close()
