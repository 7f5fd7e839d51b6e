"""Drafts through the pages: saved by a script or a button, shown again, compared, and never somebody else's."""

import json
import re

import pytest

from review import queries
from review.decide import claims
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.review.desk.pages import compared, form
from tests.review.reviews import lapse, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")


@pytest.fixture
def held():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def typed(ref, **values):
    """What the script sends: the ticket, and the fields that were typed into."""
    return {"ticket": form(bob(), ref)["ticket"]} | {f"field-{name}": text for name, text in values.items()}


def save(ref, **values):
    return signed_in(bob(), htmx=True).post(url("save-draft", ref), typed(ref, **values))


def page(user, ref):
    return one_line(signed_in(user).get(url("show-review", ref)).content)


def stored(ref, user=None):
    draft = queries.review_and_draft(ref, str((user or bob()).pk))[1]
    return draft.values.as_dict() if draft else None


def take_over(run, ref):
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))


@pytest.mark.wide
def test_a_script_saves_by_one_call_and_learns_when(held):
    _, ref = held
    posted, client = typed(ref, total="38.90"), signed_in(bob(), htmx=True)
    with count_calls() as calls:
        response = client.post(url("save-draft", ref), posted)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert response.status_code == 204
    news = json.loads(response["HX-Trigger"])
    assert news["lease"] == queries.get_review(ref).lease_until
    assert news["draft"] < news["lease"]


def test_it_is_shown_again_with_the_time_of_its_saving(held):
    _, ref = held
    save(ref, total="38.90")
    text = page(bob(), ref)
    assert 'value="38.90"' in text
    assert "Draft saved" in text


def test_nobody_else_sees_it(held):
    _, ref = held
    save(ref, total="38.90")
    for other in (alice(), charlie()):
        text = page(other, ref)
        assert 'value="33.90"' in text
        assert "Draft saved" not in text


def test_a_field_typed_back_is_saved_as_well(held):
    _, ref = held
    save(ref, total="38.90")
    save(ref, total="33.90")
    assert stored(ref) == {"total": "33.90"}


def test_the_button_saves_what_differs_from_the_page_and_comes_back(held):
    _, ref = held
    client = signed_in(bob())
    response = client.post(url("save-draft", ref), form(bob(), ref, **{"field-total": "38.90"}))
    assert response["Location"] == url("show-review", ref)
    assert stored(ref) == {"total": "38.90"}
    client.post(url("save-draft", ref), form(bob(), ref, **{"field-total": "33.90"}))
    assert stored(ref) == {"total": "33.90"}


def test_the_button_writes_nothing_where_nothing_has_changed(held):
    _, ref = held
    posted, client = form(bob(), ref, tick=False), signed_in(bob())
    with count_calls() as calls:
        assert client.post(url("save-draft", ref), posted).status_code == 302
    assert calls.names() == []


def test_the_button_is_for_pages_without_a_script(held):
    _, ref = held
    assert re.search(rf'<noscript><button[^>]+formaction="{url("save-draft", ref)}"', page(bob(), ref))


def test_what_is_no_field_of_the_schema_is_not_kept(held):
    _, ref = held
    save(ref, total="38.90", invented="x")
    assert stored(ref) == {"total": "38.90"}


def test_what_is_too_long_for_an_answer_is_refused_in_words(held):
    _, ref = held
    response = save(ref, total="9" * 1001)
    assert response.status_code == 422
    assert "Not saved: use at most 1,000 characters" in one_line(response.content)
    assert stored(ref) is None


def test_after_a_takeover_the_text_is_kept_and_the_page_says_who_has_it(held):
    run, ref = held
    posted = typed(ref, total="38.90")
    take_over(run, ref)
    response = signed_in(bob(), htmx=True).post(url("save-draft", ref), posted)
    text = one_line(response.content)
    assert (response.status_code, response["HX-Retarget"]) == (409, "#desk")
    assert "Claimed by Alice Novak until" in text
    assert "kept as your draft" in text
    assert compared(text) == [("Total", "33.90", "38.90")]
    assert stored(ref) == {"total": "38.90"}


def test_its_owner_finds_it_read_only_while_somebody_else_has_the_review(held):
    run, ref = held
    save(ref, total="38.90")
    take_over(run, ref)
    text = page(bob(), ref)
    assert compared(text) == [("Total", "33.90", "38.90")]
    assert 'value="38.90"' not in text


def test_it_waits_for_the_next_claim(held):
    run, ref = held
    save(ref, total="38.90")
    claims.release_claim(ref, run, by=person(bob()))
    text = page(bob(), ref)
    assert "they are kept as your draft" in text
    assert 'value="38.90"' in text
    claims.claim_review(ref, run, by=person(bob()))
    assert 'value="38.90"' in page(bob(), ref)


def test_deciding_after_a_takeover_keeps_what_was_never_saved(held):
    run, ref = held
    posted = form(bob(), ref, **{"field-total": "38.90"})
    take_over(run, ref)
    response = signed_in(bob()).post(url("decide", ref), posted)
    assert response.status_code == 409
    assert "kept as your draft" in one_line(response.content)
    assert stored(ref) == {"total": "38.90"}


def test_what_somebody_else_sent_stands_beside_what_was_typed(held):
    run, ref = held
    save(ref, total="38.90", date="2024-03-31")
    take_over(run, ref)
    signed_in(alice()).post(url("decide", ref), form(alice(), ref, **{"field-total": "39.90"}))
    text = page(bob(), ref)
    assert "Alice Novak approved this at" in text
    assert "Alice Novak, submitted" in text
    assert compared(text) == [("Total", "39.90", "38.90")]
    assert 'value="39.90"' in text  # what holds is what was sent, not what the machine had found


def test_the_same_answer_in_another_form_does_not_differ(held):
    run, ref = held
    save(ref, total="38.90")
    take_over(run, ref)
    signed_in(alice()).post(url("decide", ref), form(alice(), ref, **{"field-total": " 38,90"}))
    text = page(bob(), ref)
    assert compared(text) is None
    assert "They match." in text


def test_a_rejection_says_why(held):
    run, ref = held
    save(ref, total="38.90")
    take_over(run, ref)
    signed_in(alice()).post(url("decide", ref), form(alice(), ref, decision="reject", reason="Not ours"))
    text = page(bob(), ref)
    assert "Alice Novak rejected this at" in text
    assert "“Not ours”" in text
    assert compared(text) == [("Total", "33.90", "38.90")]


def test_nothing_is_compared_with_ones_own_decision(held):
    _, ref = held
    save(ref, total="38.90")
    signed_in(bob()).post(url("decide", ref), form(bob(), ref))
    text = page(bob(), ref)
    assert "You approved this at" in text
    assert compared(text) is None
    assert 'value="38.90"' in text


def test_a_save_behind_the_decision_is_told_so(held):
    _, ref = held
    posted = typed(ref, total="38.90")
    signed_in(bob()).post(url("decide", ref), form(bob(), ref))
    response = signed_in(bob(), htmx=True).post(url("save-draft", ref), posted)
    assert response.status_code == 409
    assert stored(ref) is None


def test_a_page_made_for_somebody_else_saves_nothing(held):
    _, ref = held
    posted = typed(ref, total="38.90")
    assert signed_in(alice(), htmx=True).post(url("save-draft", ref), posted).status_code == 409
    assert stored(ref) is stored(ref, alice()) is None


def test_a_viewer_saves_nothing_and_a_link_neither(held):
    _, ref = held
    assert signed_in(charlie()).post(url("save-draft", ref)).status_code == 403
    assert signed_in(bob()).get(url("save-draft", ref)).status_code == 405


def test_an_ended_session_is_told_as_such(held, client):
    _, ref = held
    response = client.post(url("save-draft", ref), {}, headers={"hx-request": "true"})
    assert response.status_code == 401
