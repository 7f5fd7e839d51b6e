"""Several cases in one test: what fails is told of each, and what must not wait for the others does not."""

import pytest
from pytest_timeout import PYTEST_FAILURE_MESSAGE

from tests.each import each

TRIED: list[int] = []


@each("number", [1, 2, 3])
def only_two(number: int) -> None:
    TRIED.append(number)
    assert number == 2


@each("number", [1, 2, 3])
def late(number: int) -> None:
    TRIED.append(number)
    pytest.fail(PYTEST_FAILURE_MESSAGE % 180)


@each("number", [1, 2, 3])
def left_out(number: int) -> None:
    TRIED.append(number)
    pytest.skip("not here")


@pytest.fixture(autouse=True)
def _nothing_tried() -> None:
    TRIED.clear()


def test_all_cases_are_tried_and_all_that_fail_are_told() -> None:
    with pytest.raises(AssertionError, match=r"(?s)2 of 3 cases:.*'number': 1.*'number': 3"):
        only_two()
    assert TRIED == [1, 2, 3]


def test_a_timeout_ends_the_test_at_its_case() -> None:
    with pytest.raises(pytest.fail.Exception, match="pytest-timeout"):
        late()
    assert TRIED == [1]


def test_a_skip_leaves_out_the_test() -> None:
    with pytest.raises(pytest.skip.Exception):
        left_out()
    assert TRIED == [1]
