"""A workflow without a document is composed, published and activated on its pages, and approved, on each engine."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from review.handovers.actions import ref_of
from review.handovers.delivery import deliver_answer
from review.items.reviews import Review
from tests.browser.desk import claim, expect_saved, field, sign_in
from tests.browser.test_accessibility import faults
from tests.browser.test_ocr_models import look
from tests.engines import KINDS, STEP_FUNCTIONS, EngineKind, running_on
from tests.factories import SITE, review_of
from tests.people import alice
from tests.pump import Pump
from workflows.executions import queries

pytestmark = pytest.mark.django_db(transaction=True)
ENGINES = [STEP_FUNCTIONS, next(kind for kind in KINDS if kind != STEP_FUNCTIONS)]


@pytest.mark.parametrize("kind", ENGINES, ids=lambda kind: kind.name)
def test_an_onboarding_is_composed_started_and_approved(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str], kind: EngineKind
) -> None:
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    with running_on(kind):
        compose(page, live_server, pump)
        page.goto(f"{live_server.url}/executions/")
        page.get_by_role("link", name="Start execution").click()
        page.get_by_label("Title").fill("Jane Doe")
        page.get_by_label("Data (JSON)").fill('{"name": "Jane Doe", "contract": {"salary": 9000}}')
        assert faults(page) == []
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("heading", name="Jane Doe")).to_be_visible()
        where, execution_id = page.url, page.url.rstrip("/").rpartition("/")[2]

        def review_id() -> str:
            return str(queries.get_execution(SITE, execution_id).review or "")

        pump.run(lambda: bool(review_id()) and bool(Review.load_many([ref_of(SITE, review_id()).key])))
        page.goto(where)
        assert faults(page) == []
        page.get_by_role("link", name="Open the review").click()
        expect(page.get_by_text("contract.salary: 9000")).to_be_visible()
        claim(page, page.url)
        field(page, "entry_1").fill("9500")
        expect_saved(page)
        look(page, "6-review-of-data")
        ref = ref_of(SITE, review_id())
        page.locator("[data-approve]").click()
        page.wait_for_url("**/review/?done=*")
        decided = str(review_of(ref).decision_id)
        Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.now()))], Review.decision_id == decided)
        deliver_answer(ref, decided)
        pump.run(lambda: queries.get_execution(SITE, execution_id).status != "running")
    page.goto(where)
    expect(page.get_by_text("Approved by Alice Novak")).to_be_visible()
    expect(page.get_by_text("contract.salary changed from 9000 to 9500.")).to_be_visible()
    look(page, "7-execution")
    page.goto(f"{live_server.url}/executions/")
    expect(page.get_by_role("cell", name="Completed")).to_be_visible()
    assert faults(page) == []
    assert console == []


def compose(page: Page, live_server: LiveServer, pump: Pump) -> None:
    page.goto(f"{live_server.url}/settings/definitions/new/")
    page.get_by_label("Name").fill("onboarding-by-page")
    page.get_by_label("Runs on").select_option("data")
    page.get_by_role("button", name="Create workflow").click()
    page.locator("#id_blocks-0-kind").select_option("approval")
    page.locator("#id_blocks-0-label").fill("Salary")
    page.locator("#id_blocks-0-key_1").fill("contract.salary")
    page.locator("#id_blocks-0-value_1").fill("5000")
    page.get_by_label("Correctable entries").fill("contract.salary")
    look(page, "5-plan-of-data")
    page.get_by_role("button", name="Publish version 1").click()
    expect(page.get_by_text("Being deployed")).to_be_visible()
    pump.run(lambda: pump.ran("deploy_definition") == 1)
    page.reload()
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_text("New runs of onboarding-by-page use version 1")).to_be_visible()
