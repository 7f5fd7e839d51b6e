"""How much each reviewer has to decide now: claims that last and what is assigned, of a project or the site."""

import pytest
from django.urls import reverse

from review.decide import assignments, claims
from review.queries import get_review
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.review.reviews import lapse, open_review, person

pytestmark = pytest.mark.usefixtures("desk")
URL = "/review/load/"


def loads(**query):
    return [(row.name, row.claimed, row.assigned) for row in signed_in(alice()).get(URL, query).context["rows"]]


def claim(name, user):
    run, ref = open_review(name)
    claims.claim_review(ref, run, by=person(user))
    return run, ref


def assign(name, user):
    run, ref = open_review(name)
    assignments.assign_review(ref, run, get_review(ref), person(user), by=person(alice()))


def test_claims_and_assignments_are_told_apart_the_most_work_first_in_two_calls():
    claim("a.pdf", bob())
    claim("b.pdf", bob())
    assign("c.pdf", bob())
    assign("d.pdf", charlie())
    open_review("free.pdf")
    signed_in(alice()).get(URL)
    with count_calls() as calls:
        assert loads() == [("Bob Ito", 2, 1), ("Charlie Mbeki", 0, 1)]
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]
    assert loads(project="proj_other") == []


def test_what_lapsed_was_taken_over_or_given_back_is_no_one_elses_work():
    _, lapsed = claim("lapsed.pdf", bob())
    lapse(lapsed)
    run, taken = claim("taken.pdf", bob())
    lapse(taken)
    claims.claim_review(taken, run, by=person(alice()))
    run, returned = claim("returned.pdf", bob())
    claims.release_claim(returned, run, by=person(bob()))
    assert loads() == [("Alice Novak", 1, 0)]


def test_insight_loads_it_for_those_who_set_projects_up():
    claim("a.pdf", bob())
    page = one_line(signed_in(alice()).get(URL, headers={"HX-Request": "true"}).content)
    assert "<html" not in page
    assert "Open work now" in page
    assert signed_in(bob()).get(URL).status_code == 403
    assert reverse("review:show-load") == URL


def test_nobody_s_work_is_said_so():
    assert "No reviews are claimed or assigned" in one_line(signed_in(alice()).get(URL).content)
