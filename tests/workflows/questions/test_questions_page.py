"""Questions on the page of a segment, with and without a script, and who may ask."""

import pytest
from django.urls import reverse

from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.workflows.questions.made import BY, read_run
from workflows.questions import actions as question_actions
from workflows.questions import queries, tasks
from workflows.questions.actions import Answer

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "questions"}


@pytest.fixture
def run(table, monkeypatch):
    monkeypatch.setattr(tasks, "order_answer", lambda _ref, _generation: None)
    return read_run()


def url(name, run, *more):
    return reverse(f"workflows:{name}", args=[run.document_id, run.workflow_id, 0, *more])


def shown(run, who=bob):
    return one_line(signed_in(who()).get(url("show-questions", run)).content)


def test_nothing_is_kept_of_a_question_about_a_page_that_is_not_there(run):
    there = reverse("workflows:ask-question", args=[run.document_id, run.workflow_id, 7])
    assert signed_in(bob()).post(there, {"question": "What is the total?"}).status_code == 404
    assert queries.of_page(run, 7) == []


def ask(run, text="What is the total?", **more):
    return signed_in(bob()).post(url("ask-question", run), {"question": text}, **more)


def test_a_question_is_asked_without_a_script_and_its_answer_shown_with_its_place(run):
    answer = ask(run)
    assert (answer.status_code, answer["Location"]) == (302, url("show-questions", run))
    text = shown(run)
    assert "What is the total?" in text
    assert 'hx-trigger="every 2s"' in text
    ref = queries.QuestionRef(run, 0, 1)
    question_actions.record_answer(
        ref, Answer("120.00", "local", "Total due 120.00", (0.1, 0.2, 0.3, 0.25), 0.9), generation=1
    )
    text = shown(run)
    assert "Extractive answer, 90 % confidence" in text
    assert 'viewBox="76.0 256.0 248.0 118.0"' in text
    assert 'hx-trigger="every 2s"' not in text


def test_with_a_script_the_fragment_comes_back(run):
    answer = ask(run, headers=HTMX)
    assert answer.status_code == 200
    assert answer.content.decode().lstrip().startswith("<section")


def test_a_model_is_named_and_its_quote_shown_where_it_has_no_place(run):
    ask(run)
    question_actions.record_answer(queries.QuestionRef(run, 0, 1), Answer("120", "nova", "Total <b>"), generation=1)
    text = shown(run)
    assert "Answered by nova" in text
    assert "Total &lt;b&gt;" in text


def test_asking_nothing_is_told_and_kept(run):
    answer = ask(run, "x" * 501)
    assert answer.status_code == 422
    assert "at most 500 characters" in one_line(answer.content)
    assert "x" * 501 in one_line(answer.content)
    assert not queries.of_page(run, 0)


def test_it_is_asked_again_by_what_the_page_showed_and_deleted(run):
    ask(run)
    browser = signed_in(bob())
    again = {"generation": "1"}
    assert browser.post(url("ask-question-again", run, 1), again).status_code == 302
    second = browser.post(url("ask-question-again", run, 1), again)
    assert second.status_code == 409
    assert "was asked again or deleted" in second.content.decode()
    assert browser.post(url("delete-question", run, 1)).status_code == 302
    assert browser.post(url("delete-question", run, 1)).status_code == 302
    assert "What is the total?" not in shown(run)
    assert "No questions about this page yet." in shown(run)


def test_who_may_only_look_sees_answers_and_no_form(run):
    question_actions.ask_question(run, 0, "Total?", by=BY)
    text = shown(run, charlie)
    assert "Total?" in text
    assert '<form method="post" action="/workflows' not in text
    for name, more in (("ask-question", ()), ("ask-question-again", (1,)), ("delete-question", (1,))):
        assert signed_in(charlie()).post(url(name, run, *more)).status_code == 403
        assert signed_in(bob()).get(url(name, run, *more)).status_code == 405


def test_the_page_of_the_segment_leads_to_them(run):
    page = one_line(signed_in(bob()).get(url("show-segment", run)).content)
    assert url("show-questions", run) in page


def test_a_page_that_is_not_there_has_none(run):
    nothing = reverse("workflows:show-questions", args=[run.document_id, run.workflow_id, 7])
    assert signed_in(bob()).get(nothing).status_code == 404


def test_what_is_typed_stays_while_others_are_answered_and_goes_when_it_is_asked(run):
    browser = signed_in(bob())
    asked = one_line(browser.post(url("ask-question", run), {"question": "What is the total?"}, headers=HTMX).content)
    polled = browser.get(url("show-questions", run), headers=HTMX).content.decode()
    gone = browser.post(url("delete-question", run, 1), headers=HTMX).content.decode()
    assert ["hx-preserve" in one for one in (asked, polled, gone)] == [False, True, True]
