"""The story of a question about a page, for the audit's tests."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.workflows.questions.made import BY, read_run
from workflows.questions import actions as question_actions
from workflows.questions.actions import Answer
from workflows.questions.queries import QuestionRef


def question_story() -> Iterator[tuple[Callable[..., Any], Callable[[], Any]]]:
    run = read_run()
    yield question_actions.ask_question, lambda: question_actions.ask_question(run, 0, "What is the total?", by=BY)
    ref = QuestionRef(run, 0, 1)
    yield (
        question_actions.record_answer,
        lambda: question_actions.record_answer(ref, Answer("120.00", "local"), generation=1),
    )
    yield question_actions.ask_again, lambda: question_actions.ask_again(ref, generation=1, by=BY)
    yield question_actions.record_failure, lambda: question_actions.record_failure(ref, "Nobody knows.", generation=2)
    yield question_actions.delete_question, lambda: question_actions.delete_question(ref, by=BY)
