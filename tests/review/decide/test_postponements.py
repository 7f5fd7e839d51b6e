"""A review that was put off: out of the queue until its time, then back by itself; and what I gave back."""

import pytest

from config import clock
from config.errors import Conflict, Refused
from projects.documents import queries as counter_queries
from projects.documents.queries import Queued
from review import queries
from review.decide import claims, decisions, due, escalations, postponements
from review.decide.claims import DecidedReview
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA, verdict
from tests.review.reviews import lapse, open_review, pass_deadline
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.usefixtures("desk")


def names(rows):
    return [row.name for row in rows]


def postponed(seconds=600, **kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=ROSA)
    postponements.postpone_review(ref, run, queries.get_review(ref), clock.in_seconds(seconds), by=ROSA)
    return run, ref


def pass_time(ref):
    Review.change(ref.key, [Review.postponed_until.set(clock.iso(clock.in_seconds(-1)))], Review.PK.exists())


def events_of(ref):
    return [event.type for event in run_queries.lineage(ref.site, ref.document_id).rows]


def test_a_postponed_review_leaves_the_queue_and_stands_among_the_postponed_in_one_write():
    run, ref = open_review("away.pdf")
    open_review("here.pdf", timeout=90_000)
    claims.claim_review(ref, run, by=ROSA)
    review = queries.get_review(ref)
    with count_calls() as calls:
        postponements.postpone_review(ref, run, review, clock.in_seconds(600), by=ROSA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert names(queries.list_queue("default").rows) == ["here.pdf"]
    assert names(queries.list_postponed("default").rows) == ["away.pdf"]
    assert counter_queries.count_by_queue("default") == {"review": Queued(waiting=1, postponed=1)}
    assert names(queries.list_work("default", ROSA.id, "mine").rows) == []
    assert claims.claim_next("default", by=MARTA).document_id != ref.document_id
    assert "HUMAN_REVIEW_POSTPONED" in events_of(ref)


@pytest.mark.parametrize("seconds", [-1, 86_400])
def test_it_comes_back_after_now_and_before_its_deadline(seconds):
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    with pytest.raises(Refused):
        postponements.postpone_review(ref, run, queries.get_review(ref), clock.in_seconds(seconds), by=ROSA)
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED


def test_nobody_postpones_what_someone_took_over():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    stale = queries.get_review(ref)
    lapse(ref)
    claims.claim_review(ref, run, by=MARTA)
    with pytest.raises(Conflict):
        postponements.postpone_review(ref, run, stale, clock.in_seconds(600), by=ROSA)
    assert queries.get_review(ref).holder == MARTA.id


def test_nobody_claims_a_postponed_review_by_its_address():
    run, ref = postponed()
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=MARTA)
    assert queries.get_review(ref).status == ReviewStatus.POSTPONED


def test_it_comes_back_by_itself_at_its_time_and_once():
    _run, ref = postponed()
    pass_time(ref)
    before = queries.get_review(ref)
    due.drive_review(ref.site, before)
    after = queries.get_review(ref)
    assert (after.status, after.holder, after.postponed_until) == (ReviewStatus.PENDING, None, None)
    assert names(queries.list_queue("default").rows) == ["receipt.pdf"]
    assert queries.list_postponed("default").rows == []
    with pytest.raises(Conflict):  # the sweep that was slower
        due.drive_review(ref.site, before)
    due.drive_review(ref.site, after)  # nothing is due of it now but its deadline
    assert events_of(ref).count("HUMAN_REVIEW_RESUMED") == 1


def test_the_due_index_knows_its_time():
    _run, ref = postponed(600)
    review = Review.load(ref.key)
    assert review.GSI2SK.startswith(review.postponed_until)


def test_people_are_told_of_its_deadline_meanwhile_and_it_still_comes_back():
    run, ref = postponed(60, timeout=3000)
    escalations.escalate_review(ref, run, queries.get_review(ref))
    review = Review.load(ref.key)
    assert review.GSI2SK.startswith(review.postponed_until)
    pass_time(ref)
    due.drive_review(ref.site, queries.get_review(ref))
    assert queries.get_review(ref).status == ReviewStatus.PENDING


def test_an_escalation_of_what_was_postponed_meanwhile_changes_nothing():
    run, ref = open_review(timeout=3000)
    stale = queries.get_review(ref)
    claims.claim_review(ref, run, by=ROSA)
    postponements.postpone_review(ref, run, queries.get_review(ref), clock.in_seconds(600), by=ROSA)
    with pytest.raises(Conflict):
        escalations.escalate_review(ref, run, stale)


def test_a_postponed_review_ends_with_its_deadline():
    _run, ref = postponed()
    pass_time(ref)
    pass_deadline(ref)
    Review.change(ref.key, [Review.escalated_at.set("2026")], Review.PK.exists())
    due.drive_review(ref.site, queries.get_review(ref))
    assert queries.get_review(ref).status == ReviewStatus.EXPIRED


def test_someone_may_want_it_before_its_time():
    run, ref = postponed()
    postponements.resume_review(ref, run, queries.get_review(ref), by=MARTA)
    claims.claim_review(ref, run, by=MARTA)
    assert queries.get_review(ref).holder == MARTA.id


def test_what_i_released_or_skipped_is_no_next_document_of_mine_but_one_of_others():
    run, skipped = open_review("skipped.pdf", timeout=70_000)
    claims.claim_review(skipped, run, by=ROSA)
    claims.release_claim(skipped, run, by=ROSA, reason="I do not read Arabic")
    run, released = open_review("released.pdf", timeout=75_000)
    claims.claim_review(released, run, by=ROSA)
    claims.release_claim(released, run, by=ROSA)
    _, other = open_review("other.pdf", timeout=80_000)
    with count_calls() as calls:
        assert claims.claim_next("default", by=ROSA) == other
    # One is refused; the rest of the page is then asked once.
    assert calls.names().count("dynamodb.BatchGetItem") == 1
    assert claims.claim_next("default", by=MARTA) == skipped
    assert {"HUMAN_REVIEW_SKIPPED"} <= set(events_of(skipped))
    assert "HUMAN_REVIEW_SKIPPED" not in events_of(released)


def test_there_is_no_next_document_where_i_gave_all_back_until_i_take_one_on_purpose():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    claims.release_claim(ref, run, by=ROSA)
    assert claims.claim_next("default", by=ROSA) is None
    claims.claim_review(ref, run, by=ROSA)
    assert queries.get_review(ref).holder == ROSA.id
    assert not queries.get_review(ref).passed_by


def test_what_an_undo_gives_back_may_come_next_again():
    run, first = open_review(timeout=70_000)
    _, second = open_review(timeout=80_000)
    claims.claim_review(first, run, by=ROSA)
    chosen = verdict(first)
    decisions.decide_review(first, run, chosen, by=ROSA)
    claims.claim_next("default", by=ROSA, but=first, after=DecidedReview(first, chosen.decision_id))
    decisions.undo_decision(first, run, decision_id=chosen.decision_id, by=ROSA)
    assert queries.get_review(second).status == ReviewStatus.PENDING
    assert claims.claim_next("default", by=ROSA, but=first) == second
