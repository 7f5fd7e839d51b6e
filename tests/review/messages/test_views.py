"""Asking, answering, taking over and commenting by their forms, and where what was said is shown."""

import re

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from config import clock
from config.errors import Conflict
from config.transaction import EXISTS
from projects.sites.permissions import ADMINS, REVIEWERS, VIEWERS
from review import queries
from review.decide import claims, due, questions
from review.decide.questions import Question
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.people import person as make_person
from tests.projects.make_queues import make_queue
from tests.projects.projects import make_project
from tests.review.reviews import lapse, open_review, pass_deadline, person, url
from workflows.runs.queries import lineage

pytestmark = pytest.mark.usefixtures("desk")


def claimed(**kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def posted(to, **more):
    return {"to": f"person:{to.pk}", "text": "Is this paid?", "wait": "4h", **more}


def asked(to=None, about="", **kwargs):
    run, ref = claimed(**kwargs)
    signed_in(bob()).post(url("ask", ref), posted(to or charlie(), about=about))
    return run, ref


def test_asking_offers_who_may_see_it_and_opens_my_next_document():
    queue = make_queue("Payables", ["reviewers", "viewers"])
    _, ref = claimed(queue=queue.id, timeout=70_000)
    _, other = open_review(queue=queue.id, timeout=80_000)
    charlie(), dora(), make_person("mara", "Lind", REVIEWERS)
    browser = signed_in(bob())
    text = one_line(browser.get(url("ask", ref), {"field": "total"}).content)
    assert ("Charlie Mbeki" in text, "Mara Lind" in text, "Dora Weiss" in text) == (True, True, False)
    assert ("reviewers (1)" in text, "viewers (1)" in text, "admins" in text) == (True, True, False)
    assert '<option value="total" selected>Total</option>' in text
    assert f'value="person:{bob().pk}"' not in text
    assert browser.post(url("ask", ref), posted(dora())).status_code == 422
    answer = browser.post(url("ask", ref), posted(charlie(), about="total"))
    assert answer["Location"] == url("show-review", other)
    assert queries.get_review(ref).status == ReviewStatus.ASKED
    views = signed_in(charlie()).get(reverse("review:list-views")).context["views"]
    assert {str(one.worklist): one.number for one in views}["asked"] == "1"


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("to", "Select a person or a group."),
        ("text", "Enter a question."),
        ("wait", "Select how long to wait."),
    ],
)
def test_what_is_missing_is_told_beside_its_field(missing, said):
    _, ref = claimed()
    answer = signed_in(bob()).post(url("ask", ref), posted(charlie()) | {missing: ""})
    assert (answer.status_code, said in one_line(answer.content)) == (422, True)
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED


def test_how_long_it_waits_and_who_i_am_are_said_in_my_language():
    _, ref = claimed()
    browser = signed_in(bob())
    german = {"headers": {"accept-language": "de"}}
    text = one_line(browser.get(url("ask", ref), **german).content)
    assert ("4 Stunden lang" in text, "For 4 hours" in text) == (True, False)
    assert "Bob Ito (Sie)" in one_line(browser.get(url("assign", ref), **german).content)


def test_it_waits_no_longer_than_until_it_is_nearly_due():
    _, ref = claimed(timeout=5 * 3600)
    text = one_line(signed_in(bob()).get(url("ask", ref)).content)
    assert ("For 4 hours" in text, "For 1 day" in text) == (True, False)
    signed_in(bob()).post(url("ask", ref), posted(charlie(), wait="due"))
    review = queries.get_review(ref)
    assert review.postponed_until < review.deadline


def test_a_time_that_passed_while_the_form_was_open_is_told(monkeypatch):
    _, ref = claimed(timeout=5 * 3600)
    monkeypatch.setattr("review.messages.forms.AskForm.until", property(lambda form: form.deadline))
    answer = signed_in(bob()).post(url("ask", ref), posted(charlie()))
    assert (answer.status_code, "before the due date" in one_line(answer.content)) == (422, True)


def test_who_is_asked_finds_it_answers_on_its_page_and_who_asked_sees_that():
    _, ref = asked()
    browser = signed_in(charlie())
    mine = browser.get(reverse("review:list-asked"))
    assert [(row.name, row.why_held) for row in mine.context["rows"]] == [("receipt.pdf", "asked you")]
    assert re.search(r"Answer by <time[^>]*>(today|tomorrow), ", one_line(mine.content))
    [own] = signed_in(bob()).get(reverse("review:list-mine")).context["rows"]
    assert (own.why_held, own.asks_me) == ("asked Charlie Mbeki", False)
    page = one_line(browser.get(url("show-review", ref)).content)
    assert "Bob Ito asks you" in page
    assert "Bob Ito asked you." in page
    assert url("take-asked", ref) not in page  # who only looks cannot take it over
    assert browser.post(url("answer", ref), {"answer": " "}).status_code == 422
    assert browser.post(url("answer", ref), {"answer": "Yes."})["Location"] == url("show-review", ref)
    own = signed_in(bob()).get(reverse("review:list-mine"))
    assert [(row.question, row.mine) for row in own.context["rows"]] == [("Answered", True)]
    assert "Answered" in one_line(own.content)
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "<b>Charlie Mbeki</b> answered" in page
    assert browser.get(reverse("review:list-asked")).context["rows"] == []
    assert "No questions for you" in one_line(browser.get(reverse("review:list-asked")).content)


def test_an_answer_that_comes_too_late_is_shown_and_not_lost():
    _, ref = asked()
    browser = signed_in(charlie())
    browser.post(url("answer", ref), {"answer": "Yes."})
    late = browser.post(url("answer", ref), {"answer": "Yes, on Monday."})
    assert late.status_code == 409
    assert "You wrote: “Yes, on Monday.”" in one_line(late.content)
    assert "You wrote" not in one_line(browser.post(url("answer", ref), {}).content)


def test_two_answers_in_the_same_moment(monkeypatch):
    _, ref = asked()
    stale = queries.get_review(ref)
    signed_in(charlie()).post(url("answer", ref), {"answer": "Yes."})
    monkeypatch.setattr("review.messages.views.load_review", lambda *_: stale)
    assert signed_in(charlie()).post(url("answer", ref), {"answer": "No."}).status_code == 409
    assert signed_in(bob()).post(url("take-asked", ref)).status_code == 409


def test_a_group_is_asked_and_its_members_alone():
    make_person("mara", "Lind", REVIEWERS)
    make_person("nils", "Berg", REVIEWERS)
    _, ref = claimed()
    charlie()
    signed_in(bob()).post(url("ask", ref), posted(bob()) | {"to": "group:reviewers"})
    assert "Bob Ito asked reviewers." in one_line(signed_in(charlie()).get(url("show-review", ref)).content)
    assert signed_in(charlie()).post(url("answer", ref), {"answer": "Yes."}).status_code == 409
    mara = signed_in(make_person("mara", "Lind"))
    assert "asked you and others" in one_line(mara.get(reverse("review:list-asked")).content)
    assert "Bob Ito asks you" in one_line(mara.get(url("show-review", ref)).content)
    assert mara.post(url("answer", ref), {"answer": "Yes."}).status_code == 302


def test_a_group_that_is_too_large_is_not_offered(monkeypatch):
    monkeypatch.setattr("review.messages.forms.MOST_ASKED", 1)
    for name in ("mara", "nora"):
        make_person(name, "Lind", VIEWERS)
    _, ref = claimed()
    assert "viewers (" not in one_line(signed_in(bob()).get(url("ask", ref)).content)


def test_who_was_asked_and_may_review_takes_it_over_and_twice_is_once():
    mara = make_person("mara", "Lind", REVIEWERS)
    _, ref = asked(to=mara)
    browser = signed_in(mara)
    assert "Claim and decide" in one_line(browser.get(url("show-review", ref)).content)
    for _ in range(2):
        assert browser.post(url("take-asked", ref))["Location"] == url("show-review", ref)
    assert queries.get_review(ref).holder == str(mara.pk)
    assert signed_in(bob()).post(url("take-asked", ref)).status_code == 409


def test_who_asked_goes_on_from_my_work_and_others_cannot():
    _, ref = asked()
    own = signed_in(bob()).get(reverse("review:list-mine"))
    assert [(row.why_held, row.mine) for row in own.context["rows"]] == [("asked Charlie Mbeki", True)]
    assert "You asked Charlie Mbeki." in one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert signed_in(alice()).post(url("take-asked", ref)).status_code == 409
    assert signed_in(alice()).post(url("claim", ref)).status_code == 409
    assert signed_in(bob()).post(url("take-asked", ref)).status_code == 302
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "Bob Ito continued without an answer." in page
    signed_in(bob()).post(url("ask", ref), posted(charlie()))
    row = one_line(signed_in(alice()).get(reverse("review:list-postponed")).content)
    assert "asked Charlie Mbeki" in row
    row = one_line(signed_in(charlie()).get(reverse("review:list-postponed")).content)
    assert "asked you" in row


def test_a_question_without_an_answer_says_so_until_it_is_claimed():
    _, ref = asked()
    Review.change(ref.key, [Review.postponed_until.set(clock.iso(clock.in_seconds(-1)))], EXISTS)
    due.drive_review(ref.site, queries.get_review(ref))
    own = one_line(signed_in(bob()).get(reverse("review:list-mine")).content)
    assert "No answer" in own
    assert "Not answered in time." in one_line(signed_in(charlie()).get(url("show-review", ref)).content)


def test_only_its_holder_asks():
    run, ref = claimed()
    assert signed_in(alice()).post(url("ask", ref), posted(charlie())).status_code == 409
    assert signed_in(charlie()).post(url("ask", ref), posted(alice())).status_code == 403
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    assert signed_in(bob()).post(url("ask", ref), posted(charlie())).status_code == 409


def test_asking_what_was_taken_over_while_the_form_was_read(monkeypatch):
    run, ref = claimed()
    stale = queries.get_review(ref)
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    monkeypatch.setattr("review.messages.views.load_review", lambda *_: stale)
    assert signed_in(bob()).post(url("ask", ref), posted(charlie())).status_code == 409


def test_who_is_taken_out_of_the_queues_groups_is_not_asked_any_more():
    queue = make_queue("Payables", ["reviewers", "viewers"])
    _, ref = asked(queue=queue.id)
    user = charlie()
    user.groups.set([Group.objects.get_or_create(name="others")[0]])
    browser = signed_in(charlie())
    assert browser.post(url("answer", ref), {"answer": "Yes."}).status_code in (403, 404)


def test_a_review_without_messages_costs_no_call_for_them():
    _, ref = open_review()
    browser = signed_in(charlie())
    browser.get(url("show-review", ref))  # what a process remembers is read once
    with count_calls() as quiet:
        page = browser.get(url("show-review", ref))
    assert "Comments and questions" in one_line(page.content)
    browser.post(url("comment", ref), {"text": "Odd."})
    with count_calls() as said:
        browser.get(url("show-review", ref))
    assert said.names().count("dynamodb.Query") == quiet.names().count("dynamodb.Query") + 1


def test_anyone_who_may_see_it_comments_in_any_state_and_mentions_people():
    _, ref = open_review()
    pass_deadline(ref)
    bob(), dora()
    browser = signed_in(charlie())
    form = browser.get(url("comment", ref))
    text = one_line(form.content)
    assert ("Bob Ito" in text, "Dora Weiss" in text) == (True, False)
    message_id = form.context["form"].initial["message_id"]
    sent = {"text": "Please look\nat page 2", "mention": [str(bob().pk)], "message_id": message_id}
    for _ in range(2):  # pressed twice
        answer = browser.post(url("comment", ref), sent)
        assert answer["Location"] == f"{url('show-review', ref)}#messages"
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert page.count("Please look<br>at page 2") == 1
    assert "Mentions Bob Ito" in page
    assert queries.get_review(ref).messages == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"text": " "}, "Enter a comment."),
        ({"text": "x" * 1001}, "Use at most 1,000 characters."),
        ({"text": "x", "mention": ["999"]}, "They cannot see this document."),
    ],
)
def test_a_comment_that_cannot_be_is_refused_with_what_to_do(sent, said):
    _, ref = open_review()
    answer = signed_in(charlie()).post(url("comment", ref), sent)
    assert (answer.status_code, said in one_line(answer.content)) == (422, True)


def test_no_more_people_are_mentioned_than_are_told(monkeypatch):
    monkeypatch.setattr("review.messages.forms.MOST_MENTIONED", 0)
    _, ref = open_review()
    answer = signed_in(charlie()).post(url("comment", ref), {"text": "x", "mention": [str(bob().pk)]})
    assert (answer.status_code, "Mention at most 0 people." in one_line(answer.content)) == (422, True)


def test_a_comment_does_not_disturb_who_decides():
    _, ref = claimed()
    before = queries.get_review(ref)
    signed_in(charlie()).post(url("comment", ref), {"text": "Odd."})
    after = queries.get_review(ref)
    assert (after.version, after.status, after.lease_until) == (before.version, before.status, before.lease_until)


def test_one_persons_message_id_is_no_others():
    _, ref = open_review()
    sent = {"text": "Odd.", "message_id": "0" * 26}
    assert signed_in(charlie()).post(url("comment", ref), sent).status_code == 302
    assert signed_in(bob()).post(url("comment", ref), sent).status_code == 409


def test_the_run_and_the_audit_say_what_was_asked_and_answered():
    run, ref = asked()
    signed_in(charlie()).post(url("answer", ref), {"answer": "Yes, on Monday."})
    history = one_line(
        signed_in(alice()).get(reverse("workflows:show-lineage", args=[run.document_id, run.workflow_id])).content
    )
    assert "Question about the review answered by Charlie Mbeki" in history
    assert "“Yes, on Monday.”" in history


def test_escalating_asks_the_projects_group_to_take_over_and_the_race_has_one_winner():
    project = make_project(escalation_group=ADMINS)
    run, ref = claimed(project_id=project.id)
    alice()
    browser = signed_in(bob())
    assert "Goes to admins." in one_line(browser.get(url("escalate", ref)).content)
    assert browser.post(url("escalate", ref), {"text": ""}).status_code == 422
    before = queries.get_review(ref)
    browser.post(url("escalate", ref), {"text": "Above my limit"})
    review = queries.get_review(ref)
    assert (review.status, review.question_to_name) == (ReviewStatus.ASKED, ADMINS)
    told = {one.type: one.facts.as_dict() for one in lineage(ref.site, ref.document_id).rows if one.facts}
    assert told["HUMAN_REVIEW_HANDED_UP"]["said"] == "Above my limit"
    page = one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert "Bob Ito escalated this to admins" in page
    assert "about Escalated" not in page
    late = Question(clock.new_ulid(), "Too", {str(alice().pk)}, ADMINS, clock.in_seconds(3600), escalates=True)
    with pytest.raises(Conflict):  # the same page in another tab
        questions.ask_question(ref, run, before, late, by=person(bob()))
    signed_in(alice()).post(url("take-asked", ref))
    assert queries.get_review(ref).holder == str(alice().pk)


def test_an_answer_to_an_escalation_is_shown_to_who_escalated():
    _, ref = claimed(project_id=make_project(escalation_group=ADMINS).id)
    alice()
    signed_in(bob()).post(url("escalate", ref), {"text": "Above my limit"})
    signed_in(alice()).post(url("answer", ref), {"answer": "Approve it."})
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    answer = page[page.index("data-answered") : page.index('data-standing="free"')]
    assert "Above my limit" in answer
    assert "Approve it." in answer


def test_escalating_says_where_no_group_can_take_over():
    _, ref = claimed(project_id=make_project(escalation_group="").id)
    browser = signed_in(bob())
    assert "No group can take this over." in one_line(browser.get(url("escalate", ref)).content)
    assert browser.post(url("escalate", ref), {"text": "Help"}).status_code == 422
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED


def test_who_asked_finds_the_answer_on_top_and_the_review_assigned():
    run, ref = asked(about="total")
    questions.answer_question(ref, run, queries.get_review(ref), "Yes, on Monday.", by=person(charlie()))
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    answer = text[text.index("data-answered") : text.index('data-standing="free"')]
    assert "Charlie Mbeki answered you" in answer
    assert "Total: Is this paid?" in answer
    assert "Yes, on Monday." in answer
    assert "Assigned to you." in text
    assert "Unclaimed." not in text
    claims.claim_review(ref, run, by=person(bob()))
    assert "data-answered" in one_line(signed_in(bob()).get(url("show-review", ref)).content)  # while it is decided
    assert "data-answered" not in one_line(signed_in(charlie()).get(url("show-review", ref)).content)
