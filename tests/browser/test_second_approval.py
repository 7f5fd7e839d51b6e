"""The second approver meets the first one's change as an exception, with what it was before, and checks it."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.status import Decision
from tests.browser.conftest import WIDTHS
from tests.browser.desk import claim, in_sight, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.flow.approvals import asked, begin, decide
from tests.people import alice, bob
from tests.pump import Pump
from tests.review.reviews import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.wide
@pytest.mark.parametrize("width", WIDTHS)
def test_a_change_of_the_first_is_checked_by_the_second(
    live_server: LiveServer, browser: Browser, pump: Pump, tmp_path: Path, width: int
) -> None:
    alice()
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()), total="2500.00", currency=None)
    ref = asked(run, pump, "second_approval")
    scheme: Literal["light", "dark"] = "light" if width == 1440 else "dark"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "alice")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("[data-left]")).to_have_text("2 left")
    total = page.locator("#f-total")
    expect(total).to_contain_text("changed by Bob Ito")
    expect(total.get_by_text("1500.00", exact=True)).to_be_visible()
    expect(total.get_by_role("img", name="Cut-out of the page: Total")).to_be_visible()
    expect(total.locator(".confidence")).to_have_count(0)
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    page.locator("[data-approve]").click()
    expect(page.locator("[data-unseen]")).to_contain_text("2 fields not checked: Total, Currency.")
    in_sight(page)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("[data-approve]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"
    context.close()
