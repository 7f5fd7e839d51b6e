"""The document's type at the desk, and questions about a page, as a person with a script uses them."""

import io

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, expect
from pytest_django.live_server_helper import LiveServer

from review import queries
from tests.browser.desk import check_all, claim, sign_in
from tests.people import bob
from tests.review.reviews import open_review, result
from tests.workflows.questions.made import read_run
from workflows.questions import actions as question_actions
from workflows.questions import tasks
from workflows.questions.actions import Answer
from workflows.questions.queries import QuestionRef
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db(transaction=True)


def one(name: str, share: float, **changes: object) -> dict:
    return {"id": name, "name": name.capitalize(), "version": 1, "confidence": share} | changes


def test_another_type_brings_its_fields_and_keeps_what_was_typed(
    context: BrowserContext, live_server: LiveServer, table: str, console: list[str]
) -> None:
    bob()
    found = result()
    number = {**found["fields"][0], "name": "number", "label": "Invoice number", "value": "77", "confidence": 0.5}
    kind = one("receipt", 0.55, threshold=0.8, required=False, source="rules")
    kind["candidates"] = [one("invoice", 0.45, fields=[found["fields"][2], number])]
    run, ref = open_review(found={**found, "type": kind})
    picture = io.BytesIO()
    Image.new("RGB", (124, 175), "white").save(picture, "PNG")
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.page_image(0), picture.getvalue(), "image/png")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.locator('[name="field-total"]').fill("12.00")
    page.get_by_label("Document type", exact=True).select_option("invoice")
    page.get_by_role("button", name="Show fields").click()
    expect(page.locator('[name="field-number"]')).to_have_value("77")
    expect(page.locator('[name="field-total"]')).to_have_value("12.00")
    check_all(page)
    page.get_by_role("button", name="Approve and stop").click()
    page.wait_for_url("**/review/?done=*")
    assert queries.get_review(ref).status != "CLAIMED"
    assert console == []


def test_a_question_is_asked_and_its_answer_comes_by_itself(
    context: BrowserContext, live_server: LiveServer, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "order_answer", lambda _ref, _generation: None)
    bob()
    run = read_run()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    page.goto(f"{live_server.url}/workflows/{run.document_id}/{run.workflow_id}/segments/0/")
    page.get_by_label("Ask about this page").fill("What is the total due on this long and winding page?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("the answer appears here")).to_be_visible()
    answer = Answer("Total: 120.00", "local", "Total due 120.00", (0.05, 0.15, 0.3, 0.17), 0.91)
    assert question_actions.record_answer(QuestionRef(run, 0, 1), answer, generation=1)
    expect(page.get_by_text("Extractive answer, 91 % confidence")).to_be_visible()
    page.get_by_role("button", name="Delete this question").click()
    expect(page.get_by_text("No questions about this page yet.")).to_be_visible()
