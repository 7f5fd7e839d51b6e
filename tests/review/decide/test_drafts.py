"""What is typed is kept: by one write, path by path, for its writer alone, and until somebody has decided."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config import clock
from config.errors import Conflict
from config.item import Item
from review import queries
from review.decide import claims, decisions, drafts
from review.decide.drafts import TypedValues
from review.items.reviews import ReviewDraft
from review.status import ReviewStatus
from tests.aws_faults import count_calls, fail
from tests.factories import MARTA, ROSA, verdict
from tests.review.reviews import lapse, open_review, pass_deadline

pytestmark = pytest.mark.usefixtures("desk")
TOTAL = TypedValues({"total": "38.90"})


@pytest.fixture
def held():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    return run, ref


def save(ref, typed=TOTAL, *, by=ROSA, version=2, begun=False):
    return drafts.save_draft(ref, typed, by=by, version=version, begun=begun)


def draft(ref, by=ROSA):
    return queries.review_and_draft(ref, by.id)[1]


def values(ref, by=ROSA):
    return draft(ref, by).values.as_dict()


def test_a_save_is_one_write_the_first_time_and_every_time(held):
    _, ref = held
    with count_calls() as calls:
        save(ref)
        save(ref, TypedValues({"date": "1.4.2024"}, "Not ours"), begun=True)
    assert calls.names() == ["dynamodb.TransactWriteItems"] * 2
    assert values(ref) == {"total": "38.90", "date": "1.4.2024"}
    assert draft(ref).reason == "Not ours"


@pytest.mark.parametrize("begun", [True, False])
def test_a_wrong_guess_about_an_earlier_draft_costs_a_call_and_loses_nothing(held, begun):
    _, ref = held
    if not begun:
        save(ref, TypedValues({"date": "1.4.2024"}))
    with count_calls() as calls:
        save(ref, begun=begun)
    assert len(calls.names()) == 2
    assert values(ref)["total"] == "38.90"
    assert ("date" in values(ref)) is not begun


def test_two_tabs_do_not_lose_each_others_fields(held):
    _, ref = held
    names = [f"field_{i}" for i in range(8)]
    with ThreadPoolExecutor(8) as lanes:
        list(lanes.map(lambda name: save(ref, TypedValues({name: name})), names))
    assert values(ref) == {name: name for name in names}


def test_typing_renews_the_claim_and_leaves_its_version(held):
    _, ref = held
    lapse(ref)
    until = save(ref).until
    review = queries.get_review(ref)
    assert (review.lease_until, review.version) == (until, 2)
    assert until > clock.iso(clock.now())


def test_who_lost_the_claim_still_keeps_the_text_and_learns_of_it(held):
    run, ref = held
    lapse(ref)
    claims.claim_review(ref, run, by=MARTA)
    before = queries.get_review(ref)
    saved = save(ref)
    after = queries.get_review(ref)
    assert saved.until == ""
    assert values(ref) == {"total": "38.90"}
    assert (after.holder, after.lease_until) == (MARTA.id, before.lease_until)


def test_nobody_else_sees_it(held):
    _, ref = held
    save(ref)
    assert draft(ref, MARTA) is None


def test_it_survives_giving_back_and_taking_again(held):
    run, ref = held
    save(ref)
    claims.release_claim(ref, run, by=ROSA)
    claims.claim_review(ref, run, by=ROSA)
    assert values(ref) == {"total": "38.90"}


def test_what_is_decided_takes_no_draft(held):
    run, ref = held
    decisions.decide_review(ref, run, verdict(ref), by=ROSA)
    for by in (ROSA, MARTA):
        with pytest.raises(Conflict):
            save(ref, by=by)
        assert draft(ref, by) is None


def test_an_undone_decision_finds_its_draft_again(held):
    run, ref = held
    save(ref)
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=ROSA)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    assert values(ref) == {"total": "38.90"}


def test_an_undone_decision_is_typed_once_more(held):
    run, ref = held
    save(ref, TypedValues({"date": "2024-04-01"}))
    chosen = replace(verdict(ref, total="38.90", company=None), reason="Not ours")
    decisions.decide_review(ref, run, chosen, by=ROSA)
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    assert values(ref) == {"date": "2024-04-01", "total": "38.90", "company": ""}
    assert draft(ref).reason == "Not ours"


def test_an_undo_stands_where_its_words_cannot_be_read(held):
    run, ref = held
    chosen = verdict(ref, total="38.90")
    decisions.decide_review(ref, run, chosen, by=ROSA)
    with fail("s3", "GetObject"):
        decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=ROSA)
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED
    assert draft(ref) is None


def test_past_the_deadline_the_text_is_kept_and_the_claim_is_not(held):
    _, ref = held
    pass_deadline(ref)
    assert save(ref).until == ""
    assert values(ref) == {"total": "38.90"}


def test_a_decision_and_a_save_at_once_never_leave_a_claim_on_what_is_decided(held):
    run, ref = held

    def one(_):
        try:
            save(ref)
        except Conflict:
            return

    with ThreadPoolExecutor(9) as lanes:
        saves = [lanes.submit(one, i) for i in range(8)]
        decisions.decide_review(ref, run, verdict(ref), by=ROSA)
        [future.result() for future in saves]
    assert queries.get_review(ref).status == ReviewStatus.DECIDED


def test_it_goes_by_itself_but_never_before_its_review(held):
    _, ref = held
    save(ref)
    stored = ReviewDraft.load(ref.draft_key(ROSA.id))
    assert int(stored.TimeToLive) > clock.parse(queries.get_review(ref).deadline).timestamp()


def test_a_draft_that_ends_between_two_writes_is_begun_again(held):
    _, ref = held
    lost = {"CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}]}
    # Told that there is one and then that there is none, as when its TTL ends it in between.
    with fail("dynamodb", "TransactWriteItems", error_code="TransactionCanceledException", times=2, extra=lost):
        save(ref)
    assert values(ref) == {"total": "38.90"}


def test_what_is_typed_is_never_logged(held, caplog):
    _, ref = held
    with caplog.at_level(logging.DEBUG, logger="review"):
        save(ref, TypedValues({"total": "a secret amount"}, "a secret reason"))
    assert "secret" not in caplog.text


def test_no_page_reads_a_token_with_it(held):
    _, ref = held
    save(ref)
    with count_calls() as calls:
        queries.review_and_draft(ref, ROSA.id)
    assert calls.names() == ["dynamodb.BatchGetItem"]
    assert "taskToken" not in str(calls.answers)
    assert Item.load(ref.key)
