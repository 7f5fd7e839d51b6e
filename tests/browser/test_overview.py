"""The overview in a browser: a choice outlives the poll, and the icons of a page come from one file."""

import pytest
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.factories import start_run
from tests.people import alice
from tests.review.reviews import open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]


def test_a_choice_stays_while_the_list_is_read_again(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    start_run()
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/?state=running")
    assert faults(page) == []
    step = page.get_by_label("Step")
    step.select_option("publish")
    step.focus()
    page.wait_for_timeout(5000)  # longer than a poll
    expect(step).to_have_value("publish")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No runs match.")).to_be_visible()
    assert page.url.endswith("/?state=running&project=&step=publish&older=")
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_role("row")).to_have_count(2)
    assert console == []


def test_waiting_reviews_stay_while_what_runs_is_read_again(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    start_run()
    open_review("receipt.pdf")
    alice()
    page = context.new_page()
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/")
    panel = page.get_by_role("region", name="Waiting reviews")
    expect(panel).to_be_visible()
    assert faults(page) == []
    with page.expect_response(lambda answer: answer.url == f"{live_server.url}/", timeout=10_000):
        pass  # a poll
    expect(panel).to_be_visible()
    expect(page.get_by_role("region", name="In progress")).to_be_visible()
    panel.get_by_role("link", name="ago").or_(panel.get_by_role("link", name="now")).first.click()
    expect(page.get_by_role("link", name="receipt.pdf")).to_be_visible()
    assert [line for line in console if "404" not in line] == []  # this review has no picture


def test_icons_are_drawn_from_one_file(live_server: LiveServer, context: BrowserContext) -> None:
    start_run()
    alice()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "icons" in request.url else None)
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/")
    page.wait_for_function(
        "() => [...document.querySelectorAll('main svg.icon use')].some((one) => one.getBBox().width > 0)"
    )
    page.goto(f"{live_server.url}/workflows/")
    assert len(set(asked)) == 1
