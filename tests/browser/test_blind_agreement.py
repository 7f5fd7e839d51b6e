"""Two people decide without each other's answers, they differ, and a third decides with both values before them."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from projects.sites.permissions import REVIEWERS
from review import queries
from tests.browser.conftest import WIDTHS
from tests.browser.desk import check_all, claim, field, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.factories import PROJECT, ref_of, start_run
from tests.people import alice, bob, person
from tests.pump import Pump
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.django_db(transaction=True)


def approve(page: Page, total: str) -> None:
    field(page, "total").fill(total)
    check_all(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")


@pytest.mark.wide
@pytest.mark.parametrize("width", WIDTHS)
def test_a_third_person_decides_where_two_differ(
    live_server: LiveServer, browser: Browser, pump: Pump, width: int
) -> None:
    people = [alice(), bob(), person("erik", "Lund", REVIEWERS)]
    run = start_run(project={**PROJECT, "review_policy": {"default_threshold": 1.0, "quorum": "2/2"}})
    pump.run(lambda: pump.ran("open_review") > 0)
    ref = ref_of(run)
    address = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    scheme: Literal["light", "dark"] = "light" if width == 1440 else "dark"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()

    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    expect(page.get_by_text("2 of 2 reviewers must agree, none has decided")).to_be_visible()
    claim(page, address)
    approve(page, "38.90")
    page.goto(address)
    expect(page.get_by_text("It is compared with other reviewers' decisions")).to_be_visible()
    pump.run(lambda: len(queries.get_review(ref).votes or ()) == 1, seconds=60)
    page.goto(address)
    expect(page.get_by_text("You have decided. Another person reviews it now.")).to_be_visible()

    sign_in(page, live_server, "alice")
    claim(page, address)
    assert "38.90" not in page.content()
    assert "Bob" not in page.content()
    expect(page.get_by_text("2 of 2 reviewers must agree, 1 has decided.")).to_be_visible()
    assert faults(page) == []
    approve(page, "39.90")
    pump.run(lambda: not queries.get_review(ref).quorum, seconds=60)

    sign_in(page, live_server, "erik")
    page.goto(f"{live_server.url}/review/")
    expect(page.get_by_text("Reviewers differ: Total")).to_be_visible()
    claim(page, address)
    total = page.locator("#f-total")
    assert page.locator("article[data-todo]").first.get_attribute("id") == "f-total"
    expect(total.locator(".exception-head")).not_to_contain_text("%")
    expect(total).to_contain_text("Reviewers differ: 38.90, 39.90")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    total.get_by_role("button", name=re.compile("39.90")).click()
    expect(field(page, "total")).to_have_value("39.90")
    check_all(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    pump.run(lambda: run_queries.execution(run).status == "completed", seconds=60)
    assert queries.get_review(ref).reviewer == str(people[2].pk)
    context.close()
