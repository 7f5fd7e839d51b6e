"""The whole job in a real browser, and the clicks that must not count twice."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.aws_faults import count_calls
from tests.browser.conftest import watch
from tests.browser.desk import check_all, in_sight, sign_in, sign_in_by_form, waiting
from tests.factories import ref_of, sample_files
from tests.people import alice, bob
from tests.pump import Pump
from workflows.runs import queries

pytestmark = pytest.mark.django_db(transaction=True)


def test_upload_correct_approve_and_see_it_published(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    alice()
    page = context.new_page()
    sign_in_by_form(page, live_server, "alice")
    page.goto(f"{live_server.url}/projects/")
    page.get_by_role("link", name="Create project").click()
    page.get_by_label("Name", exact=True).first.fill("Receipts of the journey")
    page.locator("#project-form button[type=submit].primary").first.click()
    page.get_by_role("link", name="Upload").first.click()
    page.get_by_label("Files").set_input_files(poor_sample())
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_text("Uploaded").first).to_be_visible()
    pump.run(lambda: pump.ran("open_review") > 0, seconds=60)
    page.goto(f"{live_server.url}/review/")
    page.get_by_role("link", name=poor_sample().name).first.click()
    page.locator("[data-claim]").click()
    in_sight(page)
    total = page.locator('[name="field-total"]')
    if not total.is_visible():
        page.get_by_text("High confidence").click()
    total.fill("29.53")
    fill_required(page)
    check_all(page)
    before = pump.ran("run_step")
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    pump.run(lambda: pump.ran("run_step") == before + 3, seconds=30)  # graph, summary, publishing
    page.goto(f"{live_server.url}/projects/")
    page.get_by_role("link", name="Receipts of the journey").first.click()
    expect(page.get_by_text("Published").first).to_be_visible()
    assert console == []


def poor_sample() -> Path:
    return next(path for path in sample_files() if path.suffix == ".jpg")


def fill_required(page: Page) -> None:
    """A reviewer settles what the machine did not find."""
    values = {"date": "2025-11-14", "company": "Corner Larder"}
    for name, value in values.items():
        box = page.locator(f'[name="field-{name}"]')
        if box.count() and not box.input_value():
            box.fill(value)


def test_a_double_click_is_one_decision(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    bob()
    url, run, _ = waiting(live_server, pump)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(url)
    page.locator("[data-claim]").click()
    in_sight(page)
    check_all(page)
    with count_calls() as calls:
        page.locator("[data-approve]").dblclick()
        page.wait_for_url("**/review/?done=*")
        pump.run(lambda: queries.execution(run).status != "running")
    kinds = [event.type for event in queries.lineage(run.site, run.document_id).rows]
    assert kinds.count("HUMAN_REVIEW_APPROVED") == 1
    sent = [call for call in calls.of("stepfunctions", "SendTaskSuccess") if "decision_id" in call.params["output"]]
    assert len(sent) == 1
    assert console == []


@pytest.mark.wide
def test_of_two_browsers_one_wins_and_the_other_learns_who_and_when(
    live_server: LiveServer, browser: Browser, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    alice(), bob()
    url, run, _ = waiting(live_server, pump)
    second = browser.new_context()
    watch(second, [])
    try:
        mine, theirs = context.new_page(), second.new_page()
        sign_in(mine, live_server, "bob")
        sign_in(theirs, live_server, "alice")
        mine.goto(url)
        theirs.goto(url)
        mine.locator("[data-claim]").click()
        in_sight(mine)
        with theirs.expect_response(lambda response: response.url.endswith("/claim/")) as lost:
            theirs.locator("[data-claim]").click()
        assert lost.value.status == 409
        expect(theirs.get_by_text("Claimed by Bob Ito until")).to_be_visible()
        check_all(mine)
        mine.locator("[data-approve]").click()
        mine.wait_for_url("**/review/?done=*")
        theirs.goto(url)
        expect(theirs.get_by_text("Bob Ito approved this at")).to_be_visible()
    finally:
        second.close()
    assert ref_of(run)


@pytest.mark.wide
@pytest.mark.parametrize("width", [1440, 375])
def test_no_page_scrolls_sideways_or_complains(
    live_server: LiveServer, browser: Browser, pump: Pump, console: list[str], width: int
) -> None:
    bob()
    url, run, _ = waiting(live_server, pump)
    context = browser.new_context(viewport={"width": width, "height": 800})
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    run_url = f"/workflows/{run.document_id}/{run.workflow_id}/"
    for path in ("/", "/projects/", "/review/", "/workflows/", run_url, url.removeprefix(live_server.url)):
        page.goto(live_server.url + path)
        page.wait_for_load_state("networkidle")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    context.close()
    assert console == []
