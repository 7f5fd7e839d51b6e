"""Fields with a list of allowed values: a select beside the page, and a gate that holds without it."""

import json

import pytest

from review import queries
from review.decide import claims
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, result, url
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")


def field(name, value, allowed, **changes):
    return {
        "name": name, "label": name.capitalize(), "type": "text", "required": True, "threshold": 0.8, "value": value,
        "allowed": list(allowed), "default": "", "raw": value, "confidence": 0.97 if value else 0.0, "page": None,
        "box": None, "source": "rules", "candidates": [{"value": "rent", "confidence": 0.4}],
    } | changes  # fmt: skip


def opened(*fields):
    found = result()
    run, ref = open_review(found={**found, "fields": [*found["fields"], *fields]})
    claims.claim_review(ref, run, by=person(bob()))
    return ref


def page(ref, who=bob):
    return one_line(signed_in(who()).get(url("show-review", ref)).content)


def select(text, name):
    return text.split(f'<select class="select" id="i-f-{name}"')[1].split("</select>")[0]


def decide(ref, **answers):
    posted = form(bob(), ref, **{f"field-{name}": value for name, value in answers.items()})
    return signed_in(bob()).post(url("decide", ref), posted)


def test_the_list_is_a_select_with_what_was_found_chosen():
    shown = select(page(opened(field("category", "goods", ["goods", "R&D"]))), "category")
    assert '<option value="">Select a value</option>' in shown
    assert '<option value="goods" selected>goods</option>' in shown
    assert '<option value="R&amp;D">R&amp;D</option>' in shown
    assert "data-required" in shown


def test_an_optional_one_may_be_absent_and_yes_or_no_are_words():
    text = page(
        opened(
            field("paid", "true", ["true", "false"], type="boolean", required=False),
            field("terms", None, ["a", "b"], required=False),
        )
    )
    assert '<option value="true" selected>Yes</option>' in select(text, "paid")
    assert '<option value="" selected>Not on the document</option>' in select(text, "terms")


def test_what_was_found_outside_the_list_is_shown_and_not_taken():
    ref = opened(field("category", "services", ["goods", "rent"]))
    text = page(ref)
    assert "Category “services” is not an allowed value" in text
    assert '<option value="services" selected data-refused>services (not an allowed value)</option>' in select(
        text, "category"
    )
    refused = decide(ref)
    assert refused.status_code == 422
    assert "Category must be one of the allowed values. Select one or reject the document." in one_line(refused.content)
    assert queries.get_review(ref).status == "CLAIMED"
    assert decide(ref, category="goods").status_code == 302
    assert queries.get_review(ref).status == "DECIDED"


@pytest.mark.parametrize("answer", ["services", "good", ""])
def test_a_post_without_the_page_is_held_to_the_list(answer):
    ref = opened(field("category", "goods", ["goods", "rent"]))
    refused = decide(ref, category=answer)
    assert refused.status_code == 422
    assert 'aria-invalid="true" aria-describedby="e-category"' in one_line(refused.content)
    assert queries.get_review(ref).status == "CLAIMED"


def test_a_value_in_other_letters_is_kept_as_the_list_has_it():
    ref = opened(field("category", "services", ["goods", "rent"]))
    assert decide(ref, category=" GOODS ").status_code == 302
    review = queries.get_review(ref)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    kept = json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))
    assert kept["corrections"] == {"category": "goods"}


def test_somebody_who_only_looks_changes_nothing():
    shown = select(page(opened(field("category", "goods", ["goods", "rent"])), charlie), "category")
    assert "disabled" in shown


def test_a_default_is_called_one():
    ref = opened(field("currency2", "EUR", ["EUR"], source="default", confidence=1.0))
    text = page(ref)
    assert "schema default" in text
    assert decide(ref).status_code == 302
