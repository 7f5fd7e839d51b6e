"""A review that is assigned: for one person alone, in their list, until they claim it or it is assigned anew."""

import pytest

from config.errors import Conflict
from review import queries
from review.decide import assignments, claims
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA
from tests.review.reviews import lapse, open_review, pass_deadline
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.usefixtures("desk")
KIM = type(ROSA)("99", "Kim Lee")


def assign(run, ref, to, by=ROSA):
    assignments.assign_review(ref, run, queries.get_review(ref), to, by=by)


def work(person):
    return [row.name for row in queries.list_work("default", person.id, "mine").rows]


def test_only_the_assignee_claims_it_and_it_stands_in_their_list():
    run, ref = open_review()
    review = queries.get_review(ref)
    with count_calls() as calls:
        assignments.assign_review(ref, run, review, MARTA, by=ROSA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert (work(MARTA), work(ROSA)) == (["receipt.pdf"], [])
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=ROSA)
    assert claims.claim_next("default", by=ROSA) is None
    assert claims.claim_next("default", by=MARTA) == ref
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED
    kinds = [event.type for event in run_queries.lineage(ref.site, ref.document_id).rows]
    assert "HUMAN_REVIEW_ASSIGNED" in kinds


def test_what_i_hold_i_may_hand_on_and_it_leaves_my_list():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    assign(run, ref, MARTA)
    assert (work(MARTA), work(ROSA)) == (["receipt.pdf"], [])
    assign(run, ref, KIM, by=MARTA)
    assert (work(KIM), work(MARTA)) == (["receipt.pdf"], [])


def test_another_persons_claim_is_not_assigned_away_until_it_lapses():
    run, ref = open_review()
    claims.claim_review(ref, run, by=MARTA)
    with pytest.raises(Conflict):
        assign(run, ref, KIM)
    assert queries.get_review(ref).holder == MARTA.id
    lapse(ref)
    assign(run, ref, KIM)
    assert (work(KIM), work(MARTA)) == (["receipt.pdf"], [])


def test_an_active_claim_is_assigned_away_only_where_that_is_meant():
    run, ref = open_review()
    claims.claim_review(ref, run, by=MARTA)
    read = queries.get_review(ref)
    assignments.assign_review(ref, run, read, KIM, by=ROSA, over_claim=True)
    assert (work(KIM), work(MARTA)) == (["receipt.pdf"], [])
    with pytest.raises(Conflict):
        claims.renew_claim(ref, by=MARTA)
    with pytest.raises(Conflict):  # as read before that
        assignments.assign_review(ref, run, read, ROSA, by=ROSA, over_claim=True)


def test_of_two_who_assign_what_they_read_the_second_loses():
    run, ref = open_review()
    read = queries.get_review(ref)
    assignments.assign_review(ref, run, read, MARTA, by=ROSA)
    with pytest.raises(Conflict):
        assignments.assign_review(ref, run, read, KIM, by=ROSA)
    assert queries.get_review(ref).holder == MARTA.id


def test_nobody_is_assigned_what_they_may_not_decide_or_what_is_late():
    run, ref = open_review()
    Review.change(ref.key, [Review.barred.set({MARTA.id: "uploaded"})], Review.PK.exists())
    with pytest.raises(Conflict):
        assign(run, ref, MARTA)
    pass_deadline(ref)
    with pytest.raises(Conflict):
        assign(run, ref, KIM)


def test_who_is_assigned_what_they_gave_back_has_it_next():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    claims.release_claim(ref, run, by=ROSA, reason="Not mine")
    assert claims.claim_next("default", by=ROSA) is None
    assign(run, ref, ROSA, by=MARTA)
    assert claims.claim_next("default", by=ROSA) == ref
