"""A second person reviews without the first answers, a third resolves the difference by keys, and all see figures."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review.decide.tasks import enqueue_redeem
from review.quality import actions
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import faults
from tests.factories import PROJECT, ROSA, ref_of, start_run
from tests.people import alice, bob
from tests.pump import Pump
from tests.review.quality.checks import check_of, decide
from tests.review.reviews import person
from workflows.runs import queries as run_queries


@pytest.mark.wide
def test_two_reviews_differ_and_a_third_person_resolves_them(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    for one in (1, 2):  # Rosa's and Marta's ids are no account's here
        User.objects.create(pk=one, username=f"other-{one}")
    alice(), bob()
    run = start_run(project={**PROJECT, "review_policy": {"default_threshold": 1.0, "check_share": 1.0}})
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    enqueue_redeem(ref, decide(run, ref, ROSA, total="38.90"), delay=0)
    pump.run(lambda: run_queries.execution(run).status == "completed", seconds=60)
    actions.open_check(ref.site, check_of(ref))

    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    page.get_by_role("link", name=re.compile("Second reviews")).click()
    expect(page.get_by_role("heading", name="Second reviews")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("button", name=re.compile("Review next")).click()
    expect(page.get_by_text("Second review: your answers are compared")).to_be_visible()
    assert "38.90" not in page.content()

    enqueue_redeem(ref.check, decide(run, ref.check, person(bob()), total="39.90", company="Another Ltd"), delay=0)
    pump.run(lambda: check_of(ref).status != "OPEN", seconds=60)

    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/review/")
    page.get_by_role("link", name=re.compile("Differences")).click()
    assert faults(page) == []
    page.locator("[data-row] a").click()
    expect(page.get_by_text("Names are hidden until it is resolved.")).to_be_visible()
    assert ROSA.name not in page.content()
    assert faults(page) == []
    page.locator("input[type=radio]").first.focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("alert")).to_contain_text("Fix the marked fields")
    assert faults(page) == []
    for group in page.locator("fieldset").all():
        group.locator("input[type=radio]").nth(1).focus()
        page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Resolved by Alice Novak")).to_be_visible()
    expect(page.get_by_text(ROSA.name).first).to_be_visible()
    assert faults(page) == []

    page.goto(f"{live_server.url}/review/quality/")
    expect(page.get_by_role("row", name=re.compile("Bob Ito"))).to_be_visible()
    assert faults(page) == []
    assert console == ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"]
