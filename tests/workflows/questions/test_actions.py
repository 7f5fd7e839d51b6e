"""Questions about a page: numbers that are never given twice, and who comes second."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import Conflict, NotFound, Refused
from tests.workflows.questions.made import BY, read_run
from workflows.questions import actions as question_actions
from workflows.questions import queries
from workflows.questions.actions import Answer
from workflows.questions.queries import QuestionRef
from workflows.runs import queries as run_queries
from workflows.runs.items import Run

ANSWER = Answer("120.00", "local", "Total due 120.00", (0.1, 0.2, 0.3, 0.4), 0.9)


@pytest.fixture
def run(table: str) -> Run:
    return read_run()


def shown(run: Run, segment: int = 0) -> list[tuple[int, str, str | None]]:
    return [(int(one.qa_index), one.status, one.content) for one in queries.of_page(run, segment)]


def told(run: Run) -> list[tuple[str, str | None, dict[str, object]]]:
    rows = run_queries.lineage(run.site, run.document_id).rows
    return [(one.type, one.by, one.facts.as_dict()) for one in rows if one.type.startswith("QUESTION")]


def test_a_question_is_asked_answered_asked_again_and_deleted_and_each_is_told_by_ids(run: Run) -> None:
    ref = question_actions.ask_question(run, 0, "  What is the\ttotal? ", by=BY)
    assert queries.get_question(ref).analysis_query == "What is the total?"
    assert question_actions.record_answer(ref, ANSWER, generation=1)
    assert question_actions.ask_again(ref, generation=1, by=BY) == 2
    assert shown(run) == [(1, "asked", "120.00")]  # until the next answer comes
    assert question_actions.record_failure(ref, "Nobody knows.", generation=2)
    assert question_actions.delete_question(ref, by=BY)
    assert told(run) == [
        (f"QUESTION_{word}", by, {"page": 1, "question": 1})
        for word, by in (
            ("ASKED", BY.name), ("ANSWERED", None), ("ASKED_AGAIN", BY.name), ("FAILED", None), ("DELETED", BY.name),
        )
    ]  # fmt: skip


def test_numbers_stay_and_are_not_given_again(run: Run) -> None:
    first, second, third = (question_actions.ask_question(run, 0, f"Question {one}?", by=BY) for one in "abc")
    assert [one.number for one in (first, second, third)] == [1, 2, 3]
    question_actions.record_answer(third, ANSWER, generation=1)
    question_actions.delete_question(second, by=BY)
    question_actions.delete_question(third, by=BY)
    row = queries.get_question(third)
    assert (row.analysis_query, row.content, row.found, row.asked_by) == (None, None, None, None)
    assert question_actions.ask_question(run, 0, "Next?", by=BY).number == 4
    assert [one[:2] for one in shown(run)] == [(1, "asked"), (2, "deleted"), (3, "deleted"), (4, "asked")]
    assert question_actions.ask_question(run, 12_345, "Another page?", by=BY).number == 1
    assert len(shown(run)) == 4


def test_who_asks_at_the_same_time_gets_the_next_number(run: Run) -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(question_actions.ask_question, run, 0, f"Question {one}?", by=BY) for one in range(4)]
    assert sorted(one.result().number for one in asked) == [1, 2, 3, 4]


def test_an_answer_that_comes_late_or_twice_changes_nothing(run: Run) -> None:
    ref = question_actions.ask_question(run, 0, "Total?", by=BY)
    question_actions.ask_again(ref, generation=1, by=BY)
    assert not question_actions.record_answer(ref, ANSWER, generation=1)
    assert question_actions.record_answer(ref, ANSWER, generation=2)
    assert not question_actions.record_answer(ref, Answer("other", "local"), generation=2)
    assert not question_actions.record_failure(ref, "Late.", generation=2)
    assert shown(run) == [(1, "answered", "120.00")]
    question_actions.delete_question(ref, by=BY)
    assert not question_actions.record_answer(ref, ANSWER, generation=2)
    assert shown(run) == [(1, "deleted", None)]


def test_who_asks_again_or_deletes_second_is_told(run: Run) -> None:
    ref = question_actions.ask_question(run, 0, "Total?", by=BY)
    question_actions.ask_again(ref, generation=1, by=BY)
    with pytest.raises(Conflict):
        question_actions.ask_again(ref, generation=1, by=BY)
    assert question_actions.delete_question(ref, by=BY)
    assert not question_actions.delete_question(ref, by=BY)
    with pytest.raises(Conflict):
        question_actions.ask_again(ref, generation=2, by=BY)
    with pytest.raises(NotFound):
        question_actions.delete_question(QuestionRef(run, 0, 9), by=BY)


@pytest.mark.parametrize(("text", "words"), [(" \n", "Enter a question"), ("x" * 501, "at most 500")])
def test_what_is_no_question_is_refused(run: Run, text: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        question_actions.ask_question(run, 0, text, by=BY)


def test_a_page_is_asked_so_often_and_no_more(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MOST", 2)
    for _ in range(2):
        question_actions.delete_question(question_actions.ask_question(run, 0, "Total?", by=BY), by=BY)
    with pytest.raises(Refused, match="2 questions"):
        question_actions.ask_question(run, 0, "Total?", by=BY)


def test_an_answer_that_comes_twice_is_kept_once(run: Run) -> None:
    ref = question_actions.ask_question(run, 0, "Total?", by=BY)
    assert question_actions.record_answer(ref, Answer("120.00", "nova"), generation=1)
    assert not question_actions.record_answer(ref, Answer("130.00", "nova"), generation=1)
    assert queries.get_question(ref).content == "120.00"
