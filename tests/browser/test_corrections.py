"""Before and after of a correction stand on the decision, the run, the audit and its export."""

import json

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import check_all, claim, field, in_sight, sign_in, waiting
from tests.people import alice
from tests.pump import Pump
from workflows.runs import queries

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.wide
def test_a_correction_is_told_wherever_the_decision_is(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    alice()
    url, run, _ = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    claim(page, url)
    before = field(page, "total").input_value()
    field(page, "total").fill("4711.08")
    field(page, "total").blur()
    check_all(page)
    in_sight(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    page.goto(url)
    expect(page.locator("#f-total .change")).to_contain_text(before)
    expect(page.locator("#f-total .change")).to_contain_text("4711.08")
    pump.run(lambda: queries.execution(run).status != "running")
    told = f"{before} → 4711.08"
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/result/")
    expect(page.get_by_text(told)).to_be_visible()
    page.goto(f"{live_server.url}/settings/audit/")
    expect(page.get_by_text(f"Total: {told}").first).to_be_visible()
    exported = json.loads(page.request.get(f"{live_server.url}/settings/audit/export/json/").text())
    change = {"what": "Total", "before": before, "after": "4711.08"}
    assert sum(change in row["changes"] for row in exported) == 1
