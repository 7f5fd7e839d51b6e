"""The data of an execution: what is taken, and what conditions and people see of it."""

import pytest

from config.errors import Refused
from tests.each import each
from workflows.executions import data


def test_entries_are_asked_for_by_their_path() -> None:
    text = data.write_input(
        {"name": "Jane", "contract": {"salary": 5200.5, "remote": True}, "tags": ["a", "b"], "left": None}
    )
    facts = data.facts_of(text)
    assert facts.fields == {
        "name": ["Jane"], "contract.salary": ["5200.5"], "contract.remote": ["true"], "tags": ["a", "b"],
    }  # fmt: skip
    assert data.facts_of("17").fields == {"value": ["17"]}
    assert data.facts_of(data.write_input({"total": 1e3})).fields == {"total": ["1000.0"]}


def test_a_person_sees_each_value_and_nothing_hidden() -> None:
    assert data.describe_input(data.write_input({"a": "x\u202ey", "b": [1, 2]})) == "a: x\\u202ey\nb: 1\nb: 2"


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@each("value", ["x" * data.MOST_BYTES, deep(data.DEEPEST + 1), float("nan"), "\ud800"])
def test_what_is_too_large_too_deep_or_no_json_is_refused(value: object) -> None:
    with pytest.raises(Refused):
        data.write_input(value)


def test_the_largest_and_the_deepest_are_taken() -> None:
    assert len(data.write_input("x" * (data.MOST_BYTES - 2))) == data.MOST_BYTES
    assert data.write_input(deep(data.DEEPEST))


@each("text", ["", "{", "[" * 100_000, "x" * 100_000])
def test_what_is_typed_and_no_json_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        data.read_typed_input(text)


@each("title", ["x" * 121, "a\u202eb"])
def test_a_title_is_short_and_prints(title: str) -> None:
    with pytest.raises(Refused):
        data.check_title(title)
