"""A press counts for the document that its reviewer had in sight when it began, and a held key is one press."""

import time

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.desk import claim, in_sight, sign_in
from tests.people import bob
from tests.review.reviews import SITE, decisions_of, open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
TOLD = "Nothing was submitted"
_REPEAT = 33  # ms between the events of a held key, as keyboards send them


@pytest.fixture
def waiting() -> list[ReviewRef]:
    """Ten documents of no doubt, so that nothing but the presses themselves can stop an approval."""
    sure = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.93), "total": ("33.90", 0.98)}
    return [open_review(f"receipt-{i}.pdf", values=sure, timeout=86_400 + i)[1] for i in range(10)]


def address(live_server: LiveServer, ref: ReviewRef) -> str:
    return f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"


def decided(refs: list[ReviewRef]) -> int:
    return sum(decisions_of(ref) for ref in refs)


def hold(page: Page, key: str, seconds: float) -> None:
    """The first event is a press, all others are repeats, whichever page has come by then."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        page.keyboard.down(key)
        page.wait_for_timeout(_REPEAT)
    page.keyboard.up(key)


def test_a_key_that_outlasts_its_shift_counts_again(live_server: LiveServer, context: BrowserContext) -> None:
    bob()
    _, ref = open_review("receipt.pdf")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, ref))
    for _ in range(2):
        page.keyboard.down("Shift")
        page.keyboard.down("Slash")
        page.keyboard.up("Shift")
        page.keyboard.up("Slash")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()


def test_enter_held_for_three_seconds_decides_one_document(live_server: LiveServer, context: BrowserContext) -> None:
    doubtful = [open_review(f"receipt-{i}.pdf", timeout=86_400 + i)[1] for i in range(10)]
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, doubtful[0]))
    page.locator("#f-total").focus()
    page.keyboard.press("Enter")  # its only field in doubt
    expect(page.locator("[data-approve]")).to_be_focused()
    hold(page, "Enter", 3)
    assert decided(doubtful) == 1
    page.wait_for_url(f"**/{doubtful[1].review_id}/?done=*")
    expect(page.locator("[data-left]")).to_have_text("1 left")  # nor does it confirm what nobody has looked at


def test_a_held_key_whose_repeats_come_unmarked_decides_one_document(
    live_server: LiveServer, context: BrowserContext, waiting: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, waiting[0]))
    keys = context.new_cdp_session(page)
    event = {"type": "keyDown", "key": "a", "code": "KeyA", "text": "a", "windowsVirtualKeyCode": 65}
    end = time.monotonic() + 3
    while time.monotonic() < end:
        keys.send("Input.dispatchKeyEvent", event)  # as some systems do on a page that has just come
        page.wait_for_timeout(_REPEAT)
    assert decided(waiting) == 1


@pytest.mark.wide
@pytest.mark.parametrize("how", ["click", "Enter", "a"])
def test_a_press_on_a_document_that_has_just_come_decides_nothing_and_says_so(
    live_server: LiveServer, context: BrowserContext, waiting: list[ReviewRef], how: str
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, waiting[0]), wait=False)
    # In the page itself, in the moment that the document comes into sight. It is looked at again once all has loaded:
    # its 400 ms may be over before, on a machine that is slow enough.
    press = {
        "click": "document.querySelector('[data-approve]').click()",
        "Enter": "document.querySelector('[data-approve]').dispatchEvent(press('Enter'))",
        "a": "document.body.dispatchEvent(press('a'))",
    }[how]
    page.add_init_script(
        f"""
        const press = (key) => new KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }});
        window.addEventListener("load", () => {{
          if (!document.querySelector("[data-approve]")) return;
          const mark = performance.mark.bind(performance);
          performance.mark = (name) => {{ mark(name); if (name === "in-sight") {{ {press}; }} }};
          document.dispatchEvent(new Event("visibilitychange"));
        }}, {{ once: true }});
        """
    )
    page.reload()
    expect(page.locator("[data-press-told]")).to_contain_text(TOLD)
    page.wait_for_timeout(500)
    assert decided(waiting) == 0
    in_sight(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**?done=*")
    assert decided(waiting) == 1


def test_what_is_said_goes_with_the_next_press(
    live_server: LiveServer, context: BrowserContext, waiting: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, waiting[0]))
    page.evaluate("delete document.querySelector('#desk').dataset.inSight")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # the tab is looked at again
    page.locator("[data-approve]").dispatch_event("click")
    told = page.locator("[data-press-told]")
    expect(told).to_contain_text(TOLD)
    in_sight(page)
    page.keyboard.press("j")
    expect(told).to_be_empty()
    assert decided(waiting) == 0


def test_a_press_at_once_after_a_refusal_is_told_that_the_page_has_changed(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    _, ref = open_review("receipt.pdf")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, ref))
    # Pressed again in the moment that the refused document is in sight again, however slow this machine is.
    page.evaluate("""() => {
      const mark = performance.mark.bind(performance);
      performance.mark = (name) => {
        mark(name);
        if (name === "in-sight") document.querySelector("[data-approve]").click();
      };
    }""")
    page.locator("[data-approve]").click()
    expect(page.locator("[data-press-told]")).to_contain_text("this page just changed")
    assert decisions_of(ref) == 0


def test_a_second_click_of_a_double_click_does_not_decide_the_next_document(
    live_server: LiveServer, context: BrowserContext, waiting: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, address(live_server, waiting[0]))
    page.locator("[data-approve]").dblclick()
    page.wait_for_url(f"**/{waiting[1].review_id}/?done=*")
    page.wait_for_timeout(500)
    assert decided(waiting) == 1
    assert queries.list_queue(SITE).rows
