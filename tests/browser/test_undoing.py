"""Decisions inside their undo window stand beside the work, each with its Undo; the key takes the latest."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from review import queries
from review.identity import ReviewRef
from tests.browser.conftest import watch
from tests.browser.desk import claim, in_sight, sign_in, sign_in_by_form
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.people import PASSWORD, bob
from tests.review.reviews import open_review

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("pump")]
SURE = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.93), "total": ("33.90", 0.98)}


@pytest.fixture
def refs(settings: Settings) -> list[ReviewRef]:
    settings.REVIEW_UNDO_SECONDS = 60
    return [open_review(f"receipt-{i}.pdf", values=SURE, timeout=86_400 + i * 100)[1] for i in range(4)]


def status(refs: list[ReviewRef]) -> list[str]:
    return [queries.get_review(ref).status for ref in refs]


def approve_three(page: Page, live_server: LiveServer, refs: list[ReviewRef]) -> None:
    claim(page, f"{live_server.url}/review/{refs[0].document_id}/{refs[0].review_id}/")
    for following in refs[1:]:
        in_sight(page)
        page.locator("[data-approve]").click()
        page.wait_for_url(f"**/{following.review_id}/?done=*")
    expect(page.locator("#undo-strip [data-receipt]")).to_have_count(3)


def test_each_decision_of_the_window_is_undone_from_the_desk(
    live_server: LiveServer, context: BrowserContext, refs: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    approve_three(page, live_server, refs)
    assert status(refs) == ["DECIDED", "DECIDED", "DECIDED", "CLAIMED"]
    page.get_by_role("button", name="Undo receipt-0.pdf").click()
    page.wait_for_url(f"**/{refs[0].review_id}/")
    assert status(refs) == ["CLAIMED", "DECIDED", "DECIDED", "PENDING"]
    expect(page.locator("#undo-strip [data-receipt]")).to_have_count(2)
    page.keyboard.press("z")
    page.wait_for_url(f"**/{refs[2].review_id}/")
    assert status(refs) == ["CLAIMED", "DECIDED", "CLAIMED", "PENDING"]


def test_the_key_undoes_the_latest_also_on_the_page_of_an_older_one(
    live_server: LiveServer, context: BrowserContext, refs: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    approve_three(page, live_server, refs)
    page.goto(f"{live_server.url}/review/{refs[0].document_id}/{refs[0].review_id}/")
    expect(page.locator("#undo-strip [data-receipt]")).to_have_count(3)
    page.keyboard.press("z")
    page.wait_for_url(f"**/{refs[2].review_id}/")
    assert status(refs)[:3] == ["DECIDED", "DECIDED", "CLAIMED"]


def test_an_ended_session_leads_back_to_the_page_with_its_undo(
    live_server: LiveServer, context: BrowserContext, refs: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    approve_three(page, live_server, refs)
    context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Undo receipt-1.pdf").click()
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**/{refs[3].review_id}/?done=*")
    assert status(refs)[1] == "DECIDED"
    page.get_by_role("button", name="Undo receipt-1.pdf").click()
    page.wait_for_url(f"**/{refs[1].review_id}/")
    assert status(refs)[1] == "CLAIMED"


def test_a_second_tab_says_that_it_was_undone_already(
    live_server: LiveServer, context: BrowserContext, refs: list[ReviewRef]
) -> None:
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    approve_three(page, live_server, refs)
    other = context.new_page()
    other.goto(f"{live_server.url}/review/")
    expect(other.locator("#undo-strip [data-receipt]")).to_have_count(3)
    page.get_by_role("button", name="Undo receipt-1.pdf").click()
    page.wait_for_url(f"**/{refs[1].review_id}/")
    other.get_by_role("button", name="Undo receipt-1.pdf").click()
    other.wait_for_url(f"**/{refs[1].review_id}/")
    expect(other.get_by_text("This decision was already undone.")).to_be_visible()


def test_when_the_window_ends_its_decision_is_submitted(
    live_server: LiveServer, context: BrowserContext, refs: list[ReviewRef], settings: Settings
) -> None:
    settings.REVIEW_UNDO_SECONDS = 4
    bob()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{refs[0].document_id}/{refs[0].review_id}/")
    page.locator("[data-approve-stop]").click()
    page.wait_for_url("**/review/?done=*")
    expect(page.locator("[data-receipt]")).to_contain_text("Submitted. The run continues.")
    expect(page.get_by_role("button", name=re.compile("^Undo"))).to_have_count(0)
    page.goto(f"{live_server.url}/review/undo/")
    expect(page.get_by_role("heading", name="Nothing to undo")).to_be_visible()


def test_without_a_script_there_is_a_page_of_them(
    live_server: LiveServer, browser: Browser, refs: list[ReviewRef], console: list[str]
) -> None:
    bob()
    context = browser.new_context(java_script_enabled=False, viewport={"width": 375, "height": 800})
    context.set_default_timeout(PATIENCE_MS)
    watch(context, console)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/")
    page.get_by_role("button", name="Review next").click()
    for _ in refs[1:3]:
        page.get_by_role("button", name="Approve and next").click()
    page.get_by_role("link", name="View all decisions you can undo").click()
    expect(page.locator("[data-receipt]")).to_have_count(2)
    page.get_by_role("button", name="Undo receipt-0.pdf").click()
    expect(page.get_by_role("heading", name="receipt-0.pdf")).to_be_visible()
    assert status(refs) == ["CLAIMED", "DECIDED", "PENDING", "PENDING"]
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), pytest.param(375, "dark", marks=pytest.mark.slow)])
def test_the_strip_and_its_page_have_no_faults(
    live_server: LiveServer, browser: Browser, refs: list[ReviewRef], width: int, scheme: str
) -> None:
    bob()
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    approve_three(page, live_server, refs)
    found = {"desk": faults(page)}
    for path in ("/review/", "/review/undo/"):
        page.goto(live_server.url + path)
        expect(page.locator("[data-receipt]")).to_have_count(3)
        found[path] = faults(page)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    assert {name: faults for name, faults in found.items() if faults} == {}
    context.close()


def test_the_chosen_window_goes_with_the_person_to_another_browser(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    bob()
    _, ref = open_review("receipt.pdf")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/undo/")
    page.get_by_label("Undo window").select_option("30")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You can undo a decision for 30 seconds.")).to_be_visible()
    assert context.browser
    other = context.browser.new_context()
    elsewhere = other.new_page()
    sign_in_by_form(elsewhere, live_server, "bob")
    claim(elsewhere, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(elsewhere.get_by_text("Decisions can be undone for 30 s.")).to_be_visible()
    assert console == []
    other.close()
