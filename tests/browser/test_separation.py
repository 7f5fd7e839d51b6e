"""Who uploaded a document is told that another person decides, and is led past it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from projects.audit.events import actor_of
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites.separation import Separation
from review import queries
from review.status import Decision
from tests.browser.desk import check_all, claim, sign_in
from tests.browser.patience import PATIENCE_MS
from tests.browser.test_accessibility import faults
from tests.factories import SITE
from tests.flow.approvals import asked, begin, decide
from tests.people import alice, bob
from tests.pump import Pump
from tests.review.reviews import open_review, person

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_uploader_cannot_claim_and_is_led_to_the_next(
    live_server: LiveServer, context: BrowserContext, pump: Pump, tmp_path: Path
) -> None:
    run = begin(tmp_path, "1500.00", by=actor_of(bob()))
    ref = asked(run, pump, "first_approval")
    _, other = open_review("other.pdf", timeout=10 * 86_400)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.get_by_role("heading", name="Another person must decide.")).to_be_visible()
    expect(page.get_by_text("You uploaded this document.")).to_be_visible()
    expect(page.locator("[data-claim]")).to_have_count(0)
    expect(page.locator("[data-approve]")).to_have_count(0)
    page.get_by_role("button", name="Next document").click()
    page.wait_for_url(f"**/{other.document_id}/**")
    assert queries.get_review(ref).holder is None


def test_who_edits_the_document_while_it_waits_is_told_that_another_person_decides(
    live_server: LiveServer, context: BrowserContext, pump: Pump
) -> None:
    site_actions.set_separation(SITE, Separation.ALWAYS, version=0, by=actor_of(alice()))
    directory.forget()
    bob()
    run, ref = open_review("first.pdf", by=actor_of(alice()))
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    check_all(page)
    change_document(SITE, run.document_id, DocumentChanges(metadata={"Cost centre": "4711"}), by=actor_of(bob()))
    page.keyboard.press("a")
    expect(page.get_by_text("You edited this document.")).to_be_visible()
    expect(page.locator("[data-approve]")).to_have_count(0)
    assert queries.get_review(ref).holder is None
    directory.forget()


def test_who_decided_first_cannot_decide_again_on_a_phone(
    live_server: LiveServer, browser: Browser, pump: Pump, tmp_path: Path
) -> None:
    alice()
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()))
    ref = asked(run, pump, "second_approval")
    context = browser.new_context(viewport={"width": 375, "height": 800}, color_scheme="dark")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.get_by_text("You have already decided.")).to_be_visible()
    expect(page.locator("[data-claim]")).to_have_count(0)
    assert faults(page) == []
    context.close()
