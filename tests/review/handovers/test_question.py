"""What may be asked, and the sentence for what may not."""

import pytest

from config.errors import Refused
from review.handovers import question
from review.handovers.question import MOST_FIELDS, Question
from tests.each import each

ASKED = {"title": "Invoice 17", "token": "t", "fields": [{"name": "total", "type": "amount", "value": "33.90"}]}


def refusal(**changes) -> str:
    with pytest.raises(Refused) as refused:
        question.read_machine_question({**ASKED, **changes})
    return str(refused.value)


def test_numbers_booleans_and_nulls_of_machines_are_taken() -> None:
    paid = {"name": "paid", "type": "boolean", "value": True}
    fields = [{"name": "total", "value": 12.5}, paid, {"name": "note", "value": None}]
    asked = question.read_machine_question({**ASKED, "fields": fields, "policy": None, "text": None})
    assert [field.value for field in asked.fields] == ["12.5", "true", None]


@pytest.mark.parametrize("name", question.TOKEN_NAMES)
def test_the_token_has_the_names_that_authors_give_it(name: str) -> None:
    asked = {**ASKED, name: "secret"}
    if name != "token":
        del asked["token"]
    found = question.read_machine_question(asked)
    assert found.token == "secret"
    assert "secret" not in repr(found)


def test_the_caller_is_known_by_its_execution_however_that_is_named() -> None:
    arn = "arn:aws:states:eu-central-1:000000000000:execution:loans:e-1"
    assert question.read_machine_question({**ASKED, "execution_arn": arn}).machine == "loans"
    both = {**ASKED, "Comment": "x", "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": arn, "execution_arn": arn}
    assert question.read_machine_question(both).execution_arn == arn
    assert question.read_machine_question(ASKED).machine == ""


def test_what_is_asked_has_one_hash_whoever_asks_and_until_when() -> None:
    first, again = (
        question.read_machine_question(ASKED),
        question.read_machine_question({**ASKED, "token": "u", "deadline_seconds": 90, "id": "1"}),
    )
    assert first.sha256 == again.sha256
    assert question.read_machine_question({**ASKED, "title": "Other"}).sha256 != first.sha256
    plain = {name: value for name, value in ASKED.items() if name != "token"}
    assert Question.model_validate(plain).sha256 == first.sha256


@each(
    ("changes", "words"),
    [
        ({"title": ""}, "title"),
        ({"title": "a\x00b"}, "title: contains an invalid character"),
        ({"text": "x" * 100_001}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"fields": [{"name": "a b"}]}, "fields.0.name"),
        ({"fields": [{"name": "a"}, {"name": "a"}]}, "must be unique"),
        ({"fields": [{"name": f"f{i}"} for i in range(MOST_FIELDS + 1)]}, "fields"),
        ({"fields": [{"name": "a", "type": "colour"}]}, "type must be one of text, date"),
        ({"fields": [{"name": "a", "confidence": 98}]}, "less than or equal to 1"),
        ({"fields": [{"name": "a", "value": {"x": 1}}]}, "fields.0.value"),
        ({"fields": [{"name": "a", "value": "v" * 1001}]}, "fields.0.value"),
        ({"fields": [{"name": "a", "value": float("inf")}]}, "is not a finite number"),
        ({"fields": [{"name": "a", "allowed": ["x"] * 101}]}, "fields.0.allowed"),
        ({"fields": [{"name": "a", "page": -1}]}, "fields.0.page"),
        ({"fields": [{"name": "a", "page": 0, "box": [0.5, 0, 0.1, 1]}]}, "box must be [left, top"),
        ({"fields": []}, "nothing to review"),
        ({"deadline_seconds": 1}, "deadline_seconds"),
        ({"deadline_seconds": 10**9}, "deadline_seconds"),
        ({"dead_line": 60}, "dead_line: Extra inputs"),
        ({"execution_arn": "not an arn"}, "execution_arn"),
        ({"pages": ["s3://b/k"] * 21}, "pages"),
        ({"token": ""}, "token"),
    ],
)
def test_what_cannot_be_reviewed_is_refused_with_where_and_why(changes, words: str) -> None:
    assert words in refusal(**changes)


@each("raw", [None, [], "x", 3, {}])
def test_what_is_no_question_at_all_is_refused_too(raw) -> None:
    with pytest.raises(Refused):
        question.read_machine_question(raw)


def test_a_refusal_names_ten_places_and_repeats_no_content() -> None:
    said = refusal(fields=[{"name": "of a person", "confidence": 2}] * 20)
    assert "of a person" not in said
    assert "more." in said
