"""Deciding: exactly three calls, one decision however often it is sent, and a loser who keeps the answers."""

import json
import re

import pytest

from review import queries
from review.decide import claims
from review.decide.tasks import enqueue_redeem
from review.desk import page
from tests.aws_faults import count_calls, fail
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.review.desk.pages import compared, form
from tests.review.reviews import VALUES, decisions_of, lapse, open_review, pass_deadline, person, url
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")


@pytest.fixture
def held():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def stored(run, ref):
    review = queries.get_review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))


def test_approving_writes_the_object_the_decision_and_the_message_and_reads_nothing(held):
    _, ref = held
    posted, client = form(bob(), ref), signed_in(bob())
    enqueue_redeem(ref, "warm-up", delay=60)  # a process asks once for its queue
    with count_calls() as calls:
        response = client.post(url("decide", ref), posted)
    assert response.status_code == 302
    assert calls.names() == ["s3.PutObject", "dynamodb.TransactWriteItems", "sqs.SendMessage"]


def test_only_what_was_changed_is_a_correction(held):
    run, ref = held
    signed_in(bob()).post(
        url("decide", ref), form(bob(), ref, **{"field-total": " 38,90 ", "field-date": "31.03.2024"})
    )
    assert stored(run, ref)["corrections"] == {"total": "38,90"}


@pytest.mark.parametrize("decision", ["", "rejekt", "APPROVE", "next"])
def test_a_form_that_says_neither_approve_nor_reject_decides_nothing(held, decision):
    _, ref = held
    response = signed_in(bob()).post(url("decide", ref), form(bob(), ref, decision=decision))
    assert response.status_code == 422
    assert "Nothing was submitted" in one_line(response.content)
    assert queries.get_review(ref).status == "CLAIMED"
    assert decisions_of(ref) == 0


def test_the_same_page_sent_again_with_the_other_decision_is_told_what_stands(held):
    _, ref = held
    posted, client = form(bob(), ref), signed_in(bob())
    assert client.post(url("decide", ref), posted).status_code == 302
    response = client.post(url("decide", ref), posted | {"decision": "reject", "reason": "No."})
    assert response.status_code == 409
    assert "approved" in one_line(response.content)
    assert queries.get_review(ref).decision == "approve"


def test_what_no_keyboard_sends_is_not_published(held):
    run, ref = held
    signed_in(bob()).post(url("decide", ref), form(bob(), ref, **{"field-company": "A\0B\x1b Ltd"}))
    assert stored(run, ref)["corrections"] == {"company": "AB Ltd"}


def test_the_queue_offers_to_take_it_back_and_that_works(held):
    _, ref = held
    client = signed_in(bob())
    shown = client.get(client.post(url("decide", ref), form(bob(), ref))["Location"])
    assert "Approved" in one_line(shown.content)
    decision_id = re.search(r'name="decision_id" value="([^"]+)"', shown.content.decode())[1]
    assert client.post(url("undo", ref), {"decision_id": decision_id})["Location"] == url("show-review", ref)
    assert queries.get_review(ref).status == "CLAIMED"


def test_approve_and_next_takes_the_next_one_and_keeps_the_way_back(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob())
    enqueue_redeem(ref, "warm-up", delay=60)
    with count_calls() as calls:
        response = client.post(url("decide", ref), posted)
    assert calls.names() == [
        "s3.PutObject",
        "dynamodb.TransactWriteItems",
        "sqs.SendMessage",
        "dynamodb.Query",
        "dynamodb.TransactWriteItems",
    ]
    assert response["Location"].startswith(url("show-review", following) + "?done=")
    text = one_line(client.get(response["Location"]).content)
    assert "data-approve" in text
    assert "Approved <b>receipt.pdf</b>" in text
    assert f'action="{url("undo", ref)}"' in text


def test_the_script_gets_the_next_desk_in_the_answer_to_the_decision(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob(), htmx=True)
    enqueue_redeem(ref, "warm-up", delay=60)
    with count_calls() as calls:
        response = client.post(url("decide", ref), posted)
    assert calls.names()[5:] == ["dynamodb.BatchGetItem", "sqs.SendMessage"]  # the last: who looked
    assert (response.status_code, response["HX-Trigger"]) == (200, "decided")
    assert response["HX-Push-Url"].startswith(url("show-review", following) + "?done=")
    assert "no-store" in response["Cache-Control"]
    text = one_line(response.content)
    assert text.startswith("<title>next.pdf · Review · Countersign</title>")
    assert f'action="{url("decide", following)}"' in text
    assert re.search(rf'id="undo-strip" hx-swap-oob="true".*action="{url("undo", ref)}"', text)
    assert "<html" not in text


def test_the_next_desk_that_comes_in_place_is_on_record_as_looked_at(held, monkeypatch):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    seen = []
    monkeypatch.setattr(page, "record_opening", lambda _request, answer, document: seen.append(document) or answer)
    signed_in(bob(), htmx=True).post(url("decide", ref), form(bob(), ref, decision="approve-and-next"))
    assert seen == [following.document_id]


def test_a_next_desk_that_cannot_be_shown_in_place_is_gone_to(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob(), htmx=True)
    with fail("dynamodb", "BatchGetItem", times=20):
        response = client.post(url("decide", ref), posted)
    assert response["HX-Redirect"].startswith(url("show-review", following) + "?done=")
    assert queries.get_review(ref).status == "DECIDED"


def test_sent_twice_by_the_script_it_is_one_decision_and_the_same_next_desk(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    open_review("another.pdf", timeout=95_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob(), htmx=True)
    first, second = (client.post(url("decide", ref), posted)["HX-Push-Url"].split("?")[0] for _ in range(2))
    assert first == second == url("show-review", following)
    assert decisions_of(ref) == 1


def test_reject_and_next_rejects(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    posted = form(bob(), ref, decision="reject-and-next", reason="Not ours")
    assert signed_in(bob()).post(url("decide", ref), posted)["Location"].startswith(url("show-review", following))
    assert queries.get_review(ref).decision == "reject"


def test_after_the_last_one_the_queue_is_friendly(held):
    _, ref = held
    client = signed_in(bob())
    response = client.post(url("decide", ref), form(bob(), ref, decision="approve-and-next"), follow=True)
    assert "Queue complete" in one_line(response.content)
    assert "data-receipt" in one_line(response.content)


def test_a_decision_stands_where_the_next_one_cannot_be_taken(held):
    _, ref = held
    open_review("next.pdf", timeout=90_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob())
    with fail("dynamodb", "Query"):
        response = client.post(url("decide", ref), posted)
    assert response["Location"].startswith("/review/?done=")
    assert queries.get_review(ref).status == "DECIDED"


def test_a_second_post_of_approve_and_next_is_one_decision_and_one_next(held):
    _, ref = held
    _, following = open_review("next.pdf", timeout=90_000)
    _, another = open_review("another.pdf", timeout=95_000)
    posted, client = form(bob(), ref, decision="approve-and-next"), signed_in(bob())
    first, second = (client.post(url("decide", ref), posted)["Location"].split("?")[0] for _ in range(2))
    assert first == second == url("show-review", following)
    assert (decisions_of(ref), queries.get_review(another).status) == (1, "PENDING")


def test_the_same_form_twice_is_one_decision(held):
    _, ref = held
    posted, client = form(bob(), ref), signed_in(bob())
    first, second = (client.post(url("decide", ref), posted) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 302)
    assert decisions_of(ref) == 1


def test_the_decision_still_matches_its_recorded_hash_after_a_second_post(held):
    run, ref = held
    posted, client = form(bob(), ref), signed_in(bob())
    for _ in range(2):
        client.post(url("decide", ref), posted)
    assert stored(run, ref)["decision"] == "approve"


def test_what_cannot_be_stored_is_said_beside_its_field_and_stays(held):
    _, ref = held
    response = signed_in(bob()).post(url("decide", ref), form(bob(), ref, **{"field-total": "about thirty"}))
    text = one_line(response.content)
    assert response.status_code == 422
    assert 'value="about thirty"' in text
    assert "Enter the amount as" in text
    assert queries.get_review(ref).status == "CLAIMED"


def test_a_required_field_cannot_be_left_blank(held):
    _, ref = held
    response = signed_in(bob()).post(url("decide", ref), form(bob(), ref, **{"field-company": ""}))
    assert response.status_code == 422
    assert "Company is required" in one_line(response.content)


def test_a_required_field_that_nobody_found_is_asked_for():
    run, ref = open_review(values={name: value for name, value in VALUES.items() if name != "company"})
    claims.claim_review(ref, run, by=person(bob()))
    assert signed_in(bob()).post(url("decide", ref), form(bob(), ref)).status_code == 422


def test_rejecting_needs_a_reason_and_corrects_nothing(held):
    run, ref = held
    posted = form(bob(), ref, decision="reject", **{"field-total": "nonsense"})
    assert signed_in(bob()).post(url("decide", ref), posted).status_code == 422
    assert signed_in(bob()).post(url("decide", ref), posted | {"reason": "Not ours"}).status_code == 302
    assert (stored(run, ref)["reason"], stored(run, ref)["corrections"]) == ("Not ours", {})


def test_a_page_whose_review_was_taken_over_and_decided_names_the_other_and_keeps_the_answers(held):
    run, ref = held
    posted = form(bob(), ref, **{"field-total": "38.90"})
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    signed_in(alice()).post(url("decide", ref), form(alice(), ref))
    response = signed_in(bob()).post(url("decide", ref), posted)
    text = one_line(response.content)
    assert response.status_code == 409
    assert "Alice Novak approved this at" in text
    assert "Your values were not submitted; they are kept on this page." in text
    assert compared(text) == [("Total", "33.90", "38.90")]
    assert queries.get_review(ref).reviewer == str(alice().pk)


def test_another_tab_of_ones_own_says_what_of_it_was_not_sent(held):
    _, ref = held
    first, second = form(bob(), ref), form(bob(), ref, **{"field-total": "38.90"})
    browser = signed_in(bob())
    browser.post(url("decide", ref), first)
    answered = browser.post(url("decide", ref), second).content.decode()
    assert "You approved this at" in answered
    assert compared(answered) == [("Total", "33.90", "38.90")]
    again = one_line(browser.post(url("decide", ref), first | {"reason": "x"}).content)
    assert compared(again) is None
    assert "banner bad" not in again


@pytest.mark.parametrize("ticket", ["", "forged"])
def test_a_page_that_is_not_ours_decides_nothing(held, ticket):
    _, ref = held
    response = signed_in(bob()).post(url("decide", ref), form(bob(), ref, ticket=ticket))
    assert response.status_code == 409
    assert queries.get_review(ref).status == "CLAIMED"


def test_somebody_elses_page_decides_nothing(held):
    _, ref = held
    assert signed_in(alice()).post(url("decide", ref), form(bob(), ref)).status_code == 409
    assert queries.get_review(ref).status == "CLAIMED"


def test_a_decision_stands_where_the_queue_does_not_answer(held):
    _, ref = held
    posted, client = form(bob(), ref), signed_in(bob())
    with fail("sqs", "SendMessage", times=20, error_code="connection"):
        response = client.post(url("decide", ref), posted)
    assert response.status_code == 302
    assert queries.get_review(ref).status == "DECIDED"


def test_htmx_is_told_to_go_to_the_queue(held):
    _, ref = held
    response = signed_in(bob(), htmx=True).post(url("decide", ref), form(bob(), ref))
    assert response["HX-Redirect"].startswith("/review/?done=")


def test_past_its_deadline_nothing_is_decided_though_nothing_has_ended_the_review_yet(held):
    _, ref = held
    posted = form(bob(), ref)
    pass_deadline(ref)
    response = signed_in(bob()).post(url("decide", ref), posted)
    assert (response.status_code, decisions_of(ref)) == (409, 0)
    assert "Due date passed at" in one_line(response.content)


def test_too_late_to_take_back_is_said(held):
    _, ref = held
    client = signed_in(bob())
    client.post(url("decide", ref), form(bob(), ref))
    response = client.post(url("undo", ref), {"decision_id": "another"})
    assert response.status_code == 409
    assert "Too late" in one_line(response.content)
