"""An empty box is not one fact but several: confirmed, corrected, blank on paper, not on paper, illegible."""

import json
import re

import pytest
from django.utils.translation import override

from config import table
from review import queries
from review.decide import claims
from review.items.reviews import Review, ReviewDecision
from tests.each import each
from tests.html import one_line
from tests.people import bob, signed_in
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, url
from workflows.stages.assessment.answers import WITHOUT_VALUE, describe_nothing
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
LACKING = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.5), "total": (None, 0.0)}


def claimed(**more):
    run, ref = open_review(**more)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def allow_lacking(ref):
    Review.change(ref.key, [Review.lacking_allowed.set(True)], Review.PK.exists())


def decide(ref, **changes):
    return signed_in(bob()).post(url("decide", ref), form(bob(), ref, **changes))


def decided(run, ref):
    review = queries.get_review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))


def page(ref):
    return one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_each_answer_without_a_value_is_offered_in_the_readers_language() -> None:
    _, ref = claimed()
    (offered, *_) = re.findall(r'name="answer-date".*?</select>', page(ref))
    labels = {answer: label for answer, (label, _) in WITHOUT_VALUE.items()}
    assert dict(re.findall(r'<option value="(\w+)" ?>([^<]+)<', offered)) == labels
    german = signed_in(bob()).get(url("show-review", ref), headers={"Accept-Language": "de"}).content
    assert ">Auf dem Papier leer<" in one_line(german)


@each("answer, words", [("blank", "blank on paper"), ("absent", "not on paper"), ("illegible", "illegible")])
def test_an_answer_stands_instead_of_the_value_that_was_found(answer, words) -> None:
    run, ref = claimed()
    assert decide(ref, **{"answer-date": answer}).status_code == 302
    found = decided(run, ref)
    assert found["corrections"] == {"date": None}
    assert found["answers"] == {"date": answer, "total": "confirmed"}
    (change,) = found["changes"]
    assert (change["field"], change["before"], change["after"], change["answer"]) == (
        "date",
        "2024-03-31",
        None,
        answer,
    )
    row = ReviewDecision.load(decision_key(ref))
    assert row.tell()[0] == {"what": "Date", "before": "2024-03-31", "after": words}
    assert f"<b>{words}</b>" in page(ref)
    with override("de"):
        german = describe_nothing(answer).translated()
    assert german != words
    answered = signed_in(bob()).get(url("show-review", ref), headers={"Accept-Language": "de"})
    assert f"<b>{german}</b>" in one_line(answered.content)


def decision_key(ref):
    return table.REVIEW_DECISION.key(
        ref.site, document_id=ref.document_id, review_id=ref.review_id, decision_id=queries.get_review(ref).decision_id
    )


def test_confirmed_and_corrected_are_answers_too() -> None:
    run, ref = claimed(values=LACKING | {"total": ("33.90", 0.5)})
    assert decide(ref, **{"field-total": "38.90"}).status_code == 302
    assert decided(run, ref)["answers"] == {"date": "confirmed", "total": "corrected"}


def test_an_answer_settles_what_was_asked_without_a_tick() -> None:
    run, ref = claimed(values=LACKING)
    allow_lacking(ref)
    assert decide(ref, tick=False, **{"answer-date": "illegible", "answer-total": "absent"}).status_code == 302
    found = decided(run, ref)
    assert found["answers"] == {"date": "illegible", "total": "absent"}
    assert [(one["field"], one["answer"]) for one in found["changes"]] == [("date", "illegible"), ("total", "absent")]
    assert found["unseen"] == []


def test_without_a_required_field_only_where_the_project_allows_it() -> None:
    run, ref = claimed(values=LACKING)
    refused = decide(ref, **{"answer-total": "absent"})
    assert refused.status_code == 422
    text = one_line(refused.content)
    assert "This project requires a value here. Enter it or reject the document." in text
    assert '<option value="absent" selected>' in text
    assert queries.get_review(ref).decision is None
    allow_lacking(ref)
    assert decide(ref).status_code == 422  # empty, and no one said why
    assert decide(ref, **{"answer-total": "absent"}).status_code == 302
    assert decided(run, ref)["answers"]["total"] == "absent"


def test_another_word_is_no_answer() -> None:
    run, ref = claimed()
    assert decide(ref, **{"answer-date": "perhaps", "answer-nothing": "blank"}).status_code == 302
    assert decided(run, ref)["answers"] == {"total": "confirmed"}


def test_an_answer_is_drafted_taken_back_and_there_after_an_undo() -> None:
    _, ref = claimed()
    browser = signed_in(bob())
    save = url("save-draft", ref)
    posted = form(bob(), ref)
    only = {"ticket": posted["ticket"], "answer-date": "blank"}
    assert browser.post(save, only, headers={"hx-request": "true"}).status_code == 204
    assert '<option value="blank" selected>' in page(ref)
    assert browser.post(save, form(bob(), ref, **{"answer-date": ""})).status_code == 302
    assert '<option value="blank" selected>' not in page(ref)
    assert browser.post(save, form(bob(), ref, **{"answer-date": "illegible"})).status_code == 302
    assert '<option value="illegible" selected>' in page(ref)
    assert decide(ref, **{"answer-date": "illegible"}).status_code == 302
    browser.post(url("undo", ref), {"decision_id": queries.get_review(ref).decision_id})
    assert '<option value="illegible" selected>' in page(ref)
