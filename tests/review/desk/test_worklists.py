"""A person's own lists, how many each has, what an address of the queue asks for, and where a review stands in it."""

import html
import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from config import table
from review import queries
from review.decide import claims, decisions, drafts
from review.decide.claims import DecidedReview
from review.decide.drafts import TypedValues
from review.desk import saved_views
from review.items.reviews import ReviewWork
from review.status import ReviewStatus, Worklist
from tests.aws_faults import count_calls
from tests.factories import review_of, verdict
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_queues import make_queue
from tests.review.reviews import lapse, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")


def names(page):
    return [row.name for row in page.context["rows"]]


def ask(**query):
    return signed_in(bob()).get(reverse("review:queue"), query)


def numbers(user):
    page = signed_in(user).get(reverse("review:list-views"))
    return {str(one.worklist): one.number for one in page.context["views"]}


def work_rows(user):
    pk = table.REVIEW_WORK.gsi1_partition("default", user_id=str(user.pk), worklist=Worklist.MINE)
    return len(ReviewWork.page(pk, index="GSI1").rows)


def test_my_work_is_what_i_claimed_the_nearest_due_date_first():
    for name, timeout, user in (("late", 90_000, bob()), ("soon", 70_000, bob()), ("theirs", 60_000, alice())):
        run, ref = open_review(f"{name}.pdf", timeout=timeout)
        claims.claim_review(ref, run, by=person(user))
    open_review("free.pdf")
    with count_calls() as calls:
        page = signed_in(bob()).get(reverse("review:list-mine"))
    assert names(page) == ["soon.pdf", "late.pdf"]
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]


def test_what_is_released_or_decided_leaves_my_work_and_an_undone_decision_comes_back():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    claims.release_claim(ref, run, by=person(bob()))
    assert work_rows(bob()) == 0
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=person(bob()))
    assert work_rows(bob()) == 0
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=person(bob()))
    assert names(signed_in(bob()).get(reverse("review:list-mine"))) == ["receipt.pdf"]


def test_a_claim_that_someone_took_over_is_no_work_of_mine():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    lapse(ref)
    assert names(signed_in(bob()).get(reverse("review:list-mine"))) == ["receipt.pdf"]  # it still waits for me
    claims.claim_review(ref, run, by=person(alice()))
    assert names(signed_in(bob()).get(reverse("review:list-mine"))) == []


def test_my_work_shows_nothing_of_a_queue_that_no_longer_lets_me_in():
    user = bob()
    user.groups.add(Group.objects.get_or_create(name="finance")[0])
    run, ref = open_review("secret.pdf", queue=make_queue("Secret", ["finance"]).id)
    claims.claim_review(ref, run, by=person(user))
    assert names(signed_in(user).get(reverse("review:list-mine"))) == ["secret.pdf"]
    user.groups.remove(Group.objects.get(name="finance"))
    assert names(signed_in(user).get(reverse("review:list-mine"))) == []
    assert numbers(user)["mine"] == "0"


@pytest.mark.wide
def test_decided_today_says_what_i_decided_and_what_i_took_back():
    for name, undone in (("kept.pdf", False), ("undone.pdf", True)):
        run, ref = open_review(name)
        claims.claim_review(ref, run, by=person(bob()))
        chosen = replace(verdict(ref), name=name)
        decisions.decide_review(ref, run, chosen, by=person(bob()))
        if undone:
            decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=person(bob()))
    with count_calls() as calls:
        page = signed_in(bob()).get(reverse("review:list-decided"))
    assert [(row.name, row.words) for row in page.context["rows"]] == [
        ("undone.pdf", "Undone"),
        ("kept.pdf", "Approved"),
    ]
    assert calls.names() == ["dynamodb.Query"]
    assert numbers(bob())["decided"] == "1"
    assert "No decisions today" in one_line(signed_in(alice()).get(reverse("review:list-decided")).content)


def test_each_list_says_how_many_it_has():
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        run, ref = open_review(name)
    claims.claim_review(ref, run, by=person(bob()))
    assert numbers(bob()) == {"team": "3", "mine": "1", "asked": "0", "postponed": "0", "decided": "0"}
    decisions.decide_review(ref, run, verdict(ref), by=person(bob()))
    assert numbers(bob()) == {"team": "2", "mine": "0", "asked": "0", "postponed": "0", "decided": "1"}
    assert numbers(alice()) == {"team": "2", "mine": "0", "asked": "0", "postponed": "0", "decided": "0"}


def test_an_address_asks_for_some_of_the_queue_in_an_order():
    open_review("invoice b.pdf", timeout=3000, project_name="Invoices", project_id="proj_invoices")
    open_review("receipt a.pdf", timeout=80_000)
    run, ref = open_review("receipt c.pdf", timeout=90_000)
    claims.claim_review(ref, run, by=person(alice()))
    assert names(ask(text="RECEIPT")) == ["receipt a.pdf", "receipt c.pdf"]
    assert names(ask(text="total needs invoice")) == ["invoice b.pdf"]  # a reason, and a name
    assert names(ask(project="proj_invoices")) == ["invoice b.pdf"]
    assert names(ask(due="1h")) == ["invoice b.pdf"]
    assert names(ask(due="over")) == []
    assert names(ask(assignee="none")) == ["invoice b.pdf", "receipt a.pdf"]
    assert names(ask(assignee="others")) == ["receipt c.pdf"]
    assert names(ask(sort="name", text="receipt")) == ["receipt a.pdf", "receipt c.pdf"]
    assert names(ask(sort="received")) == ["invoice b.pdf", "receipt a.pdf", "receipt c.pdf"]
    assert names(ask(sort="nothing", due="soon")) == ["invoice b.pdf", "receipt a.pdf", "receipt c.pdf"]


def test_a_filtered_queue_is_one_query_and_keeps_its_filter():
    open_review()
    with count_calls() as calls:
        page = ask(text="receipt", sort="name")
    assert calls.names() == ["dynamodb.Query"]
    text = one_line(page.content)
    assert 'value="receipt"' in text
    assert "Review next" not in text.split('id="keys"')[0]  # it would take what the filter leaves out
    assert "No reviews match" in one_line(ask(text="nothing like this").content)


def test_a_filter_searches_the_next_of_a_long_queue_on_demand(monkeypatch):
    monkeypatch.setattr("review.desk.queue.MOST_READ", 2)
    for number in range(3):
        open_review(f"{number}.pdf", timeout=80_000 + number)
    page = ask(text="2.pdf")
    assert "No matches among the 2 most urgent reviews." in one_line(page.content)
    assert names(ask(text="2.pdf", after=page.context["next_cursor"])) == ["2.pdf"]


def test_a_review_says_where_it_stands_in_its_queue():
    _, first = open_review(timeout=70_000)
    _, second = open_review(timeout=80_000)
    browser = signed_in(charlie())
    browser.get(url("show-position", first))  # what is personal is remembered, as permissions are
    with count_calls() as calls:
        assert "2 of 2 in queue" in one_line(browser.get(url("show-position", second)).content)
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query", "dynamodb.Query"]
    assert "1 of 2 in queue" in one_line(browser.get(url("show-position", first)).content)


def test_a_decided_review_stands_nowhere():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    decisions.decide_review(ref, run, verdict(ref), by=person(bob()))
    assert one_line(signed_in(bob()).get(url("show-position", ref)).content) == ""


def claimed_ahead():
    """What came by itself with a decision."""
    run, first = open_review(timeout=70_000)
    _, second = open_review(timeout=80_000)
    claims.claim_review(first, run, by=person(bob()))
    chosen = verdict(first)
    decisions.decide_review(first, run, chosen, by=person(bob()))
    claims.claim_next("default", by=person(bob()), but=first, after=DecidedReview(first, chosen.decision_id))
    return second


def test_leaving_what_came_by_itself_gives_it_back():
    ref = claimed_ahead()
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert url("leave", ref) in page
    assert signed_in(bob()).post(url("leave", ref))["Location"] == reverse("review:queue")
    assert review_of(ref).status == ReviewStatus.PENDING
    assert work_rows(bob()) == 0


def test_leaving_what_i_have_begun_or_claimed_myself_keeps_it():
    ref = claimed_ahead()
    drafts.keep_draft(ref, TypedValues({"total": "1.00"}), by=person(bob()))
    signed_in(bob()).post(url("leave", ref))
    run, own = open_review()
    claims.claim_review(own, run, by=person(bob()))
    assert url("leave", own) not in one_line(signed_in(bob()).get(url("show-review", own)).content)
    signed_in(bob()).post(url("leave", own))
    assert {review_of(one).status for one in (ref, own)} == {ReviewStatus.CLAIMED}


def test_leaving_twice_or_after_someone_took_it_changes_nothing():
    ref = claimed_ahead()
    lapse(ref)
    claims.claim_review(ref, queries.run_of(ref, queries.get_review(ref)), by=person(alice()))
    assert signed_in(bob()).post(url("leave", ref)).status_code == 302
    assert review_of(ref).holder == str(alice().pk)


def save(user, name, query="text=invoice&sort=unsure", queue=""):
    return signed_in(user).post(reverse("review:save-view"), {"name": name, "query": query, "queue": queue})


def saved(user):
    return [(one.name, one.url, one.digit) for one in lists(user).context["saved"]]


def lists(user):
    return signed_in(user).get(reverse("review:list-views"))


def test_a_view_is_saved_under_a_name_for_one_person_and_replaced_by_the_same_name():
    answer = save(bob(), "  Big   invoices ")
    assert answer["Location"] == f"{reverse('review:queue')}?text=invoice&sort=unsure"
    assert saved(bob()) == [("Big invoices", "/review/?text=invoice&sort=unsure", "1")]
    save(bob(), "big INVOICES", "due=1h")
    assert saved(bob()) == [("big INVOICES", "/review/?due=1h", "1")]
    assert saved(alice()) == []


def test_the_view_that_is_open_is_marked():
    save(bob(), "Big invoices")
    save(bob(), "Due soon", "due=1h")
    browser = signed_in(bob())
    nav = browser.get(f"{reverse('review:queue')}?sort=unsure&text=invoice&gone=x").content.decode()
    (address,) = re.findall(r'hx-get="([^"]*/views/[^"]*)"', nav)
    marked = one_line(browser.get(html.unescape(address), headers={"HX-Request": "true"}).content)
    assert '<a href="/review/?text=invoice&amp;sort=unsure" data-saved="1" aria-current="page">' in marked
    assert '<a href="/review/?due=1h" data-saved="2">' in marked
    elsewhere = one_line(browser.get(reverse("review:list-views"), {"here": "mine"}).content)
    assert 'aria-current="page"' not in elsewhere.partition("Saved views")[2]


@pytest.mark.parametrize(("name", "query"), [("", "due=1h"), ("Due", ""), ("Due", "due=never&after=x")])
def test_a_view_without_a_name_or_filters_is_not_saved(name, query):
    assert save(bob(), name, query).status_code == 302
    assert saved(bob()) == []


def test_a_person_has_so_many_views_and_may_still_replace_one():
    for number in range(saved_views.MOST):
        save(bob(), f"View {number:02}")
    save(bob(), "One more")
    save(bob(), "View 03", "due=24h")
    assert len(saved(bob())) == saved_views.MOST
    assert saved(bob())[3][1] == "/review/?due=24h"
    assert saved(bob())[9][2] == ""  # nine keys


def test_a_view_is_deleted_by_its_owner_alone_and_twice_is_harmless():
    save(bob(), "Due soon", "due=1h")
    (one,) = lists(bob()).context["saved"]
    where = reverse("review:delete-view", args=[one.id])
    signed_in(alice()).post(where)
    assert len(saved(bob())) == 1
    for _ in range(2):
        assert signed_in(bob()).post(where).status_code == 302
    assert saved(bob()) == []
    assert signed_in(bob()).post(reverse("review:delete-view", args=["a#b"])).status_code == 404


def test_no_view_is_saved_of_a_queue_that_does_not_let_me_in():
    queue = make_queue("Secret", ["finance"]).id
    assert save(bob(), "Theirs", queue=queue).status_code == 404
    assert saved(bob()) == []
