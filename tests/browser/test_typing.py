"""Nothing that a reviewer types is lost, whatever happens to the session, the claim or the page meanwhile."""

import time

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Request, Route, expect
from pytest_django.live_server_helper import LiveServer

from config import clock
from review import queries
from review.decide import claims
from review.identity import ReviewRef
from review.items.reviews import Review
from tests.browser.conftest import watch
from tests.browser.desk import check_all, claim, claim_as_bob, expect_saved, field, sign_in, sign_in_by_form, waiting
from tests.people import alice, bob
from tests.pump import Pump
from tests.review.reviews import lapse, person
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db(transaction=True)


TYPE_DURING_RELOAD = """() => {
    const box = document.getElementsByName("field-total")[0];
    const type = () => { box.value = "27.53"; box.dispatchEvent(new Event("input", { bubbles: true })); };
    setTimeout(() => location.reload());
    setTimeout(type, 1500);
}"""


def stored(ref, user):
    draft = queries.review_and_draft(ref, str(user.pk))[1]
    return draft.values.as_dict() if draft else {}


def test_an_ended_session_loses_nothing(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, user, ref = desk.page, desk.user, desk.ref
    context.clear_cookies(name="sessionid")
    field(page, "total").fill("28.53")
    expect(page.locator("[data-save-sign]")).to_have_text("Not saved – retrying")
    expect(page.locator("#notices")).to_contain_text("Your session expired")
    assert stored(ref, user) == {}
    other = context.new_page()
    sign_in_by_form(other, live_server, "bob")  # which also changes the token that forms carry
    other.close()
    expect_saved(page)
    expect(page.locator("#notices")).to_be_empty()
    assert stored(ref, user) == {"total": "28.53"}
    check_all(page)
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    assert {line.split("status of ")[-1][:3] for line in console} == {"401"}


def test_an_ended_session_stops_no_decision_for_good(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, ref = desk.page, desk.ref
    field(page, "total").fill("28.53")
    check_all(page)
    expect_saved(page)
    context.clear_cookies(name="sessionid")
    page.locator("[data-approve]").click()
    expect(page.locator("#notices")).to_contain_text("Your session expired")
    for part in (".task-bar", ".decision-bar", "[data-approve]"):  # the notice takes its height from the desk
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    expect(field(page, "total")).to_have_value("28.53")
    other = context.new_page()
    sign_in_by_form(other, live_server, "bob")
    other.close()
    page.locator("[data-approve]").click()
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).decision == "approve"


def test_a_takeover_while_typing_keeps_the_text_and_says_who(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, user, run, ref = desk.page, desk.user, desk.run, desk.ref
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    saves: list[Route] = []
    page.route("**/draft/", lambda route: saves.append(route), times=1)  # noqa: PLW0108 - Playwright marks the function
    field(page, "total").press_sequentially("9")
    field(page, "date").fill("1 April 2024")  # typed before the first save is answered
    while not saves:
        page.wait_for_timeout(20)
    saves[0].continue_()
    expect(page.get_by_role("alert")).to_contain_text("Claimed by Alice Novak until")
    expect(page.get_by_role("alert")).to_contain_text("kept as your draft")
    expect(page.locator(":focus")).to_contain_text("Alice Novak")
    ends = time.monotonic() + 10
    while stored(ref, user).get("date") != "1 April 2024" and time.monotonic() < ends:
        page.wait_for_timeout(100)
    assert stored(ref, user)["date"] == "1 April 2024"
    assert stored(ref, user)["total"].startswith("9")


def test_who_types_on_as_the_claim_goes_presses_no_keys_of_the_desk(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page = desk.page
    field(page, "date").focus()
    lapse(desk.ref)
    claims.claim_review(desk.ref, desk.run, by=person(alice()))
    while not page.locator("[data-standing]").count():
        page.keyboard.type("y", delay=100)
    page.keyboard.type("yny", delay=100)
    assert page.locator("#way-out[open]").count() == 0
    expect(page.locator(":focus")).to_contain_text("Alice Novak")
    page.wait_for_timeout(1100)
    page.keyboard.press("y")
    expect(page.locator("#way-out[open]")).to_be_visible()


def test_what_was_typed_is_there_in_another_browser(
    live_server: LiveServer, browser: Browser, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, url = desk.page, desk.url
    field(page, "total").fill("28.53")
    expect_saved(page)
    second = browser.new_context()
    watch(second, console)
    try:
        elsewhere = second.new_page()
        sign_in(elsewhere, live_server, "bob")
        elsewhere.goto(url)
        expect(field(elsewhere, "total")).to_have_value("28.53")
        expect_saved(elsewhere)
        field(elsewhere, "date").fill("2024-04-01")
        expect(elsewhere.locator("[data-save-sign]")).not_to_contain_text("Saving")
    finally:
        second.close()
    page.reload()  # nothing is asked: what was typed here is saved
    expect(field(page, "date")).to_have_value("2024-04-01")
    expect(field(page, "total")).to_have_value("28.53")
    assert console == []


def test_a_desk_that_cannot_be_reached_is_said_and_tried_again(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, user, ref = desk.page, desk.user, desk.ref
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You are offline.")
    field(page, "total").fill("28.53")
    expect(page.locator("[data-save-sign]")).to_have_text("Not saved – retrying")
    context.set_offline(False)
    expect_saved(page)
    expect(page.locator("#notices")).to_be_empty()
    assert stored(ref, user) == {"total": "28.53"}


def test_typed_text_survives_a_crash_and_goes_with_the_sign_out(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, user, url, ref = desk.page, desk.user, desk.url, desk.ref
    context.set_offline(True)
    field(page, "total").fill("28.53")
    page.locator("[name='seen-company']").check()
    expect(page.locator("[data-save-sign]")).to_have_text("Not saved – retrying")
    page.close()  # without leaving: a crash
    context.set_offline(False)
    again = context.new_page()
    again.goto(url)
    expect(again.locator("#toasts")).to_contain_text("Unsaved input restored")
    expect(field(again, "total")).to_have_value("28.53")
    expect(again.locator("[name='seen-company']")).to_be_checked()
    expect_saved(again)
    assert stored(ref, user)["total"] == "28.53"
    assert again.evaluate("Object.keys(localStorage).filter((one) => one.startsWith('countersign-typed')).length") == 0
    context.set_offline(True)
    field(again, "total").fill("29.00")
    expect(again.locator("[data-save-sign]")).to_have_text("Not saved – retrying")
    again.close()
    context.set_offline(False)
    out = context.new_page()
    out.goto(f"{live_server.url}/review/")
    out.locator("form[action$='/logout/']").evaluate("form => form.requestSubmit()")
    out.wait_for_url("**/login/**")
    assert out.evaluate("Object.keys(localStorage).filter((one) => one.startsWith('countersign-typed')).length") == 0


def test_a_page_that_was_read_before_a_save_and_comes_after_it_shows_what_was_saved(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page = desk.page
    field(page, "total").fill("28.53")
    expect_saved(page)
    held: list[tuple[Route, APIResponse]] = []
    page.route(page.url, lambda route: held.append((route, route.fetch())), times=1)
    with page.expect_response("**/draft/"):  # while the page that was read before is on its way
        page.evaluate(TYPE_DURING_RELOAD)
    ((route, read_before),) = held
    with page.expect_request(page.url):  # the second one
        route.fulfill(response=read_before)
    expect(field(page, "total")).to_have_value("27.53")
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if request.is_navigation_request() else None)
    page.reload()
    expect(field(page, "total")).to_have_value("27.53")
    assert len(asked) == 1


def test_who_loses_the_claim_is_told_without_a_save_and_confirmations_stay(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, url, run, ref = desk.page, desk.url, desk.run, desk.ref
    lapse(ref)
    before = queries.get_review(ref).lease_until
    page.locator("[name='seen-company']").check()
    expect_saved(page)
    assert (queries.get_review(ref).lease_until or "") > (before or "")  # a confirmation is being there too
    lapse(ref)
    page.evaluate("document.body.dispatchEvent(new CustomEvent('lease', {detail: {value: '2020-01-01T00:00:00Z'}}))")
    claims.claim_review(ref, run, by=person(alice()))
    expect(page.get_by_role("alert")).to_contain_text("Claimed by Alice Novak until")
    expect(page.locator(":focus")).to_contain_text("Alice Novak")
    lapse(ref)
    claim(page, url)
    expect(page.locator("[name='seen-company']")).to_be_checked()


def hand_to_alice(ref: ReviewRef, run: Run) -> None:
    """While the page still counts its time down."""
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))


def count_looks(page: Page) -> list[str]:
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url) if "/watch/" in request.url else None)
    return seen


def test_who_loses_the_claim_while_looking_on_is_told_within_three_seconds(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    desk = claim_as_bob(live_server, context, pump)
    page, ref = desk.page, desk.ref
    looks = count_looks(page)
    field(page, "total").fill("28.53")
    expect_saved(page)
    page.wait_for_timeout(500)
    hand_to_alice(ref, desk.run)
    since = time.monotonic()
    expect(page.get_by_role("alert")).to_contain_text("Claimed by Alice Novak until")
    assert time.monotonic() - since < 4  # three seconds, and the machine's own
    assert len(looks) <= 3
    assert stored(ref, desk.user)["total"] == "28.53"
    expect(page.locator("[data-approve]")).to_have_count(0)


@pytest.mark.parametrize("act", ["key", "pointer", "coming back"])
def test_who_was_away_from_the_page_is_told_at_the_first_action(
    live_server: LiveServer, context: BrowserContext, pump: Pump, act: str
) -> None:
    context.add_init_script("window.setInterval = () => 0")  # no clock ticks, as in a page that sleeps
    desk = claim_as_bob(live_server, context, pump)
    page = desk.page
    looks = count_looks(page)
    page.wait_for_timeout(1100)
    hand_to_alice(desk.ref, desk.run)
    assert looks == []
    if act == "key":
        page.keyboard.press("j")
    elif act == "pointer":
        page.locator(".page-scroll").click()
    else:
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.get_by_role("alert")).to_contain_text("Claimed by Alice Novak until")
    assert len(looks) == 1


def test_a_page_that_is_only_left_open_is_looked_after_less_often(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    context.add_init_script("window.later = 0; Date.now = ((own) => () => own() + window.later)(Date.now.bind(Date))")
    page = claim_as_bob(live_server, context, pump).page
    looks = count_looks(page)
    page.wait_for_timeout(7000)
    assert len(looks) >= 2
    looks.clear()
    page.evaluate("window.later = 6 * 60_000")
    page.wait_for_timeout(7000)
    assert len(looks) == 1


def test_an_ended_session_is_not_asked_for_the_claim_over_and_over(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    page = claim_as_bob(live_server, context, pump).page
    looks = count_looks(page)
    context.clear_cookies()
    page.wait_for_timeout(9000)
    assert len(looks) == 1


def test_a_deadline_is_counted_down_from_an_hour_on(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    bob()
    url, _, ref = waiting(live_server, pump)
    Review.change(ref.key, [Review.deadline.set(clock.iso(clock.in_seconds(9 * 60)))], Review.PK.exists())
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    expect(page.locator("[data-due]")).to_have_text("Due in 9 min")
    expect(page.locator("[data-due-told]")).to_have_text("Due in 9 min.")
