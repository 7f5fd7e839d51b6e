"""A phone, upright, on its side, its keyboard open, and an enlarged page: field, cut-out and Approve stay in reach."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.desk import claim, claim_as_bob, field, sign_in, waiting
from tests.browser.patience import PATIENCE_MS
from tests.people import bob
from tests.pump import Pump

pytestmark = pytest.mark.django_db(transaction=True)
# As large as the screen, and what the keyboard leaves of it.
PHONES = [((375, 667), (375, 330)), ((667, 375), (667, 200)), ((720, 450), (720, 450)), ((823, 514), (823, 514))]
ON_TOP = """one => {
  const box = one.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const found = document.elementFromPoint(x, y);
  return box.top >= 0 && box.bottom <= innerHeight && (one === found || one.contains(found));
}"""
SMALL = """() => [...document.querySelectorAll("#desk :is(button, a, select, input, summary)")]
  .filter((one) => one.checkVisibility() && getComputedStyle(one.closest("label") || one).position !== "absolute")
  .map((one) => [one, (one.closest("label.seen, label.check") || one).getBoundingClientRect()])
  .filter(([one, box]) => box.width && Math.min(box.height, box.width) < 24)
  .filter(([one]) => getComputedStyle(one).display !== "inline")
  .map(([one, box]) => `${one.outerHTML.slice(0, 90)} ${box.width}x${box.height}`)"""

HIDDEN_TOOLS = """() => [...document.querySelectorAll(".viewer-tools :is(button, a, input)")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.outerHTML.slice(0, 90))"""


def is_on_top(part: Locator) -> bool:
    return bool(part.evaluate(ON_TOP))


@pytest.mark.parametrize(("screen", "left"), PHONES, ids=["upright", "on its side", "a laptop at 200 %", "at 175 %"])
def test_the_field_its_cut_out_and_approve_stay_in_reach(
    live_server: LiveServer,
    context: BrowserContext,
    pump: Pump,
    screen: tuple[int, int],
    left: tuple[int, int],
) -> None:
    page = claim_as_bob(live_server, context, pump).page
    approve, total = page.locator("[data-approve]"), field(page, "total")
    show(page, screen)
    assert is_on_top(approve)
    assert page.evaluate(HIDDEN_TOOLS) == []
    total.focus()
    show(page, left)
    assert (is_on_top(total), is_on_top(approve)) == (True, True)
    page.keyboard.press("Control+a")
    page.keyboard.type("12.50")
    assert is_on_top(total)
    crop = page.locator("#f-total .field-crop")
    crop.evaluate("one => one.scrollIntoView({ block: 'nearest' })")
    assert (is_on_top(crop), is_on_top(approve)) == (True, True)
    assert page.evaluate(SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".decision-bar .otherwise a").last.scroll_into_view_if_needed()
    assert is_on_top(page.locator(".decision-bar .otherwise a").last)


def show(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(150)  # until the browser has told the page


def test_keys_are_named_where_there_are_keys(live_server: LiveServer, browser: Browser, pump: Pump) -> None:
    bob()
    url, _, _ = waiting(live_server, pump)

    def hints(*, script: bool = True, width: int = 1440) -> int:
        context = browser.new_context(java_script_enabled=script, viewport={"width": width, "height": 900})
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        sign_in(page, live_server, "bob")
        if page.goto(url) and page.locator("[data-claim]").count():
            claim(page, url)
        expect(page.locator(".seen").first).to_be_visible()
        seen = page.locator(".key").locator("visible=true").count()
        context.close()
        return seen

    assert hints() > 0
    assert hints(width=375) == 0
    assert hints(script=False) == 0
