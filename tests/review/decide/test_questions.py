"""A review that waits for an answer: its asker's all the while, and decided by no one else by accident."""

import pytest

from config import clock, table
from config.errors import Conflict, Refused
from config.transaction import EXISTS
from review import queries
from review.decide import assignments, claims, due, questions
from review.decide.questions import MOST_ASKED, Question
from review.identity import Person
from review.items.reviews import Review
from review.messages import queries as message_queries
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA
from tests.review.reviews import lapse, open_review, pass_deadline
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.usefixtures("desk")
IVAN = Person("77", "Ivan Petrov")


def ask(ref, run, *, to=(MARTA, IVAN), seconds=600, by=ROSA):
    question = Question(
        clock.new_ulid(), "Is this paid?", [one.id for one in to], "Accounting", clock.in_seconds(seconds), "Total"
    )
    questions.ask_question(ref, run, queries.get_review(ref), question, by=by)


def asked(**kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=ROSA)
    ask(ref, run)
    return run, ref


def listed(person, worklist):
    return [row.name for row in queries.list_work("default", person.id, worklist).rows]


def messages(ref):
    return message_queries.list_messages(ref, queries.get_review(ref))


def events_of(ref):
    return [event.type for event in run_queries.lineage(ref.site, ref.document_id).rows]


def pass_time(ref):
    Review.change(ref.key, [Review.postponed_until.set(clock.iso(clock.in_seconds(-1)))], EXISTS)


def test_asking_is_one_write_and_puts_it_before_who_is_asked():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    review = queries.get_review(ref)
    question = Question(clock.new_ulid(), "Is this paid?", [MARTA.id], MARTA.name, clock.in_seconds(600))
    with count_calls() as calls:
        questions.ask_question(ref, run, review, question, by=ROSA)
    assert calls.names() == ["dynamodb.TransactWriteItems"]
    assert queries.list_queue("default").rows == []
    assert [row.name for row in queries.list_postponed("default").rows] == ["receipt.pdf"]
    assert (listed(MARTA, "asked"), listed(ROSA, "mine"), listed(ROSA, "asked")) == (["receipt.pdf"],) * 2 + ([],)
    assert claims.claim_next("default", by=MARTA) is None
    assert Review.load(ref.key).GSI2SK.startswith(queries.get_review(ref).postponed_until)


def test_what_was_asked_and_answered_stands_on_the_review_and_in_its_lineage():
    run, ref = asked()
    questions.answer_question(ref, run, queries.get_review(ref), "Yes, on Monday.", by=IVAN)
    [said] = messages(ref)
    assert (said.text, said.about, said.to_name, said.answer, said.answered_by) == (
        "Is this paid?", "Total", "Accounting", "Yes, on Monday.", IVAN.name,
    )  # fmt: skip
    rows = run_queries.lineage("default", ref.document_id).rows
    told = {event.type: event.facts.as_dict().get("said") for event in rows if event.facts}
    assert told["HUMAN_REVIEW_ASKED"] == "Is this paid?"
    assert told["HUMAN_REVIEW_QUESTION_ANSWERED"] == "Yes, on Monday."


def test_an_answer_gives_it_back_to_who_asked_and_to_no_one_else():
    run, ref = asked()
    questions.answer_question(ref, run, queries.get_review(ref), "Yes.", by=MARTA)
    review = queries.get_review(ref)
    assert (review.status, review.holder, review.question_ended) == (ReviewStatus.ASSIGNED, ROSA.id, "answered")
    assert (review.question_id, review.question_to, review.postponed_until) == (None, None, None)
    assert (listed(MARTA, "asked"), listed(IVAN, "asked"), listed(ROSA, "mine")) == ([], [], ["receipt.pdf"])
    assert [row.name for row in queries.list_queue("default").rows] == ["receipt.pdf"]
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=MARTA)
    claims.claim_review(ref, run, by=ROSA)


def test_of_two_answers_the_first_counts():
    run, ref = asked()
    stale = queries.get_review(ref)
    questions.answer_question(ref, run, stale, "Yes.", by=MARTA)
    for by in (IVAN, MARTA):  # another person, and the same form twice
        with pytest.raises(Conflict):
            questions.answer_question(ref, run, stale, "No.", by=by)
    assert [one.answer for one in messages(ref)] == ["Yes."]


def test_only_who_is_asked_answers():
    run, ref = asked()
    with pytest.raises(Conflict):
        questions.answer_question(ref, run, queries.get_review(ref), "Yes.", by=Person("5", "Eve"))
    assert queries.get_review(ref).status == ReviewStatus.ASKED


def test_an_answer_to_an_earlier_question_is_none_to_the_next():
    run, ref = asked()
    stale = queries.get_review(ref)
    questions.take_asked(ref, run, stale, by=ROSA)
    ask(ref, run)
    with pytest.raises(Conflict):
        questions.answer_question(ref, run, stale, "Yes.", by=MARTA)
    assert [one.answer for one in messages(ref)] == [None, None]


@pytest.mark.parametrize("seconds", [-1, 86_400])
def test_it_waits_until_after_now_and_before_its_deadline(seconds):
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    with pytest.raises(Refused):
        ask(ref, run, seconds=seconds)
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED


@pytest.mark.parametrize("to", [[], [ROSA], [Person(str(one), "x") for one in range(MOST_ASKED + 1)]])
def test_one_asks_others_and_not_too_many(to):
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    with pytest.raises(Refused):
        ask(ref, run, to=to)


def test_the_largest_group_fits_into_one_transaction():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    ask(ref, run, to=[Person(str(one + 100), "x") for one in range(MOST_ASKED)])
    questions.answer_question(ref, run, queries.get_review(ref), "Yes.", by=Person("100", "x"))
    assert listed(Person("101", "x"), "asked") == []


def test_nobody_asks_about_what_someone_took_over():
    run, ref = open_review()
    claims.claim_review(ref, run, by=ROSA)
    lapse(ref)
    claims.claim_review(ref, run, by=MARTA)
    with pytest.raises(Conflict):
        ask(ref, run, to=[IVAN])
    assert queries.get_review(ref).holder == MARTA.id
    assert not queries.get_review(ref).messages


def test_nobody_takes_it_but_who_asked_and_who_was_asked():
    run, ref = asked()
    eve = Person("5", "Eve")
    for act in (
        lambda: claims.claim_review(ref, run, by=eve),
        lambda: questions.take_asked(ref, run, queries.get_review(ref), by=eve),
        lambda: assignments.assign_review(ref, run, queries.get_review(ref), eve, by=eve),
    ):
        with pytest.raises(Conflict):
            act()
    assert queries.get_review(ref).status == ReviewStatus.ASKED


def test_who_asked_goes_on_without_the_answer():
    run, ref = asked()
    questions.take_asked(ref, run, queries.get_review(ref), by=ROSA)
    review = queries.get_review(ref)
    assert (review.status, review.holder) == (ReviewStatus.CLAIMED, ROSA.id)
    assert (listed(MARTA, "asked"), listed(ROSA, "mine")) == ([], ["receipt.pdf"])
    assert [one.ended for one in messages(ref)] == ["withdrawn"]


def test_who_was_asked_takes_it_over_and_the_answer_that_was_slower_is_refused():
    run, ref = asked()
    stale = queries.get_review(ref)
    questions.take_asked(ref, run, stale, by=MARTA)
    assert queries.get_review(ref).holder == MARTA.id
    assert (listed(ROSA, "mine"), listed(MARTA, "mine"), listed(IVAN, "asked")) == ([], ["receipt.pdf"], [])
    assert [(one.ended, one.answered_by) for one in messages(ref)] == [("taken_over", MARTA.name)]
    with pytest.raises(Conflict):
        questions.answer_question(ref, run, stale, "Yes.", by=IVAN)
    with pytest.raises(Conflict):  # both at once
        questions.take_asked(ref, run, stale, by=ROSA)


def test_who_may_not_decide_it_answers_but_does_not_take_it():
    run, ref = asked()
    Review.change(ref.key, [Review.barred.set({MARTA.id: "uploaded"})], EXISTS)
    with pytest.raises(Conflict):
        questions.take_asked(ref, run, queries.get_review(ref), by=MARTA)
    questions.answer_question(ref, run, queries.get_review(ref), "Yes.", by=MARTA)


def test_at_its_time_it_is_its_askers_again_and_once():
    _run, ref = asked()
    pass_time(ref)
    before = queries.get_review(ref)
    due.drive_review(ref.site, before)
    review = queries.get_review(ref)
    assert (review.status, review.holder, review.question_ended) == (ReviewStatus.ASSIGNED, ROSA.id, "unanswered")
    assert listed(MARTA, "asked") == []
    with pytest.raises(Conflict):  # the sweep that was slower
        due.drive_review(ref.site, before)
    due.drive_review(ref.site, review)
    assert events_of(ref).count("HUMAN_REVIEW_QUESTION_UNANSWERED") == 1


def test_an_answer_in_the_same_moment_wins_or_loses_whole():
    run, ref = asked()
    pass_time(ref)
    stale = queries.get_review(ref)
    questions.answer_question(ref, run, stale, "Yes.", by=MARTA)
    with pytest.raises(Conflict):
        questions.return_unanswered(ref, run, stale)
    assert [one.ended for one in messages(ref)] == ["answered"]


def test_it_ends_with_its_deadline_and_is_asked_of_no_one():
    _run, ref = asked()
    pass_time(ref)
    pass_deadline(ref)
    Review.change(ref.key, [Review.escalated_at.set("2026")], EXISTS)
    due.drive_review(ref.site, queries.get_review(ref))
    assert queries.get_review(ref).status == ReviewStatus.EXPIRED
    assert (listed(MARTA, "asked"), listed(ROSA, "mine")) == ([], [])


def test_the_next_question_is_another_one():
    run, ref = asked()
    questions.answer_question(ref, run, queries.get_review(ref), "Yes.", by=MARTA)
    claims.claim_review(ref, run, by=ROSA)
    ask(ref, run, to=[MARTA])
    assert [one.answer for one in messages(ref)] == ["Yes.", None]
    assert queries.get_review(ref).question_ended is None
    pk = table.REVIEW_MESSAGE.partition_key("default", document_id=ref.document_id)
    assert len({one.SK for one in messages(ref)}) == 2
    assert pk == ref.key.pk
