"""The story of a question about a page, for the audit's tests."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.workflows.questions.made import BY, read_run
from workflows.actions import questions
from workflows.actions.questions import Answer
from workflows.questions.queries import QuestionRef


def question_story() -> Iterator[tuple[Callable[..., Any], Callable[[], Any]]]:
    run = read_run()
    yield questions.ask, lambda: questions.ask(run, 0, "What is the total?", by=BY)
    ref = QuestionRef(run, 0, 1)
    yield questions.answered, lambda: questions.answered(ref, Answer("120.00", "local"), generation=1)
    yield questions.ask_again, lambda: questions.ask_again(ref, generation=1, by=BY)
    yield questions.failed, lambda: questions.failed(ref, "Nobody knows.", generation=2)
    yield questions.delete, lambda: questions.delete(ref, by=BY)
