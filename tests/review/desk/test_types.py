"""A document's type at the desk: the candidates, the fields of another one, and what is decided of it."""

import json

import pytest

from review import queries
from review.decide import claims, decisions
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, result, url
from workflows.runs import queries as workflow_queries
from workflows.stages.document_types import of_result
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
KEY = f"field-{of_result.KEY}"


def one(name, share, **changes):
    return {"id": name, "name": name.capitalize(), "version": 1, "confidence": share} | changes


@pytest.fixture
def ref():
    """A receipt, perhaps an invoice: that has a number which the desk does not show yet."""
    found = result()
    number = {**found["fields"][0], "name": "number", "label": "Invoice number", "value": "77", "required": True}
    kind = one("receipt", 0.55, threshold=0.8, required=False, source="rules")
    kind["candidates"] = [one("invoice", 0.45, fields=[found["fields"][2], number])]
    run, ref = open_review(found={**found, "type": kind, "classification": one("receipt", 0.55)})
    claims.claim_review(ref, run, by=person(bob()))
    return ref


def page(ref, who=bob):
    return one_line(signed_in(who()).get(url("show-review", ref)).content)


def post(ref, name="decide", **changes):
    return signed_in(bob()).post(url(name, ref), form(bob(), ref, **changes))


def decided(ref):
    review = queries.get_review(ref)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))["corrections"]


def test_the_candidates_are_a_choice_and_the_doubt_is_said(ref):
    text = page(ref)
    assert "Document type: Receipt 55 % or Invoice 45 %?" in text
    assert '<option value="receipt" selected>Receipt · 55 %</option>' in text
    assert '<option value="invoice">Invoice · 45 %</option>' in text
    assert "Invoice number" not in text


def test_whoever_only_looks_sees_the_type_and_no_choice(ref):
    text = page(ref, charlie)
    assert "Receipt" in text
    assert KEY not in text


def test_what_was_found_is_approved_without_a_word_of_the_type(ref):
    assert post(ref, **{"field-total": "33.90"}).status_code == 302
    assert of_result.KEY not in decided(ref)


def test_another_type_shows_its_fields_and_what_was_typed_stays(ref):
    answer = post(ref, "save-draft", **{KEY: "invoice", "field-total": "12.00", "show-type": "1"})
    assert (answer.status_code, answer["Location"]) == (302, url("show-review", ref))
    text = page(ref)
    assert '<option value="invoice" selected>' in text
    assert 'name="field-number" value="77"' in text
    assert 'name="field-total" value="12.00"' in text
    assert "Grossmarkt Ruhr" not in text


def test_by_htmx_the_page_is_told_to_come_again(ref):
    posted = form(bob(), ref, **{KEY: "invoice", "show-type": "1"})
    answer = signed_in(bob()).post(url("save-draft", ref), posted, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == url("show-review", ref)


def test_a_type_whose_fields_were_not_shown_is_not_approved(ref):
    answer = post(ref, **{KEY: "invoice"})
    text = one_line(answer.content)
    assert answer.status_code == 422
    assert "This document type has different fields." in text
    assert 'name="field-number" value="77"' in text
    assert queries.get_review(ref).status == "CLAIMED"


def test_the_chosen_type_is_decided_like_a_correction_and_told(ref):
    post(ref, "save-draft", **{KEY: "invoice", "show-type": "1"})
    answer = post(ref, **{KEY: "invoice", "field-total": "33.90", "field-number": "78"})
    assert answer.status_code == 302
    assert decided(ref) == {of_result.KEY: "invoice", "number": "78"}
    event = workflow_queries.lineage(ref.site, ref.document_id).rows[-1]
    assert event.facts.as_dict()["document_type"] == "invoice"
    assert '<p><span class="label">Document type</span> Invoice' in page(ref, charlie)


def test_a_decision_that_is_taken_back_keeps_the_type_as_a_draft(ref):
    post(ref, "save-draft", **{KEY: "invoice", "show-type": "1"})
    post(ref, **{KEY: "invoice", "field-total": "33.90"})
    review = queries.get_review(ref)
    decisions.undo_decision(ref, queries.run_of(ref, review), decision_id=review.decision_id, by=person(bob()))
    assert '<option value="invoice" selected>' in page(ref)


def test_a_type_that_the_run_does_not_know_changes_nothing(ref):
    assert post(ref, **{KEY: "poem"}).status_code == 422
    assert queries.get_review(ref).status == "CLAIMED"
    assert "Company" in page(ref)


def test_the_loser_of_two_reviewers_decides_no_type(ref):
    post(ref, "save-draft", **{KEY: "invoice", "show-type": "1"})
    late = form(bob(), ref, **{KEY: "invoice", "field-total": "33.90"})
    assert post(ref, **{KEY: "invoice", "field-total": "33.90"}).status_code == 302
    before = decided(ref)
    assert signed_in(bob()).post(url("decide", ref), late).status_code == 409
    assert decided(ref) == before
