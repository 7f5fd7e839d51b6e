"""Questions answered from a page: its fields by their labels, else the row that says most of the question."""

import pytest

from tests.workflows.stages.memory import FIELDS, page
from workflows.stages.models import answerer

PAGE = page(
    "Alder & Quill Ltd",
    "Invoice number: AQ-77",
    "Date 12/03/2024",
    "Delivery address:",
    "7 Mill Lane, Leeds",
    "The goods stay our property until they are paid.",
    "Total due 120.00",
)


def asked(question: str) -> answerer.Quoted:
    return answerer.answer_question(PAGE, question, FIELDS)


def test_a_field_that_the_question_names_is_answered_with_its_value_and_its_row() -> None:
    found = asked("What is the total?")
    assert (found.content, found.passage) == ("Total: 120.00", "Total due 120.00")
    assert found.box is not None
    assert found.confidence is not None
    assert asked("Which invoice number does it have?").content == "Invoice number: AQ-77"


def test_else_the_row_that_says_most_of_it_is_quoted() -> None:
    found = asked("When do the goods become our property, once they are paid?")
    assert found.content == found.passage == "The goods stay our property until they are paid."
    assert found.confidence is None


def test_a_row_that_only_begins_an_answer_comes_with_the_next() -> None:
    assert asked("Where is the delivery?").content == "Delivery address:\n7 Mill Lane, Leeds"


@pytest.mark.parametrize("question", ["Who is the king of Spain?", "Why?", "…", "天気はどうですか"])
def test_what_the_page_does_not_say_is_not_invented(question: str) -> None:
    found = asked(question)
    assert (found.content, found.passage, found.box) == (answerer.NOTHING, "", None)


def test_a_page_without_text_answers_nothing() -> None:
    assert answerer.answer_question(page(), "Total?", FIELDS).content == answerer.NOTHING
