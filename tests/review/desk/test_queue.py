"""The queue page: order, holders, what it says when it is empty, and who may see it."""

import datetime as dt
from urllib.parse import quote

import pytest
from django.urls import reverse

from config import clock
from review import queries
from review.decide import claims
from review.desk.queue import row_of
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.review.reviews import lapse, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")


def page(user):
    return signed_in(user).get(reverse("review:queue"))


def test_an_empty_queue_says_that_nothing_waits():
    assert "No open reviews" in one_line(page(bob()).content)


def test_the_nearest_deadline_comes_first_with_its_reasons():
    open_review("later.pdf", timeout=90_000)
    open_review("sooner.pdf", timeout=80_000)
    text = one_line(page(bob()).content)
    assert 0 < text.index("sooner.pdf") < text.index("later.pdf")
    assert "Total 55 %, needs 90 %" in text


def test_a_row_says_how_many_pages_there_are():
    open_review()
    assert "1 page ·" in one_line(page(bob()).content)


def test_a_page_of_the_queue_is_one_query():
    open_review()
    with count_calls() as calls:
        page(bob())
    assert calls.names() == ["dynamodb.Query"]


def test_a_holder_is_named_until_the_lease_lapses():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    assert "Alice Novak" in one_line(page(bob()).content)
    lapse(ref)
    assert "Alice Novak" not in one_line(page(bob()).content)


def test_starting_takes_the_most_urgent_and_opens_it():
    open_review("later.pdf", timeout=90_000)
    _, ref = open_review("sooner.pdf", timeout=80_000)
    assert "Review next" in one_line(page(bob()).content)
    response = signed_in(bob()).post(reverse("review:claim-next"))
    assert response["Location"] == url("show-review", ref)
    assert queries.get_review(ref).holder == str(bob().pk)


def test_starting_where_nothing_is_free_says_so():
    response = signed_in(bob()).post(reverse("review:claim-next"), follow=True)
    assert "No unclaimed reviews for you right now." in one_line(response.content)


def test_who_has_the_last_one_is_said():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    text = one_line(page(bob()).content)
    assert "The last review is claimed by Alice Novak until" in text
    assert "data-start" not in text


def test_where_others_have_all_of_it_the_first_to_end_is_named():
    for _ in range(2):
        run, ref = open_review()
        claims.claim_review(ref, run, by=person(alice()))
    assert "All reviews in this queue are claimed. The first claim (Alice Novak) ends at" in one_line(
        page(bob()).content
    )


def test_a_viewer_sees_the_queue_and_no_way_to_start():
    open_review()
    response = page(charlie())
    assert response.status_code == 200
    assert "Review next" not in one_line(response.content)


def test_somebody_without_a_role_is_refused():
    alice()
    refused = page(dora())
    assert refused.status_code == 403
    assert "Alice Novak" not in one_line(refused.content)  # to strangers no one is named
    told = one_line(signed_in(charlie()).get("/settings/people/").content)
    assert "Admins here: Alice Novak" in told


def test_whoever_waits_for_a_claim_to_end_is_told():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    browser = signed_in(bob())
    assert "data-tell-free" in one_line(browser.get(url("show-review", ref)).content)
    assert browser.get(url("watch-free", ref)).status_code == 204
    lapse(ref)
    assert browser.get(url("watch-free", ref)).json() == {"told": "It is free now."}


def test_the_queue_is_never_stored_by_a_browser():
    assert "no-store" in page(bob())["Cache-Control"]


def test_a_forged_receipt_says_nothing():
    response = signed_in(bob()).get(reverse("review:queue"), {"done": "Approved: anything"})
    assert response.status_code == 200
    assert "data-receipt" not in one_line(response.content)


def test_a_file_name_is_text_and_never_markup():
    open_review("<script>alert(1)</script>.pdf")
    assert "<script>alert" not in one_line(page(bob()).content)


def test_a_rows_address_is_the_one_of_its_review():
    _, ref = open_review()
    usual, odd = queries.get_review(ref), queries.get_review(ref)
    odd.document_id = "a b/ü"
    for review in (usual, odd):
        row = row_of("default", review, root=reverse("review:queue"), user_id="1", now=clock.iso(clock.now()), soon="")
        review_id = review.SK.removeprefix("REVIEW#")
        assert row.url == reverse("review:show-review", args=["DOCUMENT", review_id]).replace(
            "DOCUMENT", quote(review.document_id, safe="")
        )


def test_a_row_says_when_its_deadline_is_near_and_when_it_has_passed():
    open_review("near.pdf")
    assert "Due in 23 h" in one_line(page(bob()).content)
    _, ref = open_review("later.pdf", timeout=7 * 86_400)
    review = queries.get_review(ref)
    due = clock.parse(review.deadline)
    early, near, over = (clock.iso(due + dt.timedelta(minutes=by)) for by in (-90, -38, 150))
    cases = (
        (early, early, (False, False, "")),
        (near, over, (False, True, "Due in 38 min")),
        (over, over, (True, False, "Overdue by 2 h")),
    )
    for now, soon, said in cases:
        row = row_of("default", review, root="/review/", user_id="1", now=now, soon=soon)
        assert (row.late, row.soon, row.due) == said


def test_a_row_says_a_reason_in_short():
    _run, ref = open_review()
    review = queries.get_review(ref)
    review.reasons = ["Date is not verified; too few reviews to rely on its confidence"]
    row = row_of("default", review, root="/", user_id="", now="", soon="")
    assert row.reason == "Date is not verified"


def test_a_row_shows_three_reasons_and_how_many_more():
    _, ref = open_review()
    review = queries.get_review(ref)
    review.reasons = [f"reason {number}" for number in range(5)]
    row = row_of("default", review, root="/review/", user_id="1", now="", soon="")
    assert (row.reason, row.reasons, row.more) == ("reason 0", ("reason 1", "reason 2"), 2)
    assert row.about == "Receipts · 1 page · "
