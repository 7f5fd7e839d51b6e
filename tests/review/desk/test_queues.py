"""Reviews go to the queue that their project names; only its groups can see them."""

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from config import table
from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from projects.queues import queries as queue_queries
from review.decide import claims, decisions
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.factories import review_of, verdict
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.make_queues import SITE, make_queue
from tests.review.desk.pages import form
from tests.review.reviews import PROJECT, open_review, person, url
from workflows.runs import run_settings

pytestmark = pytest.mark.usefixtures("desk")
ACTS = ("claim", "renew", "release", "decide", "undo", "save-draft")


def queue_page(user, queue):
    return signed_in(user).get(reverse("review:show-queue", args=[queue.id]))


def admit(user, group):
    user.groups.add(Group.objects.get_or_create(name=group)[0])
    return user


def test_a_run_freezes_its_projects_queue():
    settings = run_settings.freeze({**PROJECT, "review_queue": "q1"})
    assert run_settings.from_json(run_settings.to_json(settings)).queue == "q1"
    assert run_settings.freeze(PROJECT).queue == ""


def test_a_review_waits_in_the_queue_of_its_run_and_in_no_other():
    queue = make_queue()
    open_review("special.pdf", queue=queue.id)
    open_review("common.pdf")
    special, common = queue_page(bob(), queue).content.decode(), signed_in(bob()).get("/review/").content.decode()
    assert ("special.pdf" in special, "common.pdf" in special) == (True, False)
    assert ("special.pdf" in common, "common.pdf" in common) == (False, True)


def test_a_page_of_a_queue_is_one_query_and_the_queue_itself():
    queue = make_queue()
    open_review(queue=queue.id)
    browser = signed_in(bob())
    with count_calls() as calls:
        browser.get(reverse("review:show-queue", args=[queue.id]))
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query"]


def test_a_look_after_the_claim_is_one_read_also_in_a_queue_of_groups():
    queue = make_queue(groups=("legal",))
    run, ref = open_review(queue=queue.id)
    user = admit(bob(), "legal")
    claims.claim_review(ref, run, by=person(user))
    browser = signed_in(user)
    look = f"{url('watch-claim', ref)}?version={review_of(ref).version}"
    assert browser.get(look).status_code == 204
    with count_calls() as calls:
        assert browser.get(look).status_code == 204
    assert calls.names() == ["dynamodb.GetItem"]
    claims.release_claim(ref, run, by=person(user))
    user.groups.remove(Group.objects.get(name="legal"))
    assert browser.get(look).status_code == 404  # what has become of it is for those whom the queue lets in


def test_the_queues_say_how_many_wait_in_each_in_three_calls():
    queue = make_queue()
    for name in ("a.pdf", "b.pdf"):
        open_review(name, queue=queue.id)
    open_review("c.pdf")
    browser = signed_in(bob())
    with count_calls() as calls:
        answer = browser.get(reverse("review:list-queues"), {"here": queue.id})
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query"]
    assert [(one.name, one.waiting) for one in answer.context["queues"]] == [("Review", 1), (queue.name, 2)]
    assert "2 waiting" in one_line(answer.content)


def test_the_next_one_comes_from_the_same_queue():
    queue = make_queue()
    open_review("common.pdf", timeout=70_000)
    _, first = open_review(queue=queue.id, timeout=80_000)
    _, second = open_review(queue=queue.id, timeout=90_000)
    browser = signed_in(bob())
    answer = browser.post(reverse("review:claim-next"), {"queue": queue.id})
    assert answer["Location"] == url("show-review", first)
    answer = browser.post(url("decide", first), form(bob(), first, decision="approve-and-next"))
    assert answer["Location"].startswith(url("show-review", second))
    answer = browser.post(url("decide", second), form(bob(), second, decision="approve-and-next"))
    assert answer["Location"].startswith(reverse("review:show-queue", args=[queue.id]))


def test_nothing_is_taken_from_a_queue_of_other_groups():
    queue = make_queue("Secret", ["finance"])
    _, ref = open_review(queue=queue.id)
    assert signed_in(bob()).post(reverse("review:claim-next"), {"queue": queue.id}).status_code == 404
    assert review_of(ref).status == ReviewStatus.PENDING


def test_a_queue_without_groups_is_open_to_everybody():
    assert queue_page(charlie(), make_queue()).status_code == 200


def test_a_queue_of_other_groups_is_not_there():
    queue = make_queue("Secret", ["finance"])
    answer, none = queue_page(bob(), queue), signed_in(bob()).get("/review/queues/none/")
    assert (answer.status_code, none.status_code) == (404, 404)
    assert "Secret" not in one_line(answer.content)
    assert "Queue not found." in one_line(answer.content)
    assert "Queue not found." in none.content.decode()
    assert queue_page(admit(bob(), "finance"), queue).status_code == 200


def test_an_admin_is_let_in_by_a_group_like_everybody_else():
    assert queue_page(alice(), make_queue("Secret", ["finance"])).status_code == 404


def test_the_choice_of_queues_shows_those_that_let_one_in():
    make_queue("Common")
    make_queue("Secret", ["finance"])
    browser = signed_in(bob())
    page = one_line(browser.get(reverse("review:list-queues")).content)
    assert ("Common" in page, "Secret" in page) == (True, False)
    admit(bob(), "finance")
    browser.get(reverse("review:list-queues"))  # what the new group may do here is looked up once
    with count_calls() as calls:
        assert "Secret" in one_line(browser.get(reverse("review:list-queues")).content)
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem", "dynamodb.Query"]


def test_where_there_is_nothing_to_choose_it_says_how_many_wait():
    open_review()
    page = one_line(signed_in(bob(), htmx=True).get(reverse("review:list-queues")).content)
    assert page.count("<a ") == 1
    assert "<b>1</b>" in page


def test_a_review_of_another_groups_queue_is_not_there_for_anything():
    _run, ref = open_review(queue=make_queue("Secret", ["finance"]).id)
    browser = signed_in(bob())
    assert browser.get(url("show-review", ref)).status_code == 404
    for act in ACTS:
        answer = browser.post(url(act, ref))
        assert (act, answer.status_code) == (act, 404)
        assert "Review not found." in one_line(answer.content)
    assert review_of(ref).status == ReviewStatus.PENDING
    missing = reverse("review:show-review", args=[ref.document_id, "none"])
    assert "Review not found." in one_line(browser.get(missing).content)


def test_a_superuser_is_let_in_everywhere():
    queue = make_queue("Secret", ["finance"])
    root = dora()
    root.is_superuser = True
    root.save()
    assert queue_page(root, queue).status_code == 200
    assert "Secret" in one_line(signed_in(root).get(reverse("review:list-queues")).content)


def test_who_is_let_in_claims_and_decides():
    queue = make_queue("Secret", ["finance"])
    _run, ref = open_review(queue=queue.id)
    browser = signed_in(admit(bob(), "finance"))
    browser.post(url("claim", ref))
    page = one_line(browser.get(url("show-review", ref)).content)
    assert reverse("review:show-queue", args=[queue.id]) in page
    answer = browser.post(url("decide", ref), form_of(page))
    assert answer["Location"].startswith(reverse("review:show-queue", args=[queue.id]) + "?done=")
    assert review_of(ref).status == ReviewStatus.DECIDED


def form_of(page):
    ticket = page.split('name="ticket" value="')[1].split('"')[0]
    return {"ticket": ticket, "decision": "reject", "reason": "Not ours"}


def test_who_is_put_out_after_claiming_cannot_decide_with_the_page_that_is_open():
    queue = make_queue("Secret", ["finance"])
    _run, ref = open_review(queue=queue.id)
    browser = signed_in(admit(bob(), "finance"))
    browser.post(url("claim", ref))
    form = form_of(browser.get(url("show-review", ref)).content.decode())
    queue_actions.update_queue(SITE, queue.id, name="Secret", groups=["audit"], version=1, by=actor_of(alice()))
    for act in ("decide", "save-draft", "renew"):
        assert browser.post(url(act, ref), form).status_code == 404
    assert browser.post(url("decide", ref), {"ticket": "forged"}).status_code == 404
    assert review_of(ref).status == ReviewStatus.CLAIMED


def test_a_decision_that_is_taken_back_waits_in_its_own_queue_again():
    queue = make_queue()
    run, ref = open_review(queue=queue.id)
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=person(bob()))
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=person(bob()))
    assert table.REVIEW.gsi1_partition(SITE, queue=queue.id) == Review.load(ref.key).GSI1PK


def test_an_archived_queue_is_worked_off():
    queue = make_queue()
    open_review("late.pdf", queue=queue.id)
    queue_actions.archive_queue(SITE, queue.id, by=actor_of(alice()))
    assert "late.pdf" in queue_page(bob(), queue).content.decode()
    assert ">Archived<" in one_line(signed_in(bob()).get(reverse("review:list-queues")).content)
    assert queue_queries.get_queue(SITE, queue.id).is_archived
