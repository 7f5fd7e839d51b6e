"""Taking a review: one write, one winner, and a holder who comes back loses nothing."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import Conflict
from review import queries
from review.actions import claims
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA
from tests.review.reviews import lapse, open_review, pass_deadline

pytestmark = pytest.mark.usefixtures("desk")


def test_taking_a_free_review_is_one_write():
    run, ref = open_review()
    with count_calls() as calls:
        claims.claim(ref, run, by=ROSA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert queries.review(ref).holder == ROSA.id


def test_taking_over_a_lapsed_claim_is_one_write_and_ends_the_old_page():
    run, ref = open_review()
    claims.claim(ref, run, by=ROSA)
    before = queries.review(ref).version
    lapse(ref)
    with count_calls() as calls:
        claims.claim(ref, run, by=MARTA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert (queries.review(ref).holder, queries.review(ref).version) == (MARTA.id, before + 1)


@pytest.mark.parametrize("lapsed", [False, True])
def test_claiming_what_is_mine_renews_it_and_keeps_my_open_page_good(lapsed):
    run, ref = open_review()
    claims.claim(ref, run, by=ROSA)
    if lapsed:
        lapse(ref)
    before = queries.review(ref)
    claims.claim(ref, run, by=ROSA)
    after = queries.review(ref)
    assert after.version == before.version
    assert after.lease_until > before.lease_until


def test_of_sixteen_who_take_it_at_once_one_gets_it():
    run, ref = open_review()
    people = [type(ROSA)(str(i), f"Person {i}") for i in range(16)]

    def took(person):
        try:
            claims.claim(ref, run, by=person)
        except Conflict:
            return None
        return person.id

    with ThreadPoolExecutor(16) as lanes:
        winners = [one for one in lanes.map(took, people) if one]
    assert winners == [queries.review(ref).holder]


def test_past_the_deadline_nobody_takes_it():
    run, ref = open_review()
    pass_deadline(ref)
    with pytest.raises(Conflict):
        claims.claim(ref, run, by=ROSA)
