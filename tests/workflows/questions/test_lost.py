"""A question whose message is lost, or ends every worker: sent again so often, then it says so."""

import dataclasses
import time

import pytest
from django.conf import LazySettings, settings

from config.brokers import queues
from config.due import sweeper
from config.errors import Conflict, Unavailable
from tests.aws_faults import crash_after, crash_before, fail
from tests.pump import Pump, acknowledge, receive
from tests.workflows import stored
from tests.workflows.questions.made import BY, read_run
from workflows.questions import actions as question_actions
from workflows.questions import answering, queries, tasks
from workflows.questions.due import resume_question
from workflows.questions.items import Question
from workflows.questions.queries import QuestionRef
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.django_db
MOST = 3
SENTENCE = "No answer after 3 attempts. Rephrase the question."


@pytest.fixture
def ref(table: str, settings: LazySettings) -> QuestionRef:
    settings.WORKER_ATTEMPTS, settings.MESSAGE_LOST_SECONDS = MOST, 0
    return question_actions.ask_question(read_run(), 0, "What is the total due?", by=BY)


def row(ref: QuestionRef) -> Question:
    return queries.get_question(ref)


def answer(ref: QuestionRef, *, owner: str = "mine") -> None:
    kwargs = {**dataclasses.asdict(ref.run), "segment": ref.segment, "number": ref.number, "generation": 1}
    tasks.answer.apply(kwargs=kwargs, task_id=owner, throw=True)


def killed(ref: QuestionRef) -> None:
    with crash_before("s3", "GetObject"):
        answer(ref)


def swept(ref: QuestionRef) -> None:
    """As the sweeper does it, and nothing for the run or for others."""
    time.sleep(0.002)  # what is due at this very instant is due in the next
    for found in list(sweeper.due_rows(0)):
        if found.key == ref.key and found.kind == "question":
            sweeper.repair_due(found)


def lost() -> None:
    """Every message, also what other tests left behind."""
    while queues.count_messages(settings.STEPS_QUEUE):
        for message in receive(settings.STEPS_QUEUE):
            acknowledge(message)


def words(ref: QuestionRef) -> list[str]:
    rows = run_queries.lineage(ref.run.site, ref.run.document_id).rows
    return [one.type for one in rows if one.type.startswith("QUESTION")]


def test_a_question_whose_message_is_lost_is_sent_again_and_answered(ref: QuestionRef, pump: Pump) -> None:
    pump.hold = lambda message: not message.task.endswith("questions.tasks.answer")
    swept(ref)
    pump.run(lambda: row(ref).status == "answered")
    assert (row(ref).GSI2PK, row(ref).GSI2SK, row(ref).lease_owner) == (None, None, None)
    before = stored.rows()
    swept(ref)
    assert stored.rows() == before


def test_every_message_that_is_lost_counts_and_then_it_says_so(ref: QuestionRef) -> None:
    for sent in range(1, MOST + 1):
        while int(row(ref).tries) < sent:  # what other tests delayed may come in between
            lost()
            due = row(ref)
            swept(ref)
        with pytest.raises(Conflict):  # the loser of two sweeps
            resume_question(ref.run.site, due)
        assert int(row(ref).tries) == sent
    swept(ref)
    assert (row(ref).status, row(ref).error, row(ref).GSI2PK) == ("failed", SENTENCE, None)
    assert words(ref) == ["QUESTION_ASKED", "QUESTION_FAILED"]
    swept(ref)
    assert not question_actions.give_up(ref, due)
    assert words(ref) == ["QUESTION_ASKED", "QUESTION_FAILED"]
    assert question_actions.ask_again(ref, generation=1, by=BY) == 2
    assert (row(ref).status, int(row(ref).tries), bool(row(ref).GSI2PK)) == ("asked", 0, True)


def test_what_ends_every_worker_is_begun_so_often_and_no_more(ref: QuestionRef) -> None:
    for begun in range(1, MOST + 1):
        killed(ref)
        assert (row(ref).status, int(row(ref).tries)) == ("asked", begun)
    answer(ref)
    assert row(ref).status == "asked"
    swept(ref)
    assert (row(ref).status, row(ref).error) == ("failed", SENTENCE)


def test_where_workers_are_behind_nothing_is_counted(ref: QuestionRef) -> None:
    tasks.send_question(ref, 1)
    due = row(ref)
    resume_question(ref.run.site, due)
    assert int(row(ref).tries) == 0
    assert str(row(ref).GSI2SK) > str(due.GSI2SK)


def test_a_broker_that_does_not_answer_counts_for_nothing(ref: QuestionRef) -> None:
    with fail("sqs", "GetQueueAttributes", error_code="connection", times=9), pytest.raises(Unavailable):
        resume_question(ref.run.site, row(ref))
    assert int(row(ref).tries) == 0


def test_who_comes_while_another_answers_asks_nobody(ref: QuestionRef, settings: LazySettings) -> None:
    settings.MESSAGE_LOST_SECONDS = 60
    killed(ref)
    answer(ref, owner="another")
    assert (row(ref).status, int(row(ref).tries)) == ("asked", 1)
    swept(ref)  # not due before its lease has run out
    assert int(row(ref).tries) == 1
    answer(ref)
    assert row(ref).status == "answered"


def test_who_gives_up_what_a_worker_has_begun_is_too_late(ref: QuestionRef) -> None:
    due = row(ref)
    time.sleep(0.002)
    question_actions.claim_question(ref, due, owner="mine")
    assert not question_actions.give_up(ref, due)
    with pytest.raises(Conflict):
        question_actions.postpone(due, counts=True)
    assert (row(ref).status, int(row(ref).tries)) == ("asked", 1)


def test_a_begin_that_s3_did_not_answer_does_not_count(ref: QuestionRef) -> None:
    for _ in range(MOST + 1):
        with fail("s3", "GetObject", error_code="SlowDown", times=9), pytest.raises(Unavailable):
            answering.answer_question(ref, 1, owner="mine")
    assert int(row(ref).tries) == 0
    answer(ref, owner="another")
    assert row(ref).status == "answered"


def test_a_worker_that_dies_behind_its_answer_leaves_it_answered(ref: QuestionRef) -> None:
    with crash_after("dynamodb", "TransactWriteItems"):
        answer(ref)
    answer(ref)
    assert words(ref) == ["QUESTION_ASKED", "QUESTION_ANSWERED"]


def test_a_question_of_an_older_writer_is_answered_and_due_when_it_is_asked_again(ref: QuestionRef) -> None:
    names = ("GSI2PK", "GSI2SK", "tries", "project_id", "document_id", "workflow_id")
    Question.change(ref.key, [getattr(Question, name).remove() for name in names], Question.PK.exists())
    killed(ref)
    assert (int(row(ref).tries), row(ref).GSI2SK) == (1, None)
    question_actions.ask_again(ref, generation=1, by=BY)
    assert queries.ref_of(ref.run.site, row(ref)) == ref
    assert row(ref).GSI2PK


def test_a_deleted_question_is_not_due(ref: QuestionRef) -> None:
    question_actions.delete_question(ref, by=BY)
    assert (row(ref).GSI2PK, row(ref).GSI2SK) == (None, None)
