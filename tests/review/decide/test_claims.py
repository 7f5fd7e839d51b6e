"""Taking a review: one write, one winner, and a holder who comes back loses nothing."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings

from config.errors import Conflict
from review import queries
from review.decide import claims
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA
from tests.review.reviews import lapse, open_review, pass_deadline

pytestmark = pytest.mark.usefixtures("desk")


def test_taking_a_free_review_is_one_write():
    run, ref = open_review()
    with count_calls() as calls:
        claims.claim_review(ref, run, by=ROSA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert queries.get_review(ref).holder == ROSA.id


def test_taking_over_a_lapsed_claim_is_one_write_and_ends_the_old_page():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    before = queries.get_review(ref).version
    lapse(ref)
    with count_calls() as calls:
        claims.claim_review(ref, run, by=MARTA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert (queries.get_review(ref).holder, queries.get_review(ref).version) == (MARTA.id, before + 1)


@pytest.mark.parametrize("lapsed", [False, True])
def test_claiming_what_is_mine_renews_it_and_keeps_my_open_page_good(lapsed):
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    if lapsed:
        lapse(ref)
    before = queries.get_review(ref)
    claims.claim_review(ref, run, by=ROSA)
    after = queries.get_review(ref)
    assert after.version == before.version
    assert after.lease_until > before.lease_until


def test_of_sixteen_who_take_it_at_once_one_gets_it():
    run, ref = open_review()
    people = [type(ROSA)(str(i), f"Person {i}") for i in range(16)]

    def took(person):
        try:
            claims.claim_review(ref, run, by=person)
        except Conflict:
            return None
        return person.id

    with ThreadPoolExecutor(16) as lanes:
        winners = [one for one in lanes.map(took, people) if one]
    assert winners == [queries.get_review(ref).holder]


def test_the_next_one_is_the_most_urgent_that_is_free():
    open_review("later.pdf", timeout=90_000)
    run, held = open_review("held.pdf", timeout=70_000)
    claims.claim_review(held, run, by=MARTA)
    _, past = open_review("past.pdf", timeout=60_000)
    pass_deadline(past)
    _, urgent = open_review("urgent.pdf", timeout=80_000)
    with count_calls() as calls:
        assert claims.claim_next("default", by=ROSA) == urgent
    assert calls.names() == ["dynamodb.Query", "dynamodb.TransactWriteItems"]
    assert queries.get_review(urgent).holder == ROSA.id


def test_the_next_one_may_be_mine_already():
    run, mine = open_review(timeout=70_000)
    claims.claim_review(mine, run, by=ROSA)
    open_review(timeout=80_000)
    assert claims.claim_next("default", by=ROSA) == mine


def test_the_one_just_decided_is_passed_over_while_the_index_lags():
    _, first = open_review(timeout=70_000)
    _, second = open_review(timeout=80_000)
    assert claims.claim_next("default", by=ROSA, but=first) == second


@pytest.mark.wide
def test_sixteen_who_ask_for_the_next_one_get_sixteen():
    refs = {open_review(timeout=70_000 + i)[1] for i in range(16)}
    people = [type(ROSA)(str(i), f"Person {i}") for i in range(16)]
    with ThreadPoolExecutor(16) as lanes:
        got = list(lanes.map(lambda person: claims.claim_next("default", by=person), people))
    assert set(got) == refs


@pytest.mark.wide
def test_the_search_goes_on_behind_a_page_that_others_hold():
    for i in range(settings.PAGE_SIZE + 1):
        run, ref = open_review(timeout=70_000 + i)
        claims.claim_review(ref, run, by=MARTA)
    _, free = open_review(timeout=80_000)
    assert claims.claim_next("default", by=ROSA) == free


def test_where_nothing_is_free_there_is_no_next_one():
    assert claims.claim_next("default", by=ROSA) is None
    run, ref = open_review()
    claims.claim_review(ref, run, by=MARTA)
    assert claims.claim_next("default", by=ROSA) is None


def test_past_the_deadline_nobody_takes_it():
    run, ref = open_review()
    pass_deadline(ref)
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=ROSA)
