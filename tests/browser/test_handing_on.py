"""A review that another person has is told of when it is free; one that a person cannot decide is escalated by key."""

from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from projects.sites.permissions import ADMINS
from review import queries
from review.decide import claims
from review.status import ReviewStatus
from tests.browser.desk import claim, field, sign_in
from tests.people import alice, bob
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.review.reviews import open_review, person


def test_who_waits_for_a_claim_to_end_is_told_on_the_page(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    run, ref = open_review("first.pdf")
    claims.claim_review(ref, run, by=person(alice()))
    bob()
    page = context.new_page()
    page.clock.install()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    told = page.locator("[data-told-free]")
    page.get_by_role("button", name="Tell me when it is free").press("Enter")
    expect(told).to_have_text("You will be told here.")
    page.clock.run_for(11_000)
    expect(told).to_have_text("You will be told here.")  # Alice still has it
    claims.release_claim(ref, run, by=person(alice()))
    page.clock.run_for(11_000)
    expect(told).to_have_text("It is free now.")
    assert page.title().startswith("It is free now.")
    page.get_by_role("button", name="Open it again").press("Enter")
    page.locator("[data-claim]").press("Enter")
    expect(page.locator("[data-approve]")).to_be_visible()
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture


def test_escalated_by_key_taken_over_by_the_group_with_what_was_said(
    live_server: LiveServer, context: BrowserContext, pump: Pump, console: list[str]
) -> None:
    alice(), bob()
    project = make_project(escalation_group=ADMINS)
    _, ref = open_review("first.pdf", project_id=project.id)
    url = f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/"
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, url)
    keys, dialog = page.keyboard, page.locator("#way-out")
    keys.press(";")
    expect(dialog.get_by_text("Goes to")).to_be_visible()
    dialog.get_by_role("button", name="Escalate and open next").press("Enter")
    expect(dialog).to_be_visible()  # it asks what the question is
    dialog.locator("textarea").fill("Is this our supplier?")
    dialog.get_by_role("button", name="Escalate and open next").press("Enter")
    page.wait_for_url("**/review/")
    expect(page.get_by_text("first.pdf escalated to")).to_be_visible()
    assert queries.get_review(ref).status == ReviewStatus.ASKED
    sign_in(page, live_server, "alice")
    page.goto(f"{live_server.url}/review/asked/")
    page.get_by_role("link", name="first.pdf").click()
    expect(page.get_by_text("Is this our supplier?").first).to_be_visible()
    page.get_by_role("button", name="Claim and decide").press("Enter")
    expect(page.locator("[data-approve]")).to_be_visible()
    expect(field(page, "total")).to_be_visible()
    assert queries.get_review(ref).holder == str(alice().pk)
    assert [line for line in console if "404" not in line] == []  # these reviews have no picture
